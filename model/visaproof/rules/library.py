"""The rules that were asked for: files, folders, or names in the library that came with the package."""

from collections.abc import Sequence
from pathlib import Path

import visaproof

SUFFIX = ".rule"


class NoSuchRule(Exception):
    """A file, folder or name that is not there; `known` are the names in the library."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(name)
        self.name = name
        self.known = tuple(known)


def library() -> Path:
    """The folder of the shipped rules."""
    package = Path(visaproof.__file__).parent
    candidates = (package / "_proofs" / "rules", package.parent.parent / "proofs" / "rules")
    return next((folder for folder in candidates if folder.is_dir()), candidates[-1])


def rule_files(asked: Sequence[str]) -> list[Path]:
    """The files of what was asked for, in order and each once; of nothing, the library's.  Raises NoSuchRule."""
    known = {path.stem: path for path in sorted(library().glob(f"*{SUFFIX}"))}
    found: dict[Path, None] = {}
    for name in asked or [str(library())]:
        path = Path(name)
        if path.is_dir():
            inside = sorted(path.glob(f"*{SUFFIX}"))
            if not inside:
                raise NoSuchRule(name, list(known))
            found |= dict.fromkeys(inside)
        elif name in known and not path.is_file():
            found[known[name]] = None
        elif path.is_file():
            found[path] = None
        else:
            raise NoSuchRule(name, list(known))
    return list(found)
