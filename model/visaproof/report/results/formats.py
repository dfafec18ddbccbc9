"""The formats of results: their names, for the command line, and what writes each.  Nothing loads before it is used."""

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from visaproof.report.results.outputs import Report


class Format(Enum):
    """The words of `--format` and `--output`."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"
    SVG = "svg"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"


def _sarif(report: "Report") -> str:
    from visaproof.report.results.sarif import sarif

    return sarif(report.command, report.results)


def _junit(report: "Report") -> str:
    from visaproof.report.results.junit import junit

    return junit(report.command, report.results)


def _html(report: "Report") -> str:
    from visaproof.report.page.page import page_of_texts

    return page_of_texts([report.json()])


def _svg(report: "Report") -> str:
    from visaproof.report.page.page import picture_of_text

    return picture_of_text(report.json())


def _annotations(report: "Report") -> str:
    from visaproof.report.results.github import annotations

    return "\n".join(annotations(report.results))


def _summary(report: "Report") -> str:
    from visaproof.report.results.github import summary

    return "\n".join(summary(report.command, report.results))


RENDERERS: "dict[Format, Callable[[Report], str]]" = {
    Format.TEXT: lambda report: report.text(),
    Format.JSON: lambda report: report.json(),
    Format.HTML: _html,
    Format.SVG: _svg,
    Format.SARIF: _sarif,
    Format.JUNIT: _junit,
    Format.GITHUB: _annotations,
}

IN_A_FILE: "dict[Format, Callable[[Report], str]]" = RENDERERS | {Format.GITHUB: _summary}
"""A file of the format github gets the summary of the step: annotations are read from stdout alone."""
