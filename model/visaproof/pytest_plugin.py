"""The pytest plugin: claims are tests, and so are files that say how to ask about them.

Collected are `prove_*` and `refute_*` functions in test modules and in the folders of claims (ini option
`visaproof_proofs`, default `proofs`), and files with `RUN:` lines (`visaproof_files`, default `.visaasm .rule`).  It
is loaded by every pytest where visaproof is installed, so that it imports nothing before there is something to ask.
"""

# pytest's own constructors are not wholly typed.
# pyright: reportUnknownMemberType=false

from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from visaproof.checking.claims.catalogue import Claim

PROOFS, FILES, TIMEOUT = "visaproof_proofs", "visaproof_files", "visaproof_timeout"
KINDS = ("prove_", "refute_")
MOST_BYTES = 4 * 1024 * 1024


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(PROOFS, "folders of claims, as `visaproof prove --proofs` takes them", "paths", ["proofs"])
    parser.addini(FILES, "suffixes of files that may have RUN: lines", "args", [".visaasm", ".rule"])
    parser.addini(TIMEOUT, "seconds for one question of a claim to a solver", "string", "20")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    if file_path.suffix == ".py":
        return ClaimsFile.from_parent(parent, path=file_path) if _has_claims(file_path, parent.config) else None
    if file_path.suffix in parent.config.getini(FILES):
        return FileTestFile.from_parent(parent, path=file_path) if _may_be_test(file_path) else None
    return None


def _has_claims(path: Path, config: pytest.Config) -> bool:
    """Whether the file is a module of a folder of claims: these name visaproof."""
    if path.stem in ("__init__", "conftest") or not (path.parent / "__init__.py").is_file():
        return False
    folders = [config.rootpath / folder for folder in config.getini(PROOFS)]
    return path.parent in folders and b"visaproof" in path.read_bytes()


def _may_be_test(path: Path) -> bool:
    """Whether the file has a RUN: line; a very long one is a dump that nobody wrote as a test."""
    try:
        return path.stat().st_size <= MOST_BYTES and b"RUN:" in path.read_bytes()
    except OSError:
        return False


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> "list[ClaimItem] | None":
    if not (name.startswith(KINDS) and isinstance(obj, FunctionType) and isinstance(collector, pytest.Module)):
        return None
    from visaproof.checking.claims.catalogue import claims_of

    return [ClaimItem.from_parent(collector, name=claim.id, claim=claim) for claim in claims_of(name, obj)]


class ClaimsFile(pytest.File):
    """One module of a folder of claims."""

    def collect(self) -> Iterator["ClaimItem"]:
        from visaproof.checking.claims.catalogue import claims_in, load_module

        for claim in claims_in(load_module(self.path)):
            yield ClaimItem.from_parent(self, name=claim.id, claim=claim)


class ClaimItem(pytest.Item):
    """One claim: it passes if its verdict is the expected one."""

    def __init__(self, *, claim: "Claim", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.claim = claim

    def runtest(self) -> None:
        from visaproof.api.claims import describe
        from visaproof.checking.claims.catalogue import discharge

        found = discharge(self.claim, max(1, round(1000 * float(self.config.getini(TIMEOUT)))))
        if not found.as_expected:
            expected = self.claim.expected.__name__.lower()
            raise NotAsExpectedError(f"{found.query.id}: expected {expected}, found {describe(found.verdict)}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any, **__: Any) -> Any:
        if isinstance(excinfo.value, NotAsExpectedError):
            return str(excinfo.value)
        trace = getattr(excinfo.value, "trace", None)  # of a ClaimError: its author's part of the traceback
        if isinstance(trace, str):
            return f"{trace}\n{excinfo.value}" if trace else str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        function: Any = self.claim.function or self.claim.ask
        code = getattr(function, "__code__", None)
        return self.path, code.co_firstlineno - 1 if code else None, self.claim.id


class NotAsExpectedError(Exception):
    """A verdict, or the output of a command, is not the expected one."""


class FileTestFile(pytest.File):
    """A file with RUN: lines."""

    def collect(self) -> Iterator["FileTestItem"]:
        yield FileTestItem.from_parent(self, name=self.path.name)


class FileTestItem(pytest.Item):
    """The commands of one file, and what they have to print."""

    def runtest(self) -> None:
        from visaproof.testing.file_tests import FileTestError, perform

        try:
            perform(self.path)
        except FileTestError as error:
            raise NotAsExpectedError(str(error)) from None

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any, **__: Any) -> Any:
        return str(excinfo.value) if isinstance(excinfo.value, NotAsExpectedError) else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name
