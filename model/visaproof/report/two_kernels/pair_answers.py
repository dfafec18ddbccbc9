"""One pair asked, and the answer in a row: never an exception."""

from functools import partial
from math import inf
from pathlib import Path
from time import monotonic, process_time

import msgspec
from msgspec import Struct, field

from visaproof.isa.errors import LimitReached, NotModelled, ReadError, SolversDisagree
from visaproof.isa.platform import Platform
from visaproof.launch.matching import Program
from visaproof.pairs.lists import Pair
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide_within
from visaproof.refinement.refines import Programs
from visaproof.refinement.scope import Scope
from visaproof.refinement.strategies.strategy import Stages
from visaproof.refinement.verdicts import Apart, Bounded, Difference, Refines, Resynchronised, Unknown, Vacuous, Verdict
from visaproof.report.two_kernels.answer import answer_record, shown_by
from visaproof.report.two_kernels.difference import difference_text
from visaproof.report.two_kernels.elements import surface_name
from visaproof.report.two_kernels.overlap import pairs_text
from visaproof.report.two_kernels.pair_rows import Answer, Row, row
from visaproof.report.two_kernels.refinement_file import save_difference
from visaproof.report.two_kernels.stages import stages_json
from visaproof.smt.limit import Limit
from visaproof.smt.terms import forget


class Asker(Struct, frozen=True):
    """Answers pairs under one set of options; files are read once."""

    scope: Scope
    timeout_ms: int
    platform: Platform | None = None
    save: Path | None = None
    """Where each difference is written as a file."""
    limit_s: float = inf
    """Processor time for one pair."""
    until: float = inf
    """On the monotonic clock: afterwards no pair is begun."""
    programs: Programs = field(default_factory=Programs)

    @property
    def options(self) -> str:
        """On which an answer depends."""
        scope, device = self.scope, self.platform and self.platform.name
        kinds = ",".join(sorted(kind.value for kind in scope.forbidden))
        launch = f"{scope.assume.value} {self.timeout_ms} {self.limit_s} {device} {self.save} {scope.groups}"
        alias = f"{scope.alias.value} {scope.disjoint} {[str(one) for one in scope.where]}"
        return f"{launch} {kinds} {scope.unroll} {scope.floats.value} {alias}"

    def __call__(self, pair: Pair) -> Row:
        if monotonic() >= self.until:
            return row(pair, Answer.UNKNOWN, "not asked: the budget is used up")
        forget()
        start, limit = process_time(), Limit(self.limit_s)
        try:
            with limit.within():
                source = self.programs.read(pair.source, pair.launch, self.platform)
                target = self.programs.read(pair.target, pair.launch_target, self.platform)
        except LimitReached as reached:
            return row(pair, Answer.UNKNOWN, f"not asked: {reached}")
        except ReadError as error:
            return row(pair, Answer.UNREADABLE, f"{error.position}: {error.message}")
        except Exception as error:
            return row(pair, Answer.FAILED, f"{type(error).__name__}: {error}")
        read = process_time()
        found = self._asked(pair, source, target, limit)
        return msgspec.structs.replace(found, reading=read - start, asking=process_time() - read)

    def _asked(self, pair: Pair, source: Program, target: Program, limit: Limit) -> Row:
        try:
            with limit.within():
                comparison = compare(source, target, self.scope)
            stages = Stages()
            verdict = decide_within(limit, comparison, self.timeout_ms, stages)
            if self.save is not None and (shown := shown_by(comparison, verdict)) is not None:
                save_difference(*shown, self.save)
            found = _judged(pair, comparison, verdict)
            return msgspec.structs.replace(found, verdict=found.verdict | {"stages": stages_json(stages.tried)})
        except LimitReached as reached:
            return row(pair, Answer.UNKNOWN, f"not asked: {reached}")
        except NotModelled as error:
            return row(pair, Answer.NOT_MODELLED, str(error))
        except ReadError as error:
            return row(pair, Answer.UNMATCHED, f"{error.position}: {error.message}")
        except SolversDisagree as error:
            return row(pair, Answer.DISAGREED, str(error))
        except Exception as error:
            return row(pair, Answer.FAILED, f"{type(error).__name__}: {error}")


def _judged(pair: Pair, comparison: Comparison, verdict: Verdict) -> Row:
    files = {"source": pair.source_name, "target": pair.target_name}
    document = answer_record(comparison, verdict) | files
    match verdict:
        case Refines(by, conditions):
            return row(pair, Answer.CONDITIONAL if conditions else Answer.REFINES, by, document)
        case Bounded(loops, found):
            return row(pair, Answer.BOUNDED, f"{found.by}, for a few iterations of the loop at {loops[0]}", document)
        case Vacuous(kinds):
            why = "".join(f": {kind.what} ({kind.value})" for kind in kinds)
            return row(pair, Answer.VACUOUS, f"the source is undefined for any input{why}", document)
        case Resynchronised(reason):
            return row(pair, Answer.DIFFERS, reason, document)
        case Unknown(reason):
            return row(pair, Answer.UNKNOWN, reason, document)
        case Apart(pairs, _, overlapping, difference):
            needed = ", ".join(pairs_text(pairs, partial(surface_name, overlapping)))
            if difference is None:
                return row(pair, Answer.UNKNOWN, f"refines if these share no byte: {needed}", document)
            shown = difference_text(overlapping, difference)
            return row(pair, Answer.DIFFERS, f"unless these share no byte: {needed}: {shown}", document)
        case Difference():
            return row(pair, Answer.DIFFERS, difference_text(comparison, verdict), document)
