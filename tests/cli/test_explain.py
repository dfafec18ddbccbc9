"""`visaproof explain`: a page, and what one instruction does."""

import io
import json
from pathlib import Path

import pytest

from tests.visaasm.validity.test_validity import HAZARDOUS, IGC, PAGE
from visaproof.instructions import ALL

EXAMPLES = [example for page in ALL for example in page.spec.examples]
RA = "scatter4_scaled.RA (M3_NM, 8) T6 0x10:ud V1.0 V2.0"


@pytest.mark.parametrize("name", [page.spec.name for page in ALL])
def test_a_page_shows_syntax_fields_a_picture_and_examples(visaproof, name):
    ran = visaproof("explain", name.upper())
    assert (ran.code, ran.err) == (0, "")
    (spec,) = [page.spec for page in ALL if page.spec.name == name]
    for text in (spec.text, spec.page, *(field.name for field in spec.fields), *spec.examples):
        assert text in ran.out
    assert f"example: {spec.examples[0]}\n" in ran.out
    assert "\x1b" not in ran.out


def test_a_page_says_from_which_platform_on_it_and_its_codes_are(visaproof):
    assert "  from XeHP_SDV on, not on TGLLP\n" in visaproof("explain", "qw_scatter", "--platform", "TGLLP").out
    assert "  from XeHP_SDV on\n" in visaproof("explain", "qw_scatter").out
    assert "4 = 16 owords from XeHP_SDV on with surface T0" in visaproof("explain", "oword_ld").out
    assert "16-bit texels (from TGLLP on)" in visaproof("explain", "typed_atomic").out


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_of_a_page_is_legal_and_can_be_explained(visaproof, example):
    ran = visaproof("explain", example)
    assert ran.code == 0
    assert "legal by its page\naccepted by Intel's verifier\n" in ran.out


def test_the_picture_maps_lanes_and_channels_from_registers_to_addresses(visaproof):
    """By hand: R is at +0, A at +12; A's data begin in the next register; NoMask listens to nothing."""
    ran = visaproof("explain", RA, "--platform", "TGLLP")
    assert ran.code == 0
    assert "  3     always         V2.12 → T6[o3+0x10]  V2.44 → T6[(o3+0x10)+12]\n" in ran.out
    assert "taken as declared, large enough and of the page's types: T6, V1, V2\n" in ran.out
    wide = visaproof("explain", RA, "--platform", "PVC")
    assert "  3     always         V2.12 → T6[o3+0x10]  V2.76 → T6[(o3+0x10)+12]\n" in wide.out


@pytest.mark.parametrize(
    ("statement", "lane", "listens_to"),
    [
        ("scatter4_scaled.R (M3, 8) T6 0x0:ud V1.0 V2.0", 2, "EM[10]"),
        ("(P1) scatter4_scaled.R (M3, 8) T6 0x0:ud V1.0 V2.0", 2, "EM[10] and P1[10]"),
        ("(!P1) scatter4_scaled.R (M3_NM, 8) T6 0x0:ud V1.0 V2.0", 2, "not P1[10]"),
        ("(P1.any) qw_scatter.1 (M5, 16) T6 V1.0 V2.0", 3, "EM[19] and (any of P1[16..31])"),
        ("(!P1.all) qw_scatter.1 (M1_NM, 4) T6 V1.0 V2.0", 3, "not (all of P1[0..3])"),
    ],
)
def test_a_lane_listens_to_bits_from_the_mask_offset_on(visaproof, statement, lane, listens_to):
    lanes = json.loads(visaproof("explain", statement, "--format", "json").out)["lanes"]
    assert (lanes[lane]["lane"], lanes[lane]["listens_to"]) == (lane, listens_to)


def test_a_block_is_shown_by_owords(visaproof):
    ran = visaproof("explain", "oword_ld (2) T6 V1(0,3)<0;1,0> V2.64")
    assert "    T6[16*V1.12] → V2.64\n    T6[16*V1.12+0x10] → V2.80\n" in ran.out


def test_an_atomic_shows_coordinates_operation_and_what_it_returns(visaproof):
    ran = visaproof("explain", "typed_atomic.cmpxchg (M1, 8) T6 V1.0 V4.0 %null.0 %null.0 V2.0 V5.0 V3.0")
    assert "new = src0 if old == src1 else old, returns old\n" in ran.out
    assert "  7     EM[7]          T6[u7, v7, 0, 0]      V2.28  V5.28  V3.28\n" in ran.out
    predec = visaproof("explain", "typed_atomic.predec (M1, 8) T6 V1.0 V0.0 V0.0 V0.0 V0.0 V0.0 V3.0")
    assert "new = old-1, returns new\n" in predec.out


def test_byte_code_is_explained_field_by_field(visaproof, monkeypatch):
    """docs/pages/instructions.md §1: the bytes of a real run, with the two operands that the writer leaves out."""
    code = "75 | A3 | 01 80 | 09 | 00 00 | 06 | 00 28000000 00 00 2101 | 210000000000 | 220000000000"
    ran = visaproof("explain", "--bytes", code)
    assert ran.code == 0
    assert "(!P1) scatter4_scaled.RA (M3_NM, 8) T6 V40(0,0)<0;1,0> V33.0 V34.0\n" in ran.out
    assert "  Exec_size       a3                          lanes: 8 lanes; execution mask: M3_NM\n" in ran.out
    assert "byte code: 75 | a3 | 01 80 | 09 | 00 00 | 06 | 00 28 00 00 00" in ran.out
    monkeypatch.setattr("sys.stdin", io.StringIO(code))
    assert visaproof("explain", "--bytes", "-").out == ran.out


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_byte_code_that_is_shown_explains_to_the_same_picture(visaproof, example):
    shown = json.loads(visaproof("explain", example, "--format", "json").out)
    again = json.loads(visaproof("explain", "--bytes", shown["byte_code"], "--format", "json").out)
    assert again["byte_code"] == shown["byte_code"]
    assert [lane["listens_to"] for lane in again["lanes"]] == [lane["listens_to"] for lane in shown["lanes"]]


def test_an_illegal_instruction_shows_the_broken_rule_and_exits_1(visaproof):
    ran = visaproof("explain", "scatter4_scaled.R (M1, 4) T6 0x0:ud V1.0 V2.0")
    assert ran.code == 1
    assert "NOT LEGAL by its page\n  Exec_size: SCATTER4_SCALED has 8 or 16 lanes [page.exec-size]" in ran.out
    assert "lanes: 2, not on the page" in ran.out
    assert "enabled lane" not in ran.out
    document = json.loads(visaproof("explain", "qw_scatter.1 (M1, 8) T6 V1.0 V2.0", "--platform", "SKL",
                                    "--format", "json").out)  # fmt: skip
    assert (document["exit_code"], document["legal"], document["lanes"]) == (1, False, [])
    assert [entry["id"] for entry in document["findings"]] == ["page.platform"]
    assert [entry["id"] for entry in document["rejections"]] == ["igc.platform"]


def test_the_pages_spelling_is_read_with_a_note(visaproof):
    ran = visaproof("explain", "SCATTER4_SCALED.R (8) T5 0x0:ud V1.0 V2.0")
    assert ran.code == 0
    assert "note: T5 is the pages' spelling of %scratch\n" in ran.out
    assert "rejected by Intel's parser or verifier, for the spelling\n" in ran.out


def test_a_hazard_is_shown_with_its_evidence(visaproof):
    ran = visaproof("explain", "(P1.any) qw_scatter.1 (M5, 16) T6 V1.0 V2.0")
    assert ran.code == 0
    assert "[hazard.any-all] (D4)" in ran.out


@pytest.mark.parametrize(
    ("statement", "message", "caret"),
    [
        ("scatter4_scaled.RA (M1, 8 T6 0x0:ud V1.0 V2.0", "this '(' is not closed", 19),
        ("scatter4_scaled.RA (M1, 8) T6 0x0:ud V1.0 V2.x", "unexpected 'x'", 45),
        ("SCATTER4_SCALED.RA (M1, 8) T5 0x0:ud V1.0 V2.x", "unexpected 'x'", 45),
        ("oword_ld_unaligned (2) 0x0:ud 0x0:ud V1.0", "this operand must be a surface", 23),
    ],
)
def test_what_cannot_be_read_exits_2_with_a_caret(visaproof, statement, message, caret):
    ran = visaproof("explain", statement)
    assert ran.code == 2
    assert message in ran.err
    assert f"    {statement}\n    {' ' * caret}^\n" in ran.err


def test_bytes_that_are_no_instruction_exit_2_with_a_caret_under_the_byte(visaproof):
    ran = visaproof("explain", "--bytes", "75 a7 00 00")
    assert ran.code == 2
    assert "    75 a7 00 00\n       ^\n" in ran.err
    assert visaproof("explain", "--bytes", "7").code == 2
    assert visaproof("explain", "--bytes", "xy").code == 2
    assert visaproof("explain", "--bytes", "75").code == 2


@pytest.mark.parametrize("text", ["scater4_scaled", "scater4_scaled.R (M1, 8) T6 0x0:ud V1.0 V2.0"])
def test_an_unknown_name_exits_2_with_a_proposal(visaproof, text):
    ran = visaproof("explain", text)
    assert ran.code == 2
    assert "did you mean scatter4_scaled" in ran.err


@pytest.mark.parametrize("text", ["mov", "scatter4_typed", "gather4_scaled", "media_ld.mod (4, 4) T6 V1.0 V2.0 V3.0"])
def test_what_has_no_semantics_here_exits_4(visaproof, text):
    assert visaproof("explain", text).code == 4


@pytest.mark.parametrize(
    "statement",
    [
        "gather4_scaled.RA (M1, 8) T6 0x0:ud V1.0 V2.0",
        "scatter_scaled.1 (M1, 8) T6 0x0:ud V1.0 V2.0",
        "oword_st (2) T6 0x0:ud V1.0",
        "qw_gather.1 (M1, 8) T6 V1.0 V2.0",
        "dword_atomic.add (M1, 8) T6 V1.0 V2.0 %null.0 V3.0",
        "svm_gather.4.1 (M1, 8) V1.0 V2.0",
        "svm_block_st (2) V1(0,0)<0;1,0> V2.0",
        "svm_atomic.inc (M1, 8) V1.0 %null.0 %null.0 %null.0",
        "lsc_load.ugm (M1, 16) V2:d32 flat[V1]:a64",
    ],
)
def test_other_memory_messages_are_explained_by_their_footprint(visaproof, statement):
    ran = visaproof("explain", statement)
    assert ran.code == 0, ran.err
    assert "legal by its page" in ran.out
    assert "→" in ran.out or "returned to" in ran.out


@pytest.mark.parametrize("arguments", [(), ("scatter4_scaled", "--bytes", "75")])
def test_one_thing_is_explained_at_a_time(visaproof, arguments):
    assert visaproof("explain", *arguments).code == 2


def test_more_than_one_line_exits_2(visaproof):
    assert visaproof("explain", "oword_ld (1) T6 0x0:ud V1.0\noword_ld (1) T6 0x0:ud V1.0").code == 2


@pytest.mark.parametrize("operand", ["U.65536", "U.0"])
@pytest.mark.parametrize("offset", ["U(5,300)<0;1,0>", "0x0:ud"])
def test_a_number_without_room_in_byte_code_is_explained_all_the_same(visaproof, operand, offset):
    ran = visaproof("explain", f"scatter4_scaled.R (M1, 8) T6 {offset} O.0 {operand}")
    assert ran.code == 0
    fits = (operand, offset) == ("U.0", "0x0:ud")
    assert ("no byte code: a field has no code" in ran.out) != fits
    assert ("byte code: 75 | 03" in ran.out) == fits


@pytest.mark.parametrize("platform", ["SKL", "PVC"])
def test_whatever_the_rules_are_about_can_be_asked(visaproof, platform):
    """Statements that break a rule, and hazards: explained, illegal, unreadable or not modelled, never a failure."""
    statements = [row[2] for row in (*PAGE, *IGC)] + [row[1] for row in HAZARDOUS]
    codes = {visaproof("explain", statement, "--platform", platform).code for statement in statements}
    assert codes <= {0, 1, 2, 4}
    assert {0, 1, 2} <= codes


def test_help_has_examples(visaproof):
    ran = visaproof("explain", "--help")
    assert ran.code == 0
    assert "visaproof explain scatter4_scaled\n" in ran.out


@pytest.mark.parametrize(
    ("place", "code", "said"),
    [
        ("pairs.visaasm:88", 0, "GATHER4_SCALED (0x74), page GATHER4_SCALED.md, on TGLLP"),
        ("pairs.visaasm:88:5", 0, "GATHER4_SCALED (0x74)"),
        ("pairs.visaasm:89", 2, "its memory messages are on the lines 88, 93"),
        ("pairs.visaasm", 0, "shows one of them, lane by lane"),
        ("nothing.visaasm:1", 2, "cannot be opened"),
    ],
)
def test_a_line_of_a_dump_is_explained(place: str, code: int, said: str, visaproof) -> None:
    ran = visaproof("explain", Path(__file__).parents[2] / "docs" / "examples" / place)
    assert (ran.code, said in ran.out + ran.err) == (code, True)


def test_the_statements_behind_an_address_are_shown(visaproof) -> None:
    """The second message of this dump, which binds its surface anew, and stores what line 88 loads."""
    dump = Path(__file__).parents[2] / "docs" / "examples" / "pairs.visaasm"
    shown = visaproof("explain", f"{dump}:93").out
    address = json.loads(visaproof("explain", f"{dump}:93", "--format", "json").out)["address"]
    assert [one["line"] for one in address["statements"]] == [78, 79, 80, 81, 90, 91, 92]
    assert all(f"  {one['line']} | {one['text']}\n" in shown for one in address["statements"])
    assert {"variable": "V0039", "holds": ["local_id_x, lanes 0..7"]} in address["begins"]
    assert "V0039: local_id_x, lanes 0..7" in shown
    assert "where its address comes from" not in visaproof("explain", "scatter4_scaled.R (M1, 8) T6 0x0:ud O.0 U.0").out


def test_a_statement_elsewhere_that_cannot_be_decoded_is_named(visaproof, tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "examples" / "pairs.visaasm").read_text("utf-8")
    dump = tmp_path / "pairs.visaasm"
    dump.write_text(text.replace("V0051.0 V0052.0", "V0051.0"))
    ran = visaproof("explain", f"{dump}:93", "--platform", "TGLLP")
    assert ran.code == 0
    assert "where its address comes from is not followed" in ran.out
    assert "pairs.visaasm:88:5: gather4_scaled takes 4 operands, not 3" in " ".join(ran.out.split())
