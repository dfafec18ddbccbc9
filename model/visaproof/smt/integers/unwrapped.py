"""Words as the integers that they would be if no sum and no product wrapped."""

from collections.abc import Mapping
from math import prod
from typing import cast

from visaproof.smt.evaluate import Evaluation, subterms
from visaproof.smt.terms import BitVec, Op, Term, signed_value


def unwrapped(word: BitVec, values: Mapping[Term, int]) -> int:
    """The integer that the sums and products of a word come to; numbers and symbols are read as signed, but
    for symbols that are extended with zeros.

    Extensions keep it, as slices from the lowest bit do.  What is no sum or product is as the word has it.
    """
    words, found = Evaluation(values), dict[Term, int]()
    for term in subterms(word):
        if term.width:
            found[term] = _integer(term, [found.get(arg, 0) for arg in term.args], words)
    return found[word]


def _integer(term: Term, args: list[int], words: Evaluation) -> int:
    match term.op:
        case Op.SUM:
            constant, factors = cast(tuple[int, tuple[int, ...]], term.payload)
            products = (signed_value(times, term.width) * arg for times, arg in zip(factors, args, strict=True))
            return signed_value(constant, term.width) + sum(products)
        case Op.MUL:
            return prod(args)
        case Op.ZERO_EXTEND if term.args[0].op is Op.SYMBOL:  # who extends it with zeros reads it as unsigned
            return words.of(term)
        case Op.ZERO_EXTEND | Op.SIGN_EXTEND:
            return args[0]
        case Op.EXTRACT if cast(tuple[int, int], term.payload)[1] == 0:
            return args[0]
        case Op.CONST | Op.SYMBOL:
            return signed_value(words.of(term), term.width)
        case Op.ITE:
            return args[1] if words.of(term.args[0]) else args[2]
        case _:
            return words.of(term)
