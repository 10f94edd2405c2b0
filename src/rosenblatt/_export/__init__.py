"""What an ONNX graph is made of; `rosenblatt.onnx` is the way in."""
