"""What a difference is, where a test knows which kind it has."""

from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.verdicts import ByteDiffers, Difference, RegisterDiffers, TargetUndefined


def byte_of(found: Difference) -> ByteDiffers | RegisterDiffers:
    """The byte that differs."""
    assert found.byte is not None
    return found.byte


def in_memory(found: Difference) -> ByteDiffers:
    """The byte of memory that differs."""
    assert isinstance(found.what, ByteDiffers)
    return found.what


def in_a_register(found: Difference) -> RegisterDiffers:
    """The byte of a register that differs."""
    assert isinstance(found.what, RegisterDiffers)
    return found.what


def undefined_in(found: Difference) -> TargetUndefined:
    """What is undefined in the target."""
    assert isinstance(found.what, TargetUndefined)
    return found.what


def kind_of(found: Difference) -> UndefinedKind | None:
    """Its kind."""
    return undefined_in(found).kind
