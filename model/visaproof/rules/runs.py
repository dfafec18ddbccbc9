"""Runs both sides of a rewrite rule concretely.  Atomics are run in every order that can be told from another.

Only `execute` and the interpreter of kernels are used: no footprint, no solver.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

from visaproof.decode import message as messages
from visaproof.instructions.dword_atomic import DwordAtomic
from visaproof.instructions.family import LscAtomic, SvmAtomic
from visaproof.instructions.typed_atomic import TypedAtomic
from visaproof.isa.answers import HalfResultRest
from visaproof.isa.errors import UndefinedBehavior
from visaproof.isa.execution import ExecMask
from visaproof.isa.operands import NULL
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.machine.concrete.run import run
from visaproof.rules.language.instances import Instance, rule_place
from visaproof.rules.states import Inputs, NotingBuffer, NotingImage, copied, state_before
from visaproof.rules.verdicts import Change, Place, Run, Step
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Image, LaneWrite
from visaproof.visaasm import syntax

ATOMICS = (TypedAtomic, DwordAtomic, LscAtomic, SvmAtomic)
_AtomicMessage = TypedAtomic | DwordAtomic | LscAtomic | SvmAtomic
MOST_ORDERS = 24
"""Outcomes of one side that are compared: four lanes on one cell."""

CHOICES = (DEFAULT, replace(DEFAULT, half_result_rest=HalfResultRest.PRESERVED))
"""Readings under which undefined bytes are filled in: behind a 16-bit result there may be zeros, or what was there."""


class TooManyOrders(Exception):
    """The lanes of the atomics come in more orders than are tried."""


def outcomes(instance: Instance, side: str, inputs: Inputs, readings: Readings = DEFAULT) -> list[Run]:
    """What the side may come to on these inputs.  Raises TooManyOrders and NotModelled."""
    kernel = instance.source if side == "source" else instance.target
    state = state_before(instance, side, inputs)
    state.readings = readings
    start = _State(instance, kernel, state, ())
    ends = [start]
    for statement in kernel.statements:
        assert isinstance(statement, syntax.Instruction)
        ends = [after for one in ends for after in one.steps(statement)]
        if len(ends) > MOST_ORDERS:
            raise TooManyOrders
    first = state_before(instance, side, inputs)
    return [end.run(first) for end in ends]


@dataclass(frozen=True, slots=True)
class _State:
    """A run up to a statement, in one of the orders."""

    instance: Instance
    kernel: syntax.Kernel
    state: ConcreteState
    done: tuple[Step, ...]
    undefined: str = ""

    def steps(self, statement: syntax.Instruction) -> "Iterator[_State]":
        """The states behind the statement: one for each order of its lanes that may differ from another."""
        if self.undefined:
            yield self
            return
        if statement.opcode not in messages.OPCODES:
            yield self._computed(statement)
            return
        decoded = messages.decode(statement, self.kernel, self.state.platform)
        if isinstance(decoded, ATOMICS):
            for order in self._orders(decoded):
                yield self._in_order(statement, decoded, order)
        else:
            yield self._sent(statement, decoded)

    def _after(self, state: ConcreteState, statement: syntax.Instruction, changes: Sequence[Change]) -> "_State":
        place = rule_place(self.instance, self.kernel, statement.position)
        step = Step(statement.text, place, tuple(changes))
        return _State(self.instance, self.kernel, state, (*self.done, step))

    def _stopped(self, statement: syntax.Instruction, reason: UndefinedBehavior) -> "_State":
        return replace(self._after(self.state, statement, ()), undefined=str(reason))

    def _computed(self, statement: syntax.Instruction) -> "_State":
        state = copied(self.state)
        enabled = state.exec_mask
        if not enabled:
            state.exec_mask = 1
        outcome = run(replace(self.kernel, statements=(statement,)), state)
        if outcome.undefined is not None:
            return self._stopped(statement, UndefinedBehavior(outcome.undefined.message))
        return self._after(state, statement, _register_changes(self.state, state, statement))

    def _sent(self, statement: syntax.Instruction, decoded: messages.Message) -> "_State":
        state = copied(self.state)
        surface = state.surfaces[decoded.surface]
        surface.log = []
        try:
            decoded.execute(state)
        except UndefinedBehavior as reason:
            return self._stopped(statement, reason)
        writes, surface.log = surface.log, None
        first = statement.first_lane
        changes = [
            Change(
                None if write.lane is None else first + write.lane,
                _surface_name(self.instance, decoded.surface),
                write.address,
                write.value,
                write.width,
                isinstance(surface, Buffer) and write.address + write.width > surface.size,
            )
            for write in writes
            if isinstance(write, LaneWrite)
        ]
        return self._after(state, statement, [*changes, *_register_changes(self.state, state, statement)])

    def _enabled(self, decoded: _AtomicMessage) -> list[int]:
        return [k for k in range(decoded.execution.size) if self.state.channel_enabled(decoded.execution, k)]

    def _orders(self, decoded: _AtomicMessage) -> Iterator[tuple[int, ...]]:
        """The lanes' orders: of lanes on one cell each, of the others one."""
        enabled = self._enabled_or_none(decoded)
        if decoded.op.commuting_group is not None and decoded.dst == NULL:
            yield tuple(enabled)
            return
        groups: dict[tuple[int, ...], list[int]] = {}
        for lane in enabled:
            trial = copied(self.state)
            try:
                cells = _one_lane(trial, decoded, lane)
            except UndefinedBehavior:
                cells = []
            groups.setdefault(cells[0] if cells else (-1, lane), []).append(lane)
        count = 1
        for lanes in groups.values():
            for factor in range(2, len(lanes) + 1):
                count *= factor
        if count > MOST_ORDERS:
            raise TooManyOrders
        for orders in product(*(permutations(lanes) for lanes in groups.values())):
            yield tuple(lane for order in orders for lane in order)

    def _enabled_or_none(self, decoded: _AtomicMessage) -> list[int]:
        try:
            return self._enabled(decoded)
        except UndefinedBehavior:
            return [0]

    def _in_order(self, statement: syntax.Instruction, decoded: _AtomicMessage, order: tuple[int, ...]) -> "_State":
        state, changes, first = copied(self.state), list[Change](), statement.first_lane
        name = _surface_name(self.instance, decoded.surface)
        try:
            self._enabled(decoded)
            for lane in order:
                for cell in _one_lane(state, decoded, lane)[:1]:
                    changes.append(_atomic_change(state, decoded, name, first + lane, cell))
        except UndefinedBehavior as reason:
            return self._stopped(statement, reason)
        return self._after(state, statement, [*changes, *_register_changes(self.state, state, statement)])

    def run(self, before: ConcreteState) -> Run:
        """What is seen at the end."""
        memory: dict[Place, int] = {}
        for key, surface in self.state.surfaces.items():
            name = _surface_name(self.instance, key)
            if isinstance(surface, Buffer):
                old = before.buffer(key).contents
                changed = {at: byte for at, byte in surface.contents.items() if byte != old.get(at, 0)}
                memory |= {(name, (at,)): byte for at, byte in changed.items()}
            else:
                texels = before.image(key).texels
                memory |= {
                    (name, texel): value for texel, value in surface.texels.items() if value != texels.get(texel, 0)
                }
        observed: dict[Place, int] = {}
        for name, _ in self.instance.rule.observed:
            observed |= {(name, (at,)): byte for at, byte in enumerate(self.state.registers[name])}
        return Run(self.done, self.undefined, memory, observed)


def _one_lane(state: ConcreteState, decoded: _AtomicMessage, lane: int) -> list[tuple[int, ...]]:
    """Runs the message for one lane alone; the cells that it looked at."""
    mask = decoded.execution.mask
    assert isinstance(mask, ExecMask)
    surface = state.surfaces[decoded.surface]
    assert isinstance(surface, NotingBuffer | NotingImage)
    surface.touched.clear()
    launched, state.exec_mask = state.exec_mask, 1 << mask.lane_offset + lane
    try:
        replace(decoded, execution=replace(decoded.execution, mask=ExecMask(mask & 7))).execute(state)
    finally:
        state.exec_mask = launched
    return list(surface.touched)


def _atomic_change(
    state: ConcreteState, decoded: _AtomicMessage, name: str, lane: int, cell: tuple[int, ...]
) -> Change:
    surface = state.surfaces[decoded.surface]
    if isinstance(surface, Buffer):
        outside = cell[0] + 4 > surface.size
        return Change(lane, name, cell[0], None if outside else surface.read(cell[0], 4), 4, outside)
    value = surface.texels.get((cell[0], cell[1], cell[2], cell[3]), 0)
    texel = ", ".join(str(part) for part in cell)
    return Change(
        lane, f"{name}({texel})", None, value, 4, not Image.contains(surface, (cell[0], cell[1], cell[2], cell[3]))
    )


def _surface_name(instance: Instance, key: str) -> str:
    return instance.surfaces.get(key, key)


def _register_changes(before: ConcreteState, after: ConcreteState, statement: syntax.Instruction) -> list[Change]:
    """The dwords of registers that hold something else than before."""
    changes: list[Change] = []
    for name, content in after.registers.items():
        old = before.registers.get(name, bytearray(len(content)))
        if content == old:
            continue
        for start in range(0, len(content), 4):
            if content[start : start + 4] != old[start : start + 4]:
                value = int.from_bytes(content[start : start + 4], "little")
                changes.append(Change(None, name, start, value, 4))
    return changes
