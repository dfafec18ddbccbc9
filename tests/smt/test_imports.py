"""What is imported when: a solver, a parser or a terminal only where a question needs it."""

import subprocess
import sys

import pytest

HEAVY = ("z3", "lark", "rich")


@pytest.mark.slow(but=2)
@pytest.mark.parametrize(
    "module",
    [
        "visaproof",
        "visaproof.isa",
        "visaproof.smt",
        "visaproof.smt.copies",
        "visaproof.semantics.concrete.state",
        "visaproof.instructions",
        "visaproof.queries.value",
        "visaproof.checking.decide",
        "visaproof.checking.claims.catalogue",
        "visaproof.checking.confirm",
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(module: str) -> None:
    program = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_concrete_machine_loads_no_terms() -> None:
    """`execute` runs on ints and bytes: replaying needs neither terms nor a solver."""
    program = "import sys, visaproof.semantics.concrete.state; print('visaproof.smt' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
