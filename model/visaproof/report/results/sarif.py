"""SARIF 2.1.0: findings as code-scanning tools read them.

Source: docs.oasis-open.org/sarif/sarif/v2.1.0.
"""

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import msgspec

from visaproof import __version__
from visaproof.report.results.finding import Finding, Level, Place, Result
from visaproof.report.text.kernel_name import readable_name

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Level.REFUTED: "error", Level.UNREADABLE: "error", Level.INTERNAL: "error", Level.DISAGREEMENT: "error"}
"""The others are warnings."""
RULES = {
    "collision": ("LanesCollide", "Two lanes of one message write the same byte."),
    "outside": ("AccessOutside", "An access lies outside of its surface."),
    "misaligned": ("MisalignedAccess", "An address is not aligned as the page demands."),
    "beyond-variable": ("RegistersBeyondVariable", "An operand reaches registers that its variable does not have."),
    "slm-outside": ("AccessOutsideSharedMemory", "An access lies outside of shared local memory."),
    "uninitialised": ("UninitialisedValue", "An uninitialised value has an effect."),
    "refinement": ("DoesNotRefine", "The target does something else than the source."),
    "file": ("FileNotDecided", "A file as a whole could not be read or was not decided."),
}
"""The name and the description of each kind of finding; the ids of `visaproof check` are their own names."""


def sarif(command: str, results: Sequence[Result]) -> str:
    """The text of a log with one run."""
    found = [finding for result in results for finding in result.findings]
    kinds = list(dict.fromkeys(finding.kind for finding in found))
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "visaproof",
                "semanticVersion": __version__ if __version__.count(".") == 2 else f"{__version__}.0",
                "rules": [_rule(kind) for kind in kinds],
            }
        },
        "automationDetails": {"id": f"visaproof/{command}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The folder in which visaproof was run."}}},
        "invocations": [
            {"executionSuccessful": not any(result.code in (70, 130) for result in results)},
        ],
        "artifacts": [{"location": _uri(name)} for name in _files(found)],
        "results": [_result(one, kinds) for one in found],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode()


def _rule(kind: str) -> dict[str, Any]:
    name, text = RULES.get(kind, ("".join(map(str.capitalize, kind.replace("_", "-").split("-"))), ""))
    text = text or f"A memory message breaks the rule {kind} of its page."
    return {
        "id": kind, "name": name, "shortDescription": {"text": text}, "fullDescription": {"text": text},
        "help": {"text": f"{text} `visaproof --help` names the commands that ask about it."},
    }  # fmt: skip


def _result(one: Finding, kinds: list[str]) -> dict[str, Any]:
    """A finding: the line of the source first, if it is known, then the statement, then both accesses."""
    places = [one.source, one.place] if one.source else [one.place]
    related = [(*pair,) for pair in enumerate(one.related if one.source is None else (one.place, *one.related), 1)]
    return {
        "ruleId": one.kind,
        "ruleIndex": kinds.index(one.kind),
        "level": LEVELS.get(one.level, "warning"),
        "kind": "fail",
        "message": {"text": _sentence(f"{readable_name(one.kernel)}: {one.message}" if one.kernel else one.message)},
        "locations": [_location(places[0], one)],
        "relatedLocations": [
            _location(place, one) | {"id": number, "message": {"text": _sentence(place.message or "the statement")}}
            for number, place in related
        ],
        "partialFingerprints": {"visaproof/v1": one.key},
        "properties": {"verdict": one.level.value},
    }


def _location(place: Place, one: Finding) -> dict[str, Any]:
    region: dict[str, Any] = {}
    if place.line:
        region = {"startLine": place.line} | ({"startColumn": place.column} if place.column else {})
        if one.statement and place.file == one.place.file and place.line == one.place.line:
            region["snippet"] = {"text": one.statement}
    physical = {"artifactLocation": _uri(place.file)} | ({"region": region} if region else {})
    found: dict[str, Any] = {"physicalLocation": physical}
    if one.kernel:
        names = {"name": readable_name(one.kernel), "decoratedName": one.kernel}
        found["logicalLocations"] = [{**names, "kind": "function"}]
    return found


def _uri(name: str) -> dict[str, Any]:
    """A path as a URI: relative ones are resolved against the folder of the run."""
    path = PurePath(name)
    quoted = quote(path.as_posix().encode(errors="surrogateescape"))
    return {"uri": f"file://{quoted}"} if path.is_absolute() else {"uri": quoted or ".", "uriBaseId": "SRCROOT"}


def _files(found: Iterable[Finding]) -> list[str]:
    places = (place for one in found for place in (one.place, one.source, *one.related) if place is not None)
    return list(dict.fromkeys(place.file for place in places))


def _sentence(text: str) -> str:
    """SARIF wants messages that end with a period."""
    text = text.encode(errors="backslashreplace").decode().strip() or "no reason is known"
    return text if text.endswith(".") else f"{text}."
