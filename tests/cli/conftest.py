"""Folders of small claims, and the command line run on them."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from visaproof.cli import main

HEADER = '''
from msgspec.structs import replace
from visaproof.checking.claims.catalogue import for_each
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.queries import bounds, subject
from visaproof.queries.query import Query
from visaproof.smt import conj, const, eq, false, mul, neg, symbol, true, ult, zero_extend


def holds() -> Query:
    return bounds.out_of_bounds_write_is_dropped(subject.qw_scatter(1, Platform.DG2, False))


def fails() -> Query:
    right = subject.qw_scatter(1, Platform.DG2, False)
    accesses = tuple(replace(access, inside=true()) for access in right.accesses)
    return bounds.out_of_bounds_write_is_dropped(right.with_variant("without-bounds", accesses))


def vacuous() -> Query:
    return replace(holds(), assumptions=(false(),))


def hard() -> Query:
    """Factors of a product of two large primes: no solver finds them in a moment."""
    first, second = (zero_extend(symbol(name, 64), to=128) for name in ("p", "q"))
    factors = conj(ult(const(1, 128), first), ult(first, second))
    return replace(holds(), assumptions=(factors,), goal=neg(eq(mul(first, second), const(PRODUCT, 128))))


PRODUCT = 0x9e3779b97f4a7c55 * 0xb7e151628aed2a6b
'''

CLAIMS = {
    "proved": "def prove_it() -> Query:\n    return holds()\n",
    "refuted": "def refute_it_without_bounds() -> Query:\n    return fails()\n",
    "wrong": "def prove_what_fails() -> Query:\n    return fails()\n",
    "too_true": "def refute_what_holds() -> Query:\n    return holds()\n",
    "vacuous": "def prove_nothing() -> Query:\n    return vacuous()\n",
    "unknown": "def prove_the_hard_one() -> Query:\n    return hard()\n",
    "interrupted": "def prove_x_interrupted() -> Query:\n    raise KeyboardInterrupt\n",
    "crash": "def prove_x_crash() -> Query:\n    raise ZeroDivisionError('one over nothing')\n",
    "dies": "def prove_x_dies() -> Query:\n    import os\n    os._exit(9)\n",
    "exit": "def prove_x_exit() -> Query:\n    raise SystemExit(0)\n",
    "not_modelled": "def prove_x_not_modelled() -> Query:\n    raise NotModelled('opcode lsc_load')\n",
    "cases": "@for_each((1, 2))\ndef prove_each(case: int) -> Query:\n    return holds()\n",
    "no_query": "def prove_x_no_query() -> None:\n    holds()\n",
    "syntax": "def prove_x( -> Query:\n",
    "broken": "import no_such_module_at_all\n",
}


@pytest.fixture
def proofs(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Writes a proofs folder whose modules are the named entries of CLAIMS, in that order."""
    loaded = {name: module for name, module in sys.modules.items() if name.startswith("visaproof_proofs")}

    def forget() -> None:
        for name in [name for name in sys.modules if name.startswith("visaproof_proofs")]:
            del sys.modules[name]

    def write(*names: str) -> Path:
        folder = tmp_path / "claims"
        folder.mkdir()
        (folder / "__init__.py").touch()
        for number, name in enumerate(names):
            (folder / f"m{number}_{name}.py").write_text(HEADER + "\n\n" + CLAIMS[name])
        return folder

    forget()
    yield write
    forget()
    sys.modules.update(loaded)


class Ran(Struct, frozen=True):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture
def visaproof(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs the command line in this process."""

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return run
