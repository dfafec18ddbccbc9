"""Generated pages are what the code makes now, and links between pages lead somewhere."""

import re
from pathlib import Path

import pytest

from docs.generator import drawings, reference
from docs.generator.json_shapes import shape
from visaproof.cli import COMMANDS, options_of

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("name", reference.PAGES)
def test_a_generated_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text() == reference.PAGES[name](), "run make pages"


def test_every_command_and_each_of_its_options_is_listed() -> None:
    page = reference.commands()
    for command in COMMANDS:
        assert f"\n## {command}\n" in page
        options = [option for option in options_of(command) if option not in {"--help", "--json"}]
        section = page.partition(f"\n## {command}\n")[2].partition("\n## ")[0]
        assert [option for option in options if f"`{option}" not in section] == []


def test_the_drawing_has_every_room() -> None:
    drawing = drawings.rooms(reference.layers())
    assert all(f"{name}/</text>" in drawing for name, _ in reference.layers())


def test_the_shape_of_a_document_has_every_key() -> None:
    document = {"files": [{"a": 1}, {"b": None}, {"a": {"c": "x"}}], "inputs": {"V1": 2}, "empty": []}
    assert list(shape(document)) == [
        "files: list of",
        "  a: number",
        "  b: null here",
        "inputs: object",
        "empty: list",
    ]


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda page: page.stem)
def test_a_link_to_a_file_leads_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    targets = [target for target in LINK.findall(prose) if "://" not in target]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_page_is_in_the_contents() -> None:
    contents = (DOCS / "index.md").read_text()
    pages = {str(page.relative_to(DOCS).with_suffix("")) for page in DOCS.rglob("*.md")} - {"index"}
    assert {page for page in pages if f"\n{page}\n" not in contents} == set()
