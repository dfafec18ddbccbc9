"""Lanes that are on wherever the source stays inside of its buffers.

A message of the whole thread may take its address from a lane that is off: then the address is uninitialised, any,
and among the source's choices are some that leave all buffers.  So a launch in which the source stays inside has the
lane on.
"""

from collections.abc import Iterator, Mapping

from visaproof.instructions.svm_gather import FLAT
from visaproof.launch.matching import SHARED_LOCAL
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.surface_names import PRIVATE_SIZE
from visaproof.refinement.effects.places import OFFSET_BITS
from visaproof.refinement.testing.runner import Runner
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.value_names import is_own
from visaproof.smt import BitVec, Bool, evaluate, false, is_true, linear_parts, substitute, symbols_of
from visaproof.smt.arithmetic import sum_of
from visaproof.smt.halves import as_sum

MOST_BUFFERS = 200
"""Of more than this, some uninitialised address might be in one for each choice that is tried."""


def lanes_needed(source: Runner, lanes: tuple[Bool, ...]) -> tuple[Bool, ...]:
    """The lanes without which the source may leave its buffers, of at most 2 GiB where it reaches them by surface."""
    needed: dict[Bool, None] = {}
    for surface, access in _of_the_thread(source):
        symbols = set(symbols_of(access.cell[0]))
        if not any(is_own(one, "source") for one in symbols):
            continue
        for lane in (one for one in lanes if one in symbols and one not in needed):
            if _may_leave(substitute(access.cell[0], {lane: false()}), surface, source.pointers):
                needed[lane] = None
    return tuple(needed)


def _of_the_thread(source: Runner) -> Iterator[tuple[str, Access]]:
    """The accesses that happen whatever the lanes are, to buffers."""
    for performed in source.trace.performed:
        if source.surface(performed.surface) != SHARED_LOCAL:
            for access in performed.accesses:
                whole = is_true(access.guard) and len(access.cell) == 1
                if whole and not is_private(source.trace, performed, access):
                    yield performed.surface, access


def _may_leave(address: BitVec, surface: str, pointers: Mapping[BitVec, str]) -> bool:
    """Whether some choice of uninitialised values is outside; no, unless the address depends on nothing else."""
    if surface != FLAT:
        return any(place >= 1 << OFFSET_BITS - 1 for place in _choices(address))
    constant, parts = linear_parts(as_sum(address))
    bases = [atom for atom in parts if atom in pointers]
    if len(bases) == 1 and parts[bases[0]] == 1:
        offset = sum_of(
            constant, {atom: factor for atom, factor in parts.items() if atom is not bases[0]}, address.width
        )
        return any(place >= 1 << OFFSET_BITS for place in _choices(offset))
    apart, last = 0, -PRIVATE_SIZE
    for place in sorted(set(_choices(address))):
        if place - last >= 2 * PRIVATE_SIZE:
            apart, last = apart + 1, place
    return apart > MOST_BUFFERS


def _choices(address: BitVec) -> Iterator[int]:
    """Values of the address for choices of one byte each; none where it does not depend on choices alone."""
    symbols = symbols_of(address)
    if all(is_own(one, "source") for one in symbols):
        for one in symbols:
            yield from (evaluate(address, {one: choice}) for choice in range(1 << min(one.width, 8)))
