"""`raw_sends`: the message that its descriptor and its payload say, held against Intel's own tools."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.current_compiler import current_tool
from tests.genx.tool import run_tool
from visaproof.decode import raw_send
from visaproof.decode.message import decode
from visaproof.decode.raw_send import resolved
from visaproof.decode.synchronisation import event_of
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.program.lower import lowered
from visaproof.program.statements import MemoryMessage, Refused, Synchronise
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Instruction, Kernel

XE2 = Platform.Xe2
DECLARED = """.version 4.1
.kernel "k"
.decl B v_type=G type=q num_elts=1 align=qword
.decl W v_type=G type=d num_elts=1 align=dword
.decl P v_type=G type=d num_elts=16 align=GRF
.decl TWO v_type=G type=ud num_elts=32 align=GRF
.decl Q v_type=G type=d num_elts=16 align=GRF
.decl PQ v_type=G type=q num_elts=8 alias=<P, 0>
.decl D v_type=G type=d num_elts=128 align=GRF
.decl F v_type=P num_elts=1
.decl A0 v_type=A num_elts=1
.input B offset=64 size=8
.input W offset=72 size=4
.kernel_attr Target="cm"
.function "k_0"
k_0:
"""
PLACE = "mov (M1, 1) PQ(0,0)<1> B(0,0)<0;1,0>\n" + "".join(
    f"mov (M1, 1) P(0,{dword})<1> W(0,0)<0;1,0>\n" for dword in range(2, 7)
)
LOAD = "raw_sends.15.1.0.8 (M1, 1) 0x0:ud 0x2888403:ud P.0 %null.0 D.0\n"
SIGNAL = "raw_sends.3.1.0.0 (M1, 1) 0x3:ud 0x2000004:ud Q.0 %null.0 %null.0\n"


def kernel_of(body: str) -> Kernel:
    return read_kernel(f"{DECLARED}{body}ret (M1, 1)\n", "k.visaasm", grf_bytes=64)


def sent(body: str) -> Instruction:
    """The last `raw_sends` of a kernel, as what it stands for."""
    kernel = kernel_of(body)
    *_, last = (one for one in kernel.instructions() if one.opcode == "raw_sends")
    return resolved(last, kernel, XE2)


def shape(dword: str) -> str:
    return f"mov (M1, 1) P(0,7)<1> {dword}:d\n"


PREFETCH = "raw_sends.15.1.0.0 (M1, 1) 0x0:ud 0x2080203:ud P.0 %null.0 %null.0\n"
STORE = "raw_sends.15.1.4.0 (M1, 1) 0x0:ud 0x20e0207:ud P.0 D.0 %null.0\n"


def loaded(block: str, data: str = "D") -> str:
    return f"lsc_load_block2d.ugm (M1, 1) {data}:{block} flat[P + (0,0)]"


BLOCKS = {
    "transposed": (LOAD, "0xf07", loaded("d32.8x16tn")),
    "of_two": (LOAD.replace("0x2888403", "0x2880203"), "0x1070f", loaded("d16.2x16x8nn")),
    "packed": (LOAD.replace("0x2888403", "0x2880283"), "0xf0f", loaded("d16.16x16nt")),
    "prefetch": (PREFETCH, "0x71f", loaded("d16.32x8nn", "%null")),
    "store": (STORE, "0x70f", "lsc_store_block2d.ugm (M1, 1) flat[P + (0,0)] D:d16.16x8nn"),
    "guarded": (f"(F) {LOAD}", "0xf07", f"(F) {loaded('d32.8x16tn')}"),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_descriptor_and_its_payload_are_the_block_they_say(name: str) -> None:
    message, dword, expected = BLOCKS[name]
    found = sent(PLACE + shape(dword) + message)
    assert found.text == expected
    written = kernel_of(PLACE + expected + "\n")
    *_, said, _ = written.instructions()
    kernel = kernel_of(PLACE + shape(dword) + message)
    *_, raw, _ = kernel.instructions()
    assert decode(raw, kernel, XE2) == decode(said, written, XE2)
    statements = lowered(kernel, XE2).statements
    assert any(isinstance(one, MemoryMessage) and one.origin is raw for one in statements)


def test_a_signal_says_its_barrier_and_how_many_threads() -> None:
    body = f"mov (M1, 1) W(0,0)<1> 0x8080003:d\nmov (M1, 16) Q(0,0)<1> W(0,0)<0;1,0>\n{SIGNAL}nbarrier.wait 0x3:ub\n"
    found = sent(body)
    assert (found.text, str(event_of(found))) == ("nbarrier.signal 3 8", "nbarrier.signal 3 0 8 8")
    assert sum(isinstance(one, Synchronise) for one in lowered(kernel_of(body), XE2).statements) == 2


@pytest.mark.parametrize("payload", ["0x4080003", "0x8084003"])
def test_a_signal_of_unlike_counts_or_of_a_role_is_not_modelled(payload: str) -> None:
    with pytest.raises(NotModelled, match="of a barrier that signals"):
        sent(f"mov (M1, 16) Q(0,0)<1> {payload}:d\n{SIGNAL}")


def test_a_copy_of_a_payload_is_known_element_by_element() -> None:
    copied = "mov (M1, 16) Q(0,0)<1> P(0,0)<1;1,0>\nmov (M1, 1) P(0,7)<1> 0x0:d\n"
    assert "8x16tn" in sent(PLACE + shape("0xf07") + copied + LOAD.replace("P.0", "Q.0")).text
    shifted = "mov (M1, 8) Q(0,1)<1> P(0,0)<1;1,0>\n"
    with pytest.raises(NotModelled, match="no known constant at byte 28"):
        sent(PLACE + shape("0xf07") + shifted + LOAD.replace("P.0", "Q.0"))


LOOP = shape("0xf07") + "L:\nadd (M1, 1) P(0,5)<1> P(0,5)<0;1,0> 0x8:d\n"
BACK = "cmp.lt (M1, 1) F P(0,5)<0;1,0> W(0,0)<0;1,0>\n(F) jmp (M1, 1) L\n"


def test_a_payload_may_be_written_before_the_loop_that_sends_it() -> None:
    assert "8x16tn" in sent(PLACE + LOOP + LOAD + BACK).text


BY_ADDRESS = "addr_add (M1, 1) A0(0)<1> &P 0x0:uw\nmov (M1, 8) r[A0(0),0]<1>:d 0x1:d\n"
THERE_AND_BACK = "mov (M1, 16) Q(0,0)<1> P(0,0)<1;1,0>\nmov (M1, 16) P(0,0)<1> Q(0,0)<1;1,0>\n"
UNKNOWN = {
    "loaded": "mov (M1, 1) P(0,7)<1> W(0,0)<0;1,0>\n",
    "guarded": f"(F) {shape('0xf07')}",
    "reached_by_an_address": shape("0xf07") + BY_ADDRESS,
    "two_ways": f"{shape('0xf07')}(F) jmp (M1, 1) L\n{shape('0xf0f')}L:\n",
    "one_way": f"(F) jmp (M1, 1) L\n{shape('0xf07')}L:\n",
    "changed_later_in_the_loop": LOOP + LOAD + shape("0xf0f") + BACK,
    "before_lanes_are_off": f"{shape('0xf07')}(F) goto (M1, 16) L\nL:\n",
    "overwritten": f"{shape('0xf07')}lsc_load.ugm (M1, 1) P:d32x8t flat[B]:a64\n",
    "copied_in_a_circle": f"L:\n{THERE_AND_BACK}{LOAD}{BACK}",
    "copied_too_often": shape("0xf07") + THERE_AND_BACK * 1000,
    "computed": f"{shape('0xf07')}add (M1, 1) P(0,7)<1> P(0,7)<0;1,0> 0x8:d\n",
    "never": "",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_payload_that_may_be_another_is_not_modelled(name: str) -> None:
    kernel = kernel_of(PLACE + UNKNOWN[name] + ("" if LOAD in UNKNOWN[name] else LOAD))
    *_, last = (one for one in kernel.instructions() if one.opcode == "raw_sends")
    with pytest.raises(NotModelled, match="no known constant at byte 28"):
        resolved(last, kernel, XE2)
    assert any(isinstance(one, Refused) and one.origin is last for one in lowered(kernel, XE2).statements)


def test_a_payload_may_be_the_high_half_of_a_product() -> None:
    """Page MADW: the high halves are in the registers after the low ones."""
    load = "mov (M1, 1) TWO(1,7)<1> 0xf07:ud\n{}" + LOAD.replace("P.0", "TWO.64")
    assert sent(load.format(""))
    with pytest.raises(NotModelled, match="no known constant at byte 28"):
        sent(load.format("madw (M1, 8) TWO(0,0)<1> W(0,0)<0;1,0> W(0,0)<0;1,0> 0x0:ud\n"))


def test_on_other_devices_such_messages_are_others() -> None:
    kernel = kernel_of(f"mov (M1, 16) Q(0,0)<1> 0x8080003:d\n{SIGNAL}")
    *_, last, _ = kernel.instructions()
    assert resolved(last, kernel, Platform.PVC).opcode == "nbarrier"
    with pytest.raises(NotModelled):
        resolved(last, kernel, Platform.DG2)


OTHERS = {
    "a_load_of_dwords": LOAD.replace("0x2888403", "0x2108580"),
    "a_surface": LOAD.replace("0x2888403", "0x22888403"),
    "an_extended_descriptor": LOAD.replace("0x0:ud", "0x10000:ud"),
    "too_few_registers": LOAD.replace("0x2888403", "0x2488403"),
    "another_unit": LOAD.replace("sends.15", "sends.14"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_message_is_not_modelled(name: str) -> None:
    with pytest.raises(NotModelled):
        sent(PLACE + shape("0xf07") + OTHERS[name])


DESCRIPTORS = {
    0x2888403: ("0xf07", "load_block2d.ugm.d32t.a64", "load_block2d.ugm (M1, 1) D:d32.8x16tn "),
    0x2880203: ("0x1070f", "load_block2d.ugm.d16.a64", "load_block2d.ugm (M1, 1) D:d16.2x16x8nn "),
    0x2880283: ("0xf0f", "load_block2d.ugm.d16v.a64", "load_block2d.ugm (M1, 1) D:d16.16x16nt "),
    0x2880003: ("0xf1f", "load_block2d.ugm.d8.a64", "load_block2d.ugm (M1, 1) D:d8.32x16nn "),
    0x2888603: ("0x707", "load_block2d.ugm.d64t.a64", "load_block2d.ugm (M1, 1) D:d64.8x8tn "),
    0x20E0207: ("0x70f", "store_block2d.ugm.d16.a64", "store_block2d.ugm (M1, 1) flat[P + (0,0)] D:d16.16x8nn"),
}


@pytest.mark.parametrize("descriptor", DESCRIPTORS)
def test_intels_assembler_takes_descriptors_apart_alike(descriptor: int, tmp_path: Path) -> None:
    dword, theirs, ours = DESCRIPTORS[descriptor]
    tool, loads = current_tool("iga64"), ours.startswith("load")
    registers = "r10 r20 null:0" if loads else "null r20 r10:4"
    (tmp_path / "s.asm").write_text(f"(W) send.ugm (1) {registers} 0x0 {descriptor:#010x}\n")
    subprocess.run([tool, "-p=xe2", "-a", "s.asm", "-o", "s.bin"], cwd=tmp_path, check=True, timeout=60)
    command = [tool, "-p=xe2", "-d", "s.bin", "-Xprint-ldst"]
    shown = subprocess.run(command, cwd=tmp_path, check=True, timeout=60, capture_output=True, text=True).stdout
    assert theirs in shown
    returned = re.search(r"r10:(\d)", shown)
    assert returned
    lengths, operands = (f"0.{returned[1]}", "%null.0 D.0") if loads else (f"{returned[1]}.0", "D.0 %null.0")
    found = sent(f"{PLACE}{shape(dword)}raw_sends.15.1.{lengths} (M1, 1) 0x0:ud {descriptor:#x}:ud P.0 {operands}\n")
    assert found.text.startswith(f"lsc_{ours}")


def test_the_finalizer_builds_payloads_alike(tmp_path: Path) -> None:
    body = (
        "lsc_load_block2d.ugm (M1, 1) D:d32.8x16tn flat[B,W,W,W,W,W]\nnbarrier.signal 0x3:ub 0x8:ub\n"
        "nbarrier.wait 0x3:ub\nlsc_store_block2d.ugm (M1, 1) flat[B,W,W,W,W,W] D:d16.16x8nn\n"
    )
    text = f"{DECLARED}{body}ret (M1, 1)\n".replace(".kernel_attr", ".kernel_attr NBarrierCnt=4\n.kernel_attr", 1)
    ran = run_tool(text, XE2, tmp_path / "t", tool=current_tool("GenX_IR"))
    assert ran.accepted, ran.message
    shapes = re.findall(r"mov .*r\d+\.7<1>:ud\s+0x(\w+):", ran.assembly)
    assert shapes == ["F07", "70F"]
    assert re.search(r"mov .*r\d+\.2<1>:f\s+0x8080003:f", ran.assembly)
    assert re.search(r"send\.gtwy .*0x02000004", ran.assembly)


def test_payloads_are_looked_for_in_so_many_steps_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_send, "MOST_STEPS", 3)
    with pytest.raises(NotModelled, match="no known constant"):
        sent(PLACE + shape("0xf07") + "mov (M1, 1) W(0,0)<1> 0x0:d\n" * 4 + LOAD)
    assert sent(PLACE + shape("0xf07") + LOAD)
