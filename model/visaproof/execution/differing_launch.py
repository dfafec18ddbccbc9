"""A launch on which two kernels end with different buffers: both are run whole, on the same contents.

Only launches count in which the source is defined, races with nothing and stays inside of its buffers.
"""

import random
import struct
from collections.abc import Iterator, Mapping

from msgspec import Struct

from visaproof.execution.arguments import Content, LocalBytes, Parameters, parameters, prepare
from visaproof.execution.example_launch import NoLaunch, sizes_text
from visaproof.execution.payload import Program
from visaproof.execution.run import Memory, Ran, run_launch
from visaproof.execution.shape import Shape
from visaproof.execution.usual_launches import LOCAL_BYTES, Candidate, Stated, UsualLaunches
from visaproof.isa.errors import NotModelled, ReadError

MOST_RUNS = 24
MOST_STATEMENTS = 20_000
"""Of one thread of a run."""
BUFFER_BYTES = 1 << 12
"""Of a buffer of which no size is stated."""
FLOATING = "float"
DWORD = 4
MOST_ARGUMENTS = 100
"""No two buffers of a launch have the same contents."""


class DifferingLaunch(Struct, frozen=True):
    """A launch of both kernels, and where they differ."""

    shape: Shape
    arguments: Mapping[int, str]
    buffers: Mapping[int, str]
    """As `visaproof run` takes them, by the index of the argument."""
    takes: Parameters
    what: str
    """What differs."""

    def options(self) -> Iterator[tuple[str, str]]:
        """The options of `visaproof run` that make it, of either kernel."""
        yield "--global-size", sizes_text(self.shape.global_size)
        yield "--local-size", sizes_text(self.shape.local_size)
        yield from (("--arg", f"{self.takes.shown(index)}={value}") for index, value in self.arguments.items())
        yield from (("--buffer", f"{self.takes.shown(index)}={value}") for index, value in self.buffers.items())


def find_differing(source: Program, target: Program, stated: Stated) -> DifferingLaunch | NoLaunch:
    """A launch on which the buffers end differently, or the target is undefined and the source is not."""
    if not (source.launch.meanings and target.launch.meanings):
        return NoLaunch("without launch information (`--launch FILE`) no launch is known")
    takes, others = parameters(source), parameters(target)
    if set(takes.values) != set(others.values) or _buffers(takes) != _buffers(others) or takes.locals != others.locals:
        return NoLaunch("both kernels do not take the same arguments")
    runs, why_not = 0, ""
    for seed, candidate in enumerate(UsualLaunches(source, stated)):
        if runs == MOST_RUNS:
            break
        runs += 1
        try:
            found = _difference(source, target, candidate, takes, seed)
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


def _difference(
    source: Program, target: Program, candidate: Candidate, takes: Parameters, seed: int
) -> DifferingLaunch | None:
    launches = UsualLaunches(source, Stated())
    arguments = launches.arguments(candidate)
    contents = dict(_contents(source, takes, seed))
    ends: list[tuple[Ran, Memory]] = []
    for program in (source, target):
        buffers = {index: content for index, (_, content) in contents.items()}
        values, memory = prepare(program, candidate.shape, arguments, buffers)
        ran = run_launch(program, values, memory, most=MOST_STATEMENTS)
        ends.append((ran, memory))
        if program is source and (ran.undefined is not None or ran.races or ran.outside or ran.unwritten):
            return None
    what = _what(takes, *ends)
    texts = {index: text for index, (text, _) in contents.items()}
    return DifferingLaunch(candidate.shape, arguments, texts, takes, what) if what else None


def _contents(program: Program, takes: Parameters, seed: int) -> Iterator[tuple[int, tuple[str, Content]]]:
    """What each buffer holds, as an option of `visaproof run` and as bytes: floats where the launch says so."""
    for index in sorted(_buffers(takes)):
        own_seed = MOST_ARGUMENTS * seed + index
        if program.launch.info(index).type_name.startswith(FLOATING):
            count, own = BUFFER_BYTES // DWORD, random.Random(own_seed)
            numbers = (own.uniform(-1, 1) for _ in range(count))
            yield index, (f"floats:{count}:{own_seed}", struct.pack(f"<{count}f", *numbers))
        else:
            yield index, (f"random:{BUFFER_BYTES}:{own_seed}", random.Random(own_seed).randbytes(BUFFER_BYTES))
    for index in takes.locals:
        yield index, (f"local:{LOCAL_BYTES}", LocalBytes(LOCAL_BYTES))


def _what(takes: Parameters, source: tuple[Ran, Memory], target: tuple[Ran, Memory]) -> str:
    """What differs; empty where nothing does."""
    if (end := target[0].undefined) is not None:
        return f"the target is undefined in line {end.position.line}: {end.message}"
    if target[0].races:  # its result depends on the order of the threads
        return ""
    for index, buffer in source[1].buffers.items():
        one, other = bytes(buffer.data), bytes(target[1].buffers[index].data) if index in target[1].buffers else b""
        if index in takes.symbols or one == other:
            continue
        first = next(place for place in range(len(one)) if one[place : place + 1] != other[place : place + 1])
        first -= first % DWORD
        words = [int.from_bytes(each[first : first + DWORD], "little") for each in (one, other)]
        name = takes.shown(index)
        place = f"the dword at byte {first:#x} of {name}"
        return f"{place} is {words[0]:#010x} after the source and {words[1]:#010x} after the target"
    return ""
