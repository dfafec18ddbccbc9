"""The machine: what instructions read and write.  Concrete and symbolic, written apart from each other."""
