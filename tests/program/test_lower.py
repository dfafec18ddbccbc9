"""Lowering a kernel of `.visaasm`: what each operand and statement becomes, and who sees a wrong one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from benchmarks.alu_vectors.measure import measured
from visaproof.decode.surfaces import StateElement
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.machine.concrete.run import run
from visaproof.program.lower import lowered
from visaproof.program.lower_operands import OperandLowering
from visaproof.program.operands import (
    AddressedElements,
    AddressedTarget,
    AddressRegisters,
    Constant,
    DroppedTarget,
    Elements,
    PackedConstant,
    PredicateTarget,
    Region,
    RowRegion,
    Source,
    StorageAddress,
    Target,
)
from visaproof.program.statements import (
    BindState,
    Branch,
    ClearAddress,
    Compare,
    Compute,
    MemoryMessage,
    MovePredicate,
    ReadState,
    Refused,
    Run,
    SetAddress,
)
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Operand

DATA = Path(__file__).parents[1] / "data" / "visaasm"
HEAD = """.version 4.1
.kernel "k"
.decl R v_type=G type=ud num_elts=64 align=GRF
.decl RW v_type=G type=w num_elts=32 alias=<R, 64>
.decl RB v_type=G type=ub num_elts=8 alias=<RW, 6>
.decl P1 v_type=P num_elts=16
.decl A0 v_type=A num_elts=8
.decl T6 v_type=T num_elts=4
.kernel_attr SimdSize=16
.function "k"
_main:
"""
SEED = 17


def lower(*body: str, platform: Platform = Platform.TGLLP) -> list[Run]:
    text = HEAD + "\n".join([*body, "ret (M1, 1)", ""])
    return list(lowered(read_kernel(text, "k.visaasm", grf_bytes=platform.grf_bytes), platform).run_statements())


def compute(body: str, platform: Platform = Platform.TGLLP) -> Compute:
    statement = lower(body, platform=platform)[0]
    assert isinstance(statement, Compute)
    return statement


@pytest.mark.parametrize(("platform", "grf"), [(Platform.TGLLP, 32), (Platform.PVC, 64)])
def test_aliases_rows_and_columns_add_up_to_a_byte(platform: Platform, grf: int) -> None:
    statement = compute("add (M1, 8) RW(1,2)<2> (-)RB(0,1)<4;2,1> R(2,3)<0;1,0>", platform)
    assert statement.target == Target("R", 64 + grf + 4, 2, DataType.W, statement.target.position)
    alias, plain = statement.sources
    assert alias == Elements("R", 64 + 6 + 1, Region(4, 2, 1), DataType.UB, "-", alias.position)
    assert plain == Elements("R", 2 * grf + 12, Region(0, 1, 0), DataType.UD, "", plain.position)
    assert (alias.is_scalar, plain.is_scalar) == (False, True)


def test_immediates_are_bits_and_packed_ones_are_elements() -> None:
    first, second = compute("add (M1, 8) R(0,0)<1> 0x3:ud 0x4:ud").sources
    assert isinstance(first, Constant)
    assert isinstance(second, Constant)
    assert (first.bits, second.bits, first.type) == (3, 4, DataType.UD)
    (packed,) = compute("mov (M1, 8) RW(0,0)<1> 0x7654f210:v").sources
    assert isinstance(packed, PackedConstant)
    assert (packed.elements, packed.type) == ((0, 1, 2, 0xFFFF, 4, 5, 6, 7), DataType.W)


def test_operands_through_addresses_name_registers_and_distances() -> None:
    statement = compute("mov (M1, 8) r[A0(1),2]<2>:w r[A0(3),-4]<2,1>:w")
    assert statement.target == AddressedTarget("A0", 1, 2, 2, DataType.W, statement.target.position)
    (source,) = statement.sources
    assert source == AddressedElements("A0", 3, -4, RowRegion(2, 1), DataType.W, "", source.position)
    address = lower("addr_add (M1, 8) A0(0)<1> &RW[4] 0x2:uw")[0]
    assert isinstance(address, SetAddress)
    assert address.base == StorageAddress("R", 68, address.base.position)
    assert address.target == AddressRegisters("A0", 0, 1, address.target.position)


def test_each_way_of_running_has_a_class() -> None:
    statements = lower(
        "cmp.lt (M5, 16) P1 R(0,0)<1;1,0> 0x1:ud",
        "mov (M1_NM, 1) R(0,0)<1> P1",
        "mov (M1_NM, 8) A0(0)<1> 0x0:uw",
        "movs (M1_NM, 1) T6(1) 0x5:ud",
        "movs (M1_NM, 1) R(0,0)<1> T6(1)",
        "mov (M1, 8) %null(0,0)<1> R(0,0)<1;1,0>",
        "gather_scaled.1 (M1, 8) T6 0x0:ud R.0 R.64",
        "goto (M1, 16) _main",
    )
    compare, predicate, clear, bind, read, dropped, message, branch, _ = statements
    assert isinstance(compare, Compare)
    assert (compare.relation, compare.target, compare.origin.first_lane) == ("lt", PredicateTarget("P1"), 16)
    assert isinstance(predicate, MovePredicate)
    assert predicate.predicate == "P1"
    assert isinstance(clear, ClearAddress)
    assert isinstance(bind, BindState)
    assert (bind.target, bind.surfaces) == (StateElement("T6", 1), {StateElement("T6", 1): "bti 5"})
    assert isinstance(read, ReadState)
    assert isinstance(dropped, Compute)
    assert isinstance(dropped.target, DroppedTarget)
    assert isinstance(message, MemoryMessage)
    assert not message.is_atomic
    assert isinstance(branch, Branch)
    assert branch.target == 0


def test_what_is_not_modelled_has_its_place_and_all_before_it_runs() -> None:
    body = ["mov (M1_NM, 1) R(0,0)<1> 0x7:ud", "lzd (M1, 8) R(0,0)<1> RW(0,0)<1;1,0>"]
    kernel = read_kernel(HEAD + "\n".join([*body, "ret (M1, 1)", ""]), "k.visaasm")
    _, refused, _ = lowered(kernel, Platform.TGLLP).run_statements()
    assert isinstance(refused, Refused)
    with pytest.raises(NotModelled, match=r"k\.visaasm:13:\d+: lzd with Src0 of type :w"):
        refused.refuse()
    state = ConcreteState(Platform.TGLLP, 0xFF)
    with pytest.raises(NotModelled, match="page LZD"):
        run(kernel, state)
    assert state.registers["R"][0] == 7


def test_what_is_malformed_is_told_when_a_run_comes_to_it() -> None:
    refused = lower("gather_scaled.3 (M1, 8) T6 0x0:ud R.0 R.64")[0]
    assert isinstance(refused, Refused)
    with pytest.raises(ReadError, match="number of blocks 3"):
        refused.refuse()


@pytest.mark.parametrize(
    "path", sorted(DATA.glob("*/*-O2.visaasm")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_kernels_are_lowered_once_and_as_a_whole(path: Path) -> None:
    kernel = read_kernel(path.read_text(), path.name)
    program = lowered(kernel, Platform.TGLLP)
    assert lowered(kernel, Platform.TGLLP) is program
    assert lowered(program, Platform.TGLLP) is program
    assert [one.position for one in program.statements] == [one.position for one in kernel.statements]


def _swapped(source: Elements) -> Elements:
    return replace(source, region=Region(source.region.horizontal, source.region.width, source.region.vertical))


def _moved(source: Elements) -> Elements:
    return replace(source, start=source.start + source.type.size)


def _unmodified(source: Elements) -> Elements:
    return replace(source, modifier="")


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("misread", [_swapped, _moved, _unmodified])
def test_page_vectors_see_a_source_that_is_lowered_wrongly(
    misread: Callable[[Elements], Elements], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All machines share the lowering, so that they agree on it; the vectors are computed from the page alone."""
    right = OperandLowering.source

    def wrong(self: OperandLowering, operand: Operand) -> Source:
        found = right(self, operand)
        return misread(found) if isinstance(found, Elements) else found

    assert measured("add", 60, SEED).differ == 0
    monkeypatch.setattr(OperandLowering, "source", wrong)
    assert measured("add", 60, SEED).differ > 0
