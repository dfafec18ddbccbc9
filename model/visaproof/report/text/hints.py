"""Hints name only options that the command has: what is said below the command line knows nothing of commands."""

import re
from contextvars import ContextVar

OPTIONS: ContextVar[frozenset[str] | None] = ContextVar("options of the command that runs", default=None)
"""None where no command runs: then nothing is left out."""

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_ELSEWHERE = re.compile(r"(?:visaproof|ocloc) [^`;]*")
"""A command line in full: its options are those of that command."""
_CLAUSE = re.compile(r"(; |: (?=give )|, or | or (?=`--))")


def fitting(text: str) -> str:
    """The text without the clauses and alternatives that name an option which the command does not have."""
    options = OPTIONS.get()
    if options is None:
        return text
    first, *others = _CLAUSE.split(text)
    kept = first if _fits(first, options) else ""
    for joint, clause in zip(others[::2], others[1::2], strict=True):
        if _fits(clause, options):
            kept += (joint if kept else "") + clause
    return kept


def _fits(clause: str, options: frozenset[str]) -> bool:
    return options.issuperset(_OPTION.findall(_ELSEWHERE.sub("", clause)))
