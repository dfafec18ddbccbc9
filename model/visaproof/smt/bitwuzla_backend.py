"""Terms as Bitwuzla's, and one question to Bitwuzla.  It is imported when this module is.

Bitwuzla has no usable types for pyright: its terms are `Any` here and nowhere else.
"""

import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from inspect import currentframe
from threading import current_thread, main_thread
from time import process_time
from traceback import clear_frames
from typing import Any, cast

import bitwuzla  # pyright: ignore[reportMissingTypeStubs]

from visaproof.isa.float_modes import Rounding
from visaproof.smt.answers import Answer, Satisfiable, Undecided, Unsatisfiable
from visaproof.smt.evaluate import subterms, symbols_of
from visaproof.smt.ieee import FloatOp, FloatOperation, Format
from visaproof.smt.terms import Bool, Op, Term

_bitwuzla: Any = bitwuzla
_Kind: Any = _bitwuzla.Kind
_Option: Any = _bitwuzla.Option
_Result: Any = _bitwuzla.Result

NAME = f"bitwuzla {_bitwuzla.version()}"

RAISING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGPROF", "SIGALRM")
"""Signals whose handlers raise: what they raise in a callback of Bitwuzla is lost, so that they wait for its end."""


def ask(formulas: Sequence[Bool], timeout_ms: int, seed: int, simplified: bool = False) -> Answer:
    """Whether all formulas can hold together, within `timeout_ms` of processor time.

    What a handler of a signal raises meanwhile leaves no solver and no term behind in the frames that it passed: the
    garbage collector may free the manager of an exception's terms before these, and the process would crash.
    """
    try:
        return _asked(formulas, timeout_ms, seed, simplified)
    except BaseException as error:
        clear_frames(error.__traceback__)
        raise


def _asked(formulas: Sequence[Bool], timeout_ms: int, seed: int, simplified: bool) -> Answer:
    options = _bitwuzla.Options()
    options.set(_Option.PRODUCE_MODELS, True)
    options.set(_Option.PREPROCESS, simplified)
    options.set(_Option.SEED, seed)
    lowering = _Lowering()
    solver = _bitwuzla.Bitwuzla(lowering.manager, options)
    for formula in formulas:
        solver.assert_formula(lowering.lower(formula))
    for definition in lowering.definitions:
        solver.assert_formula(definition)
    match _checked(solver, timeout_ms):
        case _Result.UNSAT:
            return Unsatisfiable(NAME)
        case _Result.SAT:
            values = {word: int(solver.get_value(lowering.lower(word)).value(10)) for word in symbols_of(*formulas)}
            return Satisfiable(values, NAME)
        case _:
            return Undecided("bitwuzla: timeout")


def _checked(solver: Any, timeout_ms: int) -> Any:
    """What `check_sat` says; unknown where its processor time is over.  A signal ends it as well."""
    end = process_time() + timeout_ms / 1000
    while True:
        with _deferred_handlers() as came:
            solver.configure_terminator(lambda: bool(came) or process_time() > end)
            found = solver.check_sat()
        if found != _Result.UNKNOWN or process_time() > end:
            return found


@contextmanager
def _deferred_handlers() -> Generator[list[int]]:
    """Handlers of signals run at its end: in a callback, what they raise would only be printed.

    It gives the numbers of the signals that came.  To block them would not do: another thread of the process may take
    them, and their handlers run in the main thread all the same.  The frames in which they came are not kept: one holds
    the solver, which holds its callback, and the collector does not see into Bitwuzla.
    """
    came: list[int] = []
    if current_thread() is not main_thread():
        yield came
        return
    numbers = [number for name in RAISING if (number := getattr(signal, name, None)) is not None]
    before = {number: handler for number in numbers if callable(handler := signal.getsignal(number))}
    for number in before:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in came:
        before[signal.Signals(number)](number, currentframe())


class _Lowering:
    """Terms as Bitwuzla's; common parts are lowered once."""

    def __init__(self) -> None:
        self.manager = _bitwuzla.TermManager()
        self._done: dict[Term, Any] = {}
        self._sorts: dict[int, Any] = {}
        self.definitions: list[Any] = []
        """What the patterns of float results are: Bitwuzla has no function from a number to its pattern."""

    def lower(self, root: Term) -> Any:
        done = self._done
        for term in subterms(root):
            if term not in done:
                done[term] = self._lower_one(term, [done[arg] for arg in term.args])
        return done[root]

    def number(self, value: int, width: int) -> Any:
        return self.manager.mk_bv_value(self._sort(width), value)

    def _sort(self, width: int) -> Any:
        """Of bit-vectors; of Booleans for a width of 0."""
        found = self._sorts.get(width)
        if found is None:
            found = self.manager.mk_bv_sort(width) if width else self.manager.mk_bool_sort()
            self._sorts[width] = found
        return found

    def _lower_one(self, term: Term, args: list[Any]) -> Any:
        match term.op:
            case Op.CONST if term.width:
                return self.number(cast(int, term.payload), term.width)
            case Op.CONST:
                return self.manager.mk_true() if term.payload else self.manager.mk_false()
            case Op.SYMBOL:
                return self.manager.mk_const(self._sort(term.width), str(term.payload))
            case Op.SUM:
                return self._lower_sum(term, args)
            case Op.FLOAT:
                return self._lower_float(cast(FloatOperation, term.payload), args)
            case _:
                return self.manager.mk_term(_KIND[term.op], args, _INDICES.get(term.op, _none)(term))

    def _lower_sum(self, term: Term, args: list[Any]) -> Any:
        constant, factors = cast(tuple[int, tuple[int, ...]], term.payload)
        summands = [
            arg if factor == 1 else self.manager.mk_term(_Kind.BV_MUL, [arg, self.number(factor, term.width)])
            for factor, arg in zip(factors, args, strict=True)
        ]
        if constant:
            summands.append(self.number(constant, term.width))
        return self.manager.mk_term(_Kind.BV_ADD, summands) if len(summands) > 1 else summands[0]

    def _lower_float(self, operation: FloatOperation, args: list[Any]) -> Any:
        mode, layout = self.manager.mk_rm_value(_ROUNDING[operation.rounding]), operation.result
        if operation.op in (FloatOp.FROM_SIGNED, FloatOp.FROM_UNSIGNED):
            found = self.manager.mk_term(_FLOAT[operation.op], [mode, *args], _fields(layout))
        else:
            numbers = [self._number_of(arg, operation.source or layout) for arg in args]
            indices = _fields(layout) if operation.op is FloatOp.CONVERT else []
            found = self.manager.mk_term(_FLOAT[operation.op], [mode, *numbers], indices)
        bits = self.manager.mk_const(self._sort(layout.width))
        term = self.manager.mk_term
        is_nan = term(_Kind.FP_IS_NAN, [found])
        self.definitions += [
            term(_Kind.EQUAL, [self._number_of(bits, layout), found]),
            term(_Kind.IMPLIES, [is_nan, term(_Kind.EQUAL, [bits, self.number(layout.nan, layout.width)])]),
        ]
        return bits

    def _number_of(self, bits: Any, layout: Format) -> Any:
        return self.manager.mk_term(_Kind.FP_TO_FP_FROM_BV, [bits], _fields(layout))


def _fields(layout: Format) -> list[int]:
    """The significand counts its hidden bit."""
    return [layout.exponent_bits, layout.fraction_bits + 1]


def _none(_: Term) -> list[int]:
    return []


def _bits_above(term: Term) -> list[int]:
    return [term.width - term.args[0].width]


_INDICES: dict[Op, Callable[[Term], list[int]]] = {
    Op.EXTRACT: lambda term: list(cast(tuple[int, int], term.payload)),
    Op.ZERO_EXTEND: _bits_above,
    Op.SIGN_EXTEND: _bits_above,
}

_ROUNDING: dict[Rounding, Any] = {
    Rounding.NEAREST_EVEN: _bitwuzla.RoundingMode.RNE,
    Rounding.UP: _bitwuzla.RoundingMode.RTP,
    Rounding.DOWN: _bitwuzla.RoundingMode.RTN,
    Rounding.ZERO: _bitwuzla.RoundingMode.RTZ,
}

_FLOAT: dict[FloatOp, Any] = {
    FloatOp.ADD: _Kind.FP_ADD,
    FloatOp.MUL: _Kind.FP_MUL,
    FloatOp.FMA: _Kind.FP_FMA,
    FloatOp.CONVERT: _Kind.FP_TO_FP_FROM_FP,
    FloatOp.INTEGRAL: _Kind.FP_RTI,
    FloatOp.FROM_SIGNED: _Kind.FP_TO_FP_FROM_SBV,
    FloatOp.FROM_UNSIGNED: _Kind.FP_TO_FP_FROM_UBV,
}

_KIND: dict[Op, Any] = {
    Op.MUL: _Kind.BV_MUL,
    Op.AND: _Kind.BV_AND,
    Op.OR: _Kind.BV_OR,
    Op.XOR: _Kind.BV_XOR,
    Op.SHL: _Kind.BV_SHL,
    Op.LSHR: _Kind.BV_SHR,
    Op.ASHR: _Kind.BV_ASHR,
    Op.UDIV: _Kind.BV_UDIV,
    Op.UREM: _Kind.BV_UREM,
    Op.CONCAT: _Kind.BV_CONCAT,
    Op.EXTRACT: _Kind.BV_EXTRACT,
    Op.ZERO_EXTEND: _Kind.BV_ZERO_EXTEND,
    Op.SIGN_EXTEND: _Kind.BV_SIGN_EXTEND,
    Op.ITE: _Kind.ITE,
    Op.NOT: _Kind.NOT,
    Op.CONJ: _Kind.AND,
    Op.DISJ: _Kind.OR,
    Op.EQ: _Kind.EQUAL,
    Op.ULT: _Kind.BV_ULT,
    Op.SLT: _Kind.BV_SLT,
}
