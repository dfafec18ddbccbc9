"""Small kernels of 8 lanes, of which premises are asked: ids, an argument, a buffer or an image."""

from msgspec.structs import replace

from visaproof.isa.platform import Platform
from visaproof.launch.launch import NOTHING_KNOWN, Launch, parse_input_option
from visaproof.launch.matching import Program
from visaproof.visaasm.reader import read_kernel

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=uw num_elts=16 align=GRF
.decl Y v_type=G type=uw num_elts=16 align=GRF
.decl N v_type=G type=d num_elts=1 align=dword
.decl SIZE v_type=G type=ud num_elts=3 align=dword
.decl OFFSET v_type=G type=ud num_elts=3 align=dword
.decl U v_type=G type=ud num_elts=8 align=GRF
.decl V v_type=G type=ud num_elts=8 align=GRF
.decl DATA v_type=G type=d num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.decl GROUP v_type=G type=ud num_elts=8 alias=<%r0, 0>
.input X offset=32 size=32
.input Y offset=64 size=32
.input N offset=96 size=4
.input SIZE offset=128 size=12
.input OFFSET offset=160 size=12
{attributes}.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
"""
MEANINGS = "X=local_id_x", "Y=local_id_y", "N=arg_byvalue:arg0", "SIZE=local_size", "OFFSET=global_id_offset"
AT_X = "mov (M1, 8) U(0,0)<1> X(0,0)<1;1,0>\nshl (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x2:ud\n"
ROWS = "mov (M1, 8) V(0,0)<1> Y(0,0)<1;1,0>\n"
"""Reads the local id y."""
STORE = "scatter4_scaled.R (M1, 8) T6 0x0:ud U.0 DATA.0\n"
WRITE = "mov (M1, 8) DATA(0,0)<1> 0x7:d\n" + STORE


def program(body: str, attributes: str = ".kernel_attr SimdSize=8\n", **known: object) -> Program:
    """A kernel for TGLLP with buffer 0 as `T6`."""
    kernel = read_kernel(f"{HEAD.format(attributes=attributes)}{body}ret (M1, 1)\n", "k.visaasm")
    launch = NOTHING_KNOWN.with_inputs(kernel, [parse_input_option(one) for one in MEANINGS])
    stated: dict[str, object] = {"platform": Platform.TGLLP, "order_known": True, "binding_table": {0: 0}}
    found: Launch = replace(launch, **(stated | known))  # type: ignore[arg-type]
    return Program(kernel, found, Platform.TGLLP)
