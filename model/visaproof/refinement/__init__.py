"""Does one kernel refine another?  Both run symbolically and concretely, and who decides."""
