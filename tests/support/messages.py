"""Legal instructions of the four pages, over the variables of one kernel."""

from hypothesis import strategies as st

from visaproof.isa.platform import Platform
from visaproof.testing.strategies import instructions
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


def messages() -> st.SearchStrategy[PageInstruction]:
    """An instruction that its page allows on PLATFORM."""
    return instructions(PLATFORM)
