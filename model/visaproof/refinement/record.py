"""A kernel that does not refine another as a small JSON file: both kernels, the launch, and where they differ.

Format: counterexamples/README.md.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from visaproof.checking.counterexample import DOES_NOT_REFINE, FORMAT, PredicateState, State
from visaproof.checking.stages import Values
from visaproof.checking.states import state_record, without_zeros
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.identity import Same
from visaproof.isa.operands import SCRATCH
from visaproof.launch.matching import Program
from visaproof.launch.relations.obeyed_relations import ObeyedRelation, obeyed
from visaproof.program.file_names import file_name
from visaproof.program.kernel import Kernel
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.sharing import SHARED
from visaproof.refinement.inputs.held_inputs import HeldInput, Thread, completed, held_inputs
from visaproof.refinement.inputs.samplers import outside_of, samplers_in
from visaproof.refinement.observed import is_register, observed_as
from visaproof.refinement.testing.memory import cell_at, texel_at, views
from visaproof.refinement.testing.ran import Prepared
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.verdicts import (
    ByteDiffers,
    Difference,
    OutsideBuffers,
    RegisterDiffers,
    TargetUndefined,
)
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Image, Surface
from visaproof.visaasm.linking.names import functions_beside


class SurfaceContents(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A buffer has a size, and bytes by address, hexadecimal; a typed surface its kind, the extents of each level, and
    channels by "u,v,r,lod,channel".  A buffer that may overlap others shows the memory that they share, from a byte
    on."""

    size: str = ""
    shows: str = ""
    """The memory of which it is a part, if it is one."""
    at: str = ""
    """Where in it the buffer begins."""
    kind: str = ""
    levels: list[tuple[int, int, int]] = []
    contents: dict[str, str] = {}


class Window(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """Where a buffer begins among the 64-bit addresses; memory of the kernel's own where it names none."""

    at: str
    size: str
    buffer: str = ""


class ThreadStart(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """One of several threads: its number, the lanes that are on, and what its registers hold."""

    number: int
    exec_mask: str
    registers: dict[str, str]
    predicates: dict[str, PredicateState] = {}


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
    """What the kernel's own names stand for."""
    inputs: list[HeldInput] = []
    """What its inputs hold; where nothing is said, both kernels have the same at the same places of the payload."""
    binding_table: dict[str, int] = {}
    """The argument whose surface stands at an index, where the inputs are known."""
    addresses: list[Window] = []
    """What it reaches by 64-bit address."""
    threads: list[ThreadStart] = []
    """Where several run the lanes of one thread of the other kernel: the threads in the order in which they run."""
    backwards: bool = False
    """Whether the lanes of its atomics take their turns from the last to the first."""
    slm: str = ""
    """Bytes of its shared local memory, where the other kernel has another size."""
    samplers: dict[str, str] = {}
    """The same as `samplers` of the launch, where each kernel says what stands at its numbers."""


class Differs(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A byte or channel after both runs, the line of the target that is undefined, or where it leaves all buffers."""

    buffer: str = ""
    address: str = "0x0"
    source: str = "0x0"
    target: str = "0x0"
    undefined: str = ""
    line: int = 0
    kind: str = ""
    """Of what is undefined, where it is known."""
    outside: str = ""
    """An address in no buffer, which the target accesses."""
    source_register: str = ""
    target_register: str = ""
    """Instead of a buffer and an address: a byte of a variable, `V32.4`, or a bit of a predicate, `P1[4]`."""


class RefinementExample(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """One launch after which two kernels leave different memory."""

    format: int = msgspec.field(default_factory=lambda: FORMAT)
    claim: str
    shows: str
    violation: Literal["does-not-refine"] = msgspec.field(default_factory=lambda: DOES_NOT_REFINE)
    readings: list[str] = []
    """What was assumed of the launch."""
    exec_mask: str
    memory: dict[str, SurfaceContents]
    """The buffers before the runs, by names that are the same for both kernels."""
    samplers: dict[str, str] = {}
    """What each sampler reads outside of an image, by its number; inside it takes the nearest texel."""
    inside: bool = False
    """Whether both kernels have to stay inside their buffers."""
    source_inside: bool = False
    """Whether the source has to stay inside the surfaces that are buffers."""
    whatever_found: bool = False
    """Whether the source reads uninitialised values: the runs show one choice, and that no other choice leaves what
    the target left was shown symbolically, which is not run again."""
    where: list[ObeyedRelation] = []
    """The relations that the launch obeys; their bytes are of the wide kernel, or of the source."""
    races_allowed: bool = False
    """Whether it is defined that threads race: they run one after another."""
    source: Side
    target: Side
    differs: Differs


def example_name(comparison: Comparison) -> str:
    """A name for the file: of both kernels' files and the folders that they are in, or of two kernels of one file."""
    kernels = [comparison.source.kernel, comparison.target.kernel]
    paths = [Path(kernel.path).with_suffix("") for kernel in kernels]
    if paths[0] == paths[1]:
        names = [f"{path.name}-{kernel.name}" for path, kernel in zip(paths, kernels, strict=True)]
    else:
        names = ["-".join(path.parts[-2:]) for path in paths]
    return "-is-not-".join(file_name(name, 100) for name in names) + ".json"


def refinement_record(comparison: Comparison, found: Difference, shows: str) -> RefinementExample:
    """The difference as a file; `shows` says in words what differs."""
    source, target = comparison.runners
    lanes, by_meaning = comparison.question.lanes, comparison.matching.by_meaning
    sides = [one.prepared(found.memory, lanes, found.values) for one in (source, target.orders()[found.order])]
    both = _completed(
        (source.kernel, _side(comparison.source, by_meaning, source, sides[0], found.values)),
        (target.kernel, _side(comparison.target, by_meaning, target, sides[1], found.values)),
    )
    return RefinementExample(
        claim=f"{target.kernel.name}/refines-{source.kernel.name}",
        shows=shows,
        readings=[str(one) for one in comparison.assumed],
        exec_mask=f"{found.exec_mask:#x}",
        memory={name: _contents(found, name, sides) for name in found.memory if not is_register(name)}
        | _shown(comparison, found),
        samplers={name: outside.value for name, outside in samplers_in(found.values) if name.isdecimal()},
        inside=comparison.conditional,
        where=obeyed(comparison.start.where, found.values),
        source_inside=UndefinedKind.OUTSIDE in comparison.question.forbidden,
        whatever_found=found.whatever_found,
        races_allowed=comparison.split is not None and UndefinedKind.RACE not in comparison.question.forbidden,
        source=both[0],
        target=msgspec.structs.replace(both[1], backwards=found.backwards),
        differs=_differs(comparison, found, sides),
    )


def _differs(comparison: Comparison, found: Difference, sides: Sequence[Prepared]) -> Differs:
    match found.what:
        case TargetUndefined(undefined, kind):
            which = "" if kind is None else kind.value
            return Differs(undefined=undefined.message, line=undefined.position.line, kind=which)
        case OutsideBuffers(address):
            return Differs(outside=f"{address:#x}")
        case RegisterDiffers(surface, at, source, target):
            one = observed_as(comparison.runners[0].observed, surface)
            shown = Differs(source=f"{source:#x}", target=f"{target:#x}")
            shown.source_register, shown.target_register = one.source.at(at), one.target.at(at)
            return shown
        case ByteDiffers(surface, at, _, source, target):
            place = place_text(at, _image(surface, sides) is not None)
            return Differs(surface, place, f"{source:#x}", f"{target:#x}")


def _image(name: str, sides: Sequence[Prepared]) -> Image | None:
    """The typed surface of this name, as a kernel that has it gets it."""
    return next((one for side in sides if isinstance(one := side.memory[name], Image)), None)


def _contents(found: Difference, name: str, sides: Sequence[Prepared]) -> SurfaceContents:
    size, contents = found.memory[name]
    image = _image(name, sides)
    cells = {place_text(at, image is not None): f"{value:#x}" for at, value in sorted(contents.items()) if value}
    if image is None:
        return SurfaceContents(f"{size:#x}", contents=cells)
    return SurfaceContents(kind=image.kind.name, levels=list(image.levels), contents=cells)


def _shown(comparison: Comparison, found: Difference) -> dict[str, SurfaceContents]:
    """The buffers that share memory."""
    return {
        name: SurfaceContents(f"{one.size:#x}", SHARED, f"{one.base:#x}")
        for name, one in views(comparison.sharing, found.memory, found.values)
    }


def place_text(at: int, typed: bool) -> str:
    """A byte by its address, or a channel by its coordinates."""
    if not typed:
        return f"{at:#x}"
    texel, channel = texel_at(at)
    return ",".join(map(str, (*texel, channel)))


def place_from(text: str) -> int:
    """The number of a place.  Raises ValueError."""
    if "," not in text:
        return int(text, 16)
    u, v, r, lod, channel = map(int, text.split(","))
    return cell_at((u, v, r, lod), channel)


def _samplers(runner: Runner, values: Values) -> dict[str, str]:
    """What its samplers read outside of an image, where it is said what stands at their numbers."""
    outside = outside_of(runner.samplers, values)
    return {str(number): outside[number].value for number in runner.samplers if number in outside}


def _side(program: Program, by_meaning: bool, runner: Runner, prepared: Prepared, values: Values) -> Side:
    kept = _kept(prepared.state)
    threads: list[ThreadStart] = []
    for number, one in prepared.threads:
        own = _kept(one.state)
        threads.append(ThreadStart(number, f"{one.state.exec_mask:#x}", own.registers, own.predicates))
    kernel = runner.kernel
    beside = functions_beside(Path(kernel.path), grf_bytes=runner.platform.grf_bytes) if kernel.of_several_files else {}
    return Side(
        platform=runner.platform.name,
        program=list(kernel.source_lines),
        functions=[list(function.source_lines) for function in beside.values()],
        registers={} if threads else kept.registers,
        predicates={} if threads else kept.predicates,
        surfaces=_surfaces(prepared),
        inputs=held_inputs(program) if by_meaning else [],
        binding_table={str(at): index for at, index in program.launch.binding_table.items()} if by_meaning else {},
        addresses=_windows(prepared) if FLAT in prepared.state.surfaces else [],
        threads=threads,
        samplers=_samplers(runner, values),
        slm="" if program.local_bytes is None else f"{program.local_bytes:#x}",
    )


def threads_of(kernel: Kernel, side: Side) -> list[Thread]:
    """Its threads, or the only one.  Raises ValueError."""
    return [
        Thread(kernel, side.inputs, {name: bytes.fromhex(content) for name, content in one.registers.items()})
        for one in side.threads or [side]
    ]


def _completed(*sides: tuple[Kernel, Side]) -> list[Side]:
    """Both sides, each with the inputs that only the other one reads."""
    threads = [threads_of(kernel, side) for kernel, side in sides]
    alone = not any(side.threads for _, side in sides)
    found = iter(completed([each for one in threads for each in one], of_the_thread=alone))
    return [_with_registers(side, found) for _, side in sides]


def _with_registers(side: Side, found: Iterator[dict[str, bytes]]) -> Side:
    if not side.threads:
        return msgspec.structs.replace(side, registers=_texts(next(found)))
    threads = [msgspec.structs.replace(one, registers=_texts(next(found))) for one in side.threads]
    return msgspec.structs.replace(side, threads=threads)


def _texts(registers: dict[str, bytes]) -> dict[str, str]:
    return {name: content.hex() for name, content in sorted(registers.items())}


def _kept(state: ConcreteState) -> State:
    """Registers and predicates that are not 0."""
    registers = ConcreteState(state.platform, registers=state.registers, predicates=state.predicates)
    return without_zeros(state_record(registers))


def _surfaces(prepared: Prepared) -> dict[str, str]:
    names: dict[Same[Surface], str] = {Same(one): name for name, one in prepared.memory.items()}
    return {key: names[Same(one)] for key, one in prepared.state.surfaces.items() if key not in (FLAT, SCRATCH)}


def _windows(prepared: Prepared) -> list[Window]:
    names = {Same(one.contents): name for name, one in prepared.memory.items() if isinstance(one, Buffer)}
    return [
        Window(f"{at:#x}", f"{size:#x}", names.get(Same(contents), ""))
        for at, size, contents in prepared.flat.windows
        if size
    ]
