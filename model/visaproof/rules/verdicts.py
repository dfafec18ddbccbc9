"""What can be said of a rewrite rule, and the run that shows that one is wrong."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from visaproof.decode import message as messages
from visaproof.isa.errors import Position
from visaproof.machine.concrete.run import PerformedMessage
from visaproof.program.statements import Origin
from visaproof.program.statements import Run as Statement
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.observed import is_register, register_name
from visaproof.refinement.testing.memory import IMAGE_SIZE, texel_at
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.verdicts import ByteDiffers, Difference, RegisterDiffers, Unknown, Vacuous
from visaproof.rules.language.instances import Instance, rule_place
from visaproof.rules.programs import Prepared, surface_name
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, LaneWrite
from visaproof.semantics.symbolic.names import extents_like

Place = tuple[str, tuple[int, ...]]
"""A surface or a register, and the byte or the texel in it."""


class Change(Struct, frozen=True):
    """One thing that a lane of an instruction did."""

    lane: int | None
    """Of the thread; None where an instruction acts as a whole."""
    where: str
    address: int | None
    """None of a texel."""
    after: int | None
    width: int
    dropped: bool = False


class Step(Struct, frozen=True):
    """An instruction that ran, and what it did."""

    text: str
    position: Position
    changes: tuple[Change, ...]


class Run(Struct, frozen=True):
    """One side on the counterexample's inputs."""

    steps: tuple[Step, ...]
    undefined: str
    """Why it is undefined from there on, or ""."""
    memory: Mapping[Place, int]
    """Bytes, or texels, that differ from those before."""
    observed: Mapping[Place, int]


class Counterexample(Struct, frozen=True):
    """Inputs on which the target does what the source cannot do."""

    instance: Instance
    difference: Difference
    """The start of both runs, and what differs."""
    sizes: Mapping[str, tuple[int, ...]]
    """Bytes of each buffer, width, height and depth of each image."""
    contents: Mapping[Place, int]
    """What memory holds before: bytes, or texels; 0 where nothing is said."""
    source: Run
    target: Run
    place: Place | None
    """Where both differ; None where the target is undefined."""
    before: int


class Proved(Struct, frozen=True):
    """Every instance holds."""

    stages: tuple[str, ...]
    """What decided the instances, each once."""
    instances: int
    undefined_lanes: tuple[int, ...] = ()
    """Nothing is shown of these: in some instance the source is undefined as soon as one of them runs."""


class Refuted(Struct, frozen=True):
    """An instance fails, as a run of both sides shows."""

    counterexample: Counterexample


class Illegal(Struct, frozen=True):
    """The target is no instruction of its page."""

    instance: Instance
    reason: str
    position: Position


Verdict = Proved | Refuted | Illegal | Unknown | Vacuous
"""Of a rule; the last two are those of refinement."""


class Right(Struct, frozen=True):
    """The target of an instance does what its source does, as `by` shows."""

    by: str
    undefined_lanes: tuple[int, ...]
    """Those with which the source is undefined though the conditions allow them: nothing is shown of them."""


OfInstance = Right | Refuted | Unknown | Vacuous
"""Of one instance."""


# ---------------------------------------------------------------- counterexamples


def counterexample_of(ready: Prepared, comparison: Comparison, found: Difference) -> Counterexample:
    """Both runs once more, with what each instruction did."""
    source, target = (_run(ready.instance, one, comparison, found) for one in ready.runners)
    contents, before, place = dict(_contents(found.memory)), 0, _place(found)
    match found.what:
        case ByteDiffers(before=held):
            before = held
        case RegisterDiffers(surface, address):
            start = ready.runners[0].prepared(found.memory, comparison.question.lanes, found.values)
            before = start.state.registers[register_name(surface)][address]
        case _:
            pass
    return Counterexample(
        ready.instance, found, _sizes(ready, found), contents, source, target,
        place, before,
    )  # fmt: skip


def _place(found: Difference) -> Place | None:
    match found.what:
        case ByteDiffers(surface, address):
            image = found.memory[surface][0] == IMAGE_SIZE
            return surface, texel_at(address)[0] if image else (address,)
        case RegisterDiffers(surface, address):
            return register_name(surface), (address,)
        case _:
            return None


def _contents(memory: Mapping[str, tuple[int, Mapping[int, int]]]) -> Iterator[tuple[Place, int]]:
    """What memory holds: bytes, or texels."""
    for name, (size, contents) in memory.items():
        if not is_register(name):
            for at, value in contents.items():
                yield (name, texel_at(at)[0] if size == IMAGE_SIZE else (at,)), value


def _sizes(ready: Prepared, found: Difference) -> dict[str, tuple[int, ...]]:
    sizes: dict[str, tuple[int, ...]] = {}
    for name, (size, _) in found.memory.items():
        images = [one.images[name] for one in ready.runners if name in one.images]
        if images:
            extents = extents_like(images[0].levels[0], name, 0)
            sizes[name] = tuple(found.values.get(one, 1) for one in extents)
        elif not is_register(name):
            sizes[name] = (size,)
    return sizes


def _run(instance: Instance, runner: Runner, comparison: Comparison, found: Difference) -> Run:
    """One side's run."""
    start = runner.prepared(found.memory, comparison.question.lanes, found.values)
    target = runner is comparison.runners[1]
    start.state.backwards = target and found.backwards
    start.state.readings = found.readings if target else start.state.readings
    before = {name: bytes(content) for name, content in start.state.registers.items()}
    seen: list[tuple[Origin, list[Change]]] = []

    def observe(statement: Statement, state: ConcreteState) -> None:
        seen.append((statement.origin, list(_register_changes(before, state))))
        before.update({name: bytes(content) for name, content in state.registers.items()})

    ran = runner.run_from(start, found.memory, observe)
    performed = list(ran.outcome.performed)
    steps: list[Step] = []
    for statement, changes in seen:
        if performed and performed[0].instruction is statement:
            changes = [*_writes(instance, performed.pop(0), start.state), *changes]
        steps.append(_step(instance, runner, statement, changes))
    undefined = ran.outcome.undefined
    if undefined is not None:
        statement = list(runner.kernel.instructions())[len(seen)]  # a template is a sequence
        steps.append(_step(instance, runner, statement, []))
    old = dict(_contents(found.memory))
    memory = {place: value for place, value in _contents(ran.memory) if value != old.get(place, 0)}
    observed = {
        (name, (at,)): byte for name, _ in instance.rule.observed for at, byte in enumerate(start.state.registers[name])
    }
    return Run(tuple(steps), "" if undefined is None else undefined.message, memory, observed)


def _step(instance: Instance, runner: Runner, statement: Origin, changes: list[Change]) -> Step:
    return Step(statement.text, rule_place(instance, runner.kernel, statement.position), tuple(changes))


def _writes(instance: Instance, performed: PerformedMessage, state: ConcreteState) -> Iterator[Change]:
    """What a message wrote, lane by lane; of an atomic what each lane left, in the order in which they came."""
    surface, name = state.surfaces[performed.surface], surface_name(instance, performed.surface)
    first = performed.instruction.first_lane
    for write in performed.changed or performed.writes:
        lane = None if write.lane is None else first + write.lane
        if isinstance(write, LaneWrite):
            outside = isinstance(surface, Buffer) and write.address + write.width > surface.size
            yield Change(lane, name, write.address, None if outside else write.value, write.width, outside)
        else:
            yield Change(lane, f"{name}({', '.join(map(str, write.texel))})", None, write.value, 4)
    if performed.instruction.opcode in messages.OPCODES and not performed.changed and not performed.writes:
        for miss in performed.misses:
            where = name if len(miss.cell) == 1 else f"{name}({', '.join(map(str, miss.cell))})"
            yield Change(None, where, miss.cell[0] if len(miss.cell) == 1 else None, None, 4, dropped=True)


def _register_changes(before: Mapping[str, bytes], state: ConcreteState) -> Iterator[Change]:
    """The dwords of registers that hold something else than before."""
    for name, now in state.registers.items():
        content = bytes(now)
        old = before.get(name, bytes(len(content)))
        for start in range(0, len(content) if content != old else 0, 4):
            if content[start : start + 4] != old[start : start + 4]:
                yield Change(None, name, start, int.from_bytes(content[start : start + 4], "little"), 4)
