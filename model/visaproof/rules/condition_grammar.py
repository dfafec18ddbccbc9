"""The conditions that are tried for a refuted rule: about its own registers, constants, lanes and surfaces.

Its templates tell under which lanes registers are used, and which constants there are.

What a lane that does not run holds is left out where the instructions have a mask: `aligned(off[M1], 4)`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from msgspec import Struct

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.execution import THREAD_LANES, ExecMask
from visaproof.rules.conditions import Premise, conjuncts, premise
from visaproof.rules.language.expressions import read_condition
from visaproof.rules.language.instances import Instance, Register
from visaproof.rules.language.syntax import Condition, Joined, Rule
from visaproof.rules.numbers import element
from visaproof.rules.programs import Prepared, observed_elements
from visaproof.semantics.symbolic.accesses import Access, Atomic, Store
from visaproof.smt import BitVec, symbols_of
from visaproof.visaasm import syntax

MOST_BLOCKS = 4
"""Parts of the mask whose unions are tried."""
ALL_LANES = (1 << THREAD_LANES) - 1


_EXECUTED = re.compile(r"(?:\((?P<off>!?)(?P<predicate>\w+)\)\s+)?[\w.{}]+\s+\((?P<mask>\{\w+\}|\w+),")
_CONSTANT = re.compile(r"\b(0x[0-9a-fA-F]+|\d+):u?[dw]\b")
_WIDER = {8: r"qw_|\.RG\b|d32x2|d64", 16: r"oword|\.RGBA\b|d32x4|channels"}
MOST_CONSTANT = 1 << 16


class Uses(Struct, frozen=True):
    """The lanes under which each register is used, as selectors of a condition: `M1`, `M5, !p`."""

    lanes: Mapping[str, tuple[str, ...]]
    starts: Mapping[str, tuple[int, ...]]
    """The elements at which operands start."""
    counts: Mapping[str, int]

    def selected(self, name: str) -> list[str]:
        """The register where its lanes run, and as a whole if an instruction takes it as a whole."""
        return [_of(name, lanes) for lanes in self._lanes(name)]

    def selected_both(self, one: str, other: str) -> list[tuple[str, str]]:
        """Two registers under the same lanes; a register of one element has none."""
        shared = dict.fromkeys((*self._lanes(one), *self._lanes(other)))
        return [(self._where(one, lanes), self._where(other, lanes)) for lanes in shared]

    def halves(self, name: str) -> list[tuple[str, str]]:
        """What lies before and behind each place where an operand starts."""
        count = self.counts[name]
        return [
            (_of(name, f"0:{start}, {lanes}".rstrip(", ")), _of(name, f"{start}:{count}, {lanes}".rstrip(", ")))
            for start in self.starts.get(name, ())
            if 0 < start < count
            for lanes in self._lanes(name)
        ]

    def _lanes(self, name: str) -> tuple[str, ...]:
        found = self.lanes.get(name, ()) if self.counts[name] > 1 else ()
        return found or ("",)

    def _where(self, name: str, lanes: str) -> str:
        return _of(name, lanes if self.counts[name] > 1 else "")


def _of(name: str, selectors: str) -> str:
    return f"{name}[{selectors}]" if selectors else name


def uses_of(rule: Rule, instance: Instance) -> Uses:
    """How the templates use the registers; of an instruction that all lanes run, nothing is said."""
    lanes: dict[str, dict[str, None]] = {}
    starts: dict[str, dict[int, None]] = {}
    for line in (*rule.source, *rule.target):
        executed = _EXECUTED.match(line.text)
        for register in instance.registers.values():
            for start in _starts(register.name, line.text, register.type.bits // 8, instance.platform.grf_bytes):
                starts.setdefault(register.name, {})[start] = None
                selectors = _selectors(executed, start, instance) if executed else ""
                lanes.setdefault(register.name, {})[selectors] = None
    return Uses(
        {name: tuple(found) for name, found in lanes.items()},
        {name: tuple(found) for name, found in starts.items()},
        {one.name: one.count for one in instance.registers.values()},
    )


def _starts(name: str, text: str, size: int, grf_bytes: int) -> Iterator[int]:
    """The elements at which the register's operands start, where the template says it in numbers."""
    for found in re.finditer(rf"\b{name}(?:\.(\d+)\b|\((\d+),(\d+)\))", text):
        raw, row, column = found.groups()
        yield int(raw) // size if raw is not None else int(row) * grf_bytes // size + int(column)


def _selectors(executed: re.Match[str], start: int, instance: Instance) -> str:
    """The lanes of an operand that starts at the element, so that they count from element 0."""
    mask, predicate = executed["mask"].strip("{}"), executed["predicate"]
    if predicate is not None and predicate not in instance.predicates:
        predicate = None
    if mask in ExecMask.__members__:
        code = ExecMask[mask]
        first = code.lane_offset - start
        if first < 0 or first % 4:
            return ""
        mask = ExecMask(first // 4 + 8 * code.no_mask).name
        if code.no_mask and predicate is None:
            return ""
    elif start:
        return ""
    return f"{mask}, {executed['off']}{predicate}" if predicate is not None else mask


def widths(rule: Rule) -> list[int]:
    """Bytes of a place of memory: dwords, and what the messages of the rule write side by side."""
    text = " ".join(line.text for line in (*rule.source, *rule.target))
    return [4, 1, *(width for width, pattern in _WIDER.items() if re.search(pattern, text))]


def constants(rule: Rule) -> Iterator[str]:
    """The numbers of the templates and those beside them, and the holes that hold numbers."""
    found = {4}
    for line in (*rule.source, *rule.target):
        found |= {int(number, 0) for number in _CONSTANT.findall(line.text)}
    yield from (str(number + near) for number in sorted(found) for near in (0, -1, 1) if 0 < number < MOST_CONSTANT)
    for choice in rule.choices:
        for index, name in enumerate(choice.names):
            if all(isinstance(row[index], int) for row in choice.rows):
                yield from (name, f"{name} - 1", f"{name} + 1")


class Candidate(Struct, frozen=True):
    """A condition, and what it says of each instance."""

    text: str
    condition: Condition
    premises: tuple[Premise, ...]
    parts: "tuple[Candidate, ...]" = ()
    """What it joins; nothing if it is a single one."""

    def __and__(self, other: "Candidate") -> "Candidate":
        both = zip(self.premises, other.premises, strict=True)
        joined = (Premise((*a.inputs, *b.inputs), (*a.contents, *b.contents)) for a, b in both)
        parts = *(self.parts or (self,)), *(other.parts or (other,))
        both_hold = Joined(True, self.condition, other.condition)
        return Candidate(f"{_in_brackets(self)} and {_in_brackets(other)}", both_hold, tuple(joined), parts)


def _in_brackets(one: Candidate) -> str:
    return f"({one.text})" if isinstance(one.condition, Joined) and not one.condition.both else one.text


def candidates(rule: Rule, ready: Sequence[Prepared]) -> list[Candidate]:
    """The single conditions that are defined for every instance, and each meaning once."""
    found: dict[tuple[Premise, ...], Candidate] = {}
    for text in _texts(rule, ready):
        one = candidate(text, ready)
        if one is not None:
            found.setdefault(one.premises, one)
    return list(found.values())


def candidate(text: str, ready: Sequence[Prepared]) -> Candidate | None:
    """The condition, if it is defined for every instance."""
    try:
        condition = _read(text)
        said = tuple(premise([condition], one.instance) for one in ready)
    except ReadError:
        return None
    known = all(set(symbols_of(*of.inputs)).issubset(one.drawn.symbols) for of, one in zip(said, ready, strict=True))
    return Candidate(text, condition, said) if known else None


def stated_parts(rule: Rule, ready: Sequence[Prepared]) -> list[Candidate]:
    """What the rule's `right if` joins, each for itself."""
    parts: list[Candidate] = []
    for line, text in sorted(rule.texts.items()):
        if not rule.lines[line - 1].startswith("right"):
            continue
        split = text.split(" and ")
        whole = split if len(split) == len(conjuncts(_read(text))) else [text]
        parts += [one for part in whole if (one := candidate(part, ready)) is not None]
    return parts


def _read(text: str) -> Condition:
    return read_condition(text, lambda offset: Position("suggested", 1, offset + 1))


def _texts(rule: Rule, ready: Sequence[Prepared]) -> Iterator[str]:
    first = ready[0]
    known = [one for one in first.instance.registers.values() if not one.temporary]
    places, data = _in_terms(known, [part for access in _accesses(first) for part in access.cell]), _data(known, first)
    surfaces = list(dict.fromkeys(name for key, name in first.instance.surfaces.items() if key != "%slm"))
    atomic = any(isinstance(access, Atomic) for access in _accesses(first))
    of = _Texts(uses_of(rule, first.instance), widths(rule), list(constants(rule)), atomic)
    for place in places:
        yield from of.place(place.name, surfaces)
    for one, other in combinations(places, 2):
        yield from of.places(one.name, other.name)
    for group in (places, data):
        for one, other in combinations(group, 2):
            yield from (f"{x} == {y}" for x, y in of.uses.selected_both(one.name, other.name))
    for one in data:
        yield from of.data(one.name)
    if atomic:
        yield from (text for name in surfaces for text in _limits(f"memory({name})"))
    yield from _of_lanes([one.instance for one in ready])


def _accesses(ready: Prepared) -> Iterator[Access]:
    for one in ready.runners:
        for performed in one.trace.performed:
            yield from performed.accesses


def _data(registers: Sequence[Register], ready: Prepared) -> list[Register]:
    """Those of which values are made that are written to memory, or to an observed register other than themselves."""
    values: list[BitVec] = []
    for access in _accesses(ready):
        values += [access.value] if isinstance(access, Store) else []
        values += [access.src0, access.src1] if isinstance(access, Atomic) else []
    written = _in_terms(registers, values)
    for one in ready.runners:
        for name, _, value in observed_elements(ready.instance, one.trace):
            written += _in_terms([one for one in registers if one.name != name], [value])
    return list(dict.fromkeys(written))


def _in_terms(registers: Sequence[Register], terms: Sequence[BitVec]) -> list[Register]:
    named = set(symbols_of(*terms))
    return [one for one in registers if any(element(one.name, k, one.type.bits) in named for k in range(one.count))]


class _Texts(Struct, frozen=True):
    """Conditions on registers, as they are written."""

    uses: Uses
    widths: Sequence[int]
    numbers: Sequence[str]
    atomic: bool

    def place(self, name: str, surfaces: Sequence[str]) -> Iterator[str]:
        for x in self.uses.selected(name):
            yield from (f"aligned({x}, {unit})" for unit in (2, *self.widths) if unit > 1)
            yield from (f"no_wrap({x} + {number})" for number in self.numbers)
            for factor in (width for width in self.widths if width > 1):
                yield from (f"no_wrap({factor} * {x}{more})" for more in ("", f" + {factor}", f" + {2 * factor}"))
            yield from (f"inside({surface}, {x}, {width})" for surface in surfaces for width in self.widths)
            if self.uses.counts[name] > 1:
                yield from (f"distinct({x}, {width})" for width in self.widths)
                if self.atomic:  # lanes of a store on one place are undefined
                    yield f"uniform({x})"
        for low, high in self.uses.halves(name):
            yield from (f"disjoint({low}, {high}, {width})" for width in self.widths)

    def places(self, one: str, other: str) -> Iterator[str]:
        for x, y in self.uses.selected_both(one, other):
            yield f"no_wrap({x} + {y})"
            yield from (f"aligned({x} + {y}, {unit})" for unit in (2, *self.widths) if unit > 1)
            yield from (f"disjoint({x}, {y}, {width})" for width in self.widths)

    def data(self, name: str) -> Iterator[str]:
        for x in self.uses.selected(name):
            yield f"{x} == 0"
            if self.atomic:
                yield f"nonneg({x})"
                yield from _limits(x)


def _limits(x: str) -> Iterator[str]:
    yield from (f"{x} < {limit:#x}" for limit in (1 << 31, 1 << 16, 1 << 15))
    yield f"{x} >= {1 << 31:#x}"


def _of_lanes(all_instances: Sequence[Instance]) -> Iterator[str]:
    windows = list(dict.fromkeys(one for instance in all_instances for one in _windows(instance)))
    lanes = [((1 << size) - 1) << first & ALL_LANES for first, size in windows]
    for union in _unions(lanes):
        yield f"mask includes {union:#x}"
        yield f"mask within {ALL_LANES & ~union:#x}"
    halves = [(first + at, size // 2) for first, size in windows for at in (0, size // 2) if size > 1]
    for (first, size), (other, other_size) in combinations(dict.fromkeys((*windows, *halves)), 2):
        if size == other_size and first + size <= THREAD_LANES and other + size <= THREAD_LANES:
            yield f"mask[{first}:{first + size}] == mask[{other}:{other + size}]"
    yield from _of_predicates(all_instances[0].predicates, windows)


def _of_predicates(predicates: Mapping[str, int], windows: Sequence[tuple[int, int]]) -> Iterator[str]:
    for name, count in predicates.items():
        yield f"{name} == all"
        yield f"{name} == none"
        for first, size in windows:
            if first + size <= count:
                of_p, of_mask = (f"{one}[{first}:{first + size}]" for one in (name, "mask"))
                for relation in ("includes", "within", "=="):
                    yield f"{of_p} {relation} {of_mask}"
                yield from (f"{of_p} == {all_or_none}" for all_or_none in ("all", "none"))


def _windows(instance: Instance) -> Iterator[tuple[int, int]]:
    """The first lane of each instruction, and how many it has."""
    for kernel in (instance.source, instance.target):
        for statement in kernel.statements:
            if isinstance(statement, syntax.Instruction) and statement.execution is not None:
                yield statement.execution.mask.lane_offset, statement.execution.size


def _unions(masks: Iterable[int]) -> list[int]:
    """The lanes that the masks tell apart, in all combinations; few lanes first."""
    blocks = [ALL_LANES]
    for mask in masks:
        blocks = [part for block in blocks for part in (block & mask, block & ~mask) if part]
    covered = 0
    for mask in masks:
        covered |= mask
    inside = [block for block in blocks if block & covered][-MOST_BLOCKS:]
    found = {sum(chosen) for count in range(1, len(inside) + 1) for chosen in combinations(inside, count)}
    return sorted(found, key=lambda one: (one.bit_count(), one))
