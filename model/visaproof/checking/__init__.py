"""From a question to an answer: stages, counterexamples that replay, and the public encoding."""
