"""A symbolic run of a kernel: registers, lanes, branches and loops, and the messages that it sends."""
