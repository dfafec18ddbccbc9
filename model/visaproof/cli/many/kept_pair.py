"""The answer of `refine` that an earlier run gave; one with a difference counts only if that runs again."""

import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import AbstractContextManager
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

from visaproof.cli.many.asking import NOT_KEPT
from visaproof.cli.many.files import Task
from visaproof.cli.many.recorded import Recorded, shown_meanwhile
from visaproof.cli.options.exit_codes import ExitCode

if TYPE_CHECKING:
    from visaproof.checking.kept.verdict_cache import VerdictCache
    from visaproof.refinement.record import RefinementExample

Answer = tuple[ExitCode, list[dict[str, Any]]]
NOT_THERE = "not asked: no answer is in the cache"


class KeptAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was printed and recorded, and each difference as its file has it."""

    code: int
    text: str
    said: str
    records: list[dict[str, Any]]
    examples: list[dict[str, Any]]


def answered(
    cache: "VerdictCache | None",
    arguments: Namespace,
    ask: "Callable[[list[RefinementExample] | None], Answer]",
) -> Answer:
    """The exit code and the records, asked or kept; what people read is printed in either case."""
    key = None if cache is None else _key(arguments)
    if cache is None or (key is None and not cache.enforced):
        with _shown_meanwhile(arguments):
            return ask(None)
    found = None
    if key is not None and (arguments.save is None or cache.enforced):
        found = cache.get_as(key, KeptAnswer)
        if found is not None and not _replays(found):
            print(f"note: {cache.path}: a difference does not replay: the question is asked again", file=sys.stderr)
            found = None
    if found is None:
        return _not_there(arguments) if cache.enforced or key is None else _asked(cache, key, arguments, ask)
    sys.stdout.write(found.text)
    sys.stderr.write(found.said)
    return ExitCode(found.code), found.records


def _asked(
    cache: "VerdictCache",
    key: str,
    arguments: Namespace,
    ask: "Callable[[list[RefinementExample] | None], Answer]",
) -> Answer:
    examples: list[RefinementExample] = []
    with _shown_meanwhile(arguments) as streams:
        code, records = ask(examples)
    if code not in NOT_KEPT and arguments.save is None:
        plain = [msgspec.to_builtins(one) for one in examples]
        kept = KeptAnswer(code=code, text=streams.out(), said=streams.said(), records=records, examples=plain)
        cache.add(key, kept)
    return code, records


def _shown_meanwhile(arguments: Namespace) -> AbstractContextManager[Recorded]:
    source, target = arguments.source, arguments.target
    what = f"{source}:" if target is None else f"{source} → {target}:"
    return shown_meanwhile(what, arguments.limit, live_out=arguments.format == "text", live_said=True)


def _not_there(arguments: Namespace) -> Answer:
    files = {"source": str(arguments.source), "target": str(arguments.target or arguments.source)}
    print(f"{files['source']} → {files['target']}: {NOT_THERE}", file=sys.stderr)
    return ExitCode.UNKNOWN, [files | {"verdict": "unknown", "reason": NOT_THERE}]


def _key(arguments: Namespace) -> str | None:
    """None where a file cannot be read: asking says so."""
    from visaproof.cli.many.keys import FileKeys

    keys = FileKeys.of("refine", arguments)
    sides = [Task(arguments.source, arguments.launch)]
    if arguments.target is not None:
        sides.append(Task(arguments.target, arguments.launch_target or arguments.launch))
    found = [keys.key(one) for one in sides]
    manner = (arguments.bidirectional, arguments.stats, arguments.format, len(sides))
    if None in found:
        return None
    return sha256(repr((found, manner)).encode()).hexdigest()[:40]


def _replays(found: KeptAnswer) -> bool:
    """Whether each difference does."""
    from visaproof.isa.errors import ReadError
    from visaproof.refinement.record import RefinementExample
    from visaproof.refinement.replay import replay_refinement

    try:
        examples = [msgspec.convert(one, RefinementExample) for one in found.examples]
        return not any(replay_refinement(one, "difference in the cache") for one in examples)
    except (msgspec.ValidationError, ReadError):
        return False
