"""The source of a kernel, run by PoCL.  Needs the packages pocl-opencl-icd and ocl-icd-libopencl1, and pyopencl."""

import struct
from typing import Any

from msgspec import Struct

from benchmarks.pocl.case import Case, Data

PLATFORM = "Portable Computing Language"


class NoOracle(Exception):
    """PoCL is not there, or does not take this source."""


class Oracle(Struct):
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
        passed: list[Any] = []
        for argument in case.arguments:
            if isinstance(argument, Data):
                passed.append(self._memory(argument))
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
            if argument.image is None:
                cl.enqueue_copy(queue, content, memory)
            else:
                region = (*argument.image.extents, 1)[:3]
                cl.enqueue_copy(queue, content, memory, origin=(0, 0, 0), region=region)
            results.append(bytes(content))
        queue.finish()
        return results

    def _memory(self, argument: Data) -> Any:
        cl = self._cl
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        content = bytearray(argument.content)
        if argument.image is None:
            return cl.Buffer(self._context, flags, hostbuf=content)
        channel = cl.channel_type.UNSIGNED_INT32 if argument.ulps is None else cl.channel_type.FLOAT
        layout = cl.ImageFormat(cl.channel_order.RGBA, channel)
        return cl.create_image(self._context, flags, layout, shape=argument.image.extents, hostbuf=content)


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
