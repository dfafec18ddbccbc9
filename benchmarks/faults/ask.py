"""What `refine` says of a pair, of a fault in its target, and of random runs of both."""

from collections.abc import Callable, Iterator
from enum import Enum
from random import Random
from time import process_time

from msgspec import Struct

from benchmarks.faults.at_once import AT_ONCE, as_values, can_run, compared, is_plain, random_launches
from benchmarks.faults.plan import Pair, Planted
from benchmarks.faults.store import Record
from visaproof.checking.stages import Values
from visaproof.isa.errors import IllegalInstruction, NotModelled, ReadError
from visaproof.launch.assumptions import Assume
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.effects.witness import witness
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.memory import Content
from visaproof.refinement.testing.random_launches import contents, launches, unknowns
from visaproof.refinement.testing.random_testing import float_words, settled
from visaproof.refinement.testing.runs import again, trial
from visaproof.refinement.verdicts import (
    Apart,
    Bounded,
    ByteDiffers,
    Difference,
    OutsideBuffers,
    Refines,
    RegisterDiffers,
    Resynchronised,
    TargetUndefined,
    Unknown,
    Vacuous,
)
from visaproof.smt import is_true

RUNS = 1000
"""Random launches of two kernels that are said to be equal."""


WHOLE = 60
"""Of these, so many have buffers of up to 4 GiB."""


class Answer(Enum):
    """What became of a question."""

    REFUTED = "refuted"
    """By a run of both kernels, made once more."""
    EQUIVALENT = "equivalent"
    """Proved, and no random run tells them apart."""
    UNKNOWN = "unknown"
    NOT_MODELLED = "not modelled"
    VACUOUS = "vacuous"
    ILLEGAL = "illegal"
    """Not a program: the operands break the page, or an input is read that the launch does not set."""
    UNSOUND = "unsound"
    """Proved, though a run tells them apart; or refuted by a run that cannot be made again."""


class Agreement(Struct, frozen=True):
    """What random runs showed."""

    runs: int
    telling: int
    """Those where the source is defined and stays inside of its buffers or, on arrays, changes memory."""
    difference: Difference | None


def agreement(comparison: Comparison, runs: int, seed: int) -> Agreement:
    """Random launches of both kernels, up to the first that tells them apart.

    In uninitialised registers the source finds what the target does, if the target has each of these words as well.
    """
    random, made, telling = Random(seed), 0, 0
    arrays, plain = can_run(comparison), is_plain(witness(comparison.question))
    for count in _steps(runs, arrays):
        ask = _together if made and arrays else _apart
        found = ask(comparison, count, random, plain)
        made, telling = made + found.runs, telling + found.telling
        if found.difference:
            return Agreement(made, telling, found.difference)
    return Agreement(made, telling, None)


def _steps(runs: int, arrays: bool) -> Iterator[int]:
    """How many launches at once: the first few one by one, as arrays have no room for buffers of 4 GiB."""
    first = min(runs, WHOLE) if arrays else runs
    yield first
    for start in range(first, runs, AT_ONCE):
        yield min(AT_ONCE, runs - start)


def _apart(comparison: Comparison, runs: int, random: Random, plain: bool) -> Agreement:
    """One launch after the other, mostly with buffers of 4 GiB."""
    symbols, telling = unknowns(comparison.question, comparison.runners), 0
    floats, chosen = float_words(comparison), witness(comparison.question)
    for count in range(runs):
        values = launches(symbols, random, floats)
        values |= as_values(chosen, values)
        found = _tried(comparison, values, contents(random, floats is not None), plain)
        telling += found is not None
        if found:
            return Agreement(count + 1, telling, found[0])
    return Agreement(runs, telling, None)


def _together(comparison: Comparison, runs: int, random: Random, plain: bool) -> Agreement:
    """Launches on arrays; those that may tell the kernels apart are made once more."""
    start = random_launches(comparison, runs, random)
    found = compared(comparison, start)
    for one in found.suspects:
        shown = _tried(comparison, dict(start.values[one]), start.content(one), plain)
        if shown:
            return Agreement(runs, found.telling, shown[0])
    return Agreement(runs, found.telling, None)


def _tried(comparison: Comparison, values: Values, content: Content, plain: bool) -> list[Difference] | None:
    """A run of both; where the source would have to find what the target computes, only what no choice changes."""
    try:
        found = trial(comparison, values, content)
    except NotModelled:  # for these inputs
        return None
    if plain or not found:
        return found
    sure = settled(comparison, found[0])
    return [] if sure is None else [sure]


def ask_pair(pair: Pair, timeout_ms: int) -> Record:
    """Whether a pair is proved."""
    return _timed(lambda: _decided(*pair.programs, timeout_ms, runs=0))


def ask_fault(planted: Planted, timeout_ms: int) -> Record:
    """What is said of a fault."""
    source, _ = planted.pair.programs
    return planted.about | _timed(lambda: _decided(source, planted.target, timeout_ms, RUNS))


def ask_runs(pair: Pair, runs: int) -> Record:
    """Whether random runs tell a proved pair apart."""
    return _timed(lambda: _agreed(compare(*pair.programs, Scope(Assume.IDS)), runs, {}))


def _timed(ask: Callable[[], Record]) -> Record:
    start = process_time()
    try:
        record = ask()
    except NotModelled as error:
        record = _record(Answer.NOT_MODELLED, str(error))
    except (ReadError, IllegalInstruction) as error:
        record = _record(Answer.ILLEGAL, str(error))
    except AssertionError as error:  # an audit of the verdict
        record = _record(Answer.UNSOUND, str(error))
    return record | {"seconds": round(process_time() - start, 3)}


def _decided(source: Program, target: Program, timeout_ms: int, runs: int) -> Record:
    comparison = compare(source, target, Scope(Assume.IDS))
    match decide(comparison, timeout_ms):
        case Refines() if any(map(is_true, comparison.question.source.undefined)):
            return _record(Answer.VACUOUS, "the source never is defined")
        case Refines(by, conditions):
            about = {"conditions": sorted(each.name for each in conditions), "detail": by}
            return _agreed(comparison, runs, about)
        case Vacuous():
            return _record(Answer.VACUOUS, "")
        case Unknown(reason):
            return _record(Answer.UNKNOWN, reason)
        case Bounded():
            return _record(Answer.UNKNOWN, "a loop whose number of iterations depends on inputs")
        case Resynchronised(reason):
            return _record(Answer.REFUTED, reason)
        case Apart(pairs, _, overlapping, found):
            if found is None:
                return _record(Answer.UNKNOWN, f"{len(pairs)} pairs of buffers have to be apart")
            confirmed = again(overlapping, found)
            return _record(Answer.REFUTED if confirmed else Answer.UNSOUND, _shown(found))
        case Difference() as found:
            confirmed = again(comparison, found)
            return _record(Answer.REFUTED if confirmed else Answer.UNSOUND, _shown(found))


def _agreed(comparison: Comparison, runs: int, about: Record) -> Record:
    found = agreement(comparison, runs, seed=1)
    answer = Answer.UNSOUND if found.difference else Answer.EQUIVALENT
    shown = {"shown": _shown(found.difference)} if found.difference else {}
    return about | {"answer": answer.value, "runs": found.runs, "telling": found.telling} | shown


def _record(answer: Answer, detail: str) -> Record:
    return {"answer": answer.value, "detail": detail}


def _shown(found: Difference) -> str:
    match found.what:
        case TargetUndefined(undefined):
            return f"the target is undefined: {undefined.message}"
        case OutsideBuffers(address):
            return f"the target accesses {address:#x}, which is at no offset from a buffer"
        case ByteDiffers() | RegisterDiffers() as one:
            return f"byte {one.address:#x} of {one.surface}: {one.source:#04x}, {one.target:#04x} in the target"
