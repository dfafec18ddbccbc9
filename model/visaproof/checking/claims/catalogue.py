"""The claims in a `proofs` folder: `prove_*` and `refute_*` functions, each returning the query it is about."""

import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from enum import Enum
from fnmatch import fnmatch
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter
from types import FunctionType, ModuleType
from typing import Any, Protocol, TypeVar, cast, runtime_checkable
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

import visaproof
from visaproof.checking.claims.own_errors import ClaimError, query_of
from visaproof.checking.decide import decide
from visaproof.checking.verdict import Proved, Refuted, Verdict
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.readings import Readings
from visaproof.queries.query import Query

F = TypeVar("F", bound=Callable[..., Query])
_CASES = "visaproof_cases"
PACKAGE = "visaproof_proofs"
"""As which a folder of claims is imported."""
MOST_OF_A_LABEL = 60
"""Characters of a case in the id of a claim."""


def for_each(cases: Iterable[Any]) -> Callable[[F], F]:
    """Marks a claim that is asked once for each case; the case is its argument."""

    def mark(function: F) -> F:
        setattr(function, _CASES, tuple(cases))
        return function

    return mark


@runtime_checkable
class Readable(Protocol):
    """A case of a claim that can be asked about under other readings."""

    def under(self, readings: Readings) -> "Readable | None":
        """The case under these readings; None where they make no difference to it."""
        ...


class Claim(Struct, frozen=True):
    """One thing that the catalogue says: `ask` gives the query, and `expected` the kind of its verdict."""

    name: str
    """The function's name, which is the theorem."""
    case: str
    expected: type[Proved] | type[Refuted]
    ask: Callable[[], Query]
    function: Callable[[Any], Query] | None = None
    """Of a claim with cases: what is asked of each."""
    about: Any = None
    """The case itself."""

    @property
    def id(self) -> str:
        return f"{self.name}[{self.case}]" if self.case else self.name

    @property
    def module(self) -> str:
        """The module in which it stands, without its package."""
        function = getattr(self.ask, "func", self.ask)  # of a claim with cases, `ask` is a partial
        return str(function.__module__).rpartition(".")[2]

    def query(self) -> Query:
        """What it asks.  Raises ClaimError where its function fails, or returns something else."""
        return query_of(self.ask, self.id)

    def under(self, readings: Readings) -> "Claim | None":
        """The claim under other readings; None where they cannot make a difference to it.

        Only proofs are asked so: a refutation is about a variant that is wrong under the default readings.
        """
        function, case = self.function, self.about
        reread = case.under(readings) if self.expected is Proved and isinstance(case, Readable) else None
        return None if function is None or reread is None else replace(self, ask=partial(function, reread))


class Obligation(Struct, frozen=True):
    """A claim that was decided."""

    claim: Claim
    query: Query
    verdict: Verdict
    seconds: float
    """Building the query and deciding it."""

    @property
    def as_expected(self) -> bool:
        return isinstance(self.verdict, self.claim.expected)


def discharge(claim: Claim, timeout_ms: int) -> Obligation:
    """Asks the claim's query and times it."""
    start = perf_counter()
    query = claim.query()
    verdict = decide(query, timeout_ms, likely_fails=claim.expected is Refuted)
    return Obligation(claim, query, verdict, perf_counter() - start)


def claims_in(module: ModuleType) -> Iterator[Claim]:
    """The claims of one module, in the order in which they stand there."""
    for name, function in vars(module).items():
        if isinstance(function, FunctionType):
            yield from claims_of(name, function)


def claims_of(name: str, function: FunctionType) -> Iterator[Claim]:
    """What a function of this name claims: nothing unless it begins with `prove_` or `refute_`; else one claim, or
    one for each of its cases."""
    kind = name.partition("_")[0]
    if kind not in ("prove", "refute"):
        return
    expected = Proved if kind == "prove" else Refuted
    cases: tuple[Any, ...] | None = getattr(function, _CASES, None)
    if cases is None:
        yield Claim(name, "", expected, function)
        return
    named: set[str] = set()
    for case in cases:
        label = _label(case, named)
        named.add(label)
        yield Claim(name, label, expected, partial(function, case), function, case)


def _label(case: object, taken: set[str]) -> str:
    """A short name of a case that no other case of its claim has: what it says of itself, without Python's words.

    A tuple is named by its parts, a number and an enum by what it is, other objects by their `name` or their text.
    """
    label = _short(case)
    found = label
    for number in count(2):
        if found not in taken:
            return found
        found = f"{label}-{number}"
    raise AssertionError("count ends never")


def _short(case: object) -> str:
    if isinstance(case, tuple):
        parts = map(_short, cast(tuple[object, ...], case))
        return ", ".join(part for part in parts if part)[:MOST_OF_A_LABEL]
    if isinstance(case, Enum):
        return case.name.lower()
    text = getattr(case, "__name__", None) or str(case)
    if text.startswith(("<", f"{type(case).__name__}(")):  # what Python writes where nothing else is said
        text = getattr(case, "name", "") or type(case).__name__
    return str(text)[:MOST_OF_A_LABEL]


def proofs_folder(given: Path | None = None) -> Path:
    """The folder asked for, else `./proofs`, else the one that came with the package."""
    package = Path(visaproof.__file__).parent
    candidates = [given] if given else [Path("proofs"), package / "_proofs", package.parent.parent / "proofs"]
    for candidate in candidates:
        if (candidate / "__init__.py").is_file():
            return candidate
    raise FileNotFoundError(f"no proofs in {' or '.join(str(candidate) for candidate in candidates)}")


def load_claims(folder: Path) -> list[Claim]:
    """Every claim of every module of a proofs folder, modules in the order of their names."""
    paths = sorted(path for path in folder.glob("*.py") if path.stem not in ("__init__", "conftest"))
    return [claim for path in paths for claim in claims_in(load_module(path))]


def load_module(path: Path) -> ModuleType:
    """A module of a proofs folder, which is imported as a package of its own."""
    folder = path.parent
    name = PACKAGE
    known = sys.modules.get(PACKAGE)
    if known is not None and Path(str(known.__file__)).parent.resolve() != folder.resolve():
        name = f"{PACKAGE}_{crc32(bytes(folder.resolve())):08x}"  # another folder has the name already
    package = _load(name, folder / "__init__.py", [str(folder)])
    return _load(f"{package.__name__}.{path.stem}", path, None)


def _load(name: str, path: Path, locations: list[str] | None) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=locations)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def selected(claims: Iterable[Claim], patterns: Iterable[str]) -> list[Claim]:
    """The claims that a pattern names: a part of the id, a shell pattern for all of it, or the module they stand in.

    A pattern with a slash names obligations instead, as in `scatter4_scaled/out-of-bounds-write-is-dropped`.
    """
    wanted = list(patterns)
    return [claim for claim in claims if not wanted or any(_matches(claim, pattern) for pattern in wanted)]


def of_obligations(claims: Iterable[Claim], part: str) -> list[Claim]:
    """Those whose obligation's name has this part.  What a broken claim asks is not known, and it is none of them."""

    def has_part(claim: Claim) -> bool:
        with suppress(ClaimError, NotModelled, ReadError):
            return part in claim.query().id
        return False

    return [claim for claim in claims if has_part(claim)]


def _matches(claim: Claim, pattern: str) -> bool:
    names = claim.query().id if "/" in pattern else claim.id
    return pattern == claim.module or pattern in names or fnmatch(names, pattern)
