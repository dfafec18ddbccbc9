"""Terms as z3 expressions, and one question to z3.  z3 is imported when this module is.

z3 has no usable types for pyright: its expressions are `Any` here and nowhere else.  Terms are lowered through z3's C
functions, because its operators coerce and check what terms have checked already.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from threading import Event, Thread, current_thread, main_thread
from time import monotonic, process_time
from typing import Any, cast

import z3  # pyright: ignore[reportMissingTypeStubs]

from visaproof.isa.float_modes import Rounding
from visaproof.smt.answers import Answer, Satisfiable, Undecided, Unsatisfiable
from visaproof.smt.evaluate import subterms, symbols_of
from visaproof.smt.ieee import FloatOp, FloatOperation, Format
from visaproof.smt.terms import Bool, Op, Term

_z3: Any = z3

CANCELED = "canceled"
"""What z3 may raise where it is interrupted, for the answer that it does not know."""
HEARD_EVERY_S = 0.1
"""Seconds until a signal is heard where another thread than the main one got it."""

LEAST_S = 0.002
"""That is waited for at once."""

ENDS_WITHIN_S = 2.0
"""Seconds of processor time that z3 has to end once it is interrupted: mostly it takes some hundredths."""

LATEST_S = 20.0
"""By the clock, for that."""

_ABANDONED: list[tuple[Any, object]] = []
"""Solvers that did not end, with the terms that were made for them: a context in use is not to be changed, which
freeing a term of it does."""

NAME = f"z3 {_z3.get_version_string()}"


def ask(formulas: Sequence[Bool], timeout_ms: int, seed: int) -> Answer:
    """Whether all formulas can hold together, within `timeout_ms` of processor time.

    Raises KeyboardInterrupt where z3 was stopped by Ctrl-C; so it does, or LimitReached, where a handler of a signal
    raises it meanwhile.
    """
    context = _z3.Context()
    lowering = Lowering(context)
    floats = any(term.op is Op.FLOAT for term in subterms(*formulas))
    solver = _z3.SolverFor("QF_FPBV" if floats else "QF_BV", ctx=context)
    solver.set(random_seed=seed)
    solver.add(*(lowering.lower(formula) for formula in formulas))
    answer = checked(solver, timeout_ms, lowering)
    if answer is None:
        return Undecided("z3: timeout")
    if answer == _z3.unsat:
        return Unsatisfiable(NAME)
    if answer == _z3.sat:
        return Satisfiable(_values(solver.model(), formulas, lowering), NAME)
    reason = str(solver.reason_unknown())
    if "interrupted" in reason:
        raise KeyboardInterrupt
    return Undecided(f"z3: {reason}")


def printed(formulas: Sequence[Bool]) -> str:
    """The question whether all formulas can hold together, in SMT-LIB, by z3's own printer."""
    lowering = Lowering(_z3.Context())
    solver = _z3.Solver(ctx=lowering.context)
    solver.add(*(lowering.lower(formula) for formula in formulas))
    return cast(str, solver.to_smt2())


def checked(solver: Any, timeout_ms: int, terms: object = None) -> Any:
    """What `check` says; None where its processor time was over: z3's own limit is one by the clock.

    Handlers of signals wait for the main thread, so that z3 has a thread of its own.

    `terms` is kept as long as it runs.
    """
    if current_thread() is not main_thread():
        solver.set(timeout=timeout_ms)
        return solver.check()
    found, done = list[Any](), Event()

    def search() -> None:
        found.append(_or_error(solver))
        done.set()

    end, over = process_time() + timeout_ms / 1000, False
    try:
        Thread(target=search, daemon=True).start()
        while not done.is_set():
            left = end - process_time()
            if left <= 0:
                over = True
                solver.ctx.interrupt()
            done.wait(min(HEARD_EVERY_S, max(LEAST_S, left)))
    except BaseException:
        kept = solver, terms
        _ABANDONED.append(kept)  # before anything is raised again: nobody else holds it
        if _ends(solver, done):
            _ABANDONED.remove(kept)
        raise
    if isinstance(found[0], BaseException) and not (over and CANCELED in str(found[0])):
        raise found[0]
    return None if over and (isinstance(found[0], BaseException) or found[0] == _z3.unknown) else found[0]


def _ends(solver: Any, done: Event) -> bool:
    """Interrupts z3 until it ends: an interrupt that comes before its check has begun is lost.

    The thread is not asked: Python 3.11 takes one for stopped whose `join` a handler has interrupted (bpo-45274).
    """
    end, latest = process_time() + ENDS_WITHIN_S, monotonic() + LATEST_S
    while not done.is_set() and process_time() < end and monotonic() < latest:
        solver.ctx.interrupt()
        done.wait(HEARD_EVERY_S)
    return done.is_set()


def _or_error(solver: Any) -> Any:
    try:
        return solver.check()
    except Exception as error:
        return error


def _values(model: Any, formulas: Sequence[Bool], lowering: "Lowering") -> dict[Term, int]:
    values: dict[Term, int] = {}
    for symbol in symbols_of(*formulas):
        value = model.eval(lowering.lower(symbol), model_completion=True)
        values[symbol] = int(_z3.is_true(value)) if symbol.width == 0 else cast(int, value.as_long())
    return values


class Lowering:
    """Terms as z3 expressions of one context; common parts are lowered once."""

    def __init__(self, context: Any = None) -> None:
        self.context = context if context is not None else _z3.main_ctx()
        self._ref = self.context.ref()
        self._done: dict[Term, Any] = {}
        self._held: list[Any] = []
        self._named: dict[tuple[str, int], Term] = {}

    def lower(self, root: Term) -> Any:
        """The z3 expression of `root`: a BitVecRef, or a BoolRef."""
        for term in subterms(root):
            if term not in self._done:
                self._done[term] = self._lower_one(term, [self._done[arg] for arg in term.args])
        wrap = _z3.BitVecRef if root.width else _z3.BoolRef
        return wrap(self._done[root], self.context)

    def define(self, term: Term, expression: Any) -> None:
        """Let `term` stand for a z3 expression of the caller."""
        self._held.append(expression)
        self._done[term] = expression.as_ast()

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """What a C function makes of nodes; it lives as long as this lowering does."""
        node = function(self._ref, *args)
        self._held.append(_z3.AstRef(node, self.context))
        return node

    def chain(self, function: Callable[..., Any], args: Sequence[Any]) -> Any:
        """A C function of two arguments, over two or more."""
        return reduce(lambda left, right: self.call(function, left, right), args)

    def leaf(self, expression: Any) -> Any:
        """The node of a z3 expression, kept alive."""
        self._held.append(expression)
        return expression.as_ast()

    def _text(self, term: Term) -> str:
        """The name of a symbol.  Raises ValueError for two symbols of one name: z3 would take them for one."""
        text = str(term.payload)
        if self._named.setdefault((text, term.width), term) is not term:
            raise ValueError(f"two symbols of {term.width} bits are called {text!r}")
        return text

    def _lower_one(self, term: Term, args: list[Any]) -> Any:
        match term.op:
            case Op.CONST if term.width:
                return self.leaf(_z3.BitVecVal(term.payload, term.width, self.context))
            case Op.CONST:
                return self.leaf(_z3.BoolVal(term.payload, self.context))
            case Op.SYMBOL if term.width:
                return self.leaf(_z3.BitVec(self._text(term), term.width, self.context))
            case Op.SYMBOL:
                return self.leaf(_z3.Bool(self._text(term), self.context))
            case Op.SUM:
                return self._lower_sum(term, args)
            case _:
                return _LOWER[term.op](self, term, args)

    def _lower_sum(self, term: Term, args: list[Any]) -> Any:
        constant, factors = cast(tuple[int, tuple[int, ...]], term.payload)
        summands: list[Any] = []
        for factor, arg in zip(factors, args, strict=True):
            if factor != 1:
                number = self.leaf(_z3.BitVecVal(factor, term.width, self.context))
                arg = self.call(_z3.Z3_mk_bvmul, arg, number)
            summands.append(arg)
        if constant:
            summands.append(self.leaf(_z3.BitVecVal(constant, term.width, self.context)))
        return self.chain(_z3.Z3_mk_bvadd, summands)


_Rule = Callable[[Lowering, Term, Sequence[Any]], Any]


def _chain(function: Callable[..., Any]) -> _Rule:
    return lambda lowering, _, args: lowering.chain(function, args)


def _junction(function: Callable[..., Any]) -> _Rule:
    return lambda lowering, _, args: lowering.call(function, len(args), (_z3.Ast * len(args))(*args))


def _extension(function: Callable[..., Any]) -> _Rule:
    return lambda lowering, term, args: lowering.call(function, term.width - term.args[0].width, args[0])


def _plain(function: Callable[..., Any]) -> _Rule:
    return lambda lowering, _, args: lowering.call(function, *args)


def _float_sort(lowering: Lowering, layout: Format) -> Any:
    return lowering.leaf(_z3.FPSort(layout.exponent_bits, layout.fraction_bits + 1, lowering.context))


def _lower_float(lowering: Lowering, term: Term, args: Sequence[Any]) -> Any:
    operation = cast(FloatOperation, term.payload)
    mode = lowering.call(_ROUNDING[operation.rounding])
    sort = _float_sort(lowering, operation.result)
    if operation.op in _FROM_INTEGER:
        found = lowering.call(_FROM_INTEGER[operation.op], mode, args[0], sort)
    else:
        source = _float_sort(lowering, operation.source or operation.result)
        numbers = [lowering.call(_z3.Z3_mk_fpa_to_fp_bv, arg, source) for arg in args]
        more = [sort] if operation.op is FloatOp.CONVERT else []
        found = lowering.call(_FLOAT[operation.op], mode, *numbers, *more)
    nan = lowering.leaf(_z3.BitVecVal(operation.result.nan, term.width, lowering.context))
    bits = lowering.call(_z3.Z3_mk_fpa_to_ieee_bv, found)
    return lowering.call(_z3.Z3_mk_ite, lowering.call(_z3.Z3_mk_fpa_is_nan, found), nan, bits)


_ROUNDING: dict[Rounding, Any] = {
    Rounding.NEAREST_EVEN: _z3.Z3_mk_fpa_rne,
    Rounding.UP: _z3.Z3_mk_fpa_rtp,
    Rounding.DOWN: _z3.Z3_mk_fpa_rtn,
    Rounding.ZERO: _z3.Z3_mk_fpa_rtz,
}

_FLOAT: dict[FloatOp, Any] = {
    FloatOp.ADD: _z3.Z3_mk_fpa_add,
    FloatOp.MUL: _z3.Z3_mk_fpa_mul,
    FloatOp.FMA: _z3.Z3_mk_fpa_fma,
    FloatOp.CONVERT: _z3.Z3_mk_fpa_to_fp_float,
    FloatOp.INTEGRAL: _z3.Z3_mk_fpa_round_to_integral,
}

_FROM_INTEGER: dict[FloatOp, Any] = {
    FloatOp.FROM_SIGNED: _z3.Z3_mk_fpa_to_fp_signed,
    FloatOp.FROM_UNSIGNED: _z3.Z3_mk_fpa_to_fp_unsigned,
}

_LOWER: dict[Op, _Rule] = {
    Op.MUL: _chain(_z3.Z3_mk_bvmul),
    Op.AND: _plain(_z3.Z3_mk_bvand),
    Op.OR: _plain(_z3.Z3_mk_bvor),
    Op.XOR: _plain(_z3.Z3_mk_bvxor),
    Op.SHL: _plain(_z3.Z3_mk_bvshl),
    Op.LSHR: _plain(_z3.Z3_mk_bvlshr),
    Op.ASHR: _plain(_z3.Z3_mk_bvashr),
    Op.UDIV: _plain(_z3.Z3_mk_bvudiv),
    Op.UREM: _plain(_z3.Z3_mk_bvurem),
    Op.CONCAT: _chain(_z3.Z3_mk_concat),
    Op.EXTRACT: lambda lowering, term, args: lowering.call(
        _z3.Z3_mk_extract, *cast(tuple[int, int], term.payload), args[0]
    ),
    Op.ZERO_EXTEND: _extension(_z3.Z3_mk_zero_ext),
    Op.SIGN_EXTEND: _extension(_z3.Z3_mk_sign_ext),
    Op.ITE: _plain(_z3.Z3_mk_ite),
    Op.FLOAT: _lower_float,
    Op.NOT: _plain(_z3.Z3_mk_not),
    Op.CONJ: _junction(_z3.Z3_mk_and),
    Op.DISJ: _junction(_z3.Z3_mk_or),
    Op.EQ: _plain(_z3.Z3_mk_eq),
    Op.ULT: _plain(_z3.Z3_mk_bvult),
    Op.SLT: _plain(_z3.Z3_mk_bvslt),
}
