"""Lemmas on lanes of one atomic, stated once for operations that they do not depend on."""

from visaproof.checking.attempts import attempted
from visaproof.checking.verdict import Proved
from visaproof.isa.atomics import PAGE_OPS, AtomicOp
from visaproof.queries.serial_orders import lanes_on_different_texels_commute


def test_that_lanes_commute_is_one_question_for_operations_of_one_shape() -> None:
    queries = [lanes_on_different_texels_commute(op) for op in (AtomicOp.ADD, AtomicOp.AND, AtomicOp.XOR)]
    assert len({query.goal for query in queries}) == 3
    assert len({query.parts for query in queries}) == 1


def test_that_lanes_commute_is_proved_without_a_word_on_the_operation() -> None:
    for op in PAGE_OPS:
        assert isinstance(attempted(lanes_on_different_texels_commute(op), 20_000, 0), Proved), op


def test_lanes_on_one_texel_have_no_statement_for_any_operation() -> None:
    assert lanes_on_different_texels_commute(AtomicOp.XCHG, different=False).parts == ()
