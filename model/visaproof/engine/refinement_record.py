"""A kernel that does not refine another as a small JSON file: both kernels, the launch, and where they differ.

Format: counterexamples/README.md.
"""

import re
from pathlib import Path
from typing import Literal

import msgspec

from visaproof.engine.counterexample import DOES_NOT_REFINE, FORMAT, PredicateState, decoded
from visaproof.engine.kernel_conflicts import without_zeros
from visaproof.engine.refinement_comparison import Comparison
from visaproof.engine.refinement_memory import IMAGE_SIZE
from visaproof.engine.refinement_runner import Prepared, Runner
from visaproof.engine.refinement_runs import Difference
from visaproof.engine.states import state_record
from visaproof.instructions.svm_gather import FLAT
from visaproof.kernel.linking import functions_beside
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer


class BufferState(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A size in bytes, and bytes by address; numbers are hexadecimal."""

    size: str
    contents: dict[str, str] = {}


class Window(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """Where a buffer begins among the 64-bit addresses; memory of the kernel's own where it names none."""

    at: str
    size: str
    buffer: str = ""


class Side(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """One of the kernels, and what it gets."""

    platform: str
    program: list[str]
    """A `.visaasm` file, line by line."""
    functions: list[list[str]] = []
    """The files of the functions that it calls."""
    registers: dict[str, str]
    predicates: dict[str, PredicateState] = {}
    surfaces: dict[str, str]
    """By the kernel's own name, the buffer; an image that nothing reaches where it is empty."""
    addresses: list[Window] = []
    """What it reaches by 64-bit address."""


class Differs(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A byte after both runs, or the line of the target that has no meaning."""

    buffer: str = ""
    address: str = "0x0"
    source: str = "0x0"
    target: str = "0x0"
    undefined: str = ""
    line: int = 0


class RefinementExample(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """One launch after which two kernels leave different memory."""

    format: int = msgspec.field(default_factory=lambda: FORMAT)
    claim: str
    shows: str
    violation: Literal["does-not-refine"] = msgspec.field(default_factory=lambda: DOES_NOT_REFINE)
    readings: list[str] = []
    """What was assumed of the launch."""
    exec_mask: str
    memory: dict[str, BufferState]
    """The buffers before the runs, by names that are the same for both kernels."""
    inside: bool = False
    """Whether both kernels have to stay inside their buffers."""
    source: Side
    target: Side
    differs: Differs


def read_example(path: Path) -> RefinementExample:
    """Reads a file.  Raises ReadError where it is none, or of another format version."""
    return decoded(path, RefinementExample)


def example_name(comparison: Comparison) -> str:
    """A name for the file: of both kernels' files and the folders that they are in, or of two kernels of one file."""
    kernels = [comparison.source.kernel, comparison.target.kernel]
    paths = [Path(kernel.path).with_suffix("") for kernel in kernels]
    if paths[0] == paths[1]:
        names = [f"{path.name}-{kernel.name}" for path, kernel in zip(paths, kernels, strict=True)]
    else:
        names = ["-".join(path.parts[-2:]) for path in paths]
    return re.sub(r"[^\w.+-]", "_", "-is-not-".join(names)) + ".json"


def can_be_recorded(found: Difference) -> bool:
    """Whether a file can hold the difference: not texels, and not that a target reaches no buffer."""
    return found.outside is None and all(size != IMAGE_SIZE for size, _ in found.memory.values())


def refinement_record(comparison: Comparison, found: Difference, shows: str) -> RefinementExample:
    """The difference as a file; `shows` says in words what differs."""
    source, target = comparison.runners
    memory = {name: _buffer_state(Buffer(size, contents)) for name, (size, contents) in found.memory.items()}
    undefined = found.undefined
    return RefinementExample(
        claim=f"{target.kernel.name}/refines-{source.kernel.name}",
        shows=shows,
        readings=list(comparison.assumed),
        exec_mask=f"{found.exec_mask:#x}",
        memory=memory,
        inside=comparison.conditional,
        source=_side(comparison, source, found),
        target=_side(comparison, target, found),
        differs=Differs(undefined=undefined.message, line=undefined.position.line)
        if undefined
        else Differs(found.surface, f"{found.address:#x}", f"{found.source:#x}", f"{found.target:#x}"),
    )


def _side(comparison: Comparison, runner: Runner, found: Difference) -> Side:
    prepared = runner.prepared(found.memory, comparison.question.lanes, found.values)
    registers = ConcreteState(
        prepared.state.platform, registers=prepared.state.registers, predicates=prepared.state.predicates
    )
    kept = without_zeros(state_record(registers))
    kernel = runner.kernel
    beside = functions_beside(Path(kernel.path), grf_bytes=runner.platform.grf_bytes) if kernel.of_several_files else {}
    return Side(
        platform=runner.platform.name,
        program=list(kernel.source_lines),
        functions=[list(function.source_lines) for function in beside.values()],
        registers=kept.registers,
        predicates=kept.predicates,
        surfaces=_surfaces(prepared),
        addresses=_windows(prepared) if FLAT in prepared.state.surfaces else [],
    )


def _surfaces(prepared: Prepared) -> dict[str, str]:
    names = {id(buffer): name for name, buffer in prepared.memory.items()}
    return {key: names.get(id(one), "") for key, one in prepared.state.surfaces.items() if key != FLAT}


def _windows(prepared: Prepared) -> list[Window]:
    buffers = {name: buffer for name, buffer in prepared.memory.items() if isinstance(buffer, Buffer)}
    names = {id(buffer.contents): name for name, buffer in buffers.items()}
    return [
        Window(f"{at:#x}", f"{size:#x}", names.get(id(contents), ""))
        for at, size, contents in prepared.flat.windows
        if size
    ]


def _buffer_state(buffer: Buffer) -> BufferState:
    contents = {f"{address:#x}": f"{byte:#x}" for address, byte in sorted(buffer.contents.items()) if byte}
    return BufferState(f"{buffer.size:#x}", contents)
