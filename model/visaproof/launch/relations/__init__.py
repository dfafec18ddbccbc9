"""Relations between arguments and the launch that a user states, or that an answer names."""
