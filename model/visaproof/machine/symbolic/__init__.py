"""A kernel on terms: registers, lanes, branches and loops, and the messages that it sends."""
