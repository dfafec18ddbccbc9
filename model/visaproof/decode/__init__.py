"""From statements to the messages of the pages: operands, surfaces, samplers, barriers."""
