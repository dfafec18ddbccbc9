"""The options of `visaproof run`, read: sizes, arguments, buffers, files and what is traced."""

import random
import struct
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.cli.options.errors import UsageError

if TYPE_CHECKING:
    from visaproof.execution.arguments import Content, LocalBytes, Parameters, PartOf
    from visaproof.execution.payload import Program
    from visaproof.execution.run import Engine
    from visaproof.execution.shape import Shape, Triple
    from visaproof.execution.trace import Traced

MOST_BYTES = 1 << 28
"""Of one buffer."""
BUFFER_FORMS = (
    "@FILE, zeros:BYTES, zeros:BYTES:OFFSET=HEX,..., random:BYTES[:SEED], floats:COUNT[:SEED], small:COUNT[:SEED], "
    "counting:COUNT, local:BYTES or BUFFER+OFFSET"
)


def launch_shape(arguments: Namespace, program: "Program") -> "Shape":
    """The sizes of the launch.  Raises UsageError for those that no launch has."""
    from visaproof.execution.shape import MOST_ITEMS, Shape
    from visaproof.launch.ids.local_ids import MOST_GROUP_ITEMS

    grid, dimensions = _triple("--global-size", arguments.global_size, 1)
    offset, _ = _triple("--global-offset", arguments.global_offset, 0, filler=0)
    required = program.launch.group_size
    if arguments.group is not None:
        group, _ = _triple("--local-size", arguments.group, 1)
    else:
        if required is None and _is_shared(program):
            raise UsageError("--local-size is missing: the work items of a group wait for each other, or share memory")
        group = required or (_divisor(grid[0], program.simd), 1, 1)
    if required is not None and group != required:
        shown = ",".join(map(str, required))
        raise UsageError(f"--local-size: the kernel requires groups of {shown} work items", f"--local-size {shown}")
    shape = Shape(grid, group, offset, dimensions)
    if not shape.is_uniform and (refused := _why_whole(program)):
        raise UsageError(f"--global-size {_shown(grid)} is no multiple of --local-size {_shown(group)}", refused)
    if shape.items > MOST_ITEMS:
        raise UsageError(f"--global-size: {shape.items:,} work items", f"at most {MOST_ITEMS:,}")
    if shape.group_items > MOST_GROUP_ITEMS:
        raise UsageError(f"--local-size: {shape.group_items:,} work items", f"at most {MOST_GROUP_ITEMS:,}")
    return shape


def _why_whole(program: "Program") -> str:
    """Why the last group may not be smaller; empty where it may."""
    from visaproof.launch.ids.local_ids import Host

    if program.launch.uniform:
        return "by its build options the program refuses smaller last groups"
    return "Level Zero launches whole groups" if program.launch.host is Host.LEVEL_ZERO else ""


def _is_shared(program: "Program") -> bool:
    """Whether the result depends on which work items are one group."""
    return program.launch.slm_bytes > 0 or any(each.opcode == "barrier" for each in program.kernel.instructions())


def _divisor(size: int, simd: int) -> int:
    """The largest number of work items that fit one thread and divide the launch."""
    return next(count for count in range(min(size, max(simd, 1)), 0, -1) if size % count == 0)


def _triple(option: str, text: str, least: int, filler: int = 1) -> "tuple[Triple, int]":
    words = text.split(",")
    if len(words) > 3 or not all(word.isascii() and word.isdecimal() and len(word) < 11 for word in words):
        raise UsageError(
            f"{option} {text}: not one, two or three numbers", f"for example {option} 64 or {option} 32,16"
        )
    numbers = [int(word) for word in words]
    if any(not least <= number < 2**32 for number in numbers):
        raise UsageError(f"{option} {text}: each number is {least} to {2**32 - 1}")
    x, y, z = (*numbers, filler, filler)[:3]
    return (x, y, z), len(numbers)


def _shown(triple: "Triple") -> str:
    return ",".join(map(str, triple))


def passed(arguments: Namespace, takes: "Parameters") -> "tuple[dict[int, str], dict[int, Content]]":
    """By-value arguments as they were written, and the content of buffers, by index."""
    by_value: dict[int, str] = {}
    for option in arguments.arg:
        index, text = pair("--arg", option, takes)
        _once("--arg", by_value, index, takes)
        by_value[index] = text
    buffers: dict[int, Content] = {}
    for option in arguments.buffer:
        index, text = pair("--buffer", option, takes)
        _once("--buffer", buffers, index, takes)
        buffers[index] = _part(text, takes) or _content(option, text)
    return by_value, buffers


def outputs(arguments: Namespace, takes: "Parameters") -> dict[int, Path]:
    """The file of each buffer that is written out."""
    files: dict[int, Path] = {}
    for option in arguments.out:
        index, text = pair("--out", option, takes)
        _once("--out", files, index, takes)
        if not text.startswith("@") or len(text) == 1 or index not in takes.buffers:
            raise UsageError(f"--out {option}: not BUFFER=@FILE", "buffers: " + _names(takes))
        files[index] = Path(text[1:])
        if (files[index].exists() and not files[index].is_file()) or not files[index].parent.is_dir():
            raise UsageError(f"--out {option}: no such folder, or no file", "buffers are written to files @FILE")
    return files


def _names(takes: "Parameters") -> str:
    return ", ".join(takes.shown(index) for index in takes.buffers) or "none"


def pair(option: str, text: str, takes: "Parameters") -> tuple[int, str]:
    """The argument and the value of `ARG=VALUE`."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals and value):
        raise UsageError(f"{option} {text}: not ARGUMENT=VALUE", "an argument is named by its name or its index")
    return takes.index(name, option), value


def _once(
    option: str,
    known: "dict[int, str] | dict[int, Content] | dict[int, Path]",
    index: int,
    takes: "Parameters",
) -> None:
    if index in known:
        raise UsageError(f"{option}: {takes.shown(index)} is given twice")


def _part(text: str, takes: "Parameters") -> "PartOf | None":
    """The buffer of another argument, from a byte on: `0+16`, `src+16`, or `src` from its first byte on."""
    from visaproof.execution.arguments import PartOf

    name, plus, offset = (word.strip() for word in text.partition("+"))
    number = offset if plus else "0"
    if ":" in text or text.startswith("@") or not (number.isascii() and number.isdecimal() and len(number) < 12):
        return None
    return PartOf(takes.index(name, "--buffer"), int(number))


def _content(option: str, text: str) -> "bytes | LocalBytes":
    from visaproof.execution.arguments import LocalBytes
    from visaproof.execution.contents import counting_numbers, small_numbers

    if text.startswith("@"):
        return file_content(f"--buffer {option}", Path(text[1:]))
    kind, _, rest = text.partition(":")
    size, _, seed = rest.partition(":")
    held, seed = _held(option, seed) if kind == "zeros" and seed else ({}, seed)
    if not all(word.isascii() and word.isdecimal() and len(word) < 20 for word in (size, seed or "0")):
        raise UsageError(f"--buffer {option}: no such content", BUFFER_FORMS)
    count, generator = int(size), random.Random(int(seed or "0"))
    if count * (4 if kind in ("floats", "small", "counting") else 1) > MOST_BYTES:
        raise UsageError(f"--buffer {option}: too large", f"at most {MOST_BYTES:,} bytes")
    match kind:
        case "zeros":
            return _zeros(option, count, held)
        case "random":
            return generator.randbytes(count)
        case "floats":
            return struct.pack(f"<{count}f", *(generator.uniform(-1, 1) for _ in range(count)))
        case "small":
            return small_numbers(count, int(seed or "0"))
        case "counting" if not seed:
            return counting_numbers(count)
        case "local" if not seed:
            return LocalBytes(count)
        case _:
            raise UsageError(f"--buffer {option}: no such content", BUFFER_FORMS)


def _held(option: str, text: str) -> tuple[dict[int, int], str]:
    """The bytes that are given; nothing is left of the text."""
    from visaproof.execution.contents import read_held

    try:
        return read_held(text), ""
    except ValueError:
        raise UsageError(f"--buffer {option}: no such content", BUFFER_FORMS) from None


def _zeros(option: str, count: int, held: dict[int, int]) -> bytes:
    from visaproof.execution.contents import zeros_but_for

    if max(held, default=-1) >= count:
        raise UsageError(f"--buffer {option}: no such byte", f"the last one of {count} is {count - 1:#x}")
    return zeros_but_for(count, held)


def file_content(option: str, path: Path) -> bytes:
    """The bytes of a file that an option names."""
    from visaproof.visaasm.file_content import opened

    try:
        with opened(path) as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"{option}: {reason}") from None
    if len(content) > MOST_BYTES:
        raise UsageError(f"{option}: too large", f"at most {MOST_BYTES:,} bytes")
    return content


def engine_option(arguments: Namespace, *, reaches_texels: bool) -> "Engine":
    """What runs the launch: arrays, but for what only the scalar engine answers."""
    from visaproof.execution.run import Engine

    alone = "with `--trace`" if arguments.trace else "with `--races`" if arguments.races else "here"
    if alone == "here" and not reaches_texels:
        return Engine(arguments.engine or "arrays")
    if arguments.engine == "arrays":
        what = "traces nothing" if arguments.trace else "sees no races" if arguments.races else "reaches no texels"
        raise UsageError(f"--engine arrays: it {what}", f"`--engine scalar` does, and is the default {alone}")
    return Engine.SCALAR


def traced(arguments: Namespace, shape: "Shape", program: "Program") -> "Traced | None":
    """The thread, and perhaps the lane, of `--trace group=G,thread=T,lane=L`."""
    from visaproof.execution.shape import ThreadId
    from visaproof.execution.trace import Traced

    if arguments.trace is None:
        return None
    numbers = {"group": 0, "thread": 0, "lane": -1}
    for part in arguments.trace.split(","):
        name, equals, value = part.strip().partition("=")
        if name not in numbers or not equals or not (value.isascii() and value.isdecimal() and len(value) < 9):
            raise UsageError(f"--trace {arguments.trace}: {part!r} is not group=G, thread=T or lane=L")
        numbers[name] = int(value)
    threads = program.threads(shape, shape.group(min(numbers["group"], shape.group_total - 1)))
    if numbers["group"] >= shape.group_total or numbers["thread"] >= threads or numbers["lane"] >= max(program.simd, 1):
        most = f"group 0 to {shape.group_total - 1}, thread 0 to {threads - 1}, lane 0 to {program.simd - 1}"
        raise UsageError(f"--trace {arguments.trace}: the launch has no such thread or lane", most)
    lane = None if numbers["lane"] < 0 else numbers["lane"]
    return Traced(ThreadId(shape.group(numbers["group"]), numbers["thread"]), lane)
