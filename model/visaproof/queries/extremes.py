"""Least and greatest of several words in one form: of which words it is, and not in which order they were compared.

`min` and `max` are associative, commutative and idempotent, and the last or first word of all changes nothing.
"""

from typing import cast

from visaproof.smt import BitVec, Bool, Op, Term, const, ite, slt, ult

Kind = tuple[Op, bool]
"""Unsigned or signed, and whether it is the least."""


def in_one_form(word: BitVec) -> BitVec:
    """The word; of a least or greatest of several, that of the same words in the order of the terms."""
    kind = _kind(word)
    if kind is None:
        return word
    words = dict.fromkeys(_words(word, kind))
    words.pop(_neutral(kind, word.width), None)
    if not words:
        return _neutral(kind, word.width)
    first, *others = sorted(words, key=lambda one: one.serial)
    for one in others:
        first = _of_two(kind, first, one)
    return first


def _kind(word: BitVec) -> Kind | None:
    if word.op is not Op.ITE:
        return None
    condition, then, otherwise = word.args
    if condition.op not in (Op.ULT, Op.SLT):
        return None
    left, right = condition.args
    if then is left and otherwise is right:
        return condition.op, True
    return (condition.op, False) if then is right and otherwise is left else None


def _words(word: BitVec, kind: Kind) -> list[BitVec]:
    found: list[BitVec] = []
    open_words: list[Term] = [word]
    while open_words:
        one = cast(BitVec, open_words.pop())
        if _kind(one) == kind:
            open_words += one.args[1:]
        else:
            found.append(one)
    return found


def _neutral(kind: Kind, width: int) -> BitVec:
    op, least = kind
    ones, half = (1 << width) - 1, 1 << (width - 1)
    if op is Op.ULT:
        return const(ones if least else 0, width)
    return const(half - 1 if least else half, width)


def _of_two(kind: Kind, one: BitVec, other: BitVec) -> BitVec:
    op, least = kind
    less: Bool = (ult if op is Op.ULT else slt)(one, other)
    return ite(less, one, other) if least else ite(less, other, one)
