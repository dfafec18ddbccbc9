"""Small launches: numbers in them lie below bounds, and memory holds floats where a kernel computes with them."""

import re
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.refinement.test_refinement import HEAD, IDLE, program
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import read_launch
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.random_launches import launches, unknowns
from visaproof.refinement.testing.random_testing import AUDITS, LAST_TESTS, TESTS, random_test
from visaproof.refinement.testing.runs import again
from visaproof.refinement.testing.small_launches import PATTERNS, small_launches
from visaproof.refinement.verdicts import ByteDiffers, TargetUndefined
from visaproof.semantics.symbolic.names import buffer_base
from visaproof.smt import Term, symbol
from visaproof.visaasm.linking.names import read_program
from visaproof.visaasm.reader import read_kernel

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
TWO_SURFACES = HEAD.replace(".decl T6", ".decl T7 v_type=T num_elts=1\n.decl T6")
SUM = """movs (M1_NM, 1) T7(0) 0x1:ud
shl (M1, 8) B(0,0)<1> X(0,0)<1;1,0> 0x2:ud
gather4_scaled.R (M1, 8) T7 0x0:ud B.0 C.0
shl (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x2:ud
gather4_scaled.R (M1, 8) T6 0x0:ud C.0 G.0
add (M1, 8) F(0,0)<1> F(0,0)<1;1,0> G(0,0)<1;1,0>
scatter4_scaled.R (M1, 8) T6 0x0:ud B.0 F.0
"""


def test_a_surface_holds_floats_where_the_kernel_adds_what_it_loads_from_there() -> None:
    source, target = program(SUM, TWO_SURFACES), program(IDLE + SUM, TWO_SURFACES)
    comparison = compare(source, target, Scope(Assume.NONE))
    symbols = unknowns(comparison.question, comparison.runners)
    floats = {int.from_bytes(pattern, "little") for pattern in PATTERNS[4]}
    rounding = 0
    for _, content in islice(small_launches(comparison.runners, symbols, 0), 8):
        words = {content("bti 0", 4 * place, 4) for place in range(64)}
        assert words <= floats or all(0x3F80_0000 <= word <= 0x4000_0000 for word in words)
        rounding += len(words) > len(floats)
        assert max(content("bti 1", place, 4) for place in range(256)) < 256
    assert 1 < rounding < 8


def test_the_order_of_unknowns_does_not_depend_on_which_terms_were_made_before() -> None:
    """Random launches follow this order: a difference that is found alone is found behind other questions too."""
    before = [symbol(f"NewlyNamed.{lane}", 32) for lane in range(28, -1, -4)]
    head, body = (re.sub(r"\bF\b", "NewlyNamed", text) for text in (TWO_SURFACES, SUM))
    comparison = compare(program(body, head), program(IDLE + body, head), Scope(Assume.NONE))
    symbols = unknowns(comparison.question, comparison.runners)
    assert [str(one.payload) for one in symbols if one in before] == [f"NewlyNamed.{lane}" for lane in range(0, 32, 4)]


def test_most_numbers_of_a_launch_are_small_and_some_are_large() -> None:
    comparison = compare(program(SUM, TWO_SURFACES), program(IDLE + SUM, TWO_SURFACES), Scope(Assume.NONE))
    words = (one for one in unknowns(comparison.question, comparison.runners) if one.width == 32)
    symbols = [one for one in words if not str(one.payload).startswith("F.")]  # of the floats
    words = [values[one] for values, _ in small_launches(comparison.runners, symbols, 0) for one in symbols]
    small = sum(word < 2 for word in words)
    assert len(words) > small > len(words) // 2
    assert max(words) < 256


TO_ADD = "add (M1, 8) F(0,0)<1> F(0,0)<1;1,0> G(0,0)<1;1,0>"
ROUNDED = f"mul (M1, 8) G(0,0)<1> F(0,0)<1;1,0> G(0,0)<1;1,0>\n{TO_ADD}"
AT_ONCE = "mad (M1, 8) F(0,0)<1> F(0,0)<1;1,0> G(0,0)<1;1,0> F(0,0)<1;1,0>"


def test_a_product_that_is_not_rounded_is_found_in_few_runs() -> None:
    source, target = (program(SUM.replace(TO_ADD, one), TWO_SURFACES) for one in (ROUNDED, AT_ONCE))
    assert random_test(compare(source, target, Scope(Assume.NONE)), AUDITS) is not None
    assert random_test(compare(source, source, Scope(Assume.NONE)), AUDITS) is None


def planted(dump: str, line: str, after: str) -> Comparison:
    """A dump beside itself, in which one statement is another."""
    path = CORPUS / "visaasm" / f"{dump}.visaasm"
    kernel, text = read_program(path, grf_bytes=64), path.read_text("utf-8")
    launch = read_launch(CORPUS / "manifest.json", kernel)
    assert launch.platform is not None
    assert text.count(line) == 1
    wrong = read_kernel(text.replace(line, after), str(path), grf_bytes=64)
    source, target = (Program(one, launch, launch.platform) for one in (kernel, wrong))
    return compare(source, target, Scope(Assume.IDS))


SPMV, FIRST = "spmv_csr/pvc-O2", "mov (M1, 32) V0064(0,0)<1> V0063(0,0)<1;1,0>"


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not there")
@pytest.mark.parametrize("after", [FIRST.replace("M1, 32", "M1, 16"), FIRST.replace("V0063(0,0)", "V0063(0,1)")])
def test_a_row_that_begins_elsewhere_is_found(after: str) -> None:
    """Rows, columns and values are what a loop over floats needs to end, and to show a sum."""
    comparison = planted(SPMV, FIRST, after)
    found = random_test(comparison, TESTS)
    assert found is not None
    assert again(comparison, found)


LOADED = "add (M1, 16) V0074(0,0)<1> V0073(0,0)<1;1,0> V0069(0,0)<0;1,0>"


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not there")
@pytest.mark.parametrize("seed", range(3))
def test_values_that_are_loaded_from_the_rows_are_found(seed: int) -> None:
    """The rows are indices for the source, which for the target are values as well."""
    comparison = planted("spmv_csr/pvc-O2-simd16", LOADED, LOADED.replace("V0069", "V0058"))
    found = random_test(comparison, LAST_TESTS, seed)
    assert found is not None
    assert again(comparison, found)


def test_a_surface_that_only_the_target_takes_for_floats_holds_integers_as_well() -> None:
    copy = SUM.replace("add (M1, 8) F(0,0)<1> F(0,0)<1;1,0>", "mov (M1, 8) F(0,0)<1>")
    source, target = program(copy, TWO_SURFACES), program(SUM, TWO_SURFACES)
    comparison = compare(source, target, Scope(Assume.NONE))
    symbols = unknowns(comparison.question, comparison.runners)
    words = [content("bti 0", 0x40, 4) for _, content in small_launches(comparison.runners, symbols, 0)]
    assert 5 < sum(0 < word < 64 for word in words) < 30
    assert any(word > 1 << 24 for word in words)


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not there")
def test_the_same_row_twice_is_no_difference() -> None:
    assert random_test(planted(SPMV, FIRST, f"{FIRST}\n    {FIRST}"), TESTS) is None


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not there")
def test_a_register_address_with_many_places_is_followed_in_runs() -> None:
    """Terms give it up; rows that lie 65 bytes apart are not aligned, or hold other elements."""
    row = "mul (M1_NM, 1) V0110(0,0)<1> V0109(0,0)<0;1,0> 0x40:uw"
    comparison = planted("priv_array/pvc-O2-simd16", row, row.replace("0x40", "0x41"))
    assert comparison.open is not None
    assert "possible places" in comparison.open.what
    found = random_test(comparison, TESTS)
    assert found is not None
    assert isinstance(found.what, TargetUndefined | ByteDiffers)


def test_buffers_whose_addresses_carry_may_all_be_aligned_for_wide_elements() -> None:
    """Else a source that reads qwords is undefined in each launch that shows that a target drops a carry."""
    bases: list[Term] = [buffer_base(f"argument {number}") for number in range(2)]
    random = Random(0)
    carrying = [values for values in (launches(bases, random) for _ in range(200)) if min(values.values()) > 1 << 29]
    aligned = [values for values in carrying if all(value % 4 == 0 for value in values.values())]
    assert len(carrying) > len(aligned) > 10
