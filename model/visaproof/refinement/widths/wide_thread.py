"""One wide thread, and the narrow threads that run the same work items: which lane is which, and what they start with.

Lane L of the wide thread is lane L mod n of the narrow thread L div n, where n is the narrow width.
"""

from collections.abc import Callable, Hashable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.platform import THREAD_NUMBER_BYTE, THREAD_NUMBER_SINCE
from visaproof.launch.ids.laid_out import takes_only_images
from visaproof.launch.ids.local_ids import Host
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.launch.input_meaning import GROUP_ID_BYTES
from visaproof.launch.matching import THREAD_STATE, Matched, Matching, Program, match, started_with
from visaproof.launch.premises import Premise, premise
from visaproof.refinement.scope import Scope
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.value_names import OnlyHanded, Owner, RegisterByte, Unmatched
from visaproof.smt import BitVec, add, const, scale, symbol, zero_extend

THREAD_NUMBER = "thread_number"

_OF_WORK_ITEMS = frozenset((8, 16, 32))
"""Lanes of threads of which each lane runs a work item: not those of the VectorCompiler."""

_SHARED = frozenset(("%cr0", "%group_id_x", "%group_id_y", "%group_id_z"))

Initial = Callable[[str, int], Byte]


class Split(Struct, frozen=True):
    """The widths of both kernels."""

    wide: int
    narrow: int
    source_is_wide: bool

    @property
    def widths(self) -> tuple[int, int]:
        """Lanes of a thread of the source, and of one of the target."""
        return (self.wide, self.narrow) if self.source_is_wide else (self.narrow, self.wide)

    @property
    def threads(self) -> int:
        """How many narrow threads run what one wide thread runs."""
        return self.wide // self.narrow

    def lanes(self, thread: int) -> slice:
        """The lanes of the wide thread that a narrow one runs."""
        return slice(thread * self.narrow, (thread + 1) * self.narrow)


def split_of(source: Program, target: Program) -> Split | None:
    """How the threads of one kernel make up one of the other; None where both have one width.

    Raises NotModelled where a lane is no work item, ReadError where it is not known which
    input holds which local ids.
    """
    widths = [len(launched_lanes(program.kernel)) for program in (source, target)]
    if widths[0] == widths[1]:
        return None
    found = Split(max(widths), min(widths), widths[0] > widths[1])
    stated = {program.kernel.work_items for program in (source, target)}
    if not stated <= _OF_WORK_ITEMS:
        raise NotModelled(f"kernels of different SIMD widths: {widths[0]} and {widths[1]} lanes")
    for program in (source, target):
        if not program.launch.meanings:
            raise ReadError(
                f"kernels of {widths[0]} and {widths[1]} lanes have other inputs in the same places of the payload",
                Position(program.kernel.path, 1, 1),
                "say what the inputs of both kernels hold: `--launch FILE` (a zebin, its .ze_info, or a manifest.json)",
            )
    return found


# ---------------------------------------------------------------- which input is which


def matched_inputs(source: Program, target: Program, split: Split) -> Matching:
    """The inputs of the target for the reader: of local ids, those of lanes with one number in their narrow threads."""

    def fold(lane: int) -> int:
        return lane % split.narrow

    found = match(source, target, fold, fold)
    rows = tuple(Matched(row.target, row.source, _of_lanes(row.what)) for row in found.rows)
    return Matching(found.by_meaning, rows, found.places, found.extra)


def _of_lanes(what: str) -> str:
    """A local id without lanes: they differ between the threads."""
    name, lanes, _ = what.partition(", lanes ")
    return f"{name} of its lanes" if lanes else what


def _shifted(split: Split, thread: int) -> Callable[[int], Hashable]:
    first = thread * split.narrow
    return lambda lane: first + lane if lane < split.narrow else ("no lane", lane)


# ---------------------------------------------------------------- what the registers hold


def wide_start(
    program: Program, split: Split, side: str, initial: Initial, extra: Iterable[tuple[str, int]] = ()
) -> Initial:
    """The registers of the wide thread; `extra` are inputs that the narrow ones do not get."""
    inputs, alone = {item.variable for item in program.kernel.inputs}, frozenset(extra)

    def start(variable: str, byte: int) -> Byte:
        if (variable, byte) in alone:
            return _only(side, initial, variable, byte)
        if variable in inputs:
            return initial(variable, byte)
        if _is_number(program, variable, byte):
            return thread_number(split), 0
        owner = Owner(side)
        return _handed(owner, initial, variable, byte) or started_with(owner, variable, byte)

    return start


def narrow_start(wide: Program, narrow: Program, split: Split, thread: int, starts: "Starts") -> Initial:
    """The registers of a narrow thread: inputs hold what those of the wide one do, of its own lanes."""
    matching = match(wide, narrow, target_lane=_shifted(split, thread))

    def start(variable: str, byte: int) -> Byte:
        place = matching.places.get((variable, byte))
        if place is not None:
            return starts.wide(*place)
        if (variable, byte) in matching.extra:
            return _only(starts.side, starts.own, variable, byte)
        if _is_number(narrow, variable, byte):
            return add(scale(thread_number(split), split.threads), const(thread, 8)), 0
        owner = Owner(starts.side, thread)
        return _handed(owner, starts.wide, variable, byte) or started_with(owner, variable, byte)

    return start


class Starts(Struct, frozen=True):
    """What narrow threads start with is made from this."""

    side: str
    """source or target"""
    wide: Initial
    """The registers of the wide thread."""
    own: Initial
    """The registers of a narrow thread as its launch has them."""


def number_symbol(split: Split) -> BitVec:
    """The number of the wide thread in its group, so narrow that those of the narrow ones do not wrap in a byte."""
    return symbol(THREAD_NUMBER, 8 - (split.threads - 1).bit_length())


def thread_number(split: Split) -> BitVec:
    """The same as a byte."""
    return zero_extend(number_symbol(split), 8)


def _is_number(program: Program, variable: str, byte: int) -> bool:
    """Whether this byte is the number of a thread in its group: kernels take it as the id of their sub-group."""
    return variable == "%r0" and byte == THREAD_NUMBER_BYTE and program.platform >= THREAD_NUMBER_SINCE


def prefix_of(thread: int) -> str:
    """What stands before the names of all that is arbitrary in one of the narrow threads."""
    return f"thread {thread}:"


def _only(side: str, initial: Initial, variable: str, byte: int) -> Byte:
    word, index = initial(variable, byte)
    if word.width == 64:  # an address
        return symbol(OnlyHanded(side, word.payload), 64), index
    return symbol(OnlyHanded(side, RegisterByte(variable, byte)), 8), 0


def _handed(owner: Owner, shared: Initial, variable: str, byte: int) -> Byte | None:
    """What the hardware hands to every thread: group ids are those of the group, all else may be anything."""
    if variable not in THREAD_STATE:
        return None
    if variable in _SHARED or (variable == "%r0" and byte - byte % 4 in GROUP_ID_BYTES):
        return shared(variable, byte)
    return symbol(Unmatched(owner, RegisterByte(variable, byte - byte % 4)), 32), byte % 4


def in_rows(source: Program, target: Program, scope: Scope) -> tuple[Program, Program, tuple[Premise, ...]]:
    """The programs, launched by an API that has no tiles.  Raises NotModelled where it is stated that one has."""
    tiles = any(takes_only_images(program.kernel, program.launch) for program in (source, target))
    if not scope.assume.of_launches or not tiles or source.launch.host is Host.LEVEL_ZERO:
        return source, target, ()
    if source.launch.host is Host.OPENCL:
        raise NotModelled("kernels of different SIMD widths whose local ids are laid out in tiles (--host opencl)")
    if "rows" not in scope.assume:
        raise NotModelled("kernels of different SIMD widths whose local ids may be laid out in tiles (rows is lifted)")
    one, other = (replace(each, launch=replace(each.launch, host=Host.LEVEL_ZERO)) for each in (source, target))
    return one, other, (premise("rows"),)
