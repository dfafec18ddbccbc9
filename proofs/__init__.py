"""What visaproof claims: each `prove_*` is a theorem about the model, each `refute_*` shows that it can fail."""
