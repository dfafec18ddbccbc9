"""Phrases that the project has given up for the field's terms: the lint step finds them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def words(*files: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / ".ci" / "words.py", *files]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_retired_phrase_is_found_with_its_place_and_what_to_say(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("The source\nreads what nothing\nwrote.\n")
    found = words(file)
    assert found.returncode == 1
    assert found.stdout == f"{file}:2: {' '.join(('what', 'nothing', 'wrote'))!r} is retired: say uninitialised\n"


def test_ordinary_words_are_none(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("Where the scope ends, numbers round to even; what it means is open.\n")
    assert words(file).returncode == 0
