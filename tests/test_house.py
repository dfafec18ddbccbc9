"""No module of the package is too long to read, no folder too full to look through, no test file left out."""

from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "model" / "visaproof"
MOST_LINES = 350
MOST_FILES = 25


def too_long(folder: Path) -> dict[str, int]:
    """The modules with more lines than that, and how many they have."""
    lines = {str(path.relative_to(folder)): len(path.read_text("utf-8").splitlines()) for path in folder.rglob("*.py")}
    return {name: count for name, count in lines.items() if count > MOST_LINES}


def too_full(folder: Path) -> dict[str, int]:
    """The folders with more files than that, and how many they have."""
    files = Counter(str(path.parent.relative_to(folder)) for path in folder.rglob("*.py"))
    return {name: count for name, count in files.items() if count > MOST_FILES}


def twice(folder: Path) -> list[str]:
    """The names that several test files have: pytest imports one of them, since the folders are no packages."""
    names = Counter(path.name for path in folder.rglob("test_*.py"))
    return sorted(name for name, count in names.items() if count > 1)


def test_no_two_test_files_have_one_name():
    assert twice(Path(__file__).parent) == []


def test_two_test_files_of_one_name_are_found(tmp_path: Path):
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "test_alike.py").write_text("")
    assert twice(tmp_path) == ["test_alike.py"]


def test_no_module_is_too_long():
    assert too_long(PACKAGE) == {}


def test_no_folder_is_too_full():
    assert too_full(PACKAGE) == {}


@pytest.mark.parametrize(("lines", "found"), [(MOST_LINES, {}), (MOST_LINES + 1, {"inner/one.py": MOST_LINES + 1})])
def test_a_module_of_one_line_too_many_is_found(tmp_path: Path, lines: int, found: dict[str, int]):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "one.py").write_text("pass\n" * lines)
    assert too_long(tmp_path) == found


@pytest.mark.parametrize(("files", "found"), [(MOST_FILES, {}), (MOST_FILES + 1, {"inner": MOST_FILES + 1})])
def test_a_folder_of_one_file_too_many_is_found(tmp_path: Path, files: int, found: dict[str, int]):
    (tmp_path / "inner").mkdir()
    for number in range(files):
        (tmp_path / "inner" / f"m{number}.py").touch()
    assert too_full(tmp_path) == found
