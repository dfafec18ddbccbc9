"""Claims of one's own about instructions in z3 arrays: an arbitrary state, the question, and the state that refutes."""
