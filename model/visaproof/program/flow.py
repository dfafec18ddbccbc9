"""Control flow of a program: its blocks, and the edges between them.  Page: GOTO.md."""

from collections.abc import Sequence

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.program.program import Program
from visaproof.program.statements import Branch, End, Landing, Statement, Synchronise


class Block(Struct, frozen=True):
    """The statements from `first` to before `end`: lanes come together or part at its ends alone."""

    first: int
    end: int
    follow: tuple[int, ...]
    """Where lanes go after it: the first places of blocks, or the end of the program."""


def has_loops(program: Program) -> bool:
    """Whether it may go back."""
    return any(isinstance(one, Branch) and one.target <= place for place, one in enumerate(program.statements))


def leaders(program: Program) -> frozenset[int]:
    """The places at which blocks begin: those of labels, and those after branches, barriers and the end."""
    found = {0}
    for place, statement in enumerate(program.statements):
        if isinstance(statement, Landing):
            found.add(place)
        elif isinstance(statement, Branch | End) or (isinstance(statement, Synchronise) and statement.waits):
            found.add(place + 1)
    return frozenset(found)


def blocks(program: Program) -> tuple[Block, ...]:
    """The blocks in the order of the program."""
    statements = program.statements
    starts = sorted(leaders(program) - {len(statements)})
    ends = [*starts[1:], len(statements)]
    return tuple(
        Block(first, end, edges(statements, end - 1)) for first, end in zip(starts, ends, strict=True) if first < end
    )


def edges(statements: Sequence[Statement], place: int) -> tuple[int, ...]:
    """Where lanes go after the statement at a place."""
    match statements[place]:
        case Branch(target=target, lanes=lanes) if lanes.predicate is None and lanes.size == 1:
            return (target,)
        case Branch(target=target):
            return target, place + 1
        case End():
            return (len(statements),)
        case _:
            return (place + 1,)


def places_apart(program: Program) -> frozenset[int]:
    """Places at which lanes may run while others wait at later ones, or have ended.

    Elsewhere all lanes with which the thread started run, or none.  Lanes wait at later places than the running ones,
    which go on in the order of the program until they are there.  So while lanes run at x and others wait at w, x..w-1
    is apart, by induction over the steps:

        q: branch of some lanes, to t > q      they wait at t while others run                    q+1..t-1
                                 to t <= q     the others wait at q+1                             t..q
        q: branch of all that run, at which no lane waits                                         none
                                   or some may, at w: q..w-1 is apart; as of some lanes           the same as of some
        q: end, apart                          lanes that waited go on without the others         all places
    """
    statements = program.statements
    apart = set[int]()
    branches = [(place, one) for place, one in enumerate(statements) if isinstance(one, Branch)]
    while True:
        before = len(apart)
        for place, branch in branches:
            if branch.lanes.size > 1 or place in apart:
                waits = range(place + 1, branch.target), range(branch.target, place + 1)
                apart.update(*waits)
        if len(apart) == before:
            break
    if any(isinstance(one, End) and (one.predicated or place in apart) for place, one in enumerate(statements)):
        return frozenset(range(len(statements)))
    return frozenset(apart)


def may_run_from(program: Program, place: int) -> frozenset[Position]:
    """The statements that may be run from this place on: it, those after it, and those to which branches lead back."""
    first = place
    for at in range(len(program.statements) - 1, -1, -1):
        branch = program.statements[at]
        if at >= first and isinstance(branch, Branch):
            first = min(first, branch.target)
    return frozenset(one.position for one in program.statements[max(0, first) :])
