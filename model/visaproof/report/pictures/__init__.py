"""Pictures of counterexamples as SVG: lanes and the bytes that they reach, memory before and after."""
