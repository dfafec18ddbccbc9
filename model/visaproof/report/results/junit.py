"""JUnit XML: each file is a test case; a violation is a failure, what is not decided an error.

Source: github.com/testmoapp/junitxml, which collects what readers of this format take.
"""

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from visaproof.report.results.finding import Finding, Level, Result
from visaproof.report.text.markup import xml_characters


def junit(command: str, results: Sequence[Result]) -> str:
    """The text of a document with one suite."""
    wrong = [[one for one in result.findings if one.level is Level.REFUTED] for result in results]
    failures = sum(bool(found) for found in wrong)
    errors = sum(bool(result.findings) and not found for result, found in zip(results, wrong, strict=True))
    counts = {
        "tests": str(len(results)), "failures": str(failures), "errors": str(errors),
        "time": f"{sum(result.seconds for result in results):.3f}",
    }  # fmt: skip
    root = Element("testsuites", {"name": "visaproof"} | counts)
    suite = SubElement(root, "testsuite", {"name": f"visaproof {command}"} | counts)
    for result, failed in zip(results, wrong, strict=True):
        case = SubElement(
            suite, "testcase",
            {
                "name": xml_characters(result.subject), "classname": f"visaproof.{command}",
                "time": f"{result.seconds:.3f}",
            },
        )  # fmt: skip
        if failed:
            _add(case, "failure", failed)
        elif result.findings:
            _add(case, "error", result.findings)
        SubElement(case, "system-out").text = xml_characters(result.text)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode")


def _add(case: Element, tag: str, found: Sequence[Finding]) -> None:
    first = found[0]
    element = SubElement(case, tag, {"message": xml_characters(first.message), "type": xml_characters(first.kind)})
    element.text = xml_characters("\n".join(_line(one) for one in found))


def _line(one: Finding) -> str:
    where = f"{one.place.file}:{one.place.line}" if one.place.line else one.place.file
    return f"{where}: {one.level.value}: {one.message}" + (f"\n    {one.statement}" if one.statement else "")
