"""The thread that values of symbols describe."""

from tests.analysis.conflicts.test_loop_conflicts import HEADER
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.thread_states import state_of
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.semantics.symbolic.value_names import OfLoop, PredicateBit
from visaproof.smt import bool_symbol
from visaproof.visaasm.reader import read_kernel

SCATTER = "    (P2) scatter_scaled.4 (M1, 8) T6 0x0:ud L.0 Y.0\n    ret (M1, 1)\n"


def test_predicates_hold_the_bits_that_the_values_say_and_no_others() -> None:
    """Not those of a loop, which have their own names, nor bits that the predicate does not have."""
    kernel = read_kernel(HEADER + SCATTER, "k.visaasm")
    answers = ask_kernel(kernel, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, 1_000)
    of_loop = bool_symbol(OfLoop("loop1", PredicateBit("P2", 5)))
    bits = {bool_symbol(PredicateBit("P2", lane)): value for lane, value in ((1, 1), (3, 1), (4, 0), (9, 1))}
    state = state_of(answers.asked, None, {**bits, of_loop: 1})
    held = {name: (one.count, one.bits) for name, one in state.predicates.items()}
    assert held == {"P1": (8, 0), "P2": (8, 0b1010), "P3": (8, 0)}
