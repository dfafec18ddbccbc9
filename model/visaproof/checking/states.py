"""Concrete states and outcomes to and from their JSON form, and an instruction as a `.visaasm` program."""

from collections.abc import Sequence

from msgspec.structs import replace

from visaproof.checking.buffer_space import BufferSpace
from visaproof.checking.counterexample import Outcome, PredicateState, State, SurfaceState
from visaproof.instructions import Instruction
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.platform import platform_named
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, Surface


def state_record(state: ConcreteState) -> State:
    """The state as it is written to a file."""
    return State(
        exec_mask=f"{state.exec_mask:#x}",
        registers={name: bytes(content).hex() for name, content in state.registers.items()},
        predicates={
            name: PredicateState(count=predicate.count, bits=f"{predicate.bits:#x}")
            for name, predicate in state.predicates.items()
        },
        surfaces={name: _surface_record(surface) for name, surface in state.surfaces.items()},
    )


def without_zeros(state: State) -> State:
    """The state with only those registers and predicates that hold something: a run starts the others at 0."""
    registers = {name: content for name, content in state.registers.items() if content.strip("0")}
    predicates = {name: predicate for name, predicate in state.predicates.items() if int(predicate.bits, 16)}
    return replace(state, registers=registers, predicates=predicates)


def _surface_record(surface: Surface) -> SurfaceState:
    if isinstance(surface, Buffer):
        contents = {f"{address:#x}": f"{byte:02x}" for address, byte in sorted(surface.contents.items()) if byte}
        windows = surface.windows if isinstance(surface, BufferSpace) else ()
        return SurfaceState(
            size=surface.size, contents=contents, buffers={f"{one.start:#x}": one.stop - one.start for one in windows}
        )
    texels = {",".join(map(str, texel)): f"{value:#x}" for texel, value in sorted(surface.texels.items()) if value}
    return SurfaceState(levels=[surface.extents(lod) for lod in range(len(surface.levels))], contents=texels)


def state_from(record: State, platform: str) -> ConcreteState:
    """The state that a file describes.  Raises ValueError or KeyError where it is malformed."""
    state = ConcreteState(platform_named(platform), exec_mask=int(record.exec_mask, 16))
    state.registers = {name: bytearray.fromhex(content) for name, content in record.registers.items()}
    state.predicates = {
        name: PredicateBits(predicate.count, int(predicate.bits, 16)) for name, predicate in record.predicates.items()
    }
    state.surfaces = {name: surface_from(surface) for name, surface in record.surfaces.items()}
    return state


def surface_from(record: SurfaceState) -> Surface:
    """The surface that a file describes."""
    if record.levels is not None:
        texels: dict[tuple[int, int, int, int], int] = {}
        for place, value in record.contents.items():
            u, v, r, lod = (int(part) for part in place.split(","))
            texels[u, v, r, lod] = int(value, 16)
        return Image(tuple(record.levels), texels)
    contents = {int(address, 16): int(byte, 16) for address, byte in record.contents.items()}
    if record.buffers:
        windows = tuple(range(int(begin, 16), int(begin, 16) + size) for begin, size in record.buffers.items())
        return BufferSpace(record.size or 0, contents, windows=windows)
    return Buffer(record.size or 0, contents)


def changes(before: ConcreteState, after: ConcreteState) -> Outcome:
    """Every register dword, surface byte and texel that differs, as place → new value."""
    changed: dict[str, str] = {}
    for name, old in before.registers.items():
        new = after.registers[name]
        for start in range(0, len(old), 4):
            if old[start : start + 4] != new[start : start + 4]:
                value = int.from_bytes(new[start : start + 4], "little")
                changed[f"{name}.{start}"] = f"{value:#x}"
    for name, surface in before.surfaces.items():
        changed |= _surface_changes(name, surface, after.surfaces[name])
    return Outcome(changes=changed)


def _surface_changes(name: str, before: Surface, after: Surface) -> dict[str, str]:
    if isinstance(before, Buffer) and isinstance(after, Buffer):
        places = sorted(before.contents.keys() | after.contents.keys())
        new = {place: after.contents.get(place, 0) for place in places}
        return {
            f"{name}[{place:#x}]": f"{new[place]:#04x}"
            for place in places
            if before.contents.get(place, 0) != new[place]
        }
    assert isinstance(before, Image)
    assert isinstance(after, Image)
    return {
        f"{name}[{','.join(map(str, texel))}]": f"{after.texels.get(texel, 0):#x}"
        for texel in sorted(before.texels.keys() | after.texels.keys())
        if before.texels.get(texel, 0) != after.texels.get(texel, 0)
    }


def program(instructions: Sequence[Instruction], state: ConcreteState) -> list[str]:
    """A `.visaasm` file with the declarations that the state needs and these instructions."""
    lines = [".version 4.1", '.kernel "counterexample"']
    for name, content in state.registers.items():
        lines.append(f".decl {name} v_type=G type=ud num_elts={max(1, len(content) // 4)} align=GRF")
    lines += [f".decl {name} v_type=P num_elts={bits.count}" for name, bits in state.predicates.items()]
    lines += [
        f".decl {name} v_type=T num_elts=1" for name in state.surfaces if name != FLAT and not name.startswith("%")
    ]
    return [*lines, '.function "counterexample"', *(f"    {one}" for one in instructions), "    ret (M1, 1)"]
