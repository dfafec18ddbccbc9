"""The words of the pages: masks, platforms, operations, types, operands, readings, and the kinds of "no"."""

import inspect

import pytest

from visaproof.instructions import ALL
from visaproof.isa import errors
from visaproof.isa.answers import DwordMisaligned
from visaproof.isa.atomics import PAGE_OPS, atomic_named
from visaproof.isa.errors import IllegalInstruction, NotModelled, Position, ReadError
from visaproof.isa.execution import EXEC_SIZES, Combine, ExecMask
from visaproof.isa.operands import Channels, Execution, ImmediateUD, Predicate, RawOperand, ScalarUD
from visaproof.isa.platform import DEVICES, SUPPORTED, Platform, noted_platforms, platform_named
from visaproof.isa.readings import DEFAULT, READINGS, Readings, readings_from
from visaproof.isa.types import DataType, type_named


def test_a_mask_code_is_a_lane_offset_in_fours_and_nomask_in_its_top_bit() -> None:
    """Page: M1..M8 are 0..7, M1_NM..M8_NM are 8..15."""
    assert [mask.lane_offset for mask in ExecMask] == [0, 4, 8, 12, 16, 20, 24, 28] * 2
    assert [mask.no_mask for mask in ExecMask] == [False] * 8 + [True] * 8
    assert ExecMask.M3_NM == 0b1010


def test_an_execution_size_is_a_power_of_two_up_to_32() -> None:
    assert list(EXEC_SIZES) == [1 << code for code in range(6)]
    for size in (0, 3, 64):
        with pytest.raises(ValueError, match="execution size"):
            Execution(size)


def test_registers_have_64_bytes_from_pvc_on() -> None:
    assert [platform.name for platform in Platform if platform.grf_bytes == 64] == ["PVC", "Xe2", "Xe3", "Xe3P"]
    assert {platform.grf_bytes for platform in Platform} == {32, 64}


def test_platforms_stand_in_the_order_of_their_gates() -> None:
    names = [platform.name for platform in sorted(Platform)]
    assert " ".join(names) == "BDW CHV SKL BXT ICLLP TGLLP XeHP_SDV DG2 MTL ARL PVC Xe2 Xe3 Xe3P"
    assert list(SUPPORTED) == sorted(SUPPORTED)
    assert len(SUPPORTED) == 6


def test_every_platform_has_one_row_and_every_name_one_platform() -> None:
    assert [device.platform for device in DEVICES] == list(Platform)
    names = [name.lower() for device in DEVICES for name in (device.platform.name, *device.names)]
    assert len(names) == len(set(names))


def test_the_words_of_a_dump_are_names_of_platforms() -> None:
    """Of `//Platform:` comments, docs/pages/current-compiler.md §1."""
    words = "TGLLP DG2 MTL ARL PVCXT XE2 XE3 NVL XE3P_CRI"
    expected = "TGLLP DG2 MTL ARL PVC Xe2 Xe3 Xe3P Xe3P"
    assert " ".join(platform_named(word).name for word in words.split()) == expected
    assert Platform["PVCXT"] is Platform.PVC


def test_the_product_family_decides_then_the_gfxcore_family_then_the_ip_version() -> None:
    assert noted_platforms(1273, 0xC07, (12, 55)) == (Platform.ARL,)
    assert noted_platforms(9999, 0xC07, (12, 71)) == (Platform.MTL,)
    assert noted_platforms(9999, 0xC07, (13, 0)) == (Platform.DG2, Platform.MTL, Platform.ARL)
    assert noted_platforms(9999, 0xC07, (20, 1)) == (Platform.DG2, Platform.MTL, Platform.ARL)
    assert noted_platforms(9999, 0xC08, None) == (Platform.PVC,)
    assert noted_platforms(9999, 0, (20, 7)) == (Platform.Xe2,)
    assert noted_platforms(None, None, (35, 0)) == (Platform.Xe3P,)
    assert noted_platforms(9999, 0x9999, (99, 0)) == ()
    assert noted_platforms(9999, 0, None) == ()


def test_a_platform_is_found_whatever_its_case() -> None:
    assert platform_named("xehp_sdv") is Platform.XeHP_SDV
    with pytest.raises(KeyError):
        platform_named("gen9")


def test_atomic_operations_have_the_codes_and_spellings_of_the_table() -> None:
    """0x00..0x0D in order; imin and imax are minsint and maxsint, and predec has no spelling (D28, D50)."""
    integers = [op for op in PAGE_OPS if op.code < 0x10]
    assert [op.code for op in integers] == list(range(0x0E))
    *named, predec = integers
    spellings = [op.spelling or "" for op in named]
    assert " ".join(spellings) == "add sub inc dec min max xchg cmpxchg and or xor minsint maxsint"
    assert predec.spelling is None
    assert [atomic_named(spelling) for spelling in spellings] == named
    with pytest.raises(KeyError):
        atomic_named("predec")


def test_types_have_the_sizes_that_their_names_say() -> None:
    assert {data_type.spelling: data_type.size for data_type in DataType} == (
        dict.fromkeys(("ub", "b"), 1)
        | dict.fromkeys(("uw", "w", "hf", "bf"), 2)
        | dict.fromkeys(("ud", "d", "f", "v", "uv", "vf"), 4)
        | dict.fromkeys(("uq", "q", "df"), 8)
    )
    for data_type in DataType:
        assert type_named(data_type.spelling.upper()) is data_type
        assert data_type.bits == 8 * data_type.size
    assert {data_type.spelling for data_type in DataType if not data_type.signed} == {"ud", "uw", "ub", "uq", "uv"}
    assert {data_type.spelling for data_type in DataType if data_type.packed} == {"v", "uv", "vf"}


def test_operands_read_as_the_grammar_spells_them() -> None:
    assert str(RawOperand("VO", 64)) == "VO.64"
    assert str(ImmediateUD(16)) == "0x10:ud"
    assert str(ScalarUD("VG", 12)) == "VG(0,3)<0;1,0>"
    assert str(Channels(0b1010)) == "GA"
    assert str(Execution(8, ExecMask.M3_NM)) == "(M3_NM, 8)"
    assert str(Predicate("P1")) == "(P1)"
    assert str(Predicate("P1", inverse=True, combine=Combine.ALL)) == "(!P1.all)"


def test_the_kinds_of_no_are_not_kinds_of_each_other() -> None:
    """Illegal, undefined, not modelled, unreadable, and solvers that disagree: none is caught as another."""
    kinds = [
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if Exception in kind.__bases__ and kind.__module__ == errors.__name__
    ]
    assert len(kinds) == 5
    for kind in kinds:
        assert [other for other in kinds if issubclass(kind, other)] == [kind]


def test_errors_say_where_and_why() -> None:
    here = Position("a.visaasm", 3, 7)
    assert str(ReadError("no such thing", here, "try another")) == "a.visaasm:3:7: no such thing\n  hint: try another"
    assert str(NotModelled("dpas", here)) == "a.visaasm:3:7: dpas"
    assert str(NotModelled("dpas")) == "dpas"
    illegal = IllegalInstruction("U must not be null", "TYPED_ATOMIC.md")
    assert (str(illegal), illegal.rule) == ("U must not be null (TYPED_ATOMIC.md)", "U must not be null")


def test_every_reading_that_a_page_depends_on_exists() -> None:
    """And has a decision, a question and an answer; no name and no question stands twice."""
    for page in ALL:
        assert set(page.spec.readings) <= READINGS.keys()
        assert len(set(page.spec.readings)) == len(page.spec.readings) > 0
    questions = [reading.question for reading in READINGS.values()]
    assert len(set(questions)) == len(questions)
    assert all(reading.decision.startswith("D") or reading.decision == "ours" for reading in READINGS.values())


def test_every_choice_of_the_table_is_a_field_whose_default_stands_first() -> None:
    """And every answer says what it does."""
    choices = {name.replace("-", "_"): reading for name, reading in READINGS.items() if reading.alternatives}
    assert choices.keys() == set(Readings.__struct_fields__)
    for name, reading in choices.items():
        assert getattr(DEFAULT, name) is reading.default
        assert isinstance(reading.answers, type)
        assert all(answer.effect and answer.value for answer in reading.answers)
        assert len({answer.value for answer in reading.answers}) == len(reading.answers) >= 2


def test_an_answer_is_chosen_by_name_and_value() -> None:
    chosen = readings_from(["dword-misaligned=floor", "collision=last-wins"])
    assert chosen.dword_misaligned is DwordMisaligned.FLOOR
    assert chosen.chosen_otherwise() == ["dword-misaligned=floor", "collision=last-wins"]
    assert readings_from(["collision=undefined"]) == DEFAULT
    assert DEFAULT.chosen_otherwise() == []
    for wrong in ("no-such=floor", "collision=floor", "oword-unit=bytes", "collision"):
        with pytest.raises(KeyError):
            readings_from([wrong])


def test_the_four_pages_have_their_opcodes() -> None:
    assert {page.spec.mnemonic: page.spec.opcode for page in ALL} == {
        "SCATTER4_SCALED": 0x75,
        "OWORD_LD": 0x35,
        "QW_SCATTER": 0x87,
        "TYPED_ATOMIC": 0x73,
    }
    assert all(page.spec.page == f"{page.spec.mnemonic}.md" for page in ALL)
    assert all(page.spec.name == page.spec.mnemonic.lower() for page in ALL)


def test_only_scatters_leave_collisions_undefined() -> None:
    assert {page.spec.mnemonic for page in ALL if page.spec.collision_undefined} == {"SCATTER4_SCALED", "QW_SCATTER"}
