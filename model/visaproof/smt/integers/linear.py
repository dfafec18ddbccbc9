"""Sums of words as sums of integers, for a solver of linear arithmetic.  z3 is imported when this module is.

A word is an integer v with 0 ≤ v < 2^w.  What wraps is an integer of its own:

    (Σ c·v) mod 2^w      v' = Σ c·v − 2^w·q,  0 ≤ v' < 2^w,  with q between the quotients of the least and largest sum
    extract(high, low)   v mod 2^(high + 1) = v'·2^low + r,  0 ≤ r < 2^low

Sums, extensions, slices, comparisons and quotients by numbers are exact.  All else, as a product of two unknowns, is
any integer of its width: the integers allow more than the words, so that a formula that cannot hold of them cannot
hold.  The other way round, values count if the formula holds for them.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any, cast

import z3  # pyright: ignore[reportMissingTypeStubs]

from visaproof.smt.answers import Answer, Satisfiable, Undecided, Unsatisfiable
from visaproof.smt.evaluate import evaluate, subterms, symbols_of
from visaproof.smt.terms import Bool, Op, Term, signed_value
from visaproof.smt.z3_backend import NAME as Z3
from visaproof.smt.z3_backend import checked

_z3: Any = z3

NAME = f"{Z3} on integers"

STEPS = ("simplify", "propagate-values", "solve-eqs", "smt")
"""z3's tactics: of some hundred formulas about rows and columns they took a third of the time of its QF_LIA."""


def ask(formula: Bool, timeout_ms: int) -> Answer:
    """Whether the formula can hold, within `timeout_ms` of processor time.

    Raises KeyboardInterrupt where z3 was stopped by Ctrl-C.
    """
    integers = Integers(_z3.Context())
    solver = _z3.Then(*STEPS, ctx=integers.context).solver()
    solver.add(integers.lower(formula), *integers.facts)
    answer = checked(solver, timeout_ms, integers)
    if answer is None:
        return Undecided("z3: timeout")
    if answer == _z3.unsat:
        return Unsatisfiable(NAME)
    if answer == _z3.sat:
        values = integers.values(solver.model(), formula)
        return Satisfiable(values, NAME) if evaluate(formula, values) else Undecided("z3: it may hold of integers")
    reason = str(solver.reason_unknown())
    if "interrupted" in reason:
        raise KeyboardInterrupt
    return Undecided(f"z3: {reason}")


class Integers:
    """Words as z3's integers of one context, and what holds of these; common parts are lowered once."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.facts: list[Any] = []
        self._done: dict[Term, Any] = {}
        self._numbers = count()

    def lower(self, root: Term) -> Any:
        """The integer that a word is, or what a Boolean says of such integers."""
        for term in subterms(root):
            if term not in self._done:
                self._done[term] = self._word(term) if term.width else self._truth(term)
        return self._done[root]

    def values(self, model: Any, formula: Bool) -> dict[Term, int]:
        """What the symbols of a formula are in a model of it."""
        found: dict[Term, int] = {}
        for one in symbols_of(formula):
            value = model.eval(self.lower(one), model_completion=True)
            found[one] = cast(int, value.as_long()) if one.width else int(_z3.is_true(value))
        return found

    def _any(self, low: int, high: int) -> Any:
        found = _z3.Int(f"i{next(self._numbers)}", ctx=self.context)
        self.facts += [found >= low, found <= high]
        return found

    def _number(self, value: int) -> Any:
        return _z3.IntVal(value, self.context)

    def _args(self, term: Term) -> list[Any]:
        return [self._done[arg] for arg in term.args]

    # ---------------------------------------------------------------- words

    def _word(self, term: Term) -> Any:
        args = self._args(term)
        match term.op:
            case Op.CONST:
                return self._number(cast(int, term.payload))
            case Op.SUM:
                return self._sum(term, args)
            case Op.ZERO_EXTEND:
                return args[0]
            case Op.SIGN_EXTEND:
                return self._sign_extended(term, args[0])
            case Op.EXTRACT:
                return self._extracted(term, args[0])
            case Op.CONCAT:
                return self._joined(term, args)
            case Op.ITE:
                return _z3.If(*args)
            case Op.UDIV | Op.UREM if term.args[1].op is Op.CONST and term.args[1].payload:
                divisor = cast(int, term.args[1].payload)
                quotient, rest = self._divided(args[0], divisor, term.args[0].low, term.args[0].high)
                return quotient if term.op is Op.UDIV else rest
            case _:
                return self._any(term.low, term.high)

    def _sum(self, term: Term, args: Sequence[Any]) -> Any:
        """Coefficients from 2^(w-1) on are read as negative, so that quotients are small."""
        constant, factors = cast(tuple[int, tuple[int, ...]], term.payload)
        low = high = signed_value(constant, term.width)
        total = self._number(low)
        for factor, arg, integer in zip(factors, term.args, args, strict=True):
            times = signed_value(factor, term.width)
            total = total + times * integer
            low += min(times * arg.low, times * arg.high)
            high += max(times * arg.low, times * arg.high)
        if low >= 0 and high < 1 << term.width:
            return total
        return self._divided(total, 1 << term.width, low, high)[1]

    def _divided(self, integer: Any, divisor: int, low: int, high: int) -> tuple[Any, Any]:
        """Quotient, rounded down, and rest of an integer between `low` and `high`."""
        quotient, rest = self._any(low // divisor, high // divisor), self._any(0, divisor - 1)
        self.facts.append(integer == divisor * quotient + rest)
        return quotient, rest

    def _extracted(self, term: Term, integer: Any) -> Any:
        high, low = cast(tuple[int, int], term.payload)
        (arg,) = term.args
        most = arg.high
        if most >= 2 << high:
            integer, most = self._divided(integer, 2 << high, 0, most)[1], (2 << high) - 1
        return self._divided(integer, 1 << low, 0, most)[0] if low else integer

    def _joined(self, term: Term, args: Sequence[Any]) -> Any:
        total = self._number(0)
        for arg, integer in zip(term.args, args, strict=True):
            total = total * (1 << arg.width) + integer
        return total

    def _sign_extended(self, term: Term, integer: Any) -> Any:
        (arg,) = term.args
        half = 1 << (arg.width - 1)
        if arg.high < half:
            return integer
        return _z3.If(integer >= half, integer + ((1 << term.width) - 2 * half), integer)

    # ---------------------------------------------------------------- Booleans

    def _truth(self, term: Term) -> Any:
        args = self._args(term)
        match term.op:
            case Op.CONST:
                return _z3.BoolVal(bool(term.payload), self.context)
            case Op.NOT:
                return _z3.Not(args[0])
            case Op.CONJ:
                return _z3.And(*args)
            case Op.DISJ:
                return _z3.Or(*args)
            case Op.EQ:
                return args[0] == args[1]
            case Op.ULT:
                return args[0] < args[1]
            case Op.SLT:
                return self._as_signed(term.args[0]) < self._as_signed(term.args[1])
            case Op.ITE:
                return _z3.If(*args)
            case _:
                return _z3.Bool(f"b{next(self._numbers)}", ctx=self.context)

    def _as_signed(self, word: Term) -> Any:
        half, integer = 1 << (word.width - 1), self._done[word]
        return integer if word.high < half else _z3.If(integer >= half, integer - 2 * half, integer)
