"""lsc_load_quad.tgm: up to four channels of a texel per lane.  Source: docs/pages/current-compiler.md §5."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from visaproof.instructions.lsc.typed import (
    COMPONENTS,
    COORDINATES,
    PAGE,
    READINGS,
    Coordinates,
    component_places,
    require_quad,
    shown,
    texel_of,
)
from visaproof.isa.operands import Channels, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.spec import Spec
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.symbolic.accesses import Load, RegisterSlice
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import bool_const, conj, const


class LscLoadTyped(Struct, frozen=True):
    """`[(P)] lsc_load_quad.tgm (MASK, SIZE) dst:d32.xyzw surface[U,V,R,LOD]`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x89,
        mnemonic="LSC_LOAD_QUAD_TGM",
        page=PAGE,
        exec_sizes=(1, 2, 4, 8, 16, 32),
        since=Platform.Xe2,
        readings=READINGS,
    )

    execution: Execution
    channels: Channels
    surface: str
    coordinates: Coordinates
    dst: RawOperand

    @property
    def lod(self) -> RawOperand | None:
        """Where a level is named."""
        return self.coordinates[3].operand if len(self.coordinates) == COORDINATES else None

    def __str__(self) -> str:
        where = f"{self.surface}{shown(self.coordinates)}"
        return f"{self.execution.prefix}lsc_load_quad.tgm {self.execution} {self.dst}:{self.channels} {where}"

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_quad(self.execution, self.channels, self.coordinates, self.spec, platform, readings)

    def execute(self, state: ConcreteState) -> None:
        image, lanes = state.image(self.surface), self.execution.size
        registers = -(-4 * lanes // state.platform.grf_bytes)  # of each component: those of all lanes, rounded up
        chosen = [component for component in range(COMPONENTS) if self.channels.mask >> component & 1]
        loaded: list[tuple[int, int]] = []
        for n in range(lanes):
            if not state.channel_enabled(self.execution, n):
                continue
            texel = [(state.read_dword(one.operand, n) + one.moved) % 2**32 for one in self.coordinates]
            u, v, r, lod = texel + [0] * (COORDINATES - len(texel))
            inside = image.contains((u, v, r, lod))
            for m, component in enumerate(chosen):
                value = image.channel((u, v, r, lod), component) if inside else 0  # Page: "Out of bounds: read 0"
                loaded.append((m * registers * state.platform.grf_bytes + 4 * n, value))
        for place, _ in loaded:
            state.read_bytes(self.dst, place, 4)  # every enabled lane must fit (D6)
        for place, value in loaded:
            state.write_bytes(self.dst, place, 4, value)

    def footprint(self, state: SymbolicState) -> Iterator[Load]:
        image = state.image(self.surface)
        lanes = list(enumerate(state.lanes_enabled(self.execution)))
        for component, start in component_places(self.channels, len(lanes), state.platform.grf_bytes):
            for lane, (enabled, predicate_known) in lanes:
                (u, v, r, lod), known = texel_of(state, self.coordinates, lane, enabled)
                place = RegisterSlice(self.dst.variable, self.dst.offset + start + 4 * lane, 4)
                fits = state.registers.holds(place.variable, place.start, 4)
                yield Load(
                    guard=enabled,
                    lane=lane,
                    surface=self.surface,
                    cell=(u, v, r, lod, const(component, 2)),
                    width=4,
                    inside=image.contains(u, v, r, lod),
                    defined=conj(predicate_known, bool_const(known and fits)),
                    destination=place,
                )
