"""Every input check: parameters and rows, labels and weights."""
