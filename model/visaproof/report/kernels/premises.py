"""Premises as people and programs read them: those of one answer, and the table of all."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from visaproof.launch.premise_rows import Grantor, PremiseRow
from visaproof.launch.premise_table import PREMISES
from visaproof.launch.premises import Premise
from visaproof.report.records.common import PremiseRecord
from visaproof.report.text.documents import Document, encode

_PLACE = re.compile(r"\{(\w+)\}")
"""What differs from kernel to kernel: in capitals, as the values of options are."""

GRANTED = {
    Grantor.PAGE: "granted by the page",
    Grantor.COMPILER: "what the compiler does",
    Grantor.DRIVER: "granted by the driver",
    Grantor.LANGUAGE: "granted by the language",
    Grantor.HOST: "up to the host",
    Grantor.USER: "as you state it",
    Grantor.NOBODY: "granted by nobody",
    Grantor.OPEN: "left open",
}


IN_FULL = (Grantor.USER, Grantor.NOBODY, Grantor.OPEN)
"""Premises of which nobody else takes care are never shown by their names alone."""


def premise_lines(premises: Sequence[Premise], verbose: bool = True) -> Iterator[str]:
    """What an answer rests on: each premise in full, or those that others grant by their names, by who grants them."""
    if not premises:
        yield "  assumed: nothing: every input is arbitrary"
    short: dict[Grantor, dict[str, None]] = {}
    for one in premises:
        if verbose or one.row.granted in IN_FULL:
            yield f"  assumed: {one} [{GRANTED[one.row.granted]}]"
        else:
            short.setdefault(one.row.granted, {})[one.name] = None
    if short:
        named = "; ".join(f"{', '.join(names)} [{GRANTED[grantor]}]" for grantor, names in short.items())
        yield f"  assumed: {named}"
        yield "    (-v: in full; `visaproof premises` explains each)"


def premises_record(premises: Sequence[Premise]) -> dict[str, Any]:
    """The same for programs: as texts, and field by field."""
    return {"assumptions": [str(one) for one in premises], "premises": [premise_record(one) for one in premises]}


def premise_record(one: Premise) -> PremiseRecord:
    """A premise for programs."""
    row = one.row
    return PremiseRecord(
        name=one.name, sentence=one.sentence, granted_by=row.granted.value, lifted_by=row.lifted or None
    )


class PremiseEntry(msgspec.Struct, kw_only=True):
    """One row of the table."""

    name: str
    sentence: str
    """With a field in braces for what differs from kernel to kernel."""
    granted_by: str
    source: str
    commands: list[str]
    lifted_by: str | None
    """The option that asks without it, or states something else."""


class PremisesDocument(Document, kw_only=True):
    """`visaproof premises`."""

    premises: list[PremiseEntry]


def table_text(names: Iterable[str]) -> str:
    return "\n".join(line for name in names for line in _row_lines(PREMISES[name]))


def table_json(names: Iterable[str]) -> str:
    entries = [_entry(PREMISES[name]) for name in names]
    return encode(PremisesDocument(command="premises", exit_code=0, premises=entries))


def _row_lines(row: PremiseRow) -> Iterator[str]:
    yield f"{row.name}  ({', '.join(row.commands)})"
    yield f"    {_PLACE.sub(lambda found: found[1].upper(), row.sentence)}"
    yield f"    {GRANTED[row.granted]}: {row.source}"
    if row.lifted:
        yield f"    without it: {row.lifted}"


def _entry(row: PremiseRow) -> PremiseEntry:
    return PremiseEntry(
        name=row.name,
        sentence=row.sentence,
        granted_by=row.granted.value,
        source=row.source,
        commands=list(row.commands),
        lifted_by=row.lifted or None,
    )
