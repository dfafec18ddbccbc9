"""A kernel that writes rows: `dst[y * pitch + x]` by groups of any size, with its launch information."""

from msgspec.structs import replace

from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, Launch, parse_input_option
from visaproof.launch.overlap import ArgumentInfo
from visaproof.launch.relations.expression_reader import parse_relation
from visaproof.launch.relations.expressions import Relation
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

HEAD = """.version 4.1
.kernel "rows"
.decl X v_type=G type=uw num_elts=8 align=GRF
.decl Y v_type=G type=uw num_elts=8 align=GRF
.decl N v_type=G type={type} num_elts=1 align=dword
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=16 align=GRF
.decl P1 v_type=P num_elts=8
.decl T6 v_type=T num_elts=1
.input X offset=64 size=16
.input Y offset=96 size=16
.input N offset=128 size={size}
.kernel_attr SimdSize=8
.function "rows"
    movs (M1_NM, 1) T6(0) 0x0:ud
"""
PITCH = "    mul (M1, 8) A(0,0)<1> Y(0,0)<1;1,0> N(0,0)<0;1,0>\n"
PLUS_X = "    add (M1, 8) A(0,0)<1> A(0,0)<1;1,0> X(0,0)<1;1,0>\n"
STORE = (
    "    shl (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x2:ud\n    scatter4_scaled.R (M1, 8) T6 0x0:ud A.0 A.0\n    ret (M1, 1)\n"
)
ROWS = PITCH + PLUS_X + STORE
STRIDED = "    mul (M1, 8) A(0,0)<1> X(0,0)<1;1,0> N(0,0)<0;1,0>\n" + STORE
COLUMNS_ALIKE = PITCH + "    and (M1, 8) A(0,0)<1> A(0,0)<1;1,0> 0x7:ud\n" + PLUS_X + STORE


def rows(body: str = ROWS) -> Kernel:
    return read_kernel(HEAD.format(type="ud", size=4) + body, "rows.visaasm")


def launch(code: Kernel, type_name: str = "uint", pitch: str = "arg_byvalue:arg1") -> Launch:
    options = [parse_input_option(text) for text in ("X=local_id_x", "Y=local_id_y", f"N={pitch}")]
    known = replace(NOTHING_KNOWN, arg_names={0: "dst", 1: "n"}).with_inputs(code, options)
    return replace(
        known, simd=8, platform=Platform.TGLLP, binding_table={0: 0}, infos={1: ArgumentInfo(type_name=type_name)}
    )


def where(*relations: str) -> list[Relation]:
    found = [parse_relation(text, "--where") for text in relations]
    return [one for one in found if isinstance(one, Relation)]


def asked(
    body: str,
    *relations: str,
    assume: Assume = Assume.LAUNCH,
    pitch: str = "arg_byvalue:arg1",
    timeout_ms: int = 20_000,
) -> KernelAnswers:
    code = rows(body)
    return ask_kernel(code, Platform.TGLLP, launch(code, pitch=pitch), assume, timeout_ms, where=where(*relations))
