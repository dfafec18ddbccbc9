"""What is wrong with an access that is undefined: an address, or registers that a variable does not have."""

from visaproof.machine.symbolic.trace import Performed
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.semantics.symbolic.accesses import Access, Load
from visaproof.smt import (
    BitVec,
    Bool,
    conj,
    const,
    eq,
    is_false,
    known_trailing_zeros,
    neg,
    truncate,
)

DWORD = 4

LARGER_UNITS = ("qw_", "svm_")
"""What the opcodes begin with that ask for more than the width of each of their accesses."""


def kind_of(access: Access) -> UndefinedKind:
    """What a variable does not have is known, an address mostly is not."""
    return UndefinedKind.BEYOND_VARIABLE if is_false(access.defined) else UndefinedKind.MISALIGNED


def may_be_of_two_kinds(performed: Performed, access: Access) -> bool:
    """Whether an access never is defined, and its address may be a reason for that."""
    address, *coordinates = access.cell
    if coordinates or not is_false(access.defined):
        return False
    asks_for_more = performed.instruction.opcode.startswith(LARGER_UNITS)
    return asks_for_more or 1 << known_trailing_zeros(address) < max(DWORD, access.width)


def is_texel_read(access: Access) -> bool:
    """Whether it reads an image, and by no sampler, which defines what is read outside."""
    return isinstance(access, Load) and len(access.cell) > 1


def is_aligned(address: BitVec) -> Bool:
    """Whether an address is a multiple of 4."""
    return eq(truncate(address, 2), const(0, 2))


def where_aligned(defined: Bool, address: BitVec) -> Bool:
    """Where an access is defined and its address is a multiple of 4; as it was if it says so already."""
    aligned = is_aligned(address)
    return defined if is_false(conj(defined, neg(aligned))) else conj(defined, aligned)
