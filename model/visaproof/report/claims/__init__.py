"""Claims, readings, replays and evidence as people and programs read them."""
