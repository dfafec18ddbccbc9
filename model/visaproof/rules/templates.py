"""What the templates of a rewrite rule tell of its registers: under which lanes they are used, and which constants."""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from visaproof.isa.execution import ExecMask
from visaproof.rules.language.instances import Instance
from visaproof.rules.language.syntax import Rule

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
