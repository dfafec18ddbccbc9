"""Terms under common names: the same as renamed one by one, also when names come while terms are renamed."""

from hypothesis import given
from hypothesis import strategies as st

from visaproof.refinement.effects.common_form import Renaming, Walk
from visaproof.smt import BitVec, Term, add, bit_and, mul, symbol
from visaproof.smt.evaluate import subterms
from visaproof.smt.expanded import expanded
from visaproof.smt.substitution import substitute_all

A, B, C = (symbol(f"renaming.{name}", 32) for name in "abc")
NEW = [symbol(f"renaming.new.{k}", 32) for k in range(3)]
TERMS = st.recursive(
    st.sampled_from([A, B, C]),
    lambda inner: st.tuples(st.sampled_from([add, mul, bit_and]), inner, inner).map(lambda one: one[0](one[1], one[2])),
    max_leaves=8,
)


@given(st.lists(TERMS, min_size=1), st.lists(TERMS, min_size=1), st.booleans())
def test_a_name_that_comes_later_counts_in_terms_renamed_before(
    first: list[BitVec], second: list[BitVec], expand: bool
) -> None:
    names: dict[Term, Term] = {A: NEW[0]}
    later: list[dict[Term, Term]] = [{B: add(NEW[1], A)}, {C: NEW[2]}, {}]
    renamed = Renaming(names, expand, {})
    for terms, more in zip((first, second, first + second), later, strict=True):
        found = substitute_all(terms, names)
        assert renamed(terms) == (expanded(found) if expand else found)
        names |= more
        renamed.add(more)


@given(st.lists(TERMS), st.lists(TERMS))
def test_a_walk_comes_to_each_term_once(first: list[BitVec], second: list[BitVec]) -> None:
    walk = Walk()
    before, later = list(walk.new(first)), list(walk.new(second))
    assert sorted(one.serial for one in (*before, *later)) == [one.serial for one in subterms(*first, *second)]


def test_subterms_leave_out_what_is_known() -> None:
    inner = mul(A, B)
    assert subterms(add(inner, C), known={inner}) == sorted((C, add(inner, C)), key=lambda one: one.serial)
