"""Does one kernel refine another?  Both run symbolically and on numbers, and who decides."""
