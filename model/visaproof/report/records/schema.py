"""The JSON Schema of every command's `--format json`, made of the records: a table of which is whose."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import msgspec

from visaproof.report.records.common import ErrorDocument, UnreadFile

DRAFT = "https://json-schema.org/draft/2020-12/schema"
RECORDS = "visaproof.report.records"

DOCUMENTS: Mapping[str, tuple[str, str]] = {
    "prove": ("visaproof.report.claims.prove_json", "ProveDocument"),
    "prove --list": ("visaproof.report.claims.prove_json", "ListDocument"),
    "prove --enumerate": ("visaproof.report.claims.enumeration", "EnumerationDocument"),
    "readings": ("visaproof.report.claims.readings", "ReadingsDocument"),
    "prove --readings all": ("visaproof.report.claims.reading_matrix_json", "MatrixDocument"),
    "premises": ("visaproof.report.kernels.premises", "PremisesDocument"),
    "replay": ("visaproof.report.claims.replay", "ReplayDocument"),
    "check": ("visaproof.report.kernels.check", "CheckDocument"),
    "explain": ("visaproof.report.kernels.explain_records", "ExplainDocument"),
    "explain FILE": ("visaproof.report.kernels.explain_kernel", "ExplainKernelDocument"),
    "conflicts": (f"{RECORDS}.conflicts", "ConflictsDocument"),
    "bounds": (f"{RECORDS}.bounds", "BoundsDocument"),
    "refine": (f"{RECORDS}.refine", "RefineDocument"),
    "tv": ("visaproof.report.two_kernels.pairs", "PairsDocument"),
    "ocloc": (f"{RECORDS}.refine", "OclocDocument"),
    "rules": (f"{RECORDS}.tools", "RulesDocument"),
    "run": ("visaproof.report.execution.run_records", "RunDocument"),
    "print": ("visaproof.report.kernels.printed", "PrintDocument"),
    "vectors": ("visaproof.report.claims.vectors", "VectorsDocument"),
    "cache": (f"{RECORDS}.tools", "CacheDocument"),
    "dump": (f"{RECORDS}.tools", "DumpDocument"),
    "triage": (f"{RECORDS}.tools", "TriageDocument"),
    "doctor": (f"{RECORDS}.tools", "DoctorDocument"),
}
"""Modules and classes, by command; some commands have several kinds of output."""

OF_FILES = ("check", "conflicts", "bounds")
"""A file that cannot be asked about has a record of its own there."""


def schema_of(command: str) -> dict[str, Any]:
    """The schema of a command's output: its document, or an error.  Raises KeyError for a command without one."""
    module, name = DOCUMENTS[command]
    document = getattr(import_module(module), name)
    if not issubclass(document, msgspec.Struct):
        raise TypeError(name)
    (whole, error, unread), parts = msgspec.json.schema_components(
        [document, ErrorDocument, UnreadFile], ref_template="#/$defs/{name}"
    )
    if command in OF_FILES:
        files = parts[name]["properties"]["files"]
        files["items"] = {"anyOf": [files["items"], unread]}
    return {
        "$schema": DRAFT,
        "title": f"visaproof {command} --format json",
        "anyOf": [whole, error],
        "$defs": dict(sorted(parts.items())),
    }


def schemas() -> dict[str, dict[str, Any]]:
    """Those of all commands."""
    return {command: schema_of(command) for command in DOCUMENTS}
