"""The state before both sides of a rewrite rule run concretely, with memory that notes where atomics look."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.identity import Same
from visaproof.rules.language.instances import Instance
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, Surface, Texel


@dataclass
class NotingBuffer(Buffer):
    """Notes which cells an atomic looks at."""

    touched: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]], compare=False)

    def modify(self, address: int, width: int, change: Callable[[int], int]) -> tuple[int, int]:
        self.touched.append((address,))
        return super().modify(address, width, change)


@dataclass
class NotingImage(Image):
    touched: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]], compare=False)

    def contains(self, texel: Texel) -> bool:
        self.touched.append(texel)
        return super().contains(texel)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The state before, which both sides get."""

    exec_mask: int
    registers: Mapping[str, bytes]
    predicates: Mapping[str, int]
    buffers: Mapping[str, tuple[int, Mapping[int, int]]]
    images: Mapping[str, tuple[tuple[tuple[int, int, int], ...], Mapping[Texel, int]]]
    temporaries: Mapping[str, Mapping[str, bytes]]
    """By side."""


def state_before(instance: Instance, side: str, inputs: Inputs) -> ConcreteState:
    state = ConcreteState(instance.platform, exec_mask=inputs.exec_mask)
    for name, content in {**inputs.registers, **inputs.temporaries[side]}.items():
        state.registers[name] = bytearray(content)
    for name, bits in inputs.predicates.items():
        state.predicates[name] = PredicateBits(instance.predicates[name], bits)
    made: dict[str, NotingBuffer | NotingImage] = {}
    for name, (size, contents) in inputs.buffers.items():
        made[name] = NotingBuffer(size, dict(contents))
    for name, (levels, texels) in inputs.images.items():
        made[name] = NotingImage(levels, dict(texels))
    for key, name in {**instance.surfaces, FLAT: FLAT}.items():
        if name in made:
            state.surfaces[key] = made[name]
    return state


def copied(state: ConcreteState) -> ConcreteState:
    """The state once more; surfaces that have two names stay one."""
    made: dict[Same[Surface], Surface] = {}
    for surface in state.surfaces.values():
        if Same(surface) not in made:
            made[Same(surface)] = (
                NotingBuffer(surface.size, dict(surface.contents))
                if isinstance(surface, Buffer)
                else NotingImage(surface.levels, dict(surface.texels))
            )
    return ConcreteState(
        state.platform,
        state.exec_mask,
        {name: bytearray(content) for name, content in state.registers.items()},
        dict(state.predicates),
        {key: made[Same(surface)] for key, surface in state.surfaces.items()},
        readings=state.readings,
    )
