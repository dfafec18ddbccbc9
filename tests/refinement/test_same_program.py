"""A program and itself: the answer needs no terms and no solver, and is not given where something else is asked."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.refinement.test_refinement import APART, HEAD, IDLE, STORE_B, program
from tests.refinement.test_refinement_loops import ADD, bound_late, looping
from visaproof.checking.stages import GaveUp
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.same_program import SAME_PROGRAM, has_defined_run, same_program
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Bounded, Difference, Refines, Unknown, Vacuous, Verdict

BODY = bound_late("movs (M1_NM, 1) T6(0) 0x0:ud\n")
"""Its loop is not gone through in step: symbolically no more than a few iterations are compared."""

ITSELF = Refines(SAME_PROGRAM)


def verdict(source: str, target: str, observe: tuple[tuple[str, str], ...] = (), timeout_ms: int = 2000) -> Verdict:
    return decide(compare(program(source), program(target), Scope(Assume.NONE, observe=observe)), timeout_ms)


@pytest.mark.slow
def test_a_program_refines_itself_however_long_its_loops_are() -> None:
    """Blanks and comments do not matter; anything else does."""
    assert verdict(BODY, "// the same\n" + BODY.replace("(M1, 8)", "(M1,  8)")) == ITSELF
    assert isinstance(verdict(BODY, BODY.replace("0x4d:d", "77:d")), Bounded)


def test_a_line_that_ends_a_comment_is_none_itself() -> None:
    """Behind `// */` the store counts; without that line it is a part of the comment."""
    stored = "/*\n// */\n" + STORE_B + "/* */\n"
    assert isinstance(verdict(APART + stored, APART + stored.replace("// */\n", "")), Difference)


UNWRITTEN = APART + STORE_B.replace("X.0", "Z.0")
"""Z is stored, which nothing wrote."""


def test_a_program_finds_in_registers_that_nothing_wrote_what_it_may_find_there() -> None:
    assert verdict(UNWRITTEN, UNWRITTEN) == ITSELF


FORBIDDEN = {
    "nothing": frozenset[UndefinedKind](),
    "what the pages leave undefined": frozenset((UndefinedKind.MISALIGNED, UndefinedKind.COLLISION)),
    "everything": frozenset(UndefinedKind),
}


@pytest.mark.parametrize("kinds", FORBIDDEN)
def test_a_program_refines_itself_whatever_is_forbidden(kinds: str) -> None:
    one = program(BODY)
    assert decide(compare(one, one, Scope(Assume.NONE, FORBIDDEN[kinds])), 2000) == ITSELF


MISALIGNED = APART + "add (M1, 8) B(0,0)<1> B(0,0)<1;1,0> 0x2:ud\n" + STORE_B


def test_a_source_without_a_meaning_is_vacuous_also_before_itself() -> None:
    """Each address is two bytes behind an aligned one; or a store hangs on uninitialised values, which is forbidden."""
    assert isinstance(verdict(MISALIGNED, MISALIGNED), Vacuous)
    assert isinstance(verdict(MISALIGNED, IDLE + MISALIGNED), Vacuous)
    one = program(APART + "(P1) " + STORE_B)
    found = decide(compare(one, one, Scope(Assume.NONE, frozenset(UndefinedKind))), 2000)
    assert found == Vacuous((UndefinedKind.UNINITIALISED,))


RARELY = "cmp.ne (M1, 8) P1 X(0,0)<1;1,0> 0x7654321:d\n(P1) or (M1, 8) B(0,0)<1> B(0,0)<1;1,0> 0x2:ud\n"


def test_a_source_that_rarely_has_a_meaning_is_not_vacuous() -> None:
    """Only where X is one number of 2^32 the addresses are aligned: no run on simple inputs meets it, a solver does."""
    rare = APART + RARELY + STORE_B
    assert verdict(rare, rare) == ITSELF
    assert isinstance(verdict(rare, IDLE + rare), Refines)


def test_a_source_of_which_no_meaning_is_known_is_not_said_to_be_refined(monkeypatch: pytest.MonkeyPatch) -> None:
    """If it is undefined, anything refines it: that would be no news, and is not told from news."""
    rare = APART + RARELY + STORE_B
    monkeypatch.setattr("visaproof.refinement.vacuity.uncut", lambda *_: GaveUp("timeout"))
    assert isinstance(verdict(rare, rare), Unknown)
    assert verdict(APART + STORE_B, APART + STORE_B) == ITSELF


def test_no_solver_is_asked_where_a_run_has_a_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor are terms compared, of which this kernel has products of many unknowns."""

    def asked(*_: object) -> None:
        raise AssertionError("a solver was asked")

    for name in ("steps.decide_goal", "strategies.proofs.same_effects", "strategies.differences.random_test"):
        monkeypatch.setattr(f"visaproof.refinement.{name}", asked)
    product = "mul (M1, 8) X(0,0)<1> X(0,0)<1;1,0> Y(0,0)<1;1,0>\n" * 6
    assert verdict(APART + product + STORE_B, APART + product + STORE_B) == ITSELF


INVERSE = "mov (M1, 8) G(0,0)<1> X(0,0)<1;1,0>\ninv (M1, 8) G(0,0)<1> G(0,0)<1;1,0>\n"


def test_a_run_has_a_meaning_with_one_of_the_results_that_a_page_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `inv` gives is known within an error alone, whatever it is of."""
    monkeypatch.setattr("visaproof.refinement.vacuity.uncut", lambda *_: GaveUp("timeout"))
    source, target = (one + INVERSE + STORE_B.replace("X.0", "G.0") for one in (APART, APART + IDLE))
    assert isinstance(verdict(source, target), Refines)
    assert isinstance(verdict(MISALIGNED + INVERSE, IDLE + MISALIGNED + INVERSE), Unknown)


@pytest.mark.slow
def test_other_registers_of_one_program_are_compared() -> None:
    """At the end Z is X but for one Y, where the loop takes millions of iterations; lanes that leave it early: 0."""
    early = "cmp.gt (M1_NM, 8) P1 Y(0,0)<1;1,0> 0x0:d\n(P1) mov (M1_NM, 8) Z(0,0)<1> 0x0:d\n"
    far_out = "cmp.eq (M1_NM, 8) P1 Z(0,0)<1;1,0> 0x7654321:d\nmov (M1_NM, 8) Z(0,0)<1> X(0,0)<1;1,0>\n"
    whole = early + far_out + "(P1) mov (M1_NM, 8) Z(0,0)<1> 0x7:d\n"
    body = "mov (M1_NM, 8) Z(0,0)<1> Y(0,0)<1;1,0>\n" + BODY + whole
    assert verdict(body, body, (("X", "X"),)) == ITSELF
    assert not isinstance(verdict(body, body, (("X", "Z"),)), Refines)


def test_another_device_or_launch_is_another_program() -> None:
    """The same text means something else where registers have another size, or the inputs hold something else."""
    one = program(looping(ADD), HEAD)
    assert same_program(one, program(looping(ADD), HEAD))
    assert not same_program(one, replace(one, platform=Platform.PVC))
    assert same_program(one, replace(one, launch=replace(one.launch, source="elsewhere", file=Path("elsewhere"))))
    assert not same_program(one, replace(one, launch=replace(one.launch, binding_table={0: 1})))


@pytest.mark.parametrize(("leaves", "defined"), [("(P1) goto (M1, 8) again\n", True), ("goto (M1, 8) again\n", False)])
def test_a_long_run_shows_that_a_program_is_defined_and_an_endless_one_does_not(leaves: str, defined: bool) -> None:
    count = "add (M1, 8) Z(0,0)<1> Z(0,0)<1;1,0> 0x1:d\ncmp.lt (M1, 8) P1 Z(0,0)<1;1,0> 0x2000:d\n"
    assert has_defined_run(program(f"{APART}mov (M1, 8) Z(0,0)<1> 0x0:d\nagain:\n{count}{leaves}{STORE_B}")) is defined
