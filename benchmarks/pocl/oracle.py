"""The source of a kernel, run by PoCL.  Needs the packages pocl-opencl-icd and ocl-icd-libopencl1, and pyopencl."""

import struct
from dataclasses import dataclass
from typing import Any

from benchmarks.pocl.cases import Case, Data

PLATFORM = "Portable Computing Language"


class NoOracle(Exception):
    """PoCL is not there, or does not take this source."""


@dataclass
class Oracle:
    """A device of PoCL."""

    version: str
    _cl: Any
    _context: Any

    def run(self, source: str, options: list[str], kernel: str, case: Case) -> list[bytes | None]:
        """What the buffers hold after a launch, by argument.  Raises NoOracle where the source does not build."""
        cl = self._cl
        try:
            program = cl.Program(self._context, source).build(options)
        except cl.Error as error:
            raise NoOracle(f"PoCL does not build {kernel}: {str(error).splitlines()[0]}") from None
        queue = cl.CommandQueue(self._context)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        passed: list[Any] = []
        for argument in case.arguments:
            if isinstance(argument, Data):
                passed.append(cl.Buffer(self._context, flags, hostbuf=bytearray(argument.content)))
            else:
                passed.append(struct.pack(f"<{argument.format}", argument.value))
        entry = cl.Kernel(program, kernel)
        entry.set_args(*passed)
        cl.enqueue_nd_range_kernel(queue, entry, case.grid, case.group)
        results: list[bytes | None] = []
        for argument, memory in zip(case.arguments, passed, strict=True):
            if not isinstance(argument, Data):
                results.append(None)
                continue
            content = bytearray(len(argument.content))
            cl.enqueue_copy(queue, content, memory)
            results.append(bytes(content))
        queue.finish()
        return results


def oracle() -> Oracle:
    """The CPU by PoCL.  Raises NoOracle where it is not installed."""
    try:
        import pyopencl as cl
    except ImportError as error:
        raise NoOracle(f"pyopencl cannot be imported: {error}") from None
    try:
        platforms: list[Any] = list(cl.get_platforms())
    except cl.Error as error:
        raise NoOracle(f"no OpenCL platform: {error}") from None
    for platform in platforms:
        if platform.name == PLATFORM:
            return Oracle(platform.version, cl, cl.Context(platform.get_devices()))
    raise NoOracle("PoCL is not installed (Debian: pocl-opencl-icd and ocl-icd-libopencl1)")
