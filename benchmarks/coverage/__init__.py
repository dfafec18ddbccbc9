"""What the model covers of a corpus of compiled kernels, measured."""
