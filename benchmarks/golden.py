"""Writes verdicts and exit codes of the asking commands over the corpora to a file, and compares two such files.

python -m benchmarks.golden FILE [--corpus corpus-2026] [--command bounds] [--name vadd] [--every 5] [--jobs 2]
python -m benchmarks.golden FILE --sample [--jobs 2]
python -m benchmarks.golden --compare OLD NEW

A file has one line of JSON for each question: its key, the exit code, the verdicts in the order of the lines, and the
stages that decided.  Verdicts and exit codes bind, stages inform.  A question that takes longer than `--limit` seconds
by the clock is "timed out".  Exit code 1 of a comparison says that something that binds differs.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from msgspec import Struct

from visaproof.checking.task_pool import Answered, side_by_side
from visaproof.cli import main as visaproof
from visaproof.pairs.lists import read_pairs

SHARED = Path(__file__).parents[2] / "shared"
CORPORA = ("corpus", "corpus-2026")
OF_A_FILE = ("check", "conflicts", "bounds")
RECORD = Path(__file__).with_suffix(".jsonl")
"""What the sample answered last, to compare with."""
SAMPLE = (
    ("corpus", "conflicts", 12), ("corpus", "bounds", 20), ("corpus", "check", 12), ("corpus", "refine", 16),
    ("corpus-2026", "conflicts", 60), ("", "rules", 1), ("", "prove", 1),
)  # fmt: skip
"""Corpus, command, and of how many questions one is asked."""
ELSEWHERE = {"rules": ("rules",), "prove": ("prove",)}
COMMANDS = (*OF_A_FILE, "refine", *ELSEWHERE)
TIMED_OUT = "timed out"


class Asked(Struct, frozen=True):
    """A command line by the name under which its answer is kept."""

    key: str
    words: tuple[str, ...]


def questions(corpora: Iterable[str], commands: Iterable[str], name: str) -> Iterator[Asked]:
    """What is asked of each dump, of each pair, and once."""
    commands = tuple(commands)
    for corpus in (SHARED / one for one in corpora):
        launch = ("--launch", str(corpus / "manifest.json"))
        for path in sorted(corpus.glob("visaasm/*/*.visaasm")):
            shown = f"{corpus.name}/{path.parent.name}/{path.stem}"
            if "." in path.stem or name not in shown:
                continue
            for command in (one for one in OF_A_FILE if one in commands):
                options = (*launch, "--timeout", "2")
                yield Asked(f"{command} {shown}", (command, str(path), *options))
        if "refine" in commands:
            for pair in read_pairs(corpus / "pairs.json", corpus / "manifest.json", None):
                shown = f"{corpus.name}/{pair.source_name} {pair.target_name}"
                if name in shown:
                    paths = (str(pair.source), str(pair.target))
                    yield Asked(f"refine {shown}", ("refine", *paths, *launch, "--timeout", "2"))
    for command, words in ELSEWHERE.items():
        if command in commands and not name:
            yield Asked(command, words)


def asked(question: Asked) -> dict[str, Any]:
    """The entry of one question."""
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(StringIO()):
        code = visaproof((*question.words, "--format", "json"))
    text = out.getvalue()
    try:
        document = json.loads(text) if text else {}
    except ValueError:
        document = {}
    return {
        "key": question.key,
        "exit": code,
        "verdicts": list(_verdicts(document)),
        "by": [str(one) for one in _values(document, "by")],
    }


def _verdicts(document: Any) -> Iterator[str]:
    """Each verdict with the place at which it was asked, or the name of what was asked."""
    for node in _nodes(document):
        place = node.get("line", node.get("obligation", node.get("name", "")))
        if "verdict" in node:
            yield f"{place} {node['verdict']}".strip()
        for part in ("bounds", "meaning"):
            if isinstance(node.get(part), dict):
                yield f"{place} {part}"
        if node.get("not_modelled"):
            yield "not modelled"


def _nodes(document: Any) -> Iterator[dict[str, Any]]:
    if isinstance(document, dict):
        yield document
    for child in document.values() if isinstance(document, dict) else document if isinstance(document, list) else ():
        yield from _nodes(child)


def _values(document: Any, key: str) -> Iterator[Any]:
    return (node[key] for node in _nodes(document) if key in node)


def compared(old: Path, new: Path) -> int:
    """Prints what differs; 1 if an exit code or a verdict does."""
    before, after = _read(old), _read(new)
    both = [key for key in before if key in after]
    changed = [key for key in both if _binding(before[key]) != _binding(after[key])]
    for key in changed:
        print(f"{key}: exit {before[key]['exit']} -> {after[key]['exit']}")
        lost = [one for one in before[key]["verdicts"] if one not in after[key]["verdicts"]]
        won = [one for one in after[key]["verdicts"] if one not in before[key]["verdicts"]]
        print("\n".join([*(f"    - {one}" for one in lost), *(f"    + {one}" for one in won)]))
    stages = sum(before[key]["by"] != after[key]["by"] for key in both)
    lone = len(before) + len(after) - 2 * len(both)
    print(
        f"{len(both)} questions: {len(changed)} differ, {stages} were decided by other stages; {lone} in one file only"
    )
    return int(bool(changed))


def _binding(entry: dict[str, Any]) -> tuple[object, object]:
    return entry["exit"], entry["verdicts"]


def _read(path: Path) -> dict[str, dict[str, Any]]:
    return {entry["key"]: entry for entry in map(json.loads, path.read_text().splitlines())}


def sampled() -> Iterator[Asked]:
    """The questions of the sample."""
    for corpus, command, every in SAMPLE:
        yield from list(questions([corpus] if corpus else (), [command], ""))[::every]


def write(options: Namespace) -> int:
    every = questions(options.corpus or CORPORA, options.command or COMMANDS, options.name)
    todo = list(sampled()) if options.sample else list(every)[:: options.every]
    entries: dict[int, dict[str, Any]] = {}
    try:
        with closing(side_by_side(asked, todo, options.jobs, options.limit)) as answers:
            for found in answers:
                known = isinstance(found, Answered)
                lost = {"key": todo[found.index].key, "exit": None, "verdicts": [TIMED_OUT], "by": []}
                entries[found.index] = found.answer if known else lost
                if len(entries) % 100 == 0:
                    print(f"{len(entries)} of {len(todo)}", file=sys.stderr)
    finally:  # an interrupted run keeps what it has
        lines = [json.dumps(entries[index]) + "\n" for index in sorted(entries)]
        options.file.write_text("".join(lines))
    print(f"{len(lines)} questions, {sum(entry['exit'] is None for entry in entries.values())} timed out")
    return 0


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("OLD", "NEW"))
    parser.add_argument("--corpus", action="append", choices=CORPORA)
    parser.add_argument("--command", action="append", choices=COMMANDS)
    parser.add_argument("--name", default="", help="only dumps and pairs whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="ask only every n-th question")
    parser.add_argument("--sample", action="store_true", help=f"the questions of {RECORD.name}, which is kept in git")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds by the clock for one question")
    options = parser.parse_args()
    if options.compare:
        return compared(*options.compare)
    if options.file is None:
        parser.error("name a file to write, or --compare OLD NEW")
    return write(options)


if __name__ == "__main__":
    sys.exit(main())
