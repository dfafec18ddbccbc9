"""Verdicts on bounds against runs: what is called in bounds never reaches outside, whatever the launch puts in."""

from pathlib import Path
from random import Random

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsAnswers
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds, Outside
from visaproof.analysis.conflicts.thread_states import Values, state_of
from visaproof.analysis.surface_sizes import parse_size_option
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import read_launch
from visaproof.machine.concrete.run import run
from visaproof.smt import symbols_of
from visaproof.visaasm.reader import read_kernel_file

DATA = Path(__file__).parents[2] / "data"
RUNS = 200


def answers_for(kernel_name: str, *sizes: str) -> BoundsAnswers:
    path = DATA / "visaasm" / kernel_name / "tgllp-O2-simd8.visaasm"
    kernel = read_kernel_file(path)
    launch = read_launch(DATA / "manifest.json", kernel)
    assert launch.platform is not None
    stated = StatedLaunch(tuple(parse_size_option(size) for size in sizes))
    return ask_bounds(kernel, launch.platform, launch, Assume.IDS, stated, 10_000)


def misses(answers: BoundsAnswers) -> int:
    """How many of the messages of random launches reach outside; ids and n are small or near each other."""
    sizes = [(name, one.size) for name, one in answers.kernel.registers.items()]
    words = {answers.start.initial(name, byte)[0] for name, size in sizes for byte in range(size)}
    random, count = Random(1), 0
    for _ in range(RUNS):
        bits = random.choice((1, 3, 3, 32))
        values: Values = {one: random.getrandbits(min(bits, one.width)) for one in symbols_of(*words)}
        state = state_of(answers.asked, answers.questions[-1].performed, values)
        state.exec_mask = 0xFF
        count += sum(bool(message.misses) for message in run(answers.kernel, state).performed)
    return count


def test_no_run_of_a_kernel_in_bounds_reaches_outside() -> None:
    answers = answers_for("oob_offbyone_fixed", "src=4*n", "dst=4*n")
    assert all(isinstance(finding.bounds, Holds) for finding in answers.answers())
    assert misses(answers) == 0


def test_random_runs_find_what_the_solver_finds() -> None:
    answers = answers_for("oob_offbyone", "src=4*n", "dst=4*n")
    assert all(isinstance(finding.bounds, Outside) for finding in answers.answers())
    assert misses(answers) > 0
