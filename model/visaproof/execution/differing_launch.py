"""A launch on which two kernels end with different buffers: both are run whole, on the same contents.

Only launches count in which the source is defined, races with nothing and stays inside of its buffers.
"""

import random
import struct
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct

from visaproof.execution.arguments import Content, LocalBytes, Parameters, PartOf, parameters, prepare
from visaproof.execution.contents import small_numbers
from visaproof.execution.elements import Element, element_at
from visaproof.execution.example_launch import NoLaunch, sizes_text
from visaproof.execution.payload import Program
from visaproof.execution.run import Memory, Ran, run_launch
from visaproof.execution.shape import Shape
from visaproof.execution.usual_launches import LOCAL_BYTES, Candidate, Stated, UsualLaunches
from visaproof.isa.errors import NotModelled, ReadError

MOST_RUNS = 40
MOST_STATEMENTS = 20_000
"""Of one thread of a run."""
BUFFER_BYTES = 1 << 12
"""Of a buffer of which no size is stated."""
FLOATING = "float"
DWORD = 4
MOST_ARGUMENTS = 100
"""No two buffers of a launch have the same contents."""
NO_PARTS: Mapping[int, PartOf] = MappingProxyType({})
MOST_NAMED = 4
"""Arguments that are named in a sentence."""


class Left(Struct, frozen=True):
    """An element of a buffer that holds something else after the target."""

    argument: int
    address: int
    """The first byte that differs."""
    element: Element
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.element.place} is {self.source} after the source and {self.target} after the target"


class TargetStops(Struct, frozen=True):
    """The target is undefined."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"the target is undefined in line {self.line}: {self.message}"


class DifferingLaunch(Struct, frozen=True):
    """A launch of both kernels, and where they differ."""

    shape: Shape
    arguments: Mapping[int, str]
    buffers: Mapping[int, str]
    """As `visaproof run` takes them, by the index of the argument."""
    takes: Parameters
    left: "Left | TargetStops"
    """What differs."""
    contents: Mapping[int, Content]
    """Of buffers before the launch, by the index of the argument."""

    @property
    def named(self) -> str:
        """Work items and arguments, in a few words."""
        items = f"{self.shape.items} work item{'s' * (self.shape.items > 1)}"
        shown = [f"{self.takes.shown(index)} = {value}" for index, value in self.arguments.items()]
        return f"{items} with {', '.join(shown)}" if 0 < len(shown) <= MOST_NAMED else items

    def options(self) -> Iterator[tuple[str, str]]:
        """The options of `visaproof run` that make it, of either kernel."""
        yield "--global-size", sizes_text(self.shape.global_size)
        yield "--local-size", sizes_text(self.shape.local_size)
        yield from (("--arg", f"{self.takes.shown(index)}={value}") for index, value in self.arguments.items())
        yield from (("--buffer", f"{self.takes.shown(index)}={value}") for index, value in self.buffers.items())


def find_differing(
    source: Program, target: Program, stated: Stated, parts: Mapping[int, PartOf] = NO_PARTS
) -> DifferingLaunch | NoLaunch:
    """A launch on which the buffers end differently, or the target is undefined and the source is not.

    In it these arguments point into others.
    """
    if not (source.launch.meanings and target.launch.meanings):
        return NoLaunch("without launch information (`--launch FILE`) no launch is known")
    takes, others = parameters(source), parameters(target)
    if set(takes.values) != set(others.values) or _buffers(takes) != _buffers(others) or takes.locals != others.locals:
        return NoLaunch("both kernels do not take the same arguments")
    runs, why_not = 0, ""
    for candidate, contents in _tried(source, takes, stated, parts):
        if runs == MOST_RUNS:
            break
        runs += 1
        try:
            found = _difference(source, target, candidate, takes, contents)
        except ReadError as error:  # every launch needs what is missing
            return NoLaunch(error.message)
        except NotModelled as error:
            why_not = f" ({error.what})"
            continue
        if found is not None:
            return found
    return NoLaunch(f"of {runs} small ones none shows it{why_not}")


def _buffers(takes: Parameters) -> set[int]:
    """The buffers that are arguments."""
    return {index for index in takes.buffers if index not in takes.symbols}


Contents = Mapping[int, tuple[str, Content]]
"""Of buffers, by the index of the argument, as an option of `visaproof run` and as bytes."""


def _tried(
    source: Program, takes: Parameters, stated: Stated, parts: Mapping[int, PartOf]
) -> Iterator[tuple[Candidate, Contents]]:
    """Each usual launch with small numbers in its buffers, which are easy to read and may be indices, then with any."""
    for seed, candidate in enumerate(UsualLaunches(source, stated)):
        small, random = (dict(_contents(source, takes, seed, small)) for small in (True, False))
        shared = {index: (_part_text(takes, part), part) for index, part in parts.items()}
        yield candidate, small | shared
        if small != random:
            yield candidate, random | shared


def _part_text(takes: Parameters, part: PartOf) -> str:
    return takes.shown(part.argument) + (f"+{part.offset}" if part.offset else "")


def _difference(
    source: Program, target: Program, candidate: Candidate, takes: Parameters, contents: Contents
) -> DifferingLaunch | None:
    launches = UsualLaunches(source, Stated())
    arguments = launches.arguments(candidate)
    ends: list[tuple[Ran, Memory]] = []
    for program in (source, target):
        buffers = {index: content for index, (_, content) in contents.items()}
        values, memory = prepare(program, candidate.shape, arguments, buffers)
        ran = run_launch(program, values, memory, most=MOST_STATEMENTS)
        ends.append((ran, memory))
        if program is source and (ran.undefined is not None or ran.races or ran.outside or ran.uninitialised):
            return None
    left = _left(source, takes, *ends)
    texts = {index: text for index, (text, _) in contents.items()}
    held = {index: content for index, (_, content) in contents.items()}
    return None if left is None else DifferingLaunch(candidate.shape, arguments, texts, takes, left, held)


def _contents(program: Program, takes: Parameters, seed: int, small: bool) -> Iterator[tuple[int, tuple[str, Content]]]:
    """What each buffer holds: floats where the launch says so."""
    for index in sorted(_buffers(takes)):
        own_seed = MOST_ARGUMENTS * seed + index
        if program.launch.info(index).type_name.startswith(FLOATING):
            count, own = BUFFER_BYTES // DWORD, random.Random(own_seed)
            numbers = (own.uniform(-1, 1) for _ in range(count))
            yield index, (f"floats:{count}:{own_seed}", struct.pack(f"<{count}f", *numbers))
        elif small:
            count = BUFFER_BYTES // DWORD
            yield index, (f"small:{count}:{own_seed}", small_numbers(count, own_seed))
        else:
            yield index, (f"random:{BUFFER_BYTES}:{own_seed}", random.Random(own_seed).randbytes(BUFFER_BYTES))
    for index in takes.locals:
        yield index, (f"local:{LOCAL_BYTES}", LocalBytes(LOCAL_BYTES))


def _left(
    program: Program, takes: Parameters, source: tuple[Ran, Memory], target: tuple[Ran, Memory]
) -> Left | TargetStops | None:
    """What differs; None where nothing does, or where it depends on the order of the target's threads."""
    if (end := target[0].undefined) is not None:
        return TargetStops(end.position.line, end.message)
    if target[0].races:
        return None
    for index, buffer in source[1].buffers.items():
        one, other = bytes(buffer.data), bytes(target[1].buffers[index].data) if index in target[1].buffers else b""
        if index in takes.symbols or one == other:
            continue
        address = next(place for place in range(len(one)) if one[place : place + 1] != other[place : place + 1])
        element = element_at(program.launch.info(index), takes.shown(index), address)
        part = slice(element.first, element.first + element.size)
        return Left(index, address, element, element.value(one[part]), element.value(other[part]))
    return None
