"""Does one kernel refine another: runs of both on terms and on numbers, and who decides."""
