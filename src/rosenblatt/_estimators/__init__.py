"""What the estimators share: from the state of training to attributes and words."""
