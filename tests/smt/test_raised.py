"""z3 expressions as terms: both have one value, and memory is told apart by its cells."""

from typing import Any

import pytest
import z3 as _untyped
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import Truth, Word, truths, words
from visaproof.smt import Bool, Term, evaluate, symbols_of
from visaproof.smt.raised import NoSuchFormError, Raising, at_one_place
from visaproof.smt.z3_arrays import holds, number_of

z3: Any = _untyped
MEMORY = z3.Array("memory", z3.BitVecSort(8), z3.BitVecSort(8))
a, b, x, y = (z3.BitVec(name, 8) for name in "abxy")


def valued(terms: list[Term], salt: int) -> dict[Term, int]:
    return {term: (salt * (2 * index + 1)) % (1 << max(term.width, 1)) for index, term in enumerate(terms)}


@given(st.sampled_from([1, 8, 32, 33]).flatmap(words), st.integers(0, 2**40 - 1))
def test_a_raised_word_has_the_value_of_its_expression(drawn: Word, salt: int) -> None:
    raising = Raising()
    term = raising.word(drawn.raw)
    values = valued(symbols_of(term), salt)
    assert evaluate(term, values) == number_of(drawn.raw, raising.numbers(values))


@given(truths(8), st.integers(0, 2**40 - 1))
def test_a_raised_truth_has_the_value_of_its_expression(drawn: Truth, salt: int) -> None:
    raising = Raising()
    term = raising.truth(drawn.raw)
    values = valued(symbols_of(term), salt)
    assert bool(evaluate(term, values)) == holds(drawn.raw, raising.numbers(values))


OTHER_FORMS = (
    x / y, z3.RepeatBitVec(3, x), z3.Distinct(x, y, a), z3.Xor(x == y, x == a), z3.RotateLeft(x, y),
    z3.RotateRight(x, y), z3.If(x == y, x < y, x >= y), -x, ~x, z3.UGE(x, y), z3.UGT(x, y), x > y,
)  # fmt: skip


@pytest.mark.parametrize("expression", OTHER_FORMS, ids=str)
def test_other_operations_have_the_value_of_their_expression(expression: Any) -> None:
    for salt in (0, 1, 3, 77, 129, 254):
        raising = Raising()
        term = raising.truth(expression) if z3.is_bool(expression) else raising.word(expression)
        values = valued(symbols_of(term), salt)
        numbers = raising.numbers(values)
        found = holds(expression, numbers) if z3.is_bool(expression) else number_of(expression, numbers)
        assert evaluate(term, values) == found


@given(st.lists(st.integers(0, 3), min_size=5, max_size=5), st.booleans())
def test_what_was_stored_is_read_where_it_was_stored(drawn: list[int], chosen: bool) -> None:
    stored = z3.Store(z3.If(z3.Bool("p"), z3.Store(MEMORY, b, y), MEMORY), a, x)
    read = z3.Concat(z3.Select(stored, z3.BitVec("i", 8)), z3.Select(MEMORY, z3.BitVec("i", 8)))
    raising = Raising()
    term = raising.word(read)
    values: dict[Term, int] = {}
    for (_, word), number in zip(raising.constants.values(), [*drawn, int(chosen)], strict=True):
        values[word] = number % (1 << max(word.width, 1))
    contents = [one.content for reads in raising.reads.values() for one in reads]
    values |= {content: 40 + index for index, content in enumerate(contents)}
    assert evaluate(term, values) == number_of(read, raising.numbers(values))


def test_two_reads_of_one_cell_agree() -> None:
    raising = Raising()
    same: Bool = raising.truth(z3.Implies(a == b, z3.Select(MEMORY, a) == z3.Select(MEMORY, b)))
    unequal: dict[Term, int] = {read.content: index for index, read in enumerate(raising.reads["memory"])}
    assert not evaluate(same, unequal)
    assert not all(evaluate(fact, unequal) for fact in raising.agreement())


def test_an_equality_of_arrays_is_asked_of_one_place() -> None:
    claim = z3.Implies(x == y, z3.Store(MEMORY, a, x) == z3.Store(MEMORY, a, y))
    raised = Raising().truth(at_one_place(claim))
    assert any("place" in str(symbol.payload) for symbol in symbols_of(raised))


def test_for_all_is_asked_of_one_place_and_exists_is_not() -> None:
    Raising().truth(at_one_place(z3.ForAll([a], z3.Select(MEMORY, a) == x)))
    Raising().truth(at_one_place(z3.Not(z3.Exists([a], z3.Select(MEMORY, a) == x))))
    with pytest.raises(NoSuchFormError, match="no form without arrays"):
        Raising().truth(at_one_place(z3.Exists([a], z3.Select(MEMORY, a) == x)))


@pytest.mark.parametrize(
    "claim",
    [
        z3.Implies(z3.K(z3.BitVecSort(8), x) == MEMORY, x == y),
        z3.Int("i") == 0,
        z3.Function("f", z3.BitVecSort(8), z3.BitVecSort(8))(x) == y,
    ],
    ids=["an assumption on arrays", "an integer", "a function"],
)
def test_what_has_no_such_form_is_said(claim: Any) -> None:
    with pytest.raises(NoSuchFormError, match="no form without arrays"):
        Raising().truth(at_one_place(claim))


def test_stores_may_lie_deeper_than_the_stack_of_python() -> None:
    memory = MEMORY
    for number in range(2_000):
        memory = z3.Store(memory, a + number % 256, x)
    assert symbols_of(Raising().word(z3.Select(memory, b)))


def test_a_constant_is_never_taken_for_a_part_of_another() -> None:
    wide, part = z3.BitVec("wide", 128), z3.BitVec("wide.0", 32)
    raising = Raising()
    equal = raising.truth(z3.Extract(31, 0, wide) == part)
    assert symbols_of(equal) != []
    apart: dict[Term, int] = {raising.word(part): 1}
    assert (evaluate(equal, {}), evaluate(equal, apart)) == (1, 0)


def test_constants_of_two_widths_may_have_one_name() -> None:
    raising = Raising()
    raising.truth(z3.And(z3.BitVec("u", 8) == 0, z3.BitVec("u", 128) == 0, z3.Bool("u")))
    assert len(raising.constants) == 3


def test_two_arrays_of_one_name_are_refused() -> None:
    other = z3.Array("memory", z3.BitVecSort(8), z3.BitVecSort(16))
    with pytest.raises(NoSuchFormError, match="two arrays are called 'memory'"):
        Raising().truth(z3.Select(MEMORY, a) == z3.Extract(7, 0, z3.Select(other, a)))
