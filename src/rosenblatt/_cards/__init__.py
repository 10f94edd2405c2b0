"""Scorecards: what can earn points, and the search for few terms with few errors."""
