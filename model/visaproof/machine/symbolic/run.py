"""Runs a kernel symbolically: every path at once, each effect under the guard of its lane."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import count

from visaproof.isa.identity import Same
from visaproof.isa.platform import Platform
from visaproof.launch.float_results import Floats
from visaproof.launch.ids.work_items import lanes_of_width
from visaproof.machine.symbolic.data_results import DataResults
from visaproof.machine.symbolic.loops.held_words import with_words
from visaproof.machine.symbolic.machine import Machine
from visaproof.machine.symbolic.predicates import SymbolicPredicates, lanes_of
from visaproof.machine.symbolic.private import FEW_CHOICES, MANY_CHOICES
from visaproof.machine.symbolic.trace import Trace
from visaproof.machine.symbolic.walk import Walk
from visaproof.program.lower import Runnable, lowered
from visaproof.program.operands import PredicateTarget
from visaproof.program.places_alone import PlacesAlone
from visaproof.program.program import Program
from visaproof.program.statements import Compare, MemoryMessage, Run
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.value_names import PredicateBit
from visaproof.smt import BitVec, Bool, bool_symbol, symbol
from visaproof.smt.limit import NO_LIMIT, Limit

DEFAULT_UNROLL = 4
"""Iterations of a loop of which it is not known how often it runs."""


def uninitialised(program: Program) -> Callable[[str, int], Byte]:
    """Contents of which nothing is known: one symbol for each dword of each variable, `V0042.8`."""

    def initial(variable: str, byte: int) -> Byte:
        start = byte - byte % 4
        return symbol(f"{variable}.{start}", 8 * min(4, program.storage[variable].size - start)), byte % 4

    return initial


def trace(
    code: Runnable,
    platform: Platform,
    initial: Callable[[str, int], Byte] | None = None,
    exec_mask: Sequence[Bool] | None = None,
    initial_predicate: Callable[[str, int], Bool] | None = None,
    unroll: int = DEFAULT_UNROLL,
    generalise: bool = True,
    private_base: BitVec | None = None,
    compared_as: str = "",
    floats: Floats = Floats.UNINTERPRETED,
    name: str = "",
    nondeterministic: bool = False,
    limit: Limit = NO_LIMIT,
    launched: Collection[str] | None = None,
    places: PlacesAlone | None = None,
    divisions: bool = False,
    fixed_loops: bool = False,
    every_word: bool = False,
) -> Trace:
    """Runs a kernel or a program up to its end, or to the first statement that has no semantics here.

    `initial` gives each byte of a root variable before the kernel starts, `exec_mask` the lanes, first lane first.
    Loops are run as often as their conditions fold to constants, and `unroll` times more where they do not.  All later
    iterations are `generalise`d to one in which everything that an iteration writes is arbitrary, or else left out.
    What is stored behind `private_base` is loaded again from there: nobody else reaches private memory.  A kernel whose
    `iterations` are to be `compared_as` those of a source or a target has names of its own for what is arbitrary in
    them. `floats` says what results on floats are, and `name` stands before the names of what is arbitrary.  Where
    registers beyond a variable are not `nondeterministic`, behaviour is undefined if one is used.  Where the variables
    that the launch writes are given (`launched`), results are left open that no address, branch or mask depends on.
    Of `places`, the program without what decides nothing of where lanes store, that program is run.
    Loops of a fixed length, as `fixed_loops`, run to their end where few or none are unrolled.
    Of what iterations write that are compared, there is what the run uses, or `every_word`.
    Integer `divisions` by way of `inv` are recognised, for who says what that rests on.
    Of the `limit`, most is there for the run: then it ends with what it has.
    """
    program = lowered(code, platform) if places is None else places.program
    machine = Machine(
        program,
        initial or uninitialised(program),
        lanes_of_width(program.lanes) if exec_mask is None else exec_mask,
        initial_predicate or (lambda variable, lane: bool_symbol(PredicateBit(variable, lane))),
        private_base,
        floats,
        name,
        MANY_CHOICES if compared_as or not generalise else FEW_CHOICES,
        nondeterministic,
        divisions,
    )
    step = machine.step
    if launched is not None:
        data = DataResults(program, machine.thread, machine.operands, launched, private_base is not None)
        step = partial(data.step, run=machine.step)
    if places is not None:
        machine.thread.left_out = places.unwritten
        predicates, sites = SymbolicPredicates(machine.thread, machine.operands), map("open{}".format, count())
        step = partial(_step_of_places, places, machine, partial(_leave_open, machine, predicates, sites))
    ran, loops = Walk(machine, step, unroll, generalise, compared_as, fixed_loops).run(limit)
    return with_words(ran, loops, machine.thread, every=every_word) if loops else ran


def _step_of_places(
    places: PlacesAlone, machine: Machine, leave_open: Callable[[Compare], None], statement: Run
) -> None:
    """Runs a statement; of loads that are left out, a concrete run still comes to the surface."""
    key = Same[Run](statement)
    if isinstance(statement, Compare) and key in places.opened:
        leave_open(statement)
    elif isinstance(statement, MemoryMessage) and key in places.loads:
        machine.surface(statement)
    else:
        machine.step(statement)


def _leave_open(machine: Machine, predicates: SymbolicPredicates, sites: Iterator[str], statement: Compare) -> None:
    assert isinstance(statement.target, PredicateTarget)
    predicates.leave_open(statement.target, statement.lanes, lanes_of(machine.thread, statement.lanes), sites)
