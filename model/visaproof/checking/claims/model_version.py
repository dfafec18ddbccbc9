"""A short name for everything on which a verdict depends besides its question."""

from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import visaproof

SOLVERS = ("z3-solver", "bitwuzla")
SOURCES = (".py", ".lark")


@cache
def model_version() -> str:
    """Changes with the program's own files, its grammars among them, and with the solvers."""
    whole = sha256(visaproof.__version__.encode())
    whole.update(digest(Path(visaproof.__file__).parent).encode())
    for solver in SOLVERS:
        whole.update(f"{solver} {_version(solver)}\n".encode())
    return whole.hexdigest()[:16]


def digest(folder: Path) -> str:
    """Of the names and the contents of the source files in a folder."""
    whole = sha256()
    for path in sorted(path for path in folder.rglob("*.*") if path.suffix in SOURCES):
        whole.update(f"{path.relative_to(folder)} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
