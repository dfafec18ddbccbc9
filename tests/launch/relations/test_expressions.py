"""Relations and sizes: what is read, what a number obeys, and that terms say the same as integers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.isa.errors import ReadError
from visaproof.launch.relations.exact_terms import TooWide, Word, clamped, exact, relation_term
from visaproof.launch.relations.expression_reader import parse_expression, parse_relation
from visaproof.launch.relations.expressions import (
    COMPARISONS,
    Disjoint,
    Expression,
    Name,
    Number,
    Operation,
    Relation,
    value_in,
)
from visaproof.smt import Op, Term, const, evaluate, symbol

WORDS = {
    "a": Word(symbol("a", 32)),
    "s": Word(symbol("s", 32), signed=True),
    "c": Word(symbol("c", 8), signed=True),
    "w": Word(symbol("w", 64)),
    "k": Word(const(8, 16)),
}
LEAVES: st.SearchStrategy[Expression] = st.one_of(
    st.sampled_from([Name(name) for name in WORDS]), st.sampled_from([0, 1, 3, -7, 2**32]).map(Number)
)


def grown(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    sums = st.builds(Operation, st.sampled_from("+-*"), parts, parts)
    return sums | st.builds(Operation, st.just("%"), parts, st.sampled_from([1, 5, 8]).map(Number))


EXPRESSIONS = st.recursive(LEAVES, grown, max_leaves=4)
EDGES = st.sampled_from([0, 1, 127, 128, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1])


def numbers(held: dict[str, int]) -> dict[str, int]:
    """What the words are, by their signs."""
    found: dict[str, int] = {}
    for name, word in WORDS.items():
        bits, value = (
            word.term.width,
            evaluate(word.term, {}) if word.term.op is Op.CONST else held[name] % (1 << word.term.width),
        )
        found[name] = value - (1 << bits) if word.signed and value >> (bits - 1) else value
    return found


HELD = st.fixed_dictionaries(dict.fromkeys(WORDS, EDGES))


@given(EXPRESSIONS, EXPRESSIONS, st.sampled_from(sorted(COMPARISONS)), HELD)
def test_a_relation_of_terms_holds_where_it_does_of_integers(
    left: Expression, right: Expression, sign: str, held: dict[str, int]
) -> None:
    """Nothing wraps, whatever the signs and widths."""
    relation = Relation(sign, left, right)
    values: dict[Term, int] = {word.term: held[name] % (1 << word.term.width) for name, word in WORDS.items()}
    try:
        term = relation_term(relation, WORDS)
    except TooWide:
        return
    assert evaluate(term, values) == relation.holds(numbers(held))


@given(EXPRESSIONS, HELD)
def test_a_size_is_the_number_cut_at_its_ends(expression: Expression, held: dict[str, int]) -> None:
    most = 2**40 - 1
    values: dict[Term, int] = {word.term: held[name] % (1 << word.term.width) for name, word in WORDS.items()}
    try:
        size = clamped(exact(expression, WORDS, 40), most)
    except TooWide:
        return
    assert evaluate(size, values) == min(most, max(0, value_in(expression, numbers(held))))


@given(EXPRESSIONS)
def test_what_is_printed_reads_as_the_same(expression: Expression) -> None:
    values = {"a": 1000, "s": -3, "c": 7, "w": 2**40, "k": 8}
    assert value_in(parse_expression(str(expression), "--size"), values) == value_in(expression, values)


def test_the_remainder_is_never_negative() -> None:
    relation = parse_relation("n % 16 == 15", "--where")
    assert isinstance(relation, Relation)
    assert relation.holds({"n": -1})


def test_two_buffers_that_share_no_byte_are_a_relation_as_well() -> None:
    assert parse_relation("disjoint(a, 1)", "--where") == Disjoint("a", "1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n >= ", "something is missing at the end\n    n >= \n        ^"),
        ("n = 5", "unexpected '='\n    n = 5\n      ^"),
        ("n", "something is missing at the end"),
        ("n % m == 0", "unexpected 'm'"),
        ("n % 0 == 0", "a remainder by 0"),
        ("0 < n < 5", "unexpected '<'"),
        ("n >= 5n", "unexpected '5n'"),
        ("(" * 300 + "n" + ")" * 300 + " > 1", "more than 200 characters"),
    ],
)
def test_what_is_no_relation_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ReadError) as caught:
        parse_relation(text, "--where")
    assert message in caught.value.message
