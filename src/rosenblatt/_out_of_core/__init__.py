"""Training data larger than memory: encoded once into files of our own, read a block at a time."""
