"""What became of the faults, by kind, in Markdown."""

from collections import Counter
from collections.abc import Iterable, Iterator

from benchmarks.faults.ask import Answer
from benchmarks.faults.kinds import Kind
from benchmarks.faults.store import Record

OPEN = (Answer.UNKNOWN, Answer.NOT_MODELLED, Answer.VACUOUS, Answer.UNSOUND)


def table(records: Iterable[Record]) -> Iterator[str]:
    """A row for each kind, the reasons of those left open, and one sentence."""
    asked = [record for record in records if record["answer"] != Answer.ILLEGAL.value]
    columns = [answer for answer in Answer if answer is not Answer.ILLEGAL]
    yield f"| fault | planted | {' | '.join(answer.value for answer in columns)} |"
    yield "|---" * (len(columns) + 2) + "|"
    for kind in Kind:
        yield _row(kind.value, [record for record in asked if record["kind"] == kind.name], columns)
    yield _row("all", asked, columns)
    yield ""
    for record in asked:
        if Answer(record["answer"]) in OPEN:
            yield f"{record['answer']}: {record['id']}: {record.get('shown') or record.get('detail')}"
    yield summary(asked)


def _row(name: str, records: list[Record], columns: list[Answer]) -> str:
    counts = Counter(record["answer"] for record in records)
    return f"| {name} | {len(records)} | {' | '.join(str(counts[answer.value]) for answer in columns)} |"


def summary(asked: list[Record]) -> str:
    counts = Counter(record["answer"] for record in asked)
    refuted, same = counts[Answer.REFUTED.value], counts[Answer.EQUIVALENT.value]
    others = len(asked) - same
    share = f"{100 * refuted / others:.1f} %" if others else "none"
    decided = f"{100 * (refuted + same) / len(asked):.1f} %" if asked else "none"
    targets = len({record["target"] for record in asked})
    return (
        f"{len(asked)} faults in {targets} kernels: {refuted} refuted by a run, {same} shown to change nothing "
        f"(together {decided}); of those that change something {share} are refuted"
    )
