"""A short name for everything on which a verdict depends besides its question."""

from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import visaproof

SOLVERS = ("z3-solver", "bitwuzla")


@cache
def model_version() -> str:
    """Changes with the program's own files and with the solvers."""
    root = Path(visaproof.__file__).parent
    whole = sha256(visaproof.__version__.encode())
    for path in sorted(root.rglob("*.py")):
        whole.update(f"{path.relative_to(root)} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    for solver in SOLVERS:
        whole.update(f"{solver} {_version(solver)}\n".encode())
    return whole.hexdigest()[:16]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
