"""The readings as text and as JSON."""

from collections.abc import Iterable, Iterator

import msgspec

from visaproof.isa.answers import Answer
from visaproof.isa.readings import READINGS
from visaproof.report.text.documents import Document, encode


class AnswerEntry(msgspec.Struct, kw_only=True):
    """One answer: its name on the command line, and what the machine then does."""

    value: str
    effect: str


class ReadingEntry(msgspec.Struct, kw_only=True):
    """One open question."""

    name: str
    decision: str
    """Its entry in the list of decisions, or "ours"."""
    question: str
    effect: str
    """What the machine does by default."""
    default: str | None
    """The default's name; null where there is no choice."""
    alternatives: list[AnswerEntry]


class ReadingsDocument(Document, kw_only=True):
    """`visaproof readings`."""

    readings: list[ReadingEntry]


def readings_json(names: Iterable[str]) -> str:
    return encode(ReadingsDocument(command="readings", exit_code=0, readings=[_entry(name) for name in names]))


def readings_text(names: Iterable[str]) -> str:
    return "\n".join(line for name in names for line in _lines(name))


def _entry(name: str) -> ReadingEntry:
    reading = READINGS[name]
    return ReadingEntry(
        name=name,
        decision=reading.decision,
        question=reading.question,
        effect=reading.chosen,
        default=reading.default.value if reading.default else None,
        alternatives=[AnswerEntry(value=answer.value, effect=answer.effect) for answer in reading.alternatives],
    )


def _lines(name: str) -> Iterator[str]:
    reading = READINGS[name]
    yield f"{name}  ({reading.decision})  {reading.question}"
    if reading.default is None:
        yield f"    {reading.chosen}"
    else:
        yield _answer("*", reading.default)
        for answer in reading.alternatives:
            yield _answer(" ", answer)


def _answer(mark: str, answer: Answer) -> str:
    return f"  {mark} {answer.value:<16}  {answer.effect}"
