"""What is undefined in a kernel, and whether its behaviour depends on it; writes that no lane reaches."""
