"""`--changed-since REV`: the files that git says have changed, or are new."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from visaproof.cli.options.errors import UsageError

T = TypeVar("T")


def changed_since(tasks: Sequence[T], inputs: Callable[[T], Sequence[Path]], revision: str) -> list[T]:
    """Those of which any input has changed.  Raises UsageError outside of a repository, or for no such revision."""
    changed: set[Path] = set()
    for top in {_top(folder) for folder in {path.absolute().parent for task in tasks for path in inputs(task)[:1]}}:
        changed |= _changed(top, revision)
    return [task for task in tasks if any(path.resolve() in changed for path in inputs(task))]


def _top(folder: Path) -> Path:
    return Path(_git(folder, "rev-parse", "--show-toplevel").strip()).resolve()


def _changed(top: Path, revision: str) -> set[Path]:
    if revision.startswith("-"):
        raise UsageError(f"--changed-since {revision}: no revision of git")
    _git(top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    differ = _git(top, "diff", "--name-only", "-z", revision, "--")
    new = _git(top, "ls-files", "--others", "--exclude-standard", "-z")
    return {(top / name).resolve() for name in (differ + new).split("\0") if name}


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, errors="surrogateescape", check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError as error:
        raise UsageError(f"--changed-since: git cannot be run: {error.strerror}") from None
    if done.returncode:
        said = (
            done.stderr.strip().removeprefix("fatal: ") or f"no revision of git: {words[-1].removesuffix('^{commit}')}"
        )
        raise UsageError(f"--changed-since: {said}", "a commit, a branch or a tag, as in origin/main")
    return done.stdout
