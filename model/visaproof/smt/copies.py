"""One-bit data: where words are only copied, a claim about all their bits is a claim about one of them.

A goal is a conjunction of clauses, each with at most one equation between copied words: symbols and choices among
them.  If no copied symbol occurs anywhere else, then an equation fails iff it fails at some bit, nothing else in its
clause depends on data, and every bit position gives the same formula up to renaming; so the goal holds for all words
iff it holds for words of one bit, and a counterexample in one bit is one in the low bit.
"""

from collections.abc import Iterable

from msgspec import Struct

from visaproof.smt.bits import zero_extend
from visaproof.smt.evaluate import subterms
from visaproof.smt.substitution import substitute
from visaproof.smt.terms import Bool, Op, Term, symbol


class OneBit(Struct, frozen=True):
    """A goal on one-bit data, and the symbol of the bit for each copied symbol."""

    goal: Bool
    bits: dict[Term, Term]

    def widen(self, values: dict[Term, int]) -> dict[Term, int]:
        """Values of the original symbols, from values of the one-bit ones."""
        wide = dict(values)
        for word, single in self.bits.items():
            if single in wide:
                wide[word] = wide.pop(single)
        return wide


def one_bit(assumptions: Iterable[Bool], goal: Bool) -> OneBit | None:
    """The goal on one-bit data; None where the words are not only copied."""
    clauses = goal.args if goal.op is Op.CONJ else (goal,)
    copied: set[Term] = set()
    others: list[Term] = list(assumptions)
    for clause in clauses:
        literals = clause.args if clause.op is Op.DISJ else (clause,)
        equations = [(literal, _copied_symbols(literal)) for literal in literals]
        words = [(literal, leaves) for literal, leaves in equations if leaves]
        if len(words) > 1:
            return None
        others += [literal for literal, leaves in equations if not leaves]
        for literal, leaves in words:
            copied |= leaves
            others += _conditions(literal)
    if not copied or copied & set(subterms(*others)):
        return None
    bits: dict[Term, Term] = {word: symbol(f"{word.payload}.bit", 1) for word in copied}
    narrow = {word: zero_extend(symbol(f"{word.payload}.bit", 1), word.width) for word in copied}
    return OneBit(substitute(goal, dict(narrow)), bits)


def _copied_symbols(literal: Term) -> set[Term] | None:
    """The words that an equation compares; None where it is no equation between copied words."""
    if literal.op is not Op.EQ:
        return None
    leaves: set[Term] = set()
    stack = list(literal.args)
    while stack:
        term = stack.pop()
        match term.op:
            case Op.ITE:
                stack += term.args[1:]
            case Op.SYMBOL if term.width > 1:
                leaves.add(term)
            case Op.CONST if not term.payload:
                pass
            case _:
                return None
    return leaves


def _conditions(equation: Term) -> list[Term]:
    """What the choices in a copy equation depend on."""
    conditions: list[Term] = []
    stack = list(equation.args)
    while stack:
        term = stack.pop()
        if term.op is Op.ITE:
            conditions.append(term.args[0])
            stack += term.args[1:]
    return conditions
