"""The claims of `proofs/`: collected, decided side by side, enumerated, under other readings."""
