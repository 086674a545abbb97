"""The tensors behind the torch engine: fused weights, a preallocated key/value cache, sampling and scoring."""
