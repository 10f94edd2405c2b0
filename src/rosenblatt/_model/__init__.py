"""The parts of a model file: what is written for each of them, and how it is read strictly."""
