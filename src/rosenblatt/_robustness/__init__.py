"""How firmly the known rows answer for a new one, and what would turn the answer."""
