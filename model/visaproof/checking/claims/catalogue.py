"""The claims in a `proofs` folder: `prove_*` and `refute_*` functions, each returning the query it is about."""

import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from time import perf_counter
from types import FunctionType, ModuleType
from typing import Any, Protocol, TypeVar, runtime_checkable

import visaproof
from visaproof.checking.claims.own_errors import query_of
from visaproof.checking.decide import decide
from visaproof.checking.verdict import Proved, Refuted, Verdict
from visaproof.isa.readings import Readings
from visaproof.queries.query import Query

F = TypeVar("F", bound=Callable[..., Query])
_CASES = "visaproof_cases"


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


@dataclass(frozen=True, slots=True)
class Claim:
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


@dataclass(frozen=True, slots=True)
class Obligation:
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
        kind = name.partition("_")[0]
        if kind not in ("prove", "refute") or not isinstance(function, FunctionType):
            continue
        expected = Proved if kind == "prove" else Refuted
        cases: tuple[Any, ...] | None = getattr(function, _CASES, None)
        if cases is None:
            yield Claim(name, "", expected, function)
        else:
            for case in cases:
                yield Claim(name, str(case), expected, partial(function, case), function, case)


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
    package = _load("visaproof_proofs", folder / "__init__.py", [str(folder)])
    claims: list[Claim] = []
    for path in sorted(folder.glob("*.py")):
        if path.stem not in ("__init__", "conftest"):
            claims += claims_in(_load(f"{package.__name__}.{path.stem}", path, None))
    return claims


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
    """The claims that a pattern names: a part of the id, or a shell pattern for all of it.

    A pattern with a slash names obligations instead, as in `scatter4_scaled/out-of-bounds-write-is-dropped`.
    """
    wanted = list(patterns)
    return [claim for claim in claims if not wanted or any(_matches(claim, pattern) for pattern in wanted)]


def _matches(claim: Claim, pattern: str) -> bool:
    names = claim.query().id if "/" in pattern else claim.id
    return pattern in names or fnmatch(names, pattern)
