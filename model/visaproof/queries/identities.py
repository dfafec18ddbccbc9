"""The rules of the normal form: what it makes of a term means what was written.

A rule is two expressions in words of some width, the term and what becomes of it.  Both are built twice: as written,
without any rule, and in normal form.  At each width

    written = stated, as written                  the rule is true
    written = what the normal form makes of it    the rule is carried out right
    low <= written <= high, written & zeros = 0   what is known of the result holds

is for a solver to decide, and the two normal forms have to be one term: the rule is carried out.
"""

from collections.abc import Callable, Iterator
from typing import cast

from msgspec import Struct

from visaproof import smt
from visaproof.queries.query import Equation, Identity, Query
from visaproof.smt import BitVec, Bool, Term, const, show, true, written
from visaproof.smt.copies import one_bit
from visaproof.smt.solvers import Preparation
from visaproof.smt.written import Words

Sides = Callable[[Words, int], tuple[Term, Term]]
"""What is written, and what becomes of it, from words of a width."""

Condition = Callable[[Words, int], Bool]
"""A truth value in words of a width."""

WIDTHS = (8, 16, 32, 64)
"""Of the words of kernels."""

COPIED_WIDTHS = (8, 16, 32)
"""Of data that are only copied: bytes, texels of two bytes, and dwords."""

AS_WRITTEN: Words = written
IN_NORMAL_FORM: Words = smt


def _unchanged(term: Term) -> Term:
    return term


class Rule(Struct, frozen=True):
    """A rule of the normal form, or of what comes after it."""

    family: str
    name: str
    """In words; the case of a claim."""
    sides: Sides
    widths: tuple[int, ...] = WIDTHS
    after: Callable[[Term], Term] = _unchanged
    """What is done with a term in normal form."""
    preparation: Preparation = Preparation.SIMPLIFIED
    """What a solver should do first."""
    given: Condition | None = None
    """What whoever applies the rule knows."""

    def __str__(self) -> str:
        return self.name


def rules(
    family: str,
    sides: dict[str, Sides],
    widths: tuple[int, ...] = WIDTHS,
    after: Callable[[Term], Term] = _unchanged,
    preparation: Preparation = Preparation.SIMPLIFIED,
    given: Condition | None = None,
) -> tuple[Rule, ...]:
    """The rules of a table."""
    return tuple(Rule(family, name, each, widths, after, preparation, given) for name, each in sides.items())


def rule_holds(rule: Rule) -> Query:
    """The rule is true, it is carried out right, and what is known of its result holds, at each of its widths."""
    equations: list[tuple[Equation, ...]] = []
    otherwise = ""
    for width in rule.widths:
        term, stated = rule.sides(AS_WRITTEN, width)
        made, expected = map(rule.after, rule.sides(IN_NORMAL_FORM, width))
        of_terms = Equation(term, stated, "what the rule states"), Equation(term, made, "the normal form")
        equations.append((*of_terms, *_known(term, made)))
        if made is not expected and not otherwise:
            otherwise = f"{show(made)}, not {show(expected)}"
    shown = Identity(rule.name, tuple(equations), otherwise, rule.preparation)
    return _query(f"normal-form/{rule.family}", rule.widths, shown, _assumed(rule.given, rule.widths))


def _assumed(given: Condition | None, widths: tuple[int, ...]) -> tuple[Bool, ...]:
    return tuple(given(AS_WRITTEN, width) for width in widths) if given else ()


def follows(family: str, name: str, condition: Condition, sides: Sides, widths: tuple[int, ...] = WIDTHS) -> Query:
    """What a rule rests on, wherever its condition holds: about all words, not about how they are made."""
    equations = [(Equation(*sides(AS_WRITTEN, width), "what the rule states"),) for width in widths]
    return _query(f"normal-form/{family}", widths, Identity(name, tuple(equations)), _assumed(condition, widths))


def neighbour(
    family: str, rule: str, variant: str, sides: Sides, width: int = 32, given: Condition | None = None
) -> Query:
    """A wrong rule that looks like one of the family: both sides as written."""
    equation = Equation(*sides(AS_WRITTEN, width), variant)
    return _query(
        f"normal-form/{family}", (width,), Identity(rule, ((equation,),), variant=variant), _assumed(given, (width,))
    )


def computed(
    claim: str, name: str, term: Term, made: Term, assumptions: tuple[Bool, ...] = (), variant: str = ""
) -> Query:
    """What the engine makes where a term is written means the term; the two need not look alike."""
    equation = Equation(term, made, variant or "what is made of it")
    return _query(claim, (), Identity(name, ((equation,),), variant=variant), assumptions)


class Copies(Struct, frozen=True):
    """A goal in which words are only copied."""

    name: str
    goal: Condition
    assumption: Condition = lambda _, __: true()

    def __str__(self) -> str:
        return self.name


def one_bit_stands_for_all(case: Copies, widths: tuple[int, ...] = COPIED_WIDTHS) -> Query:
    """A goal on copied words holds iff its form on one-bit data holds at each bit, and that form is the goal itself for
    words of which only the lowest bit may be set."""
    equations: list[tuple[Equation, ...]] = []
    otherwise = ""
    for width in widths:
        goal = case.goal(AS_WRITTEN, width)
        narrowed = one_bit((case.assumption(IN_NORMAL_FORM, width),), case.goal(IN_NORMAL_FORM, width))
        if narrowed is None:
            otherwise = "that of a goal in which words are not only copied"
            equations.append(())
            continue
        at_each = (
            {bit: written.extract(cast(BitVec, word), index, index) for word, bit in narrowed.bits.items()}
            for index in range(width)
        )
        everywhere = written.conj(*(written.instance(narrowed.goal, bits) for bits in at_each))
        extended = {word: written.zero_extend(cast(BitVec, bit), width) for word, bit in narrowed.bits.items()}
        lowest = Equation(written.instance(goal, extended), narrowed.goal, "the form on one-bit data")
        equations.append((Equation(goal, everywhere, "the form on one-bit data at each bit"), lowest))
    return _query("normal-form/one-bit-data", widths, Identity(case.name, tuple(equations), otherwise))


def _known(term: Term, made: Term) -> Iterator[Equation]:
    """What is known of a word in normal form, said of what was written."""
    if not isinstance(made, BitVec) or made.op is smt.Op.CONST:
        return
    word, width = cast(BitVec, term), made.width
    if made.low:
        yield Equation(written.ule(const(made.low, width), word), true(), "its lower bound")
    if made.high < (1 << width) - 1:
        yield Equation(written.ule(word, const(made.high, width)), true(), "its upper bound")
    if made.zeros:
        zeros = written.eq(written.bit_and(word, const(made.zeros, width)), const(0, width))
        yield Equation(zeros, true(), "its zero bits")


def _query(claim: str, widths: tuple[int, ...], shown: Identity, assumptions: tuple[Bool, ...] = ()) -> Query:
    parts = tuple(written.conj(*map(equal, equations)) for equations in shown.equations)
    return Query(
        claim=claim,
        scope=f"{shown.rule}, {' '.join(map(str, widths))} bits" if any(widths) else shown.rule,
        assumptions=assumptions,
        goal=written.conj(*parts),
        about=shown,
        parts=parts,
    )


def equal(equation: Equation) -> Bool:
    """That it holds."""
    if equation.other is true():
        return cast(Bool, equation.written)
    return written.same(equation.written, equation.other)
