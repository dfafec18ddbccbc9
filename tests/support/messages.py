"""Legal instructions of the four pages, over the variables of one kernel."""

from hypothesis import assume
from hypothesis import strategies as st

from visaproof.instructions import OwordLd, QwScatter, Scatter4Scaled, TypedAtomic
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.errors import IllegalInstruction
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.operands import NULL, Channels, Execution, ImmediateUD, Predicate, RawOperand, Scalar, ScalarUD
from visaproof.isa.platform import Platform
from visaproof.visaasm.bytecode.messages import PageInstruction, indices_of
from visaproof.visaasm.reader import read_kernel

PLATFORM = Platform.DG2

DECLARATIONS = """.version 4.1
.kernel "k"
.decl O v_type=G type=ud num_elts=64 align=GRF
.decl D v_type=G type=d num_elts=1024 align=GRF
.decl Q v_type=G type=uq num_elts=64 align=GRF
.decl P16 v_type=P num_elts=16
.decl P32 v_type=P num_elts=32
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.function "k"
_main:
"""
INDICES = indices_of(read_kernel(DECLARATIONS, "k.visaasm").variables, PLATFORM.grf_bytes)

SURFACES = st.sampled_from(["T6", "T7", "%slm", "%scratch", "%bss", "TSS"])
PREDICATES = st.none() | st.builds(
    Predicate, st.sampled_from(["P16", "P32"]), st.booleans(), st.sampled_from(list(Combine))
)
RAWS = st.builds(RawOperand, st.sampled_from(["O", "D", "Q", "%r0"]), st.sampled_from([0, 4, 32, 60]))


@st.composite
def executions(draw: st.DrawFn, *sizes: int) -> Execution:
    return Execution(draw(st.sampled_from(sizes)), draw(st.sampled_from(list(ExecMask))), draw(PREDICATES))


def scalars() -> st.SearchStrategy[Scalar]:
    numbers = st.sampled_from([0, 1, 2**28, 2**32 - 1]) | st.integers(0, 2**32 - 1)
    places = st.integers(0, 1023).map(lambda element: ScalarUD("D", 4 * element))
    return st.builds(ImmediateUD, numbers) | places | st.just(ScalarUD("O", 12))


@st.composite
def typed_atomics(draw: st.DrawFn) -> TypedAtomic:
    op = draw(st.sampled_from(list(AtomicOp)))
    u, v, r, lod = draw(RAWS), draw(st.just(NULL) | RAWS), draw(st.just(NULL) | RAWS), draw(st.just(NULL) | RAWS)
    src0, src1 = (draw(RAWS) if index < op.sources else NULL for index in (0, 1))
    dst = draw(st.just(NULL) | RAWS)
    texel_bits = draw(st.sampled_from([32, 16]))
    return TypedAtomic(draw(executions(8)), op, draw(SURFACES), u, v, r, lod, src0, src1, dst, texel_bits)


@st.composite
def messages(draw: st.DrawFn) -> PageInstruction:
    """An instruction that its page allows on PLATFORM."""
    message = draw(
        st.builds(Scatter4Scaled, executions(8, 16), st.integers(1, 15).map(Channels), SURFACES, scalars(), RAWS, RAWS)
        | st.builds(OwordLd, st.sampled_from([1, 2, 4, 8, 16]), SURFACES, scalars(), RAWS)
        | st.builds(QwScatter, executions(1, 2, 4, 8, 16), SURFACES, RAWS, RAWS)
        | typed_atomics()
    )
    try:
        message.validate(PLATFORM)
    except IllegalInstruction:
        assume(False)
    return message
