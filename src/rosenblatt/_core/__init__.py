"""Who computes: the compiled core or the NumPy reference, and the rows as they take them."""
