"""How a rule becomes an expression of SQL, of a spreadsheet or of Python."""
