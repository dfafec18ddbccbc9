"""Asks about each file, in turn or side by side; what is computed is shown, and kept, whatever ends the run."""

import sys
from argparse import Namespace
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from time import monotonic, process_time
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from visaproof.cli.many.files import Task, inputs_of
from visaproof.cli.many.options import jobs_of
from visaproof.cli.many.recorded import shown_meanwhile
from visaproof.cli.options.errors import show_error
from visaproof.cli.options.exit_codes import ExitCode

if TYPE_CHECKING:
    from visaproof.checking.kept.verdict_cache import VerdictCache
    from visaproof.cli.many.keys import FileKeys
    from visaproof.report.results.finding import Result

Ask = Callable[[Task, Namespace], tuple[ExitCode, dict[str, Any]]]
"""Asks about a file: prints what people read, and returns the exit code and the record for programs."""

GRACE_S = 60.0
"""A process of several that has not ended this long after twice its limit is ended: others may slow it down."""


class Asker(Struct, frozen=True):
    """Asks about a file; never an exception but for Ctrl-C.  It is pickled for other processes."""

    command: str
    ask: Ask
    arguments: Namespace
    until: float | None = None
    """On the monotonic clock: afterwards nothing is begun."""
    live: bool = False
    """Whether what is printed is shown at once."""

    def __call__(self, task: Task) -> "Result":
        from visaproof.cli import options_of
        from visaproof.report.text.hints import OPTIONS

        if OPTIONS.get() is None:  # in another process
            OPTIONS.set(options_of(self.command))
        if self.until is not None and monotonic() >= self.until:
            return self.without_answer(task, f"the budget of {self.arguments.budget:g} s is used up")
        forget_terms()
        start = process_time()
        live_out = self.live and self.arguments.format == "text"
        what = f"{self.command} {task.path}:"
        with shown_meanwhile(what, self.arguments.limit, live_out=live_out, live_said=self.live) as streams:
            try:
                own = vars(self.arguments) | dict(task.stated) | {"launch": task.launch}
                code, record = self.ask(task, Namespace(**own))
            except BrokenPipeError:
                raise
            except Exception as error:  # one file must not take the others with it
                code, record = show_error(error), error_record(str(task.path), error)
        return self._result(task, code, streams.out(), streams.said(), record, process_time() - start)

    def without_answer(self, task: Task, reason: str) -> "Result":
        """Nobody came to ask, or to answer."""
        message = f"not asked: {reason}"
        record = {"file": str(task.path), "error": message, "limit_reached": True}
        said = f"{task.path}: {message}\n"
        if self.live:
            sys.stderr.write(said)
        return self._result(task, ExitCode.UNKNOWN, "", said, record, 0)

    def _result(
        self, task: Task, code: ExitCode, text: str, said: str, record: dict[str, Any], took: float
    ) -> "Result":
        from visaproof.report.results.finding import Result
        from visaproof.report.results.from_records import findings_in

        undefined = {kind.value: forbidden for kind, forbidden in self.arguments.undefined}
        found = findings_in(self.command, record, code, undefined)
        return Result(
            subject=str(task.path), code=int(code), text=text, said=said, record=record, findings=found, seconds=took
        )


def forget_terms() -> None:
    """An answer must not depend on what was asked before: then another run could not find it again."""
    if (terms := sys.modules.get("visaproof.smt.terms")) is not None:
        terms.forget()


def error_record(file: str, error: Exception) -> dict[str, Any]:
    """What programs read of a file about which nothing could be asked."""
    from visaproof.isa.errors import NotModelled, ReadError, SolversDisagree

    record: dict[str, Any] = {"file": file, "error": str(error)}
    match error:
        case ReadError(position=at):
            record |= {"message": error.message, "at": {"file": at.path, "line": at.line, "column": at.column}}
        case NotModelled() | OSError():
            pass
        case SolversDisagree():
            record["disagreement"] = True
        case _:
            record["internal"] = True
    return record


class Kept(Struct, frozen=True):
    """The answers of earlier runs, and those of this one for later ones."""

    cache: "VerdictCache | None" = None
    keys: "FileKeys | None" = None
    fresh: bool = False
    """Whether each is asked again, as where it also writes files of its own."""

    @staticmethod
    def of(cache: "VerdictCache | None", command: str, arguments: Namespace) -> "Kept":
        """What a command may use of a cache; without one, nothing loads."""
        if cache is None:
            return Kept()
        from visaproof.cli.many.keys import FileKeys

        fresh = getattr(arguments, "save", None) is not None
        return Kept(cache, FileKeys.of(command, arguments), fresh)

    def get(self, asker: Asker, task: Task) -> "Result | None":
        """What is known of a file, or that nothing is where nothing may be asked."""
        from visaproof.report.results.finding import Result

        if self.cache is None or self.keys is None or (self.fresh and not self.cache.enforced):
            return None
        key = self.keys.key(task)
        found = None if key is None else self.cache.get_as(key, Result)
        if found is None and self.cache.enforced:
            return replace(asker, live=False).without_answer(task, "no answer is in the cache")
        return found

    def add(self, task: Task, result: "Result") -> None:
        """Keeps what another run would find out as well."""
        if self.cache is None or self.keys is None or result.code in NOT_KEPT or "error" in result.record:
            return
        key = self.keys.key(task)
        if key is not None:
            self.cache.add(key, result)


NOT_KEPT = (ExitCode.USAGE, ExitCode.INTERNAL, ExitCode.INTERRUPTED, ExitCode.DISAGREEMENT)


def answered(asker: Asker, tasks: Sequence[Task], kept: Kept) -> Generator[tuple[int, "Result", bool]]:
    """The number of each task, its result as it comes, and whether it has been shown already.  Close it."""
    if asker.live:
        for index, task in enumerate(tasks):
            known = kept.get(asker, task)
            result = known or asker(task)
            if known is None:
                kept.add(task, result)
            yield index, result, known is None
        return
    left: list[int] = []
    for index, task in enumerate(tasks):
        known = kept.get(asker, task)
        if known is None:
            left.append(index)
        else:
            yield index, known, False
    with closing(_asked(asker, tasks, left)) as results:
        for index, result in results:
            kept.add(tasks[index], result)
            yield index, result, False


def _asked(asker: Asker, tasks: Sequence[Task], left: Sequence[int]) -> Generator[tuple[int, "Result"]]:
    jobs = min(jobs_of(asker.arguments), len(left))
    if jobs <= 1 and asker.arguments.scheduler is None:
        for index in left:
            yield index, asker(tasks[index])
        return
    again: list[int] = []
    yield from _side_by_side(asker, tasks, left, jobs, again)
    yield from _side_by_side(asker, tasks, tuple(again), jobs, None)


def _side_by_side(
    asker: Asker, tasks: Sequence[Task], chosen: Sequence[int], jobs: int, again: list[int] | None
) -> Iterator[tuple[int, "Result"]]:
    """A task whose process was lost is asked `again`, or has no answer where that is None."""
    from visaproof.checking.task_pool import Lost, side_by_side

    if not chosen:
        return
    by_clock, address = 2 * asker.arguments.limit + GRACE_S, asker.arguments.scheduler
    asked = [tasks[one] for one in chosen]
    if address is None:
        pool = side_by_side(asker, asked, jobs, by_clock)
    else:
        from visaproof.checking.cluster.client import on_cluster

        pool = on_cluster(asker, asked, address, by_clock, inputs_of)
    with closing(pool) as outcomes:
        for outcome in outcomes:
            index = chosen[outcome.index]
            if not isinstance(outcome, Lost):
                yield index, outcome.answer
            elif again is not None and outcome.died:
                again.append(index)
            else:
                yield index, asker.without_answer(tasks[index], outcome.reason)
