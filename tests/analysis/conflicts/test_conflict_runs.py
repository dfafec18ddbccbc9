"""Verdicts on conflicts against runs: what is called free never collides, and both machines see the same conflicts."""

from pathlib import Path
from random import Random

import pytest

from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.thread_states import Values, places_of, state_of
from visaproof.analysis.conflicts.verdicts import Conflict, Free
from visaproof.isa.errors import NotModelled
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import read_launch
from visaproof.machine.concrete.run import run
from visaproof.semantics.concrete.choices import POLICIES, Choices
from visaproof.semantics.concrete.surface import Buffer
from visaproof.smt import Term, symbols_of
from visaproof.visaasm.reader import read_kernel_file

DATA = Path(__file__).parents[2] / "data"
STATEFUL = sorted(path for path in (DATA / "visaasm").glob("*/tgllp-O2*.visaasm") if "a64" not in path.stem)
TRANSPOSITIONS = [path for path in STATEFUL if path.parent.name == "transpose_naive"]
UNDER = [(path, Assume.IDS) for path in STATEFUL] + [(path, Assume.BOUNDED) for path in TRANSPOSITIONS]
RUNS = 12


def answers_for(path: Path, assume: Assume) -> KernelAnswers:
    kernel = read_kernel_file(path)
    launch = read_launch(DATA / "manifest.json", kernel)
    assert launch.platform is not None
    return ask_kernel(kernel, launch.platform, launch, assume, 10_000)


def unknowns(answers: KernelAnswers) -> list[Term]:
    """The symbols of the payload: what a launch may choose."""
    sizes = [(name, one.size) for name, one in answers.kernel.registers.items()]
    words = {answers.start.initial(name, byte)[0] for name, size in sizes for byte in range(size)}
    return symbols_of(*words)


@pytest.mark.slow(but=8)
@pytest.mark.parametrize(
    ("path", "assume"), UNDER, ids=[f"{path.parent.name}-{path.stem}-{assume.value}" for path, assume in UNDER]
)
def test_no_run_of_a_free_kernel_collides(path: Path, assume: Assume) -> None:
    """Random payloads and memory that obey the assumptions: the run never ends at a scatter that is free.

    Nor does it whatever the results are that no page states.
    """
    answers = answers_for(path, assume)
    free = {
        finding.question.instruction.position
        for finding in answers.answers()
        if isinstance(finding.answer, Free) and len(finding.question.lanes) > 1
    }
    random, symbols = Random(path.stem), unknowns(answers)
    for _ in range(RUNS if free else 0):
        bits = random.choice((3, 8, 16, 32))
        values: Values = {one: random.getrandbits(min(bits, one.width)) for one in symbols}
        state = state_of(answers.asked, answers.questions[-1].performed, values)
        state.exec_mask = (1 << (answers.launch.simd or 32)) - 1
        state.choices = Choices(random.randrange(POLICIES))
        for surface in state.surfaces.values():
            if isinstance(surface, Buffer):
                surface.contents = {4 * random.getrandbits(10): random.getrandbits(8) for _ in range(64)}
        try:
            outcome = run(answers.kernel, state)
        except NotModelled:
            return
        assert outcome.undefined is None or outcome.undefined.position not in free, outcome.undefined


@pytest.mark.slow
def test_the_weaker_assumption_never_frees_more() -> None:
    """What is free for arbitrary inputs is free under the assumption on ids."""
    for path in STATEFUL[:12]:
        free_without = {
            finding.question.instruction.position
            for finding in answers_for(path, Assume.NONE).answers()
            if isinstance(finding.answer, Free)
        }
        free_with = {
            finding.question.instruction.position
            for finding in answers_for(path, Assume.IDS).answers()
            if isinstance(finding.answer, Free)
        }
        assert free_without <= free_with, path


def test_a_conflict_names_two_enabled_lanes_that_share_a_byte() -> None:
    path = DATA / "visaasm" / "conflict_div" / "tgllp-O2.visaasm"
    for finding in answers_for(path, Assume.IDS).answers():
        assert isinstance(finding.answer, Conflict)
        first, second = finding.answer.first, finding.answer.second
        assert first.lane != second.lane
        assert set(first.places) & set(second.places)


def test_bounded_scalars_free_a_transposition_that_contiguous_ids_do_not() -> None:
    assert TRANSPOSITIONS
    for path in TRANSPOSITIONS:
        assert all(isinstance(finding.answer, Conflict) for finding in answers_for(path, Assume.IDS).answers())
        assert all(isinstance(finding.answer, Free) for finding in answers_for(path, Assume.BOUNDED).answers())


@pytest.mark.parametrize("path", TRANSPOSITIONS[:2], ids=lambda path: path.stem)
def test_each_byte_of_a_register_at_the_start_has_one_place(path: Path) -> None:
    """As each byte is asked for by itself."""
    answers = answers_for(path, Assume.LAUNCH)
    roots = {name: one.size for name, one in answers.kernel.registers.items() if one.owns_storage}
    found = {
        (one.variable, one.start + k): (word, one.first + k)
        for word, places in places_of(answers.asked).items()
        for one in places
        for k in range(one.size)
    }
    bytes_of = {(name, byte): answers.start.initial(name, byte) for name, size in roots.items() for byte in range(size)}
    assert found == bytes_of
