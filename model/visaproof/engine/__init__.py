"""From a question to an answer: the ladder, counterexamples that replay, and the public encoding."""
