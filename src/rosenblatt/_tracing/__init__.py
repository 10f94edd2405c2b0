"""What a trace is made of: the run, the space it happened in, its inequalities, its words."""
