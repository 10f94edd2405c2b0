"""The main job: from rows with labels to an honest error, a rule, a verdict and a report."""
