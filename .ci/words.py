"""Fails on a phrase that the project has given up for the field's term.  The list is docs/retired-words.toml.

python .ci/words.py            every text file that git knows
python .ci/words.py FILE…      these
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = ROOT / "docs" / "retired-words.toml"
SUFFIXES = (".py", ".md", ".rule", ".svg")


def findings(text: str, retired: dict[str, str]) -> Iterator[tuple[int, str, str]]:
    """The line, the phrase and what to say instead, for each retired phrase of a text."""
    for pattern, instead in retired.items():
        for found in re.finditer(pattern, text):
            yield text.count("\n", 0, found.start()) + 1, " ".join(found.group().split()), instead


def main(names: Sequence[str]) -> int:
    retired: dict[str, str] = tomllib.loads(LIST.read_text("utf-8"))["retired"]
    known = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [Path(name) for name in names] or [ROOT / name for name in known.splitlines() if name.endswith(SUFFIXES)]
    count = 0
    for file in files:
        for line, phrase, instead in findings(file.read_text("utf-8"), retired):
            print(f"{file}:{line}: {phrase!r} is retired: say {instead}")
            count += 1
    return int(bool(count))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
