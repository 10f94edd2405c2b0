"""What predicts once it is trained: weights, voters, expansions in kernels."""
