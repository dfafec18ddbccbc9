"""A finding of a kernel as a launch that a host makes: `visaproof run`, and an OpenCL program with its host."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from visaproof.checking.counterexample import Counterexample
from visaproof.execution.example_launch import Event, ExampleLaunch, NoLaunch, find_launch
from visaproof.execution.payload import Program
from visaproof.execution.usual_launches import MOST_BUFFER, Stated
from visaproof.isa.surface_keys import TableEntry

EVENTS = {"lanes-collide": Event.COLLISION, "outside": Event.OUTSIDE}
"""Findings that a launch can show."""


def launch_that_shows(found: Counterexample, program: Program) -> ExampleLaunch | NoLaunch:
    """A launch in which it happens, found by running some."""
    event = EVENTS.get(found.violation)
    if event is None:
        return NoLaunch("it is not about what lanes of a kernel write, or reach outside: `visaproof replay` runs it")
    if [line.rstrip() for line in found.program] != [line.rstrip() for line in program.kernel.source_lines]:
        return NoLaunch(f"{program.kernel.path} is another kernel than that of the counterexample")
    positions = (one.position for one in program.kernel.instructions() if one.position.line == found.line)
    position = next(positions, None)
    if position is None:
        return NoLaunch(f"{program.kernel.path} has no statement on line {found.line}")
    sizes = {
        argument: surface.size
        for index, argument in program.launch.binding_table.items()
        if (surface := found.state.surfaces.get(str(TableEntry(index)))) is not None
        and surface.size is not None
        and 0 < surface.size <= MOST_BUFFER
    }
    stated = sizes if event is Event.OUTSIDE else {}
    return find_launch(program, position, event, Stated(sizes=lambda index, _: stated.get(index)))


def run_command(launch: ExampleLaunch, kernel: Path, launch_file: Path) -> str:
    """The command that runs it."""
    options = [word for pair in launch.options() for word in pair]
    return shlex.join(["visaproof", "run", str(kernel), "--launch", str(launch_file), *options])


HOST = '''"""{shows}.

{what}, in a launch that visaproof ran ({thread}).  Written by
`visaproof replay --emit opencl`; needs pyopencl and a device.  On it, compare what the buffers hold: where two lanes
write one place, either may win, and another device may choose otherwise.
"""

import numpy
import pyopencl

SOURCE = r"""
{source}
"""
GLOBAL_SIZE, LOCAL_SIZE = {global_size}, {local_size}

context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
kernel = pyopencl.Kernel(pyopencl.Program(context, SOURCE).build(), {name!r})


def buffer(data):
    flags = pyopencl.mem_flags
    held = numpy.frombuffer(data, "uint8").copy()
    return pyopencl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=held)


buffers = {{}}
{arguments}
pyopencl.enqueue_nd_range_kernel(queue, kernel, GLOBAL_SIZE, LOCAL_SIZE)
for name, (memory, size) in buffers.items():
    held = numpy.empty(size, "uint8")
    pyopencl.enqueue_copy(queue, held, memory)
    words = held[: size // 4 * 4].view("uint32")
    changed = [f"{{name}}[{{at}}] = {{words[at]:#x}}" for at in numpy.flatnonzero(words)[:64]]
    print(f"{{name}}: {{size}} bytes; dwords that are not 0:", ", ".join(changed) or "none")
queue.finish()
'''


def opencl_program(found: Counterexample, launch: ExampleLaunch, program: Program, source: str) -> str:
    """A Python host with the OpenCL C source in it.  Raises ValueError for what such a host cannot pass."""
    if '"""' in source or source.rstrip().endswith("\\"):
        raise ValueError('the source holds """, or ends with a backslash')
    shape = launch.shape
    return HOST.format(
        shows=found.shows,
        what=launch.what,
        thread=launch.thread,
        source=source.rstrip(),
        global_size=shape.global_size[: shape.dimensions],
        local_size=shape.local_size[: shape.dimensions],
        name=program.kernel.name,
        arguments="\n".join(_arguments(launch)),
    )


def _arguments(launch: ExampleLaunch) -> Iterator[str]:
    takes = launch.takes
    for index, text in launch.arguments.items():
        slots = takes.values[index]
        kind = "float" if slots[0].type.floating else "int"
        width, count = slots[0].size, len(text.split(","))
        dtype = f"{kind}{8 * width}" if width > 1 or kind == "int" else "float32"
        value = f"numpy.array([{text}], {dtype!r})" if count > 1 else f"numpy.{dtype}({text})"
        yield f"kernel.set_arg({index}, {value})  # {takes.shown(index)}"
    for index, text in launch.buffers.items():
        form, _, size = text.partition(":")
        name = takes.shown(index)
        if form == "local":
            yield f"kernel.set_arg({index}, pyopencl.LocalMemory({int(size)}))  # {name}"
        elif form == "zeros":
            yield f"buffers[{name!r}] = (buffer(bytes({int(size)})), {int(size)})"
            yield f"kernel.set_arg({index}, buffers[{name!r}][0])"
        else:
            raise ValueError(f"a buffer of {form}: only zeros can be passed")
