"""lsc_store_quad.tgm: up to four channels of a texel per lane, written.  Source: docs/pages/current-compiler.md §5."""

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
from visaproof.semantics.concrete.surface import TexelWrite
from visaproof.semantics.symbolic.accesses import Store
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import bool_const, conj, const


class LscStoreTyped(Struct, frozen=True):
    """`[(P)] lsc_store_quad.tgm (MASK, SIZE) surface[U,V,R,LOD] src:d32.xyzw`"""

    spec: ClassVar[Spec] = Spec(
        opcode=0x89,
        mnemonic="LSC_STORE_QUAD_TGM",
        page=PAGE,
        exec_sizes=(1, 2, 4, 8, 16, 32),
        since=Platform.Xe2,
        collision_undefined=True,  # the page is silent: as SCATTER4_TYPED
        readings=(*READINGS, "flat-collision"),
    )

    execution: Execution
    channels: Channels
    surface: str
    coordinates: Coordinates
    src: RawOperand

    @property
    def lod(self) -> RawOperand | None:
        """Where a level is named."""
        return self.coordinates[3].operand if len(self.coordinates) == COORDINATES else None

    def __str__(self) -> str:
        where = f"{self.surface}{shown(self.coordinates)}"
        return f"{self.execution.prefix}lsc_store_quad.tgm {self.execution} {where} {self.src}:{self.channels}"

    def validate(self, platform: Platform, readings: Readings = DEFAULT) -> None:
        require_quad(self.execution, self.channels, self.coordinates, self.spec, platform, readings)

    def execute(self, state: ConcreteState) -> None:
        lanes = self.execution.size
        registers = -(-4 * lanes // state.platform.grf_bytes)  # of each component: those of all lanes, rounded up
        chosen = [component for component in range(COMPONENTS) if self.channels.mask >> component & 1]
        writes: list[TexelWrite] = []
        for m, component in enumerate(chosen):
            for n in range(lanes):
                if not state.channel_enabled(self.execution, n):
                    continue
                texel = [(state.read_dword(one.operand, n) + one.moved) % 2**32 for one in self.coordinates]
                u, v, r, lod = texel + [0] * (COORDINATES - len(texel))
                value = state.read_bytes(self.src, m * registers * state.platform.grf_bytes + 4 * n, 4)
                writes.append(TexelWrite(n, (u, v, r, lod), component, value))
        state.image(self.surface).scatter(writes)  # Page: out of bounds, "write dropped"

    def footprint(self, state: SymbolicState) -> Iterator[Store]:
        image = state.image(self.surface)
        lanes = list(enumerate(state.lanes_enabled(self.execution)))
        for component, start in component_places(self.channels, len(lanes), state.platform.grf_bytes):
            for lane, (enabled, predicate_known) in lanes:
                (u, v, r, lod), known = texel_of(state, self.coordinates, lane, enabled)
                value, held = state.read_bytes(self.src, start + 4 * lane, 4, enabled)
                yield Store(
                    guard=enabled,
                    lane=lane,
                    surface=self.surface,
                    cell=(u, v, r, lod, const(component, 2)),
                    width=4,
                    inside=image.contains(u, v, r, lod),
                    defined=conj(predicate_known, bool_const(known and held)),
                    value=value,
                )
