"""2D blocks in arbitrary states, and what is asked of them.  Source: docs/pages/current-compiler.md §6."""

from collections.abc import Iterable, Mapping

from visaproof.instructions.family import LscLoadBlock2d, LscStoreBlock2d
from visaproof.instructions.lsc.block2d import BlockPlace, BlockShape, data_bytes, place_in_payload
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.queries.pages import cleared, contains, effects, lanes_enabled
from visaproof.queries.query import Query, about
from visaproof.queries.subject import (
    Subject,
    any_execution,
    arbitrary_state,
    legal_fields,
    scope_of,
    subject_of,
)
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice, Store
from visaproof.semantics.symbolic.state import FLAT_BITS, SymbolicFlat
from visaproof.smt import BitVec, Bool, conj, const, disj, eq, false, iff, implies, neg, sub, symbol, ult

MOVED = (3, -2)
"""What some of the messages add to X and Y."""


def load_block2d(shape: BlockShape, predicated: bool, moved: bool = False, readings: Readings = DEFAULT) -> Subject:
    """LSC_LOAD_BLOCK2D of this shape, from any place of any matrix; one more register follows its destination.

    With `moved`, constants are added to X and Y.
    """
    grf = Platform.PVC.grf_bytes
    filled = data_bytes(shape, grf)
    instruction = LscLoadBlock2d(any_execution(1, predicated), _place(moved), shape, RawOperand("VD"))
    return _subject(instruction, {"VD": filled + grf}, predicated, moved, readings)


def store_block2d(shape: BlockShape, predicated: bool, moved: bool = False, readings: Readings = DEFAULT) -> Subject:
    """LSC_STORE_BLOCK2D, likewise."""
    instruction = LscStoreBlock2d(any_execution(1, predicated), _place(moved), shape, RawOperand("VS"))
    return _subject(instruction, {"VS": data_bytes(shape, Platform.PVC.grf_bytes)}, predicated, moved, readings)


def _place(moved: bool) -> BlockPlace:
    return place_in_payload("VP", 0, *(MOVED if moved else (0, 0)))


def _subject(
    instruction: LscLoadBlock2d | LscStoreBlock2d,
    data: Mapping[str, int],
    predicated: bool,
    moved: bool,
    readings: Readings,
) -> Subject:
    state = arbitrary_state(Platform.PVC, {"VP": 64, **data}, SymbolicFlat(), predicated, FLAT)
    scope = scope_of(str(instruction.shape), "moved" if moved else "", "predicated" if predicated else "")
    return subject_of(instruction, Platform.PVC, state, scope, legal_fields(1, predicated, readings), readings)


def elements_are_the_pages(subject: Subject) -> Query:
    """Each element is touched if and only if the lane runs and the matrix has it, at the address that the page gives,
    and then it is between memory and the register bytes of the page."""
    same: list[Bool] = []
    for access, effect in zip(subject.accesses, effects(subject), strict=True):
        (address,), (stated,) = access.cell, effect.cell
        same.append(iff(access.guard, effect.enabled))
        same.append(implies(effect.enabled, eq(address, stated)))
        match access:
            case Store():
                assert effect.written is not None
                same.append(implies(effect.enabled, eq(access.value, effect.written)))
            case _ if access.destination != effect.destination:
                same.append(neg(effect.enabled))
            case _:
                pass
    return about(subject, "elements-are-the-pages", (), conj(*same))


def elements_outside_are_dropped(subject: Subject) -> Query:
    """A store touches no memory for an element outside of the matrix: not in its columns, or not in its rows."""
    instruction, state = subject.instruction, subject.state
    assert isinstance(instruction, LscStoreBlock2d)
    (runs,) = lanes_enabled(state, instruction.execution)
    goals = [
        implies(conj(runs, neg(effect.enabled)), neg(access.guard))
        for access, effect in zip(subject.accesses, effects(subject), strict=True)
    ]
    return about(subject, "elements-outside-are-dropped", (), conj(*goals))


def other_bytes_are_unchanged(subject: Subject) -> Query:
    """A byte that lies in no element of the block that is in the matrix is not written, whatever its alignment."""
    probe = symbol("byte", FLAT_BITS)

    def lies_in(address: BitVec, width: int) -> Bool:
        return ult(sub(probe, address), const(width, FLAT_BITS))

    state, surface = subject.state, subject.surface
    addressed = [
        conj(one.enabled, contains(state, surface, one.cell, one.width), lies_in(one.cell[0], one.width))
        for one in effects(subject)
    ]
    written = [conj(one.guard, one.inside, lies_in(one.cell[0], one.width)) for one in subject.accesses]
    return about(subject, "other-bytes-are-unchanged", (neg(disj(*addressed)),), neg(disj(*written)))


def every_byte_has_one_source(subject: Subject) -> Query:
    """Where the lane runs, each byte of a block's registers is loaded or becomes 0, as the page says, and not both;
    where it does not, and elsewhere, registers stay."""
    stated = [(effect.enabled, effect.destination) for effect in effects(subject)]
    own = [(access.guard, access.destination) for access in subject.accesses if isinstance(access, Load)]
    loads, own_loads = _by_byte(stated), _by_byte(own)
    zeros, own_zeros = _by_byte(cleared(subject)), _by_byte(subject.leaves_undefined)
    goals: list[Bool] = []
    for variable, size in subject.state.registers.sizes.items():
        for place in ((variable, byte) for byte in range(size)):
            zero, loaded = own_zeros.get(place, false()), own_loads.get(place, false())
            goals.append(iff(zero, zeros.get(place, false())))
            goals.append(iff(loaded, loads.get(place, false())))
            goals.append(neg(conj(zero, loaded)))
    return about(subject, "every-byte-has-one-source", (), conj(*goals))


def _by_byte(places: Iterable[tuple[Bool, RegisterSlice | None]]) -> dict[tuple[str, int], Bool]:
    """When each register byte is among the places."""
    found: dict[tuple[str, int], Bool] = {}
    for guard, place in places:
        assert place is not None
        for byte in range(place.start, place.start + place.width):
            found[place.variable, byte] = disj(guard, found.get((place.variable, byte), false()))
    return found
