"""Decides conflict questions by normal form, guesses and solver; every conflict is confirmed by running the kernel."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from visaproof.engine.minimise import minimised
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.platform import Platform
from visaproof.kernel.assumptions import Start
from visaproof.kernel.concrete_run import Outcome, PerformedMessage, run
from visaproof.kernel.symbolic_machine import Performed
from visaproof.kernel.symbolic_run import Trace, launched_lanes
from visaproof.kernel.syntax import GeneralVariable, Kernel, PredicateVariable
from visaproof.queries.conflict import ConflictQuestion, LanePair
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, Place, Texel, Write
from visaproof.semantics.symbolic.accesses import Access, Atomic, Cell, Load
from visaproof.semantics.symbolic.effects import cells_equal
from visaproof.semantics.symbolic.state import SymbolicBuffer, SymbolicImage
from visaproof.smt import (
    BitVec,
    Bool,
    Op,
    Term,
    bool_symbol,
    conj,
    const,
    disj,
    eq,
    evaluate,
    implies,
    is_true,
    neg,
    substitute,
    subterms,
    symbol,
    symbols_of,
    true,
)
from visaproof.smt.evaluate import compiled, evaluate_all

Values = dict[Term, int]

REPAIRS = 4
"""How often a model is asked again because two loads from one place disagreed in it."""


@dataclass(frozen=True, slots=True)
class Free:
    """No two lanes can write one byte or texel, for all inputs under the assumptions."""

    rung: str
    bounded: tuple[Position, ...] = ()
    """Loops that may run longer than they were unrolled: nothing is said of the runs that do."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two lanes that write one byte or texel, in a run of the kernel on `state`."""

    first: Write
    second: Write
    writes: tuple[Write, ...]
    """All writes of the message in that run; lanes count from its first."""
    state: ConcreteState
    """Before the run."""
    message: str
    values: Values
    depends_on: tuple[str, ...]
    """The symbols on which it depends whether these lanes meet."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """Neither was shown."""

    reason: str


Answer = Free | Conflict | Undecided


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question is about, beside the question."""

    kernel: Kernel
    platform: Platform
    trace: Trace
    start: Start
    timeout_ms: int


def decide_conflict(question: ConflictQuestion, asked: Asked) -> Answer:
    """Whether two lanes of the scatter can write one byte or texel."""
    if not question.pairs:
        return Free("normal form" if len(question.lanes) > 1 else "one lane")
    try:
        return _decide(question, asked)
    except NotModelled as reason:
        return Undecided(f"the lanes may meet, but the kernel cannot be run to confirm it: {reason}")


def _decide(question: ConflictQuestion, asked: Asked) -> Answer:
    premise = conj(*question.premises)
    guess = _guessed(question, premise)
    if guess is not None:
        found = _confirmed(question, asked, premise, *guess)
        if found is not None:
            return found
    return _solved(question, asked, premise)


# ---------------------------------------------------------------- guesses


def _guessed(question: ConflictQuestion, premise: Bool) -> tuple[LanePair, Values] | None:
    """Simple inputs, then seeded random ones, under which a pair meets."""
    conditions = [pair.meet for pair in question.pairs]
    symbols = symbols_of(premise, *conditions)
    run_all = compiled((premise, *conditions), symbols)
    for values in _candidates(symbols):
        holds, *met = run_all(values)
        if holds and any(met):
            return question.pairs[met.index(1)], dict(zip(symbols, values, strict=True))
    return None


def _candidates(symbols: Sequence[Term]) -> Iterator[list[int]]:
    for word, flag in product((0, 1, 2), (1, 0)):
        yield [_simple(one, word, flag) for one in symbols]
    random = Random(0)
    for bits in (3, 8, 16, 32):
        for _ in range(8):
            yield [_random(one, bits, random) for one in symbols]


def _is_size(one: Term) -> bool:
    return str(one.payload).startswith(("size.", "width.", "height.", "depth."))


def _simple(one: Term, word: int, flag: int) -> int:
    if _is_size(one):
        return 1 << min(one.width - 1, 32)
    return flag if one.width == 0 else word


def _random(one: Term, bits: int, random: Random) -> int:
    if _is_size(one):
        return 1 << min(one.width - 1, 32)
    return random.getrandbits(1 if one.width == 0 else min(bits, one.width))


# ---------------------------------------------------------------- solver


def _solved(question: ConflictQuestion, asked: Asked, premise: Bool) -> Answer:
    from visaproof.smt.z3_backend import NAME, Satisfiable, Unsatisfiable, solve

    formula = conj(premise, disj(*(pair.meet for pair in question.pairs)))
    if isinstance(solve([_without_products(formula)], asked.timeout_ms), Unsatisfiable):
        return Free(NAME)
    later = [conj(*question.earlier)]
    for _ in range(REPAIRS):
        match solve([formula], asked.timeout_ms):
            case Unsatisfiable():
                return Free(NAME)
            case Satisfiable(values):
                met = evaluate_all([pair.meet for pair in question.pairs], values)
                found = _confirmed(question, asked, premise, question.pairs[met.index(1)], values)
                if found is not None:
                    return found
                repairs = conj(*_loads_agree(asked.trace, question.performed, values), *later)
                if is_true(repairs):
                    return Undecided(_not_confirmed(question))
                formula, later = conj(formula, repairs), []
            case undecided:
                return Undecided(undecided.reason)
    return Undecided("the lanes meet only where loads from one place disagree")


def _not_confirmed(question: ConflictQuestion) -> str:
    if question.performed.any_round:
        return "the lanes may meet in a later round of the loop than those that were unrolled: try a larger --unroll"
    return "the lanes meet on terms, but the run of the kernel does not confirm it"


def _without_products(formula: Bool) -> Bool:
    """Each product of unknowns replaced by one unknown: what cannot hold then cannot hold at all."""
    cut: dict[Term, Term] = {
        term: symbol(f"product.{term.serial}", term.width) for term in subterms(formula) if term.op is Op.MUL
    }
    return substitute(formula, cut) if cut else formula


def _loads_agree(trace: Trace, until: Performed, values: Values) -> Iterator[Bool]:
    """What these values get wrong of memory: a load outside brings what its page says, and one
    place has one content.
    """
    seen: dict[tuple[str, tuple[int, ...]], tuple[BitVec, Cell]] = {}
    for performed in _before(trace, until):
        for access, content in performed.loaded:
            beyond = const(access.outside if isinstance(access, Load) else 0, content.width)
            outside = conj(access.guard, neg(access.inside), neg(eq(content, beyond)))
            if evaluate(outside, values):
                yield neg(outside)
            place = (performed.surface, tuple(evaluate_all(access.cell, values)))
            other, cell = seen.setdefault(place, (content, access.cell))
            if other.width == content.width and evaluate(other, values) != evaluate(content, values):
                yield implies(cells_equal(access.cell, cell), eq(content, other))


def _before(trace: Trace, until: Performed) -> Iterator[Performed]:
    for performed in trace.performed:
        if performed is until:
            return
        yield performed


# ---------------------------------------------------------------- confirmation


def _confirmed(
    question: ConflictQuestion, asked: Asked, premise: Bool, pair: LanePair, values: Values
) -> Conflict | None:
    """The conflict of this pair if a run of the kernel on these values shows it, with these two lanes alone or all."""
    small = minimised(values, (premise, pair.meet), neg(true()))
    lanes = launched_lanes(asked.kernel)
    alone = {bool_symbol(f"em.{lane}"): int(lane in (pair.first, pair.second)) for lane in range(len(lanes))}
    for candidate in ({**small, **alone}, small, {**values, **alone}, values):
        state = _state(asked, question.performed, candidate)
        if not state.exec_mask:
            continue
        before = state.copy()
        outcome = run(asked.kernel, state)
        met = _meeting(question, outcome)
        if met is not None and outcome.undefined is not None:
            first, second, message = met
            depends = tuple(str(one.payload) for one in symbols_of(pair.meet) if _is_input(one))
            return Conflict(first, second, message.writes, before, outcome.undefined.message, candidate, depends)
    return None


def _is_input(one: Term) -> bool:
    return not str(one.payload).startswith(("em.", "size.", "width.", "height.", "depth."))


def _meeting(question: ConflictQuestion, outcome: Outcome) -> tuple[Write, Write, PerformedMessage] | None:
    """Two writes of different lanes to one place, in the message of the question, which ended the run."""
    if outcome.undefined is None or outcome.undefined.position != question.instruction.position:
        return None
    message = outcome.performed[-1]
    owner: dict[Place, Write] = {}
    for write in message.writes:
        for place in write.places:
            first = owner.setdefault(place, write)
            if first.lane != write.lane:
                return first, write, message
    return None


def _state(asked: Asked, until: Performed, values: Values) -> ConcreteState:
    """The thread that these values describe: registers, lanes, surfaces with what the loads bring."""
    kernel, trace = asked.kernel, asked.trace
    lanes = launched_lanes(kernel)
    state = ConcreteState(asked.platform, exec_mask=_bits(lanes, values))
    for variable in kernel.variables.values():
        if isinstance(variable, GeneralVariable) and variable.alias is None:
            state.registers[variable.name] = _register(asked, variable, values)
        elif isinstance(variable, PredicateVariable):
            bits = [bool_symbol(f"{variable.name}[{lane}]") for lane in range(variable.num_elts)]
            state.predicates[variable.name] = PredicateBits(variable.num_elts, _bits(bits, values))
    for key, surface in trace.surfaces.items():
        if isinstance(surface, SymbolicBuffer):
            state.surfaces[key] = Buffer(_size(surface, values))
        else:
            state.surfaces[key] = Image(tuple(_extents(surface, lod, values) for lod in range(len(surface.levels))))
    filled: set[Place] = set()
    for performed in _before(trace, until):
        _fill(state, performed, values, filled)
    return state


def _extents(surface: SymbolicImage, lod: int, values: Values) -> tuple[int, int, int]:
    """Of a level; those that nothing depends on are as large as they can be."""
    width, height, depth = (values.get(extent, 2**32 - 1) for extent in surface.levels[lod])
    return width, height, depth


def _size(surface: SymbolicBuffer, values: Values) -> int:
    named = symbols_of(surface.size)
    return values.get(named[0], 1 << 32) if named else evaluate(surface.size, values)


def _bits(bits: Sequence[Bool], values: Values) -> int:
    return sum((values.get(one, 0) & 1) << lane for lane, one in enumerate(bits))


def _register(asked: Asked, variable: GeneralVariable, values: Values) -> bytearray:
    content = bytearray(variable.size)
    terms = [asked.start.initial(variable.name, byte) for byte in range(variable.size)]
    words = dict.fromkeys(term for term, _ in terms)
    known = dict(zip(words, evaluate_all(words, values), strict=True))
    for byte, (term, index) in enumerate(terms):
        content[byte] = known[term] >> 8 * index & 0xFF
    return content


def _fill(state: ConcreteState, performed: Performed, values: Values, filled: set[Place]) -> None:
    """Puts what the loads of a message bring into the memory that they read; into a texel once."""
    surface = state.surfaces[performed.surface]
    for access, content in performed.loaded:
        if not evaluate(access.guard, values):
            continue
        cell, value = tuple(evaluate_all(access.cell, values)), evaluate(content, values)
        if isinstance(surface, Buffer):
            for k in range(access.width):
                surface.contents.setdefault(cell[0] + k, value >> 8 * k & 0xFF)
        elif cell not in filled:
            filled.add(cell)
            _fill_texel(surface, access, cell, value)


def _fill_texel(image: Image, access: Access, cell: tuple[int, ...], value: int) -> None:
    u, v, r, lod = cell[:4]
    texel: Texel = u, v, r, lod
    if isinstance(access, Atomic):
        image.texels.setdefault(texel, value)
    else:
        image.set_channel(texel, cell[4], value)
