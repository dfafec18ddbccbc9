"""Every decision and every section of docs/ that the repository cites exists."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from visaproof.isa.readings import READINGS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SUFFIXES = {".py", ".lark", ".toml", ".md", ".rules", ".rule"}
PLACES = ("model", "proofs", "tests", "benchmarks", "counterexamples", "docs", "README.md", "CHANGELOG.md")

DECISION = re.compile(r"(?<![\w.])D(\d+)([a-z]?)\b")
PAGE = re.compile(r"(?<![\w/])docs/([\w/-]+\.md)")
SECTIONS = re.compile(r"(?<![\w/])docs/([\w/-]+\.md)((?:(?:,| and|-|; )?\s*§\d+(?:\.\d+)?)+)")
OLD = re.compile(r"(?<![\w/])spec/[\w-]+\.md|(?<![\w/-])(?:decisions|validity|family)\.md")


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the repository that may cite something, with its path."""
    for place in map(ROOT.joinpath, PLACES):
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        for file in files:
            if file.suffix in SUFFIXES and file != Path(__file__):
                yield str(file.relative_to(ROOT)), file.read_text()


def headings(page: Path) -> set[str]:
    """What the headings of a page begin with: `D10b`, `§2.1`.  A numbered list has the parts of its section."""
    found: set[str] = set()
    section = ""
    for line in page.read_text().splitlines():
        if heading := re.match(r"#+ (\S+)", line):
            section = heading[1]
            found.add(section)
        elif (item := re.match(r"(\d+)\. ", line)) and section.startswith("§"):
            found.add(f"{section}.{item[1]}")
    return found


def missing_sections(text: str) -> list[str]:
    """The citations of pages and sections in a text that lead nowhere."""
    absent = [page for page in PAGE.findall(text) if not (DOCS / page).is_file()]
    for page, sections in SECTIONS.findall(text):
        if (DOCS / page).is_file():
            known = headings(DOCS / page)
            absent += [f"{page} {each}" for each in re.findall(r"§[\d.]*\d", sections) if each not in known]
    return absent


def missing_decisions(text: str) -> list[str]:
    """The decisions that a text cites and the list does not have; D8 to D64 of LSC's data sizes are none."""
    cited = {f"D{number}{letter}" for number, letter in DECISION.findall(text)}
    return sorted(cited - headings(DOCS / "decisions.md")) if cited else []


@pytest.fixture(scope="module")
def repository() -> dict[str, str]:
    return dict(texts())


def test_every_cited_decision_is_in_the_list(repository: dict[str, str]) -> None:
    sizes = {"model/visaproof/instructions/lsc/untyped.py": ["D64"]}  # a member of DataSize
    absent = {path: missing_decisions(text) for path, text in repository.items()}
    assert {path: names for path, names in absent.items() if names} == sizes


def test_every_cited_page_and_section_exists(repository: dict[str, str]) -> None:
    absent = {path: missing_sections(text) for path, text in repository.items()}
    assert {path: places for path, places in absent.items() if places} == {}


def test_no_text_cites_a_page_that_a_clone_lacks(repository: dict[str, str]) -> None:
    inside = {path: text for path, text in repository.items() if not path.startswith("docs/")}
    assert {path: OLD.findall(text) for path, text in inside.items() if OLD.search(text)} == {}


def test_every_reading_names_its_decision() -> None:
    assert {reading.decision for reading in READINGS.values()} - {"ours"} <= headings(DOCS / "decisions.md")


def test_every_decision_names_readings_that_exist() -> None:
    entries = re.split(r"^### ", (DOCS / "decisions.md").read_text(), flags=re.MULTILINE)[1:]
    for entry in entries:
        decision = entry.split()[0]
        for names in re.findall(r"Readings? (`[^.;(]+`)", entry):
            for name in re.findall(r"`([\w-]+)`", names):
                assert READINGS[name].decision == decision


def test_every_decision_has_a_question_evidence_and_an_answer() -> None:
    entries = re.split(r"^### ", (DOCS / "decisions.md").read_text(), flags=re.MULTILINE)[1:]
    for entry in entries:
        parts = re.findall(r"^\*\*(\w+)\.\*\*", entry, flags=re.MULTILINE)
        assert parts == ["Question", "Evidence", "Answer"], entry


def missing_paths(text: str) -> list[str]:
    """Files and folders of the repository or the package that prose names in backticks and that do not exist."""
    package = ROOT / "model" / "visaproof"
    named = re.findall(r"`([a-z_]+/[\w./]*\w)/?`", text)
    ours = [path for path in named if "NAME" not in path and (package / path.split("/")[0]).is_dir()]
    ours += [path for path in named if path.split("/")[0] in ("docs", "tests", "proofs", "benchmarks", "model")]
    return [path for path in ours if not (package / path).exists() and not (ROOT / path).exists()]


def test_every_path_that_the_pages_name_exists() -> None:
    pages = [page for page in DOCS.rglob("*.md") if page.parent.name != "pages"]
    absent = {page.name: missing_paths(page.read_text()) for page in (*pages, ROOT / "README.md")}
    assert {page: paths for page, paths in absent.items() if paths} == {}
    assert missing_paths("see `isa/no_such.py` and `tests/none/`, but `visa/CISA.y`") == [
        "isa/no_such.py",
        "tests/none",
    ]


def test_the_check_notices_a_citation_that_leads_nowhere() -> None:
    assert missing_decisions("as D1 has it, not D99") == ["D99"]
    assert missing_sections("Source: docs/pages/validity.md §2.3, §9, docs/pages/none.md.") == [
        "pages/none.md",
        "pages/validity.md §9",
    ]
    assert OLD.search("spec/family.md")
    assert OLD.search("(validity.md §4)")
