"""A counterexample as something to keep or to hand on: a test, a kernel, a launch, an OpenCL program."""
