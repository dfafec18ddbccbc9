"""GitHub: annotations, which are lines of output that its runner reads, and a summary of the step in Markdown.

Source: docs.github.com, "Workflow commands for GitHub Actions".
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from visaproof.report.results.finding import Finding, Level, Result
from visaproof.report.text.kernel_name import readable_name

MOST_ROWS = 200
"""Of the summary, which has room for 1 MiB."""
ERRORS = (Level.REFUTED, Level.UNREADABLE, Level.INTERNAL, Level.DISAGREEMENT)
MARKS = {Level.REFUTED: "❌", Level.UNREADABLE: "❌", Level.INTERNAL: "❌", Level.DISAGREEMENT: "❌"}


def annotations(results: Sequence[Result]) -> Iterator[str]:
    """A line for each finding, at the line of the source if it is known."""
    for result in results:
        for one in result.findings:
            place = one.source or one.place
            fields = {"file": place.file, "title": f"visaproof: {one.kind}"}
            fields |= {"line": str(place.line)} if place.line else {}
            fields |= {"col": str(place.column)} if place.column else {}
            listed = ",".join(f"{name}={_property(value)}" for name, value in fields.items())
            yield f"::{'error' if one.level in ERRORS else 'warning'} {listed}::{_data(_message(one))}"


def summary(command: str, results: Sequence[Result]) -> Iterator[str]:
    """What a person reads first: the counts, and a table of the findings."""
    found = [one for result in results for one in result.findings]
    counts = Counter(one.level for one in found)
    good = sum(not result.findings for result in results)
    known = sum(result.known for result in results)
    said = [
        f"{good} of {len(results)} without a {'new ' if known else ''}finding",
        *(f"{counts[one]} {one.value}" for one in Level if counts[one]),
        *([f"{known} known"] if known else []),
    ]
    yield f"### visaproof {command}: {'❌' if counts[Level.REFUTED] else '⚠️' if found else '✅'} {', '.join(said)}"
    yield ""
    if found:
        yield "| | kernel | line | what |"
        yield "|---|---|---|---|"
    order = list(Level)
    for one in sorted(found, key=lambda one: order.index(one.level))[:MOST_ROWS]:
        place = one.source or one.place
        where = f"{place.file}:{place.line}" if place.line else place.file
        mark = MARKS.get(one.level, "⚠️")
        kernel = _cell(readable_name(one.kernel))
        yield f"| {mark} {one.level.value} | {kernel} | `{_cell(where)}` | {_cell(one.message)} |"
    if len(found) > MOST_ROWS:
        yield ""
        yield f"… and {len(found) - MOST_ROWS} more."


def _message(one: Finding) -> str:
    return f"{readable_name(one.kernel)}: {one.message}" + (f"\n{one.statement}" if one.statement else "")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").replace("`", "'").split())
