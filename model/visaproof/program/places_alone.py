"""A program without what decides no place, mask or branch: where lanes store is as it was, and no longer what.

    t = a[i];  out[i] = t · t      stores at out + 4·i, whatever t is

Left out are computations, loads, products of matrices and reads through samplers.  What is left may read variables that
nothing has written: such data is stored, or computed for nobody.
"""

from collections.abc import Collection, Iterable, Iterator
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
    TO_THE_END,
    WRITTEN,
    addressed,
    definitions,
    handles,
    names,
    reads_addressed,
    uses,
    writes_addressed,
)
from visaproof.program.operands import PredicateTarget, Unlowered
from visaproof.program.program import Program
from visaproof.program.statements import (
    Branch,
    Compare,
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

COSTLY = 300
"""A comparison that more statements serve alone may have either result: hash functions have thousands."""


class PlacesAlone(Struct, frozen=True, dict=True):
    """The program, and its loads that bring nothing of the kind."""

    program: Program
    loads: frozenset[Same[Run]]
    """They still stand in it, for the surfaces that they name."""
    left_out: tuple[Run, ...]
    """What it no longer runs."""
    opened: frozenset[Same[Run]] = frozenset()
    """Comparisons in it of which either result is possible, whatever is compared."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return not self.left_out

    @cached_property
    def written(self) -> frozenset[str]:
        """The variables that it left as they were."""
        return frozenset(name for one in self.left_out for name in definitions(one))

    @cached_property
    def unwritten(self) -> frozenset[str]:
        """Those of them that nothing else writes."""
        kept = (one for one in self.program.run_statements() if Same[Run](one) not in self.loads)
        return self.written.difference(*map(definitions, kept))

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


def places_alone(program: Program, private: str | None) -> PlacesAlone:
    """The program without what no place depends on; places in it stay, so that branches do.

    `private` is the variable that holds the address of private memory when the kernel starts, where there is any.
    """
    return _places_alone(Same(program), private)


def accesses_alone(program: Program, private: str | None) -> PlacesAlone:
    """The same, where it is also asked which places loads read: they stay, and what these depend on."""
    return _places_alone(Same(program), private, loads_asked=True)


def with_open_conditions(program: Program, private: str | None) -> PlacesAlone | None:
    """The same where each comparison that much is computed for alone may have either result; None if there is none.

        if (sha1(password) == digest) found[i] = 1      stores at found + i, if at all

    Every run of the program is one of its runs, so what holds in all of these holds in the program.  The converse is
    not true: a conflict that is found in one of them need not be a conflict of the program.
    """
    found, closed = (_places_alone(Same(program), private, opening=opening) for opening in (True, False))
    return found if len(found.left_out) - len(closed.left_out) > COSTLY else None


@lru_cache(maxsize=4)
def _places_alone(
    same: Same[Program], private: str | None, *, opening: bool = False, loads_asked: bool = False
) -> PlacesAlone:
    program, flows = same.it, _flows(same, private, loads_asked)
    opened = frozenset(flows.costly()) if opening else frozenset[int]()
    needless = tuple(flows.needless(opened))
    loads = frozenset(Same[Run](one) for one in needless if isinstance(one, MemoryMessage))
    gone: dict[Same[Run], Statement] = {
        Same[Run](one): Nothing(one.origin) for one in needless if not isinstance(one, MemoryMessage)
    }
    statements = [one if isinstance(one, Landing) else gone.get(Same(one), one) for one in program.statements]
    of_conditions = frozenset(Same(flows.all[number].statement) for number in opened)
    return PlacesAlone(replace(program, statements=tuple(statements)), loads, needless, of_conditions)


@lru_cache(maxsize=4)
def _flows(same: Same[Program], private: str | None, loads_asked: bool) -> "_Flows":
    return _Flows(same.it, private, loads_asked)


class _Flow(Struct, frozen=True):
    """What a statement needs in any case, and for what it writes."""

    statement: Run
    needs: Collection[str]
    reads: Collection[str]
    writes: Collection[str]
    may_go: bool


class _Flows:
    """What flows from variable to variable, whatever the order of the statements."""

    def __init__(self, program: Program, private: str | None, loads_asked: bool) -> None:
        taken = addressed(program)
        plain = [_flow(one, taken, loads_asked) for one in program.run_statements()]
        pointers = _private_pointers(plain, private)
        self.all = [_with_memory(one, pointers) for one in plain]
        self._first = [name for name in program.storage if name.startswith("%")]  # some say how all compute
        self._first += [name for one in self.all for name in one.needs]
        self._writers: dict[str, list[int]] = {}
        for number, one in enumerate(self.all):
            for name in one.writes:
                self._writers.setdefault(name, []).append(number)

    def needless(self, opened: Collection[int]) -> Iterator[Run]:
        """The statements whose results decide no place, mask or branch, where these comparisons are open."""
        needed, _ = self._reached(self._first, opened)
        for one in self.all:
            if one.may_go and needed.isdisjoint(one.writes):
                yield one.statement

    def costly(self) -> Iterator[int]:
        """The comparisons that depend on much which no place depends on, by their numbers."""
        compared = [number for number, one in enumerate(self.all) if _is_condition(one.statement)]
        places, of_places = self._reached(self._first, compared)
        _, in_all = self._reached(self._first, ())
        if len(in_all) - len(of_places) > COSTLY:
            for number in compared:
                _, more = self._reached(self.all[number].reads, (), places, COSTLY)
                if len(more) > COSTLY:
                    yield number

    def _reached(
        self, first: Iterable[str], cut: Collection[int], known: Collection[str] = (), most: int = TO_THE_END
    ) -> tuple[set[str], set[int]]:
        """The variables, but those that are known, and statements on which these depend; no more of them than so many.

        What a statement that is cut depends on is not followed.
        """
        stack, found, statements = list(first), set[str](), set[int]()
        while stack and len(statements) <= most:
            name = stack.pop()
            if name in found or name in known:
                continue
            found.add(name)
            for number in self._writers.get(name, ()):
                if number not in statements:
                    statements.add(number)
                    stack.extend(() if number in cut else self.all[number].reads)
        return found, statements


def _is_condition(one: Run) -> bool:
    return isinstance(one, Compare) and isinstance(one.target, PredicateTarget)


def _private_pointers(flows: Iterable[_Flow], private: str | None) -> frozenset[str]:
    """The variables that may hold an address in private memory, which this one holds when the kernel starts.

    What is loaded is no such address, unless one was stored somewhere.
    """
    readers: dict[str, list[Collection[str]]] = {}
    for one in flows:
        for read, written in _carried(one):
            for name in read:
                readers.setdefault(name, []).append(written)
    stack, found = [private] if private else [], set[str]()
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack.extend(each for written in readers.get(name, ()) for each in written)
    return frozenset(found)


def _carried(one: _Flow) -> Iterator[tuple[Collection[str], Collection[str]]]:
    """From which variables a statement may carry an address to which others: all that is stored is as one variable."""
    if isinstance(one.statement, MemoryMessage):
        yield _stored(one), {MEMORY}
        yield {MEMORY}, one.writes
    elif not isinstance(one.statement, MatrixProduct | SamplerMessage):
        yield one.reads, one.writes


def _stored(one: _Flow) -> Collection[str]:
    """The variables whose contents a message may store."""
    assert isinstance(one.statement, MemoryMessage)
    message = one.statement.message
    sources = [name for name in message.__struct_fields__ if name.startswith("src")]
    if one.statement.is_load:
        return ()
    return frozenset(name for part in sources for name in names(getattr(message, part))) if sources else one.reads


def _flow(one: Run, taken: frozenset[str], loads_asked: bool) -> _Flow:
    """Memory left out."""
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
    if one.is_load and not (loads_asked or isinstance(one.message, TypedMessage)):
        return _Flow(one, handles(one), read, written, True)
    return _Flow(one, _place(one), read, written, False)  # how large an image can be is known where it is read by rows


def _place(one: MemoryMessage) -> frozenset[str]:
    """The variables that say where it reads or writes."""
    return frozenset(names(one.message, leave_out=(*WRITTEN, "src"))) | handles(one)


def _with_memory(one: _Flow, pointers: Collection[str]) -> _Flow:
    """Private memory, too, flows: a store writes it, and a load reads it."""
    message = one.statement
    if not isinstance(message, MemoryMessage) or message.is_atomic or message.message.surface not in (FLAT, SCRATCH):
        return one
    if message.message.surface == FLAT and _place(message).isdisjoint(pointers):
        return one
    return replace(one, reads={*one.reads, MEMORY}) if message.is_load else replace(one, writes={MEMORY})


def _is_refused(one: Run) -> bool:
    """Whether an operand of it is not modelled."""
    operands = (*getattr(one, "sources", ()), *getattr(one, "targets", ()))
    single = (getattr(one, name, None) for name in ("source", "target"))
    return any(isinstance(operand, Unlowered) for operand in (*operands, *single))
