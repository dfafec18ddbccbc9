"""Entries of what `prove`, `rules` and `run` say."""

from collections.abc import Iterator, Mapping
from typing import Any

from visaproof.report.page.entry import Entry, Mark, Panel, premises_of
from visaproof.report.text.kernel_name import readable_name

Record = Mapping[str, Any]


def of_claim(one: Record) -> Entry:
    """A claim of `prove`: good is what was expected."""
    verdict, expected = one["verdict"], one["as_expected"]
    mark = Mark.PROVED if expected else {"unknown": Mark.UNKNOWN, "vacuous": Mark.VACUOUS}.get(verdict, Mark.REFUTED)
    said = "as expected" if expected else f"but {one['expected']} was expected"
    panels = [Panel("reason", ((one["reason"],),))] if one["reason"] else []
    if one["saved"]:
        panels.append(Panel("replay it", ((f"visaproof replay {one['saved']}",),), code=True))
    readings = tuple(f"{each['decision']} {each['name']}" for each in one["readings"])
    return Entry(
        mark=mark, command="prove", word=verdict.upper(), headline=f"{one['query']}: {verdict}, {said}",
        kernel=one["module"], place=one["id"], panels=tuple(panels), readings=readings,
    )  # fmt: skip


def of_rule(one: Record) -> Entry:
    """A rewrite rule: good is what it states of itself."""
    marks = {"proved": Mark.PROVED, "unknown": Mark.UNKNOWN, "vacuous": Mark.VACUOUS}
    mark = Mark.PROVED if one["as_stated"] else marks.get(one["verdict"], Mark.REFUTED)
    mark = Mark.REFUTED if mark is Mark.PROVED and not one["as_stated"] else mark
    said = "as stated" if one["as_stated"] else f"but it states {one['stated']}"
    panels: list[Panel] = []
    if found := one["counterexample"]:
        panels.append(Panel("difference", ((str(found["difference"]),),)))
        panels.append(Panel("inputs", tuple((name, str(value)) for name, value in found["inputs"].items())))
    if one["right_if"]:
        panels.append(Panel("right if", tuple((each,) for each in one["right_if"])))
    return Entry(
        mark=mark, command="rules", word=one["verdict"].upper(), headline=f"{one['verdict']}, {said}",
        kernel=one["rule"], place=one["file"], panels=tuple(panels),
    )  # fmt: skip


def of_run(document: Record) -> Iterator[Entry]:
    """What a launch met, or that it ran to its end."""
    premises, place = premises_of(document), document["file"]
    common: dict[str, Any] = {"command": "run", "kernel": readable_name(document["kernel"]), "premises": premises}
    met = False
    for kind in ("races", "outside", "unwritten_reads"):
        for one in document[kind] or ():
            met = True
            words = ", ".join(f"{name} {value}" for name, value in one.items() if value is not None)
            yield Entry(mark=Mark.REFUTED, word=kind.replace("_", " ").upper(), headline=words, place=place, **common)
    if (end := document["undefined"]) is not None:
        met, at = True, f"{end['file']}:{end['line']}"
        yield Entry(mark=Mark.REFUTED, word="UNDEFINED", headline=end["message"], place=at, **common)
    if (stop := document["not_modelled"]) is not None:
        met = True
        yield Entry(mark=Mark.NOT_MODELLED, word="NOT MODELLED", headline=stop["what"], place=place, **common)
    if not met:
        said = f"{document['threads']} threads ran to the end"
        yield Entry(mark=Mark.NOTE, word="RAN", headline=said, place=place, **common)
