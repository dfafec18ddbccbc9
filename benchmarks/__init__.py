"""What visaproof's encoding gains, as ratios measured in one run: `make bench`."""
