"""Replays a counterexample: its program is read, its state built, and `execute` runs.  No solver."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

import msgspec
from msgspec import Struct

from visaproof.checking import runs
from visaproof.checking.all_choices import under_each_choice
from visaproof.checking.confirm import violated
from visaproof.checking.counterexample import Counterexample, Outcome, Run, Violation
from visaproof.checking.replayed import collected
from visaproof.checking.states import state_from
from visaproof.checking.uninitialised_replay import two_runs
from visaproof.decode.message import OPCODES, decode
from visaproof.instructions import Instruction
from visaproof.isa.errors import IllegalInstruction, NotModelled, Position, ReadError
from visaproof.isa.platform import Platform, platform_named
from visaproof.isa.readings import DEFAULT, Readings, readings_from
from visaproof.launch.relations.obeyed_relations import broken
from visaproof.machine.concrete import run as concrete_run
from visaproof.semantics.concrete.choices import Choices
from visaproof.visaasm.linking.names import linked
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

Words = Generator[str, None, str]
"""What is not as recorded, and at the end what the run shows."""

NOTHING = "nothing"


class Replay(Struct, frozen=True):
    """A counterexample that was run again."""

    counterexample: Counterexample
    shows: str
    """What the run shows, whatever the file says."""
    differences: tuple[str, ...]
    """What is not as recorded, in words; empty where it replays."""


def replay(counterexample: Counterexample, path: str) -> Replay:
    """Runs it again; `path` is for messages.  Raises ReadError where its program or state is malformed."""
    try:
        platform = platform_named(counterexample.platform)
    except KeyError:
        raise _malformed(f"no platform {counterexample.platform!r}", path) from None
    kernel = linked(
        read_kernel("\n".join(counterexample.program), f"{path}, program", grf_bytes=platform.grf_bytes), {}
    )
    try:
        unlike = tuple(broken(counterexample.where, counterexample.state.registers))
        shown, differences = collected(_REPLAYS[counterexample.violation](counterexample, kernel, platform))
        return Replay(counterexample, shown, unlike + differences)
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise _malformed(f"its state does not fit its program: {type(error).__name__}: {error}", path) from error


def _malformed(message: str, path: str) -> ReadError:
    return ReadError(message, Position(path, 1, 1), "the format is described in counterexamples/README.md")


# ---------------------------------------------------------------- one instruction


def _instruction_again(counterexample: Counterexample, kernel: Kernel, platform: Platform) -> Words:
    """The one memory message of the program, executed once for each step of each run."""
    under = readings_from(counterexample.under)
    try:
        instruction = _message(kernel, platform, under)
        instruction.validate(platform, under)
    except (IllegalInstruction, NotModelled) as error:
        yield f"the instruction is no longer accepted: {error}"
        return NOTHING
    before = state_from(counterexample.state, counterexample.platform)
    again: list[Run] = []
    for recorded in counterexample.runs:
        again.append(runs.run(instruction, before, [int(mask, 16) for mask in recorded.steps]))
        yield from _compared(recorded.outcome, again[-1].outcome)
    if counterexample.under and counterexample.claimed is not None:
        before.readings = under
        read_so = runs.run(instruction, before, [before.exec_mask])
        yield from _compared(counterexample.claimed, read_so.outcome)
    if not violated(msgspec.structs.replace(counterexample, runs=again)):
        yield f"what execute leaves does not show that {counterexample.shows}"
        return NOTHING
    return counterexample.shows  # the name of a claim and of what breaks it: no outcome


def _instructions_again(counterexample: Counterexample, kernel: Kernel, platform: Platform) -> Words:
    """The memory messages of the program, one after another; what is claimed of them is not in the file."""
    try:
        messages = [one for one in kernel.instructions() if one.opcode in OPCODES]
        instructions = [decode(one, kernel, platform, DEFAULT) for one in messages]
        for instruction in instructions:
            instruction.validate(platform)
    except (IllegalInstruction, NotModelled) as error:
        yield f"the program is no longer accepted: {error}"
        return NOTHING
    again = runs.run_all(instructions, state_from(counterexample.state, counterexample.platform))
    yield from _compared(counterexample.runs[0].outcome, again.outcome)
    return counterexample.shows


def _message(kernel: Kernel, platform: Platform, readings: Readings) -> Instruction:
    messages = [statement for statement in kernel.instructions() if statement.opcode in OPCODES]
    if len(messages) != 1:
        end = Position(kernel.path, len(kernel.source_lines), 1)
        raise ReadError(f"the program has {len(messages)} memory messages; it needs one", end)
    return decode(messages[0], kernel, platform, readings)


def _compared(recorded: Outcome, observed: Outcome) -> Iterator[str]:
    """Where an outcome is not the recorded one.  The wording of an `undefined` may change."""
    if (recorded.undefined is None) != (observed.undefined is None):
        yield f"recorded: {_meaning(recorded)}; execute: {_meaning(observed)}"
    for place in sorted(recorded.changes.keys() | observed.changes.keys()):
        was, now = (outcome.changes.get(place, "unchanged") for outcome in (recorded, observed))
        if was != now:
            yield f"{place}: recorded {was}, execute leaves {now}"


def _meaning(outcome: Outcome) -> str:
    return "defined" if outcome.undefined is None else f"undefined ({outcome.undefined})"


# ---------------------------------------------------------------- a whole kernel


def _kernel_again(counterexample: Counterexample, kernel: Kernel, platform: Platform) -> Words:
    """The whole program, which must end undefined at the recorded line."""
    return (yield from _whatever_is_picked(lambda choices: _ends(counterexample, kernel, platform, choices)))


def _whatever_is_picked(words: Callable[[Choices], Words]) -> Words:
    """Those of the first choice of results that no page states under which there are objections."""
    shown = NOTHING
    for shown, found in under_each_choice(lambda choices: collected(words(choices))):
        yield from found
        if found:
            return shown
    return shown


def _ends(counterexample: Counterexample, kernel: Kernel, platform: Platform, choices: Choices) -> Words:
    state = replace(state_from(counterexample.state, platform.name), choices=choices)
    try:
        undefined = concrete_run.run(kernel, state).undefined
    except NotModelled as error:
        yield f"the kernel does not run any more: {error}"
        return NOTHING
    if undefined is None:
        yield f"the run is defined to its end, not undefined at line {counterexample.line}"
    elif undefined.position.line != counterexample.line:
        yield f"the run ends at line {undefined.position.line}, not {counterexample.line}: {undefined.message}"
    return NOTHING if undefined is None else f"line {undefined.position.line}: {undefined.message}"


def _outside_again(counterexample: Counterexample, kernel: Kernel, platform: Platform) -> Words:
    """The whole program, in which the message of the recorded line must reach outside its surface."""
    return (yield from _whatever_is_picked(lambda choices: _leaves(counterexample, kernel, platform, choices)))


def _leaves(counterexample: Counterexample, kernel: Kernel, platform: Platform, choices: Choices) -> Words:
    state = replace(state_from(counterexample.state, platform.name), choices=choices)

    def outside(message: concrete_run.PerformedMessage) -> bool:
        return bool(message.misses) and message.instruction.position.line == counterexample.line

    try:
        outcome = concrete_run.run(kernel, state, enough=outside)
    except NotModelled as error:
        yield f"the kernel does not run any more: {error}"
        return NOTHING
    found = next((one for one in outcome.performed if outside(one)), None)
    if found is None:
        yield f"every access of line {counterexample.line} stays inside its surface"
        return NOTHING
    at = ", ".join(map(hex, found.misses[0].cell))
    return f"line {counterexample.line} reaches {at}, outside {found.surface}"


def _uninitialised_again(counterexample: Counterexample, kernel: Kernel, platform: Platform) -> Words:
    """The whole program from two states, which differ in what nothing writes before the recorded line."""
    try:
        again = two_runs(counterexample, kernel)
    except NotModelled as error:
        yield f"the kernel does not run any more: {error}"
        return NOTHING
    yield from again.objections
    for recorded, outcome in zip(counterexample.runs, again.outcomes, strict=True):
        yield from _compared(recorded.outcome, outcome)
    left = "the same" if again.outcomes[0] == again.outcomes[1] else "different"
    what = ", ".join(again.variables)
    return (
        f"line {counterexample.line} reads uninitialised {what}: two runs with other values of it leave {left} memory"
    )


_Again = Callable[[Counterexample, Kernel, Platform], Words]

_REPLAYS: dict[Violation, _Again] = {
    "claim-differs": _instruction_again,
    "orders-differ": _instruction_again,
    "two-winners": _instruction_again,
    "claim-fails": _instructions_again,
    "lanes-collide": _kernel_again,
    "undefined": _kernel_again,
    "outside": _outside_again,
    "unwritten": _uninitialised_again,
}
"""How each kind of finding runs again."""
