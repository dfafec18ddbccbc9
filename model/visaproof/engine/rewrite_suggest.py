"""What would make a refuted rule right: weakest conditions of a small grammar under which it is proved.

The grammar: alignment, sums that do not wrap, disjoint or distinct places, places inside a surface, signs, equal or
uniform registers, and which lanes the mask and the predicates have; one of these, or two together.  Every
counterexample that is found rules out the conditions that it meets, before anything is proved of them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from visaproof.engine.ladder import Holds, climb
from visaproof.engine.rewrite import DEFAULT_TIMEOUT, check_rule
from visaproof.engine.rewrite_verdicts import Counterexample, Proved, Refuted, Verdict
from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.kernel import syntax
from visaproof.kernel.rewrite_expressions import read_condition
from visaproof.kernel.rewrite_instances import Instance, instances
from visaproof.kernel.rewrite_syntax import Condition, Rule
from visaproof.queries.rewrite_conditions import premise
from visaproof.queries.rewrite_symbols import any_dword
from visaproof.smt import conj, implies
from visaproof.smt.evaluate import evaluate_all

MOST_PAIRS = 40
"""Pairs of conditions that are tried where none is enough alone."""
ALIGNMENTS = (2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A condition under which the rule is proved."""

    text: str
    condition: Condition


def suggest(rule: Rule, refuted: Verdict, timeout: float = DEFAULT_TIMEOUT) -> tuple[Suggestion, ...]:
    """The weakest conditions of the grammar that make the rule right: none of them follows from another."""
    if not isinstance(refuted, Refuted):
        return ()
    against = [refuted.counterexample]
    candidates = list(_candidates(rule))
    found = [one for one in candidates if _makes_right(rule, one, against, timeout)]
    if not found:
        pairs = [_both(one, other) for one, other in combinations(candidates, 2)]
        possible = [one for one in pairs if not any(_meets(case, one.condition) for case in against)]
        found = [one for one in possible[:MOST_PAIRS] if _makes_right(rule, one, against, timeout)]
    return tuple(_weakest(rule, found))


def _makes_right(rule: Rule, candidate: Suggestion, against: list[Counterexample], timeout: float) -> bool:
    if any(_meets(case, candidate.condition) for case in against):
        return False
    try:
        verdict = check_rule(rule, timeout, extra=[candidate.condition])
    except NotModelled:
        return False
    if isinstance(verdict, Refuted):
        against.append(verdict.counterexample)
    return isinstance(verdict, Proved)


def _meets(case: Counterexample, condition: Condition) -> bool:
    """Whether the inputs of the counterexample are as the condition says: then it does not help."""
    said = premise([condition], case.instance)
    if not all(evaluate_all(said.inputs, case.values)):
        return False
    for surface, about in said.contents:
        words: dict[tuple[int, ...], int] = {}
        for (name, where), value in case.contents.items():
            if name == surface:
                at, shift = ((where[0] // 4,), 8 * (where[0] % 4)) if len(where) == 1 else (where, 0)
                words[at] = words.get(at, 0) | value << shift
        if not all(evaluate_all([about], {any_dword(surface): word})[0] for word in [*words.values(), 0]):
            return False
    return True


# ---------------------------------------------------------------- the grammar


def _candidates(rule: Rule) -> Iterator[Suggestion]:
    """The conditions about the names of the rule that every instance has a meaning for."""
    all_instances = list(instances(rule))
    for text in dict.fromkeys(_texts(rule, all_instances[0])):
        condition = read_condition(text, lambda offset: Position("suggested", 1, offset + 1))
        try:
            for instance in all_instances:
                premise([condition], instance)
        except ReadError:
            continue
        yield Suggestion(text, condition)


def _texts(rule: Rule, instance: Instance) -> Iterator[str]:
    registers = [one.name for one in instance.registers.values() if not one.temporary]
    surfaces = list(dict.fromkeys(name for key, name in instance.surfaces.items() if key != "%slm"))
    places = [name for name in registers if _is_place(rule, name)]
    for name in places:
        yield from (f"aligned({name}, {unit})" for unit in ALIGNMENTS)
        yield from (f"no_wrap({name} + {number})" for number in _numbers(rule))
        yield from (f"no_wrap({number} * {name})" for number in (4, 16))
    for one, other in combinations(places, 2):
        yield f"no_wrap({one} + {other})"
        yield f"aligned({one} + {other}, 4)"
        yield f"disjoint({one}, {other}, 4)"
    for name in places:
        if instance.registers[name].count > 1:
            yield f"distinct({name}, 4)"
            yield f"uniform({name})"
        yield from (f"inside({surface}, {name}, 4)" for surface in surfaces)
    yield from (f"{one} == {other}" for one, other in combinations(registers, 2))
    yield from (f"nonneg({name})" for name in registers if name not in places)
    yield from (f"nonneg(memory({surface}))" for surface in surfaces)
    for window in _windows(instance):
        yield f"mask includes {window:#x}"
        yield from (f"{name} includes {window:#x}" for name in instance.predicates)
    yield from (f"{name} == none" for name in instance.predicates)
    yield "mask == all"


def _is_place(rule: Rule, name: str) -> bool:
    """Whether a register looks as if it held addresses: the first raw operand, a global offset, or a term of a sum."""
    texts = [line.text for line in (*rule.source, *rule.target)]
    word = re.compile(rf"\b{re.escape(name)}\b")
    first = re.compile(r"\)\s+\S+\s+(?:\S+\s+)?(\w+)[.(]|\[(?:\S*\*)?(\w+)")
    return any(word.search(text) and any(name in found.groups() for found in first.finditer(text)) for text in texts)


def _numbers(rule: Rule) -> list[int]:
    """The constants of the templates, and those that holes hold."""
    found = {4}
    for line in (*rule.source, *rule.target):
        found |= {int(number, 0) for number in re.findall(r"\b(0x[0-9a-fA-F]+|\d+):u?d\b", line.text)}
    for choice in rule.choices:
        found |= {value for row in choice.rows for value in row if isinstance(value, int)}
    return sorted(number for number in found if 0 < number < 1 << 16)


def _windows(instance: Instance) -> list[int]:
    """The lanes of each instruction, and the first of them."""
    found: dict[int, None] = {}
    for kernel in (instance.source, instance.target):
        for statement in kernel.statements:
            if isinstance(statement, syntax.Instruction) and statement.execution is not None:
                first, size = statement.execution.mask.lane_offset, statement.execution.size
                found[((1 << size) - 1) << first & 0xFFFF_FFFF] = None
    return sorted(found, key=int.bit_count)


def _both(one: Suggestion, other: Suggestion) -> Suggestion:
    text = f"{one.text} and {other.text}"
    return Suggestion(text, read_condition(text, lambda offset: Position("suggested", 1, offset + 1)))


# ---------------------------------------------------------------- the weakest


def _weakest(rule: Rule, found: Sequence[Suggestion]) -> Iterator[Suggestion]:
    """Those that no other one follows from."""
    instance = next(instances(rule))
    kept: list[Suggestion] = []
    for one in found:
        if any(_follows(instance, one, other) for other in kept):
            continue
        kept = [other for other in kept if not _follows(instance, other, one)] + [one]
    yield from kept


def _follows(instance: Instance, stronger: Suggestion, weaker: Suggestion) -> bool:
    """Whether what the stronger one says includes what the weaker one says."""
    strong, weak = (premise([one.condition], instance) for one in (stronger, weaker))
    if not set(weak.contents) <= set(strong.contents):
        return False
    return isinstance(climb((), implies(conj(*strong.inputs), conj(*weak.inputs)), 2_000), Holds)
