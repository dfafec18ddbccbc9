"""What a kernel reads though it is undefined: registers beyond a variable, and registers that were never initialised.

Each such value is a symbol.  Whether it matters is a question about the terms in which the symbol occurs: the
addresses, branches, masks and outputs of the kernel.
"""

from collections.abc import Iterator
from enum import Enum

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.isa.operands import SLM
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.program.program import Program
from visaproof.queries.kernels.buffer_places import is_private
from visaproof.queries.kernels.full_sub_groups import is_of_full_sub_groups
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.queries.kernels.uninitialised import compares_with_itself, launched_variables
from visaproof.semantics.symbolic.accesses import Access, Atomic, Load
from visaproof.semantics.symbolic.beyond import Excess, byte_beyond
from visaproof.semantics.symbolic.guarded import Readers
from visaproof.smt import Bool, Term, conj, is_false, true

TRUE = true()


class Effect(Enum):
    """What depends on an undefined value."""

    BRANCH = "a branch"
    MASK = "which lanes are enabled"
    ADDRESS = "an address"
    OUTPUT = "what is stored"
    SHARED = "what is stored in shared local memory"
    WRITTEN = "other registers: what is written there"


class Suspect(Struct, frozen=True):
    """Values that are undefined, or a write beyond a variable, by the first statement that uses them."""

    kind: UndefinedKind
    position: Position
    variable: str
    what: str
    """What the statement does."""
    symbols: frozenset[Term] = frozenset()
    """The values that it reads."""
    written: tuple[Bool, ...] = ()
    """When it writes."""
    of_address: bool = False
    """Whether the values stand at a register address."""
    harmless: bool = False
    """Whether they are only compared with themselves: IGC's way to find out which lanes are active."""
    partly: bool = False
    """Whether they are uninitialised on some path only."""

    @property
    def is_uninitialised_value(self) -> bool:
        """Whether nothing but what registers and predicates held before the kernel is undefined."""
        return self.kind is UndefinedKind.UNINITIALISED and not (self.written or self.of_address)


class Sink(Struct, frozen=True):
    """A term on which the kernel's behaviour depends where the guard holds."""

    effect: Effect
    position: Position
    lane: int | None
    guard: Bool
    terms: tuple[Term, ...]


def suspects(program: Program, trace: Trace) -> tuple[Suspect, ...]:
    """In the order of their places in the file, those beyond a variable first where one statement has several.

    What some path has initialised comes last.
    """
    found = [*_beyond(trace), *_uninitialised(program, trace)]
    return tuple(sorted(found, key=lambda one: (one.partly, one.position.path, one.position.line)))


def _beyond(trace: Trace) -> Iterator[Suspect]:
    groups: dict[tuple[str, bool, Position | None], list[Excess]] = {}
    for one in trace.beyond:
        key = one.variable, one.written, None if one.written else one.position
        groups.setdefault(key, []).append(one)
    for (variable, written, _), group in groups.items():
        first = group[0]
        uninitialised = first.of_address and variable not in trace.registers.sizes
        kind = UndefinedKind.UNINITIALISED if uninitialised else UndefinedKind.BEYOND_VARIABLE
        what = f"uses address register {variable}, which is uninitialised" if uninitialised else _what(first, group)
        if written:
            yield Suspect(kind, first.position, variable, what, written=tuple(one.guard for one in group))
        else:
            values = frozenset(value for one in group for value in _values(trace, one))
            yield Suspect(kind, first.position, variable, what, values, of_address=first.of_address)


def _what(first: Excess, group: list[Excess]) -> str:
    """What the statement does: of all its lanes at once."""
    mine = [one for one in group if one.position == first.position]
    verb, unit = "writes" if first.written else "reads", "bits" if first.of_bits else "bytes"
    if first.of_address:
        return f"{verb} at a register address that leaves {first.variable} or is not aligned"
    start, stop = min(one.places.start for one in mine), max(one.places.stop for one in mine)
    return f"{verb} {unit} {start}..{stop - 1}, which lie beyond {first.variable}"


def _values(trace: Trace, one: Excess) -> Iterator[Term]:
    if one.value is not None:
        yield one.value
    elif one.of_bits:
        yield from (trace.predicates.at_start(one.variable, lane) for lane in one.places)
    else:
        yield from (byte_beyond(one.variable, byte) for byte in one.places)


def _uninitialised(program: Program, trace: Trace) -> Iterator[Suspect]:
    launched = launched_variables(program)
    harmless = {one.position for one in program.run_statements() if compares_with_itself(one)}
    registers, predicates = trace.registers, trace.predicates
    for unit, at_start, readers, when in (
        ("bytes", registers.at_start, registers.read_uninitialised, ""),
        ("bytes", registers.at_start, registers.partly, " on some path"),
        ("bits", predicates.at_start, predicates.read_uninitialised, ""),
        ("bits", predicates.at_start, predicates.partly, " on some path"),
    ):
        for (variable, position), places in _grouped(readers, launched, harmless).items():
            values = frozenset(at_start(variable, place) for place in places)
            what = f"reads {unit} {ranges(sorted(places))} of {variable}, which are uninitialised{when}"
            kind, is_harmless = UndefinedKind.UNINITIALISED, position in harmless
            yield Suspect(kind, position, variable, what, values, harmless=is_harmless, partly=bool(when))


def _grouped(
    readers: Readers, launched: frozenset[str], harmless: set[Position]
) -> dict[tuple[str, Position], list[int]]:
    """Places by the first statement that reads them; by the first that is not harmless, where there is one."""
    groups: dict[tuple[str, Position], list[int]] = {}
    for (variable, place), positions in readers.items():
        if variable not in launched and not variable.startswith("&"):
            first = next((one for one in positions if one not in harmless), next(iter(positions)))
            groups.setdefault((variable, first), []).append(place)
    return groups


def ranges(places: list[int] | tuple[int, ...]) -> str:
    """`0..7, 12`: sorted numbers, neighbours together."""
    runs: list[tuple[int, int]] = []
    for place in places:
        if runs and runs[-1][1] == place - 1:
            runs[-1] = runs[-1][0], place
        else:
            runs.append((place, place))
    return ", ".join(str(first) if first == last else f"{first}..{last}" for first, last in runs)


def sinks(trace: Trace, full: Bool = TRUE) -> Iterator[Sink]:
    """Branches, then messages in their order; what stays in private memory is followed there.

    `full` says that all lanes are on, where messages of other sub-groups are undefined.
    """
    for branch in trace.branches:
        for lane, jumps in enumerate(branch.jumping):
            if not is_false(jumps):
                yield Sink(Effect.BRANCH, branch.position, lane, conj(), (jumps,))
    for performed in trace.performed:
        made = full if is_of_full_sub_groups(performed.decoded) else TRUE
        for access in performed.accesses:
            yield from _of_access(trace, performed, access, made)


def _of_access(trace: Trace, performed: Performed, access: Access, made: Bool) -> Iterator[Sink]:
    position, lane, guard = performed.instruction.position, access.lane, conj(access.guard, made)
    private = is_private(trace, performed, access)
    if not private:
        yield Sink(Effect.MASK, position, lane, made, (access.guard,))
    yield Sink(Effect.ADDRESS, position, lane, guard, access.cell)
    if not private and not isinstance(access, Load):
        stored = (access.src0, access.src1) if isinstance(access, Atomic) else (access.value,)
        effect = Effect.SHARED if performed.surface == SLM else Effect.OUTPUT
        yield Sink(effect, position, lane, guard, stored)


def tainted(trace: Trace, values: frozenset[Term]) -> frozenset[Term]:
    """The values, and the results that the model leaves open of operations on them."""
    found, known = set(values), dict[Term, bool]()
    for one in trace.arbitrary:
        if one.symbol not in found and any(_depends(source.bits, found, known) for source in one.operands or ()):
            found.add(one.symbol)
            if one.symbol in known:  # terms of it were looked at
                known.clear()
    return frozenset(found)


def _depends(root: Term, values: set[Term], known: dict[Term, bool]) -> bool:
    """Whether one of the values stands in the term; what is known of others is looked up, and added to."""
    stack = [root]
    while stack:
        term = stack[-1]
        if term in known:
            stack.pop()
        elif open_args := [arg for arg in term.args if arg not in known]:
            stack += open_args
        else:
            known[term] = term in values or any(known[arg] for arg in term.args)
    return known[root]
