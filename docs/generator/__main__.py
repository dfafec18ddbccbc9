"""`python -m docs.generator [--check]`: writes every transcript and every generated page anew.

With `--check` nothing is written; exit code 1 says that something is stale, and stderr names it.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path

from docs.generator import reference, transcripts

ROOT = Path(__file__).parents[2]


def main() -> int:
    """0 if everything is current or was written, 1 if `--check` found something stale."""
    parser = ArgumentParser("docs.generator", description="Writes the transcripts and the generated pages of docs/.")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if something is stale")
    check = parser.parse_args().check
    stale: list[Path] = []
    for path, text in wanted():
        if not path.exists() or path.read_text() != text:
            stale.append(path)
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
    for path in stale:
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT)}", file=sys.stderr)
    return int(check and bool(stale))


def wanted() -> list[tuple[Path, str]]:
    """Every page with the text that it should have."""
    made = [(ROOT / "docs" / name, page()) for name, page in reference.PAGES.items()]
    return [*made, *((page, transcripts.rewritten(page.read_text(), ROOT)) for page in transcripts.pages(ROOT))]


if __name__ == "__main__":
    sys.exit(main())
