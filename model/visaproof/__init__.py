"""visaproof: a property-based formal model of Intel vISA with SMT checking."""

__version__ = "0.2.0"
