"""What every package may use: files, locks, strict JSON, limits of work. No perceptron here."""
