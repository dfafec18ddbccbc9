"""Terms as they are written: no rule touches them, and they mean what the same operations mean in normal form."""

from collections.abc import Callable
from random import Random

import pytest

from tests.strategies import edge_number
from visaproof import smt
from visaproof.smt import Op, Term, bool_symbol, const, evaluate, symbol, symbols_of, written
from visaproof.smt.smtlib import term_of, text_of
from visaproof.smt.written import Words

W = 13
x, y = symbol("x", W), symbol("y", W)
p, q = bool_symbol("p"), bool_symbol("q")
AS_WRITTEN: Words = written
IN_NORMAL_FORM: Words = smt

EACH: dict[str, Callable[[Words], Term]] = {
    "add": lambda b: b.add(x, y, x),
    "sub": lambda b: b.sub(x, y),
    "negate": lambda b: b.negate(x),
    "scale": lambda b: b.scale(x, -3),
    "mul": lambda b: b.mul(x, y),
    "bit_not": lambda b: b.bit_not(x),
    "bit_and": lambda b: b.bit_and(x, y),
    "bit_or": lambda b: b.bit_or(x, y),
    "bit_xor": lambda b: b.bit_xor(x, y),
    "shl": lambda b: b.shl(x, const(3, W)),
    "lshr": lambda b: b.lshr(x, const(3, W)),
    "ashr": lambda b: b.ashr(x, const(3, W)),
    "udiv": lambda b: b.udiv(x, const(6, W)),
    "urem": lambda b: b.urem(x, const(6, W)),
    "shl by a word": lambda b: b.shl(x, b.bit_and(y, const(15, W))),
    "concat": lambda b: b.concat(x, y, const(5, 3)),
    "extract": lambda b: b.extract(x, 7, 2),
    "truncate": lambda b: b.truncate(x, 5),
    "zero_extend": lambda b: b.zero_extend(x, 20),
    "sign_extend": lambda b: b.sign_extend(x, 20),
    "ite": lambda b: b.ite(p, x, y),
    "ite_bool": lambda b: b.ite_bool(p, b.ult(x, y), q),
    "eq": lambda b: b.eq(x, y),
    "ult": lambda b: b.ult(x, y),
    "ule": lambda b: b.ule(x, y),
    "slt": lambda b: b.slt(x, y),
    "sle": lambda b: b.sle(x, y),
    "bit": lambda b: b.bit(x, 4),
    "neg": lambda b: b.neg(p),
    "conj": lambda b: b.conj(p, q, b.ult(x, y)),
    "disj": lambda b: b.disj(p, q, b.ult(x, y)),
    "implies": lambda b: b.implies(p, q),
    "iff": lambda b: b.iff(p, q),
}
"""Each operation that builds terms."""


def values_for(term: Term, pick: Random) -> dict[Term, int]:
    same = edge_number(pick, W)
    return {
        each: pick.randrange(2) if not each.width else pick.choice((same, edge_number(pick, W)))
        for each in symbols_of(term)
    }


@pytest.mark.parametrize("operation", EACH)
def test_both_writings_mean_the_same(operation: str) -> None:
    """On edge values, with equal words among them; and as text that is read again."""
    raw, normal = EACH[operation](AS_WRITTEN), EACH[operation](IN_NORMAL_FORM)
    again = term_of(text_of(raw), {str(each.payload): each for each in symbols_of(raw)})
    pick = Random(operation)
    for _ in range(200):
        values = values_for(raw, pick)
        assert evaluate(raw, values) == evaluate(normal, values) == evaluate(again, values)
    assert raw.width == normal.width == again.width


def test_no_rule_touches_what_is_written() -> None:
    """It is a term of its own each time, knows nothing, and leaves the interned terms alone."""
    zero = written.bit_and(x, const(0, W))
    assert zero.op is Op.AND
    assert zero is not written.bit_and(x, const(0, W))
    assert (zero.low, zero.high, zero.zeros) == (0, 2**W - 1, 0)
    assert written.zero_extend(zero, 20).op is Op.ZERO_EXTEND
    assert smt.bit_and(x, const(0, W)) is const(0, W)


def test_an_instance_is_as_written_too() -> None:
    """What does not depend on the replaced symbol stays the same object."""
    kept = written.ult(y, const(3, W))
    before = written.conj(kept, written.eq(x, y))
    after = written.instance(before, {x: y})
    assert after.args[0] is kept
    assert (after.args[1].op, after.args[1].args) == (Op.EQ, (y, y))


@pytest.mark.parametrize(
    "make",
    [
        lambda: written.add(x, const(1, 8)),
        lambda: written.mul(x, const(1, 8)),
        lambda: written.eq(x, const(1, 8)),
        lambda: written.slt(x, const(1, 8)),
        lambda: written.ite(p, x, const(1, 8)),
    ],
)
def test_widths_that_differ_are_refused_as_written(make: Callable[[], Term]) -> None:
    with pytest.raises(ValueError, match="widths differ"):
        make()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x y",
        "(bvadd x",
        "x)",
        "()",
        "(bvadd x #x01)",
        "(bvfoo x)",
        "((_ extract) x)",
        "((_ rotate_left 1) x)",
        "#",
        "z",
        "(not x)",
        "(bvadd true true)",
        "(bvadd)",
        "(= x true)",
        "((_ zero_extend 99999999999) x)",
        "((_ extract 13 0) x)",
    ],
)
def test_what_is_no_term_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expression|parenthesis|number|operation|unpack|differ|missing|equals"):
        term_of(text, {"x": x})
