"""Some kernels for some targets: each run once by PoCL, and for each target by our machines."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from traceback import format_exception

from msgspec import Struct

from benchmarks.campaign import refined
from benchmarks.campaign.faults import known_by
from benchmarks.campaign.launches import SOUND, Answer, Buffers, Outcome, by_pocl, difference, run_here
from benchmarks.campaign.reduce import reduced
from benchmarks.campaign.syntax import Kernel
from benchmarks.campaign.targets import Pair, Target, compile_each
from benchmarks.pocl.comparison import OPEN
from benchmarks.pocl.oracle import NoOracle, Oracle
from visaproof.execution.run import Engine
from visaproof.pairs.compilation import Compiled

TWINS, LARGE = 6, 60
"""One kernel of so many is also run one thread after the other, if it has at most so many statements and operators."""


class Found(Struct, frozen=True):
    """A kernel for a target, and how it came out."""

    kernel: Kernel
    target: Target | Pair
    outcome: Outcome
    reduced: Kernel | None = None
    """What is left of the kernel where it needs an explanation."""


class Bench(Struct, frozen=True):
    """What compiles and what computes."""

    compiler: Path
    oracle: Oracle

    def expected(self, kernel: Kernel) -> Buffers | Outcome:
        try:
            return by_pocl(self.oracle, kernel)
        except NoOracle as reason:
            return Outcome(Answer.NO_ORACLE, str(reason))

    def run(
        self, kernels: Sequence[Kernel], targets: Sequence[Target], done: Callable[[Kernel, Target | Pair], bool]
    ) -> Iterator[Found]:
        """Of all that is not done.  Small kernels are also asked whether each target refines the first."""
        left = {
            target: [each for each in kernels if target.takes(each) and not done(each, target)] for target in targets
        }
        wanted = {each.name: self.expected(each) for each in kernels if any(each in some for some in left.values())}
        first: dict[str, tuple[Target, Compiled]] = {}
        with tempfile.TemporaryDirectory() as folder:
            for number, (target, taken) in enumerate(left.items()):
                compiled, failed = compile_each(self.compiler, target, taken, Path(folder) / str(number))
                for each in taken:
                    if each.name in failed:
                        yield Found(each, target, _not_compiled(failed[each.name]))
                        continue
                    yield Found(each, target, compared(compiled[each.name], each, wanted[each.name]))
                    source, before = first.setdefault(each.name, (target, compiled[each.name]))
                    pair = Pair(source, target)
                    if source is not target and refined.is_asked(each) and not done(each, pair):
                        yield Found(each, pair, refined.asked(each, before, compiled[each.name]))

    def alone(self, kernel: Kernel, target: Target) -> Outcome:
        """One kernel, compiled by itself."""
        with tempfile.TemporaryDirectory() as folder:
            compiled, failed = compile_each(self.compiler, target, [kernel], Path(folder) / "one")
            if failed:
                return _not_compiled(failed[kernel.name])
            return compared(compiled[kernel.name], kernel, self.expected(kernel))

    def reduced(self, found: Found, most: int) -> Found:
        """With a smaller kernel that comes out alike for the same target; what was refuted is small, and kept."""
        target = found.target
        if isinstance(target, Pair):
            return Found(found.kernel, target, found.outcome, found.kernel)

        def shows(kernel: Kernel) -> bool:
            return self.alone(kernel, target).answer is found.outcome.answer

        if not shows(found.kernel):
            return found
        smaller = reduced(found.kernel, shows, most)
        return Found(found.kernel, target, self.alone(smaller, target), smaller)


def _not_compiled(reason: str) -> Outcome:
    """A compiler that a signal ends is no compiler that refuses."""
    return _classed(Outcome(Answer.COMPILER_CRASHED if "ended with -" in reason else Answer.NOT_COMPILED, reason))


def _classed(outcome: Outcome) -> Outcome:
    """With the name of the fault that it is known to show."""
    known = None if outcome.answer in SOUND else known_by(outcome.detail)
    return outcome if known is None else Outcome(Answer.KNOWN, f"{known.id}: {outcome.detail}")


def compared(compiled: Compiled, kernel: Kernel, expected: Buffers | Outcome) -> Outcome:
    """What our machines make of it, against each other and against what is expected."""
    try:
        return _classed(_compared(compiled, kernel, expected))
    except Exception as error:  # whatever it is, it is ours and has to be looked at
        return Outcome(Answer.CRASHED, "".join(format_exception(error))[-2000:])


def _compared(compiled: Compiled, kernel: Kernel, expected: Buffers | Outcome) -> Outcome:
    ours = run_here(compiled, kernel, Engine.ARRAYS)
    if kernel.size <= LARGE and Random(f"twins {kernel.seed}").randrange(TWINS) == 0:
        other = run_here(compiled, kernel, Engine.SCALAR)
        if (apart := _twins(kernel, ours, other)) is not None:
            return Outcome(Answer.DIFFER, apart)
    if isinstance(ours, Outcome):
        return ours
    if isinstance(expected, Outcome):
        return expected
    found = difference(kernel, ours, expected)
    return Outcome(Answer.AGREE) if found is None else Outcome(Answer.DIFFER, found)


def _twins(kernel: Kernel, ours: Buffers | Outcome, other: Buffers | Outcome) -> str | None:
    by = "one thread after the other"
    if isinstance(ours, Outcome) and OPEN in ours.detail and not isinstance(other, Outcome):
        return None  # the other engine takes the first choice alone
    if isinstance(ours, Outcome) or isinstance(other, Outcome):
        answers = [each.answer if isinstance(each, Outcome) else Answer.AGREE for each in (ours, other)]
        return None if answers[0] is answers[1] else f"{answers[0].value} on arrays, {answers[1].value} {by}: {ours}"
    return difference(kernel, ours, other, by)


def needs_explanation(outcome: Outcome) -> bool:
    return outcome.answer not in SOUND
