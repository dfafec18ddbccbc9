"""Every serial order of the lanes of one TYPED_ATOMIC: by running `execute`, and by a reference of its own."""

from collections.abc import Callable, Iterator
from itertools import product

from msgspec import Struct

from tests.two_writings import dwords, dwords_of
from visaproof.instructions import TypedAtomic
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Image

SURFACE = "T6"
EXTENT = 8
"""Texels of the surface; a lane with u = 8 or more is outside."""

Outcome = tuple[tuple[int, ...], tuple[int, ...]]
"""The texels, and what each lane returned."""


class Collision(Struct, frozen=True):
    """Which texel each lane addresses, with which operands, and what every texel holds before."""

    op: AtomicOp
    texels: tuple[int, ...]
    operands: tuple[tuple[int, int], ...]
    old: int
    bits: int = 32

    @property
    def lanes(self) -> int:
        return len(self.texels)

    @property
    def instruction(self) -> TypedAtomic:
        src0, src1 = (RawOperand(f"VS{k}") if k < self.op.sources else NULL for k in (0, 1))
        u, dst = RawOperand("VU"), RawOperand("VD")
        return TypedAtomic(Execution(8), self.op, SURFACE, u, src0=src0, src1=src1, dst=dst, texel_bits=self.bits)

    @property
    def before(self) -> ConcreteState:
        """All lanes of the collision enabled, and no others."""
        image = Image(((EXTENT, 1, 1),), {(u, 0, 0, 0): self.old for u in range(EXTENT)})
        state = ConcreteState(Platform.TGLLP, exec_mask=2**self.lanes - 1, surfaces={SURFACE: image})
        unused = [0] * (8 - self.lanes)
        state.registers = {"VU": dwords(*self.texels, *unused), "VD": dwords(*[0] * 8)}
        for k in (0, 1):
            state.registers[f"VS{k}"] = dwords(*(pair[k] for pair in self.operands), *unused)
        return state


def outcome_of(collision: Collision, after: ConcreteState) -> Outcome:
    texels = after.image(SURFACE).texels
    final = tuple(texels[u, 0, 0, 0] for u in range(EXTENT))
    return final, tuple(dwords_of(after.registers["VD"])[: collision.lanes])


def executed_in_every_order(collision: Collision) -> set[Outcome]:
    """The outcomes of `execute` with one lane enabled at a time, in every order; a state met twice is one state."""
    instruction, before = collision.instruction, collision.before
    reached = {0: {outcome_of(collision, before): before}}
    for done in range(2**collision.lanes - 1):
        for state in reached.pop(done).values():
            for lane in range(collision.lanes):
                if not done >> lane & 1:
                    after = state.copy()
                    after.exec_mask = 1 << lane
                    instruction.execute(after)
                    reached.setdefault(done | 1 << lane, {})[outcome_of(collision, after)] = after
    return set(reached[2**collision.lanes - 1])


# ---------------------------------------------------------------- the reference


def serialisations(collision: Collision) -> set[Outcome]:
    """Texel after texel, each lane of a texel first in turn: lanes on different texels cannot see each other."""
    texels = sorted({u for u in collision.texels if u < EXTENT})
    choices: list[list[tuple[int, dict[int, int]]]] = []
    for texel in texels:
        lanes = frozenset(lane for lane, u in enumerate(collision.texels) if u == texel)
        found = {(final, tuple(sorted(got.items()))) for final, got in _orders(collision, collision.old, lanes)}
        choices.append([(final, dict(got)) for final, got in found])
    outcomes: set[Outcome] = set()
    for picked in product(*choices):
        final, returned = [collision.old] * EXTENT, [0] * collision.lanes
        for texel, (value, got) in zip(texels, picked, strict=True):
            final[texel] = value
            for lane, back in got.items():
                returned[lane] = back
        outcomes.add((tuple(final), tuple(returned)))
    return outcomes


def _orders(collision: Collision, value: int, lanes: frozenset[int]) -> Iterator[tuple[int, dict[int, int]]]:
    if not lanes:
        yield value, {}
    for lane in lanes:
        new = TABLE[collision.op](value, *collision.operands[lane], 2**collision.bits)
        back = new if collision.op is AtomicOp.PREDEC else value
        for final, got in _orders(collision, new, lanes - {lane}):
            yield final, {**got, lane: back}


def _by_sign(value: int, modulus: int) -> int:
    """A key by which signed numbers sort."""
    return (value + modulus // 2) % modulus


TABLE: dict[AtomicOp, Callable[[int, int, int, int], int]] = {
    AtomicOp.ADD: lambda old, a, b, m: (old + a) % m,
    AtomicOp.SUB: lambda old, a, b, m: (old + (m - a)) % m,
    AtomicOp.INC: lambda old, a, b, m: 0 if old == m - 1 else old + 1,
    AtomicOp.DEC: lambda old, a, b, m: old - 1 if old else m - 1,
    AtomicOp.PREDEC: lambda old, a, b, m: old - 1 if old else m - 1,
    AtomicOp.MIN: lambda old, a, b, m: sorted((old, a))[0],
    AtomicOp.MAX: lambda old, a, b, m: sorted((old, a))[1],
    AtomicOp.IMIN: lambda old, a, b, m: sorted((old, a), key=lambda value: _by_sign(value, m))[0],
    AtomicOp.IMAX: lambda old, a, b, m: sorted((old, a), key=lambda value: _by_sign(value, m))[1],
    AtomicOp.XCHG: lambda old, a, b, m: a,
    AtomicOp.CMPXCHG: lambda old, a, b, m: {b: a}.get(old, old),
    AtomicOp.AND: lambda old, a, b, m: old + a - (old | a),
    AtomicOp.OR: lambda old, a, b, m: old + a - (old & a),
    AtomicOp.XOR: lambda old, a, b, m: old + a - 2 * (old & a),
}
"""What each operation leaves, of (old, src0, src1, modulus), once more and in other words."""
