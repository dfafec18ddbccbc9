"""Hypothesis strategies: memory instructions, states for them, kernels.

    from hypothesis import given
    from visaproof.testing import strategies

    @given(strategies.starts())
    def test_a_masked_scatter_writes_nothing(start): ...

Numbers lie near the edges of words and of surfaces more often than anywhere else.
"""

from hypothesis import assume
from hypothesis import strategies as st
from msgspec import Struct

from visaproof.checking.steps.arbitrary import reach_of
from visaproof.instructions import Instruction, OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.isa.atomics import PAGE_OPS
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.operands import NULL, Channels, Execution, ImmediateUD, Predicate, RawOperand, Scalar, ScalarUD
from visaproof.isa.platform import Platform
from visaproof.isa.surfaces import SurfaceKind
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image
from visaproof.testing.random_kernels import kernels as kernels
from visaproof.visaasm.bytecode.messages import PageInstruction

WORDS = (0, 1, 2, 3, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFC, 0xFFFF_FFFE, 0xFFFF_FFFF)
"""Dwords at the edges of both readings, signed and unsigned."""

_RAWS = st.builds(RawOperand, st.sampled_from(["O", "D", "Q", "%r0"]), st.sampled_from([0, 4, 32, 60]))
_PREDICATES = st.none() | st.builds(
    Predicate, st.sampled_from(["P16", "P32"]), st.booleans(), st.sampled_from(list(Combine))
)
_SURFACES = st.sampled_from(["T6", "T7", "%slm", "%scratch", "%bss", "TSS"])


class Start(Struct, frozen=True):
    """An instruction and a state that it may begin in; `execute` changes the state."""

    instruction: Instruction
    state: ConcreteState


def dwords() -> st.SearchStrategy[int]:
    """Unsigned dwords: at an edge, a small multiple of four or eight, or any."""
    return st.sampled_from(WORDS) | st.integers(0, 32).map(lambda count: 8 * count) | st.integers(0, 2**32 - 1)


def platforms() -> st.SearchStrategy[Platform]:
    return st.sampled_from(list(Platform))


# ---------------------------------------------------------------- instructions


@st.composite
def _executions(draw: st.DrawFn, *sizes: int) -> Execution:
    return Execution(draw(st.sampled_from(sizes)), draw(st.sampled_from(list(ExecMask))), draw(_PREDICATES))


def _scalars() -> st.SearchStrategy[Scalar]:
    numbers = st.sampled_from([0, 1, 2**28, 2**32 - 1]) | st.integers(0, 2**32 - 1)
    places = st.integers(0, 1023).map(lambda element: ScalarUD("D", 4 * element))
    return st.builds(ImmediateUD, numbers) | places | st.just(ScalarUD("O", 12))


@st.composite
def _typed_atomics(draw: st.DrawFn) -> TypedAtomic:
    op = draw(st.sampled_from(PAGE_OPS))
    u, v, r, lod = draw(_RAWS), draw(st.just(NULL) | _RAWS), draw(st.just(NULL) | _RAWS), draw(st.just(NULL) | _RAWS)
    src0, src1 = (draw(_RAWS) if index < op.sources else NULL for index in (0, 1))
    dst = draw(st.just(NULL) | _RAWS)
    texel_bits = draw(st.sampled_from([32, 16]))
    return TypedAtomic(draw(_executions(8)), op, draw(_SURFACES), u, v, r, lod, src0, src1, dst, texel_bits)


@st.composite
def instructions(draw: st.DrawFn, platform: Platform = Platform.DG2) -> PageInstruction:
    """A scatter, a block load or a typed atomic that its page allows on the platform.

    It names variables O, D and Q, predicates P16 and P32 of 16 and 32 bits, surfaces T6 and T7, and predefined ones.
    """
    scatters = st.builds(
        Scatter4Scaled, _executions(8, 16), st.integers(1, 15).map(Channels), _SURFACES, _scalars(), _RAWS, _RAWS
    )
    message = draw(
        scatters
        | st.builds(OwordLd, st.sampled_from([1, 2, 4, 8, 16]), _SURFACES, _scalars(), _RAWS)
        | st.builds(QwScatter, _executions(1, 2, 4, 8, 16), _SURFACES, _RAWS, _RAWS)
        | _typed_atomics()
    )
    try:
        message.validate(platform)
    except IllegalInstruction:
        assume(False)
    return message


# ---------------------------------------------------------------- states


@st.composite
def states(draw: st.DrawFn, instruction: Instruction, platform: Platform = Platform.DG2) -> ConcreteState:
    """A state with everything that an instruction of the four pages reads: masks, registers, memory in and around
    its surface.  Raises NotModelled for other instructions."""
    reach = reach_of(instruction, platform)
    bits = st.sampled_from([0, 1, 0xFF, 0xFFFF_FFFF]) | st.integers(0, 2**32 - 1)
    state = ConcreteState(platform, exec_mask=draw(bits))
    for name, positions in reach.registers.items():
        register = bytearray(reach.end_of(name))
        for start in sorted({position // 4 for position in positions}):
            register[4 * start : 4 * start + 4] = draw(dwords()).to_bytes(4, "little")
        state.registers[name] = register
    for name in reach.predicates:
        count = 16 if name == "P16" else 32
        state.predicates[name] = PredicateBits(count, draw(bits) % (1 << count))
    state.surfaces[reach.surface] = draw(images() if isinstance(instruction, TypedAtomic) else buffers())
    return state


@st.composite
def buffers(draw: st.DrawFn) -> Buffer:
    """A buffer of a small or an edge size, with bytes around its end as well."""
    size = draw(st.sampled_from([0, 4, 61, 64, 256, 4096, 2**32]) | st.integers(0, 80))
    return Buffer(size, draw(st.dictionaries(st.integers(0, 80), st.integers(1, 255), max_size=16)))


@st.composite
def images(draw: st.DrawFn) -> Image:
    """An image of any kind, of up to three levels, with texels around its edges."""
    extent = st.integers(0, 4)
    levels = draw(st.lists(st.tuples(extent, extent, extent), min_size=1, max_size=3))
    place = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2), st.integers(0, 2))
    texels = draw(st.dictionaries(place, dwords(), max_size=8))
    return Image(tuple(levels), texels, draw(st.sampled_from(SurfaceKind)), draw(st.integers(1, 4)))


@st.composite
def starts(draw: st.DrawFn, platform: Platform = Platform.DG2) -> Start:
    """An instruction with a state for it."""
    instruction = draw(instructions(platform))
    return Start(instruction, draw(states(instruction, platform)))
