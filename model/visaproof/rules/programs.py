"""A rule instance as two programs to compare: what its registers hold before, its surfaces, and its conditions.

Both sides start with the same registers, predicates and surfaces, and a temporary register holds what each side finds.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import cast

from msgspec import Struct

from visaproof.launch.assume import Assume
from visaproof.launch.assumptions import Start
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Matching, Program
from visaproof.machine.symbolic.run import trace
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.queries.kernels.undefined import FORBIDDEN
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.premises import Premises
from visaproof.refinement.effects.question import Launched
from visaproof.refinement.observed import Observed, RegisterPlace
from visaproof.refinement.questions import questions
from visaproof.refinement.scope import Granted, Scope
from visaproof.refinement.testing.runner import Runner
from visaproof.rules.conditions import Premise
from visaproof.rules.guesses import Guesses
from visaproof.rules.language.instances import Instance
from visaproof.rules.numbers import any_dword, element, lanes, predicate_bit
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.value_names import Owner
from visaproof.smt import BitVec, Bool, Op, Term, add, conj, neg, sub, substitute, subterms, symbol, true


class Prepared(Struct, frozen=True):
    """An instance with both sides run symbolically."""

    instance: Instance
    runners: tuple[Runner, Runner]
    guesses: Guesses


def prepare(instance: Instance) -> Prepared:
    """Both sides, run symbolically.  Raises NotModelled and ReadError, with places in the kernels."""
    found: list[Runner] = []
    for name, kernel in (("source", instance.source), ("target", instance.target)):
        initial = _start(instance, name)
        ran = trace(kernel, instance.platform, initial, lanes(), predicate_bit)
        if ran.stopped is not None:
            raise ran.stopped
        found.append(Runner(
            Owner(name), kernel, instance.platform, ran, initial, partial(surface_name, instance),
            observed=tuple(_observed(instance)), given_predicates=predicate_bit,
        ))  # fmt: skip
    return Prepared(instance, (found[0], found[1]), Guesses(instance, (found[0].trace, found[1].trace)))


def comparison_of(ready: Prepared, assumed: Premise) -> Comparison:
    """The question whether the target refines the source under the conditions.  Raises NotModelled."""
    instance = ready.instance
    given = Premises(assumed.inputs, contents_of(assumed), replacements(assumed.inputs))
    launched = Launched(lanes(), limited=False, premises=given)
    exact, question = questions(ready.runners, launched, FORBIDDEN)
    source, target = (Program(one.kernel, NOTHING_KNOWN, instance.platform) for one in ready.runners)
    start = Start(ready.runners[0].initial, {}, (), ())
    return Comparison(
        source, target, Matching(False, (), {}, frozenset()), start, (), question, ready.runners, exact,
        Scope(Assume.of("none")), Granted(), inputs=partial(ready.guesses.launches, given.hold),
    )  # fmt: skip


def contents_of(assumed: Premise) -> tuple[tuple[str, BitVec, Bool], ...]:
    """What the conditions say of each dword of a surface."""
    return tuple((name, any_dword(name), said) for name, said in assumed.contents)


def surface_name(instance: Instance, key: str) -> str:
    """The rule's name of a surface."""
    return instance.surfaces.get(key, key)


def surface_of(instance: Instance, performed: Performed) -> str:
    """The rule's name of the surface that a message reaches."""
    return surface_name(instance, performed.surface)


def _start(instance: Instance, side: str) -> Callable[[str, int], Byte]:
    """What the registers hold before: the same on both sides, but for temporary ones."""

    def initial(variable: str, byte: int) -> Byte:
        register = instance.registers.get(variable)
        if register is None:
            return symbol(f"{variable}.{byte - byte % 4}", 32), byte % 4
        size = register.type.bits // 8
        owner = side if register.temporary else ""
        return element(variable, byte // size, register.type.bits, owner), byte % size

    return initial


def observed_elements(instance: Instance, ran: Trace) -> Iterator[tuple[str, int, BitVec]]:
    """What the observed registers hold at the end, element by element."""
    for name, _ in instance.rule.observed:
        register = instance.registers[name]
        size = register.type.bits // 8
        for index in range(register.count):
            yield name, index, ran.registers.read(name, index * size, size)


def _observed(instance: Instance) -> Iterator[Observed]:
    for name, _ in instance.rule.observed:
        register, place = instance.registers[name], RegisterPlace(name, 0, is_predicate=False)
        size = register.type.bits // 8
        yield Observed(name, name, place, place, register.count * size, size)


def replacements(premises: Sequence[Bool]) -> dict[Term, Term]:
    """What may stand for what where the premises hold: equal words, and truth values."""
    known: dict[Term, Term] = {}
    whole = conj(*premises)
    for premise_ in whole.args if whole.op is Op.CONJ else (whole,):
        fact = substitute(premise_, known)
        found: tuple[Term, Term] | None = None
        if fact.op is Op.SYMBOL:
            found = fact, true()
        elif fact.op is Op.NOT and fact.args[0].op is Op.SYMBOL:
            found = fact.args[0], neg(true())
        elif fact.op is Op.EQ:
            found = _solved(cast(BitVec, fact.args[0]), cast(BitVec, fact.args[1]))
        if found is not None:
            known = {one: substitute(other, dict([found])) for one, other in known.items()} | dict([found])
    return known


def _solved(left: BitVec, right: BitVec) -> tuple[Term, Term] | None:
    """A symbol of an equation and what it equals."""
    difference = sub(left, right)
    for one in reversed([term for term in subterms(left, right) if term.op is Op.SYMBOL and term.width == left.width]):
        for other in (sub(cast(BitVec, one), difference), add(cast(BitVec, one), difference)):
            if one not in set(subterms(other)):
                return one, other
    return None
