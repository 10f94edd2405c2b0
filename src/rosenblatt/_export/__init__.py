"""Rules for other programs: an ONNX graph, or text in SQL, a spreadsheet's formulas, Python."""
