"""What a lane knows that has come back in a loop: enough to bound its addresses, and true in every run."""

from collections import Counter
from collections.abc import Iterable

import pytest

from tests.analysis.conflicts.test_loop_conflicts import CONFLICT, COUNT, FREE, HEADER, ROUNDS, SCATTER
from tests.support.crosscheck import inputs_of
from visaproof.isa.errors import Position
from visaproof.isa.platform import Platform
from visaproof.machine.concrete.run import PerformedMessage, run
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, LaneWrite
from visaproof.semantics.symbolic.value_names import OfLoop
from visaproof.smt import BitVec, Bool, Term, conj, const, eq, is_false, neg, symbols_of, ult
from visaproof.smt.answers import Satisfiable, Unsatisfiable
from visaproof.smt.solvers import solve
from visaproof.smt.substitution import substitute
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

LIMIT = 0x2000
UP = "    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> S(0,0)<1;1,0>\n"
BY_FOUR = "    add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x4:ud\n"
BELOW = f"    cmp.lt (M1, 8) P1 X(0,0)<1;1,0> {LIMIT:#x}:ud\n"
BELOW_ALL = f"    cmp.lt (M1_NM, 8) P1 X(0,0)<1;1,0> {LIMIT:#x}:ud\n"
AGAIN = "    (P1) goto (M1, 8) again\n"
NO_MASK = SCATTER.replace("(M1, 8)", "(M1_NM, 8)")
BOUNDED = {
    "at the end": f"{COUNT}{SCATTER}{UP}{BELOW}{AGAIN}",
    "in the middle": f"{COUNT}{SCATTER}{UP}{BELOW}    (!P1) goto (M1, 8) out\n    goto (M1, 1) again\nout:\n",
    "by a copy": f"{COUNT}    mov (M1, 8) ROWS(0,0)<1> X(0,0)<1;1,0>\n{SCATTER}{UP}{BELOW}{AGAIN}",
    "by what it found": f"{COUNT}{SCATTER}{BELOW.replace('0x2000', '0x1ffc')}{BY_FOUR}{AGAIN}",
    "of an inner loop": f"{COUNT}{SCATTER}inner:\n    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:d\n"
    f"    cmp.lt (M1, 8) P2 Y(0,0)<1;1,0> S(0,0)<0;1,0>\n    (P2) goto (M1, 8) inner\n{UP}{BELOW}{AGAIN}",
}
"""From the second iteration on each lane writes below the limit."""
UNBOUNDED = {
    "without a mask": f"{COUNT}{NO_MASK}    add (M1_NM, 8) X(0,0)<1> X(0,0)<1;1,0> S(0,0)<1;1,0>\n{BELOW}{AGAIN}",
    "changed before": f"{COUNT}{UP}{SCATTER}{BELOW}{AGAIN}",
    "changed behind the branch's compare": f"{COUNT}{SCATTER}{BELOW}{UP}{AGAIN}",
    "by what it found, and more": f"{COUNT}{SCATTER}{BELOW}{BY_FOUR}{AGAIN}",
    "changed by what changes": f"    mov (M1, 8) ROWS(0,0)<1> S(0,0)<1;1,0>\n{COUNT}"
    f"    add (M1, 8) X(0,0)<1> Y(0,0)<1;1,0> (-)ROWS(0,0)<1;1,0>\n{SCATTER}"
    "    cmp.lt (M1, 8) P1 Y(0,0)<1;1,0> 0x1400:ud\n    add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> ROWS(0,0)<1;1,0>\n"
    f"    shr (M1, 8) ROWS(0,0)<1> ROWS(0,0)<1;1,0> 0x1:ud\n{AGAIN}",
    "two ways back": f"{COUNT}{SCATTER}{UP}    cmp.lt (M1, 8) P2 N(0,0)<0;1,0> 0x5:ud\n"
    f"    (P2) goto (M1, 8) again\n{BELOW}{AGAIN}",
    "above what it was before": f"{COUNT}    mov (M1, 8) ROWS(0,0)<1> X(0,0)<1;1,0>\n{SCATTER}{UP}"
    "    cmp.gt (M1, 8) P1 X(0,0)<1;1,0> ROWS(0,0)<1;1,0>\n    mov (M1, 8) ROWS(0,0)<1> 0x0:ud\n"
    f"    cmp.lt (M1, 8) P2 X(0,0)<1;1,0> {2 * LIMIT:#x}:ud\n    (!P2) goto (M1, 8) out\n{AGAIN}out:\n",
    "of another lane": f"{COUNT}{SCATTER}{UP}    cmp.lt (M1, 8) P1 X(0,0)<0;1,0> {LIMIT:#x}:ud\n{AGAIN}",
}
"""Some later iteration may write elsewhere."""


def kernel_of(body: str) -> Kernel:
    return read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm")


def later(traced: Trace) -> list[Performed]:
    return [one for one in traced.performed if one.any_round]


def is_below(traced: Trace) -> bool:
    """Whether all later iterations write below the limit."""
    accesses = [access for one in later(traced) for access in one.accesses if not is_false(access.guard)]
    assert accesses
    beyond = (conj(one.guard, neg(ult(one.cell[0], const(LIMIT, one.cell[0].width)))) for one in accesses)
    return all(isinstance(solve([one], 10_000), Unsatisfiable) for one in beyond)


@pytest.mark.parametrize("case", BOUNDED)
def test_the_branch_bounds_what_later_iterations_write(case: str) -> None:
    assert is_below(trace(kernel_of(BOUNDED[case]), Platform.TGLLP, unroll=1))


@pytest.mark.parametrize("case", UNBOUNDED)
def test_what_the_branch_does_not_say_is_not_taken_from_it(case: str) -> None:
    assert not is_below(trace(kernel_of(UNBOUNDED[case]), Platform.TGLLP, unroll=1))


@pytest.mark.parametrize("used", [False, True])
def test_of_words_is_said_what_accesses_depend_on(used: bool) -> None:
    shrinks = "    shr (M1, 8) ROWS(0,0)<1> ROWS(0,0)<1;1,0> 0x1:ud\n"
    body = f"{COUNT}{UP.replace('S(', 'ROWS(') if used else ''}{SCATTER}{shrinks}{UP}{BELOW}{AGAIN}"
    accesses = [one for message in later(trace(kernel_of(body), Platform.TGLLP, unroll=1)) for one in message.accesses]
    said = [
        one.payload for one in symbols_of(*(access.guard for access in accesses)) if isinstance(one.payload, OfLoop)
    ]
    assert any(getattr(one.what, "variable", "") == "ROWS" for one in said) is used


def possible(access_guard: Bool, cell: BitVec, address: int, values: dict[Term, int]) -> bool:
    """Whether the iteration that stands for the later ones may write there, in a run with these inputs."""
    formula = conj(access_guard, eq(cell, const(address, cell.width)))
    known: dict[Term, Term] = {one: const(values[one], one.width) if isinstance(one, BitVec) else one
                               for one in symbols_of(formula) if one in values}  # fmt: skip
    on = [one if values[one] else neg(one) for one in symbols_of(formula) if isinstance(one, Bool) and one in values]
    return isinstance(solve([conj(substitute(formula, known), *on)], 10_000), Satisfiable)


def iterations_of(kernel: Kernel, state: ConcreteState, most: Counter[Position]) -> Iterable[PerformedMessage]:
    """What a run does until each of these messages was performed so many times, or to its end."""
    come: Counter[Position] = Counter()

    def enough(message: PerformedMessage) -> bool:
        come[message.instruction.position] += 1
        return all(come[position] >= count for position, count in most.items())

    return run(kernel, state, enough=enough).performed


LONG = (*ROUNDS, (0x300,) * 8, (0x1000, 0x1001, 0x500, 0x900, 0xFFFFF000, 0x456, 0x800, 0x700))
RUNS = dict.fromkeys((*FREE.values(), *CONFLICT.values()), ROUNDS) | dict.fromkeys(
    (*BOUNDED.values(), *UNBOUNDED.values()), LONG
)
"""What S holds in the runs of each body."""
MOST_CHECKED = 6
"""Later iterations of one run."""


@pytest.mark.parametrize(
    "body", [pytest.param(body, marks=[pytest.mark.slow] * (place % 4 > 0)) for place, body in enumerate(RUNS)]
)
def test_each_write_of_a_later_iteration_is_one_of_those_that_stand_for_it(body: str) -> None:
    """The concrete machine finds none that the symbolic one excludes."""
    kernel = kernel_of(body)
    traced = trace(kernel, Platform.TGLLP, unroll=1)
    stand: dict[Position, list[Performed]] = {}
    for one in later(traced):
        stand.setdefault(one.instruction.position, []).append(one)
    unrolled = Counter(one.instruction.position for one in traced.performed if not one.any_round)
    for rounds in RUNS[body]:
        state = ConcreteState(Platform.TGLLP, exec_mask=0xFF, surfaces={"T6": Buffer(2**32)})
        state.registers["S"] = bytearray(b"".join(count.to_bytes(4, "little") for count in rounds))
        values = inputs_of(kernel, state, traced).values
        come: Counter[Position] = Counter()
        most = Counter(
            {one.instruction.position: unrolled[one.instruction.position] + MOST_CHECKED for one in traced.performed}
        )
        for message in iterations_of(kernel, state, most):
            position = message.instruction.position
            come[position] += 1
            if not unrolled[position] < come[position] <= unrolled[position] + MOST_CHECKED:
                continue
            if position not in stand:
                assert traced.bounded
                continue
            for write in message.writes:
                assert isinstance(write, LaneWrite)
                own = [each for one in stand[position] for each in one.accesses if each.lane == write.lane]
                assert any(possible(each.guard, each.cell[0], write.address, values) for each in own)
