"""A program without what decides no place, mask or branch: where lanes store is as it was, and no longer what.

    t = a[i];  out[i] = t · t      stores at out + 4·i, whatever t is

Left out are computations, loads, products of matrices and reads through samplers.  What is left may read variables that
nothing has written: such data is stored, or computed for nobody.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, compress

from msgspec import Struct
from msgspec.structs import replace

from visaproof.decode.message import TypedMessage
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.identity import Same
from visaproof.isa.operands import SCRATCH
from visaproof.program.def_use import (
    FLOWS,
    WRITTEN,
    addressed,
    definitions,
    handles,
    names,
    reads_addressed,
    uses,
    writes_addressed,
)
from visaproof.program.operands import Unlowered
from visaproof.program.program import Program
from visaproof.program.statements import (
    Branch,
    Landing,
    MatrixProduct,
    MemoryMessage,
    Nothing,
    Run,
    SamplerMessage,
    Statement,
)

MEMORY = "private memory"
"""As a variable, which stores write and loads read."""


class PlacesAlone(Struct, frozen=True, dict=True):
    """The program, and its loads that bring nothing of the kind."""

    program: Program
    loads: frozenset[Same[Run]]
    """They still stand in it, for the surfaces that they name."""
    left_out: tuple[Run, ...]
    """What it no longer runs."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return not self.left_out

    @cached_property
    def short(self) -> Program:
        """The program without these loads, and without what does nothing: places in it are others.

        A run of it comes to the same stores in fewer statements, and says nothing of what is undefined beside them.
        """
        program, gone = self.program, self.loads
        kept = [not (isinstance(one, Nothing | Landing) or Same[Run](one) in gone) for one in program.statements]
        places = [0, *accumulate(kept)]
        statements = (
            replace(one, target=places[one.target]) if isinstance(one, Branch) else one
            for one in compress(program.statements, kept)
        )
        return replace(program, statements=tuple(statements))


def places_alone(program: Program, private: bool) -> PlacesAlone:
    """The program without what no place depends on; places in it stay, so that branches do.

    `private` says that what is stored in the flat address space may be loaded again from there.
    """
    return _places_alone(Same(program), private)


@lru_cache(maxsize=4)
def _places_alone(same: Same[Program], private: bool) -> PlacesAlone:
    program = same.it
    taken = addressed(program)
    scratch = any(isinstance(one, MemoryMessage) and one.message.surface == SCRATCH for one in program.statements)
    flows = [_flow(one, taken, private or scratch) for one in program.run_statements()]
    needless = tuple(_needless(program, flows))
    loads = frozenset(Same[Run](one) for one in needless if isinstance(one, MemoryMessage))
    gone: dict[Same[Run], Statement] = {
        Same[Run](one): Nothing(one.origin) for one in needless if not isinstance(one, MemoryMessage)
    }
    statements = [one if isinstance(one, Landing) else gone.get(Same(one), one) for one in program.statements]
    return PlacesAlone(replace(program, statements=tuple(statements)), loads, needless)


class _Flow(Struct, frozen=True):
    """What a statement needs in any case, and for what it writes."""

    statement: Run
    needs: Collection[str]
    reads: Collection[str]
    writes: Collection[str]
    may_go: bool


def _flow(one: Run, taken: frozenset[str], private: bool) -> _Flow:
    read, written = uses(one) | handles(one), definitions(one)
    if isinstance(one, FLOWS):
        by_address = reads_addressed(one), writes_addressed(one)
        read, written = (
            some | taken if any_of else some for some, any_of in zip((read, written), by_address, strict=True)
        )
        # The pages ask something of addresses of registers, and what is not modelled is said.
        return _Flow(one, (), read, written, not (any(by_address) or _is_refused(one)))
    if isinstance(one, MatrixProduct | SamplerMessage):
        return _Flow(one, (), read, written, True)
    if not isinstance(one, MemoryMessage) or one.is_atomic:
        return _Flow(one, read | written, read, written, False)
    memory = {MEMORY} if private and one.message.surface in (FLAT, SCRATCH) else set[str]()
    place = frozenset(names(one.message, leave_out=(*WRITTEN, "src"))) | handles(one)
    if not one.is_load:
        return _Flow(one, place, read, memory, False)
    if isinstance(one.message, TypedMessage):  # how large an image can be is known where it is read by rows
        return _Flow(one, place, read | memory, written, False)
    return _Flow(one, handles(one), read | memory, written, True)


def _needless(program: Program, flows: Sequence[_Flow]) -> Iterator[Run]:
    """The statements whose results decide no place, mask or branch."""
    needed = _reached(flows, (name for name in program.storage if name.startswith("%")))  # some say how all compute
    for one in flows:
        if one.may_go and needed.isdisjoint(one.writes):
            yield one.statement


def _is_refused(one: Run) -> bool:
    """Whether an operand of it is not modelled."""
    operands = (*getattr(one, "sources", ()), *getattr(one, "targets", ()))
    single = (getattr(one, name, None) for name in ("source", "target"))
    return any(isinstance(operand, Unlowered) for operand in (*operands, *single))


def _reached(flows: Collection[_Flow], also: Iterator[str]) -> set[str]:
    """The variables that something which is needed in any case depends on."""
    writers: dict[str, list[_Flow]] = {}
    for one in flows:
        for name in one.writes:
            writers.setdefault(name, []).append(one)
    stack, found = [*also, *(name for one in flows for name in one.needs)], set[str]()
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack.extend(read for one in writers.get(name, ()) for read in one.reads)
    return found
