"""What the pages allow, what Intel's verifier accepts, and where the two part."""

import pytest

from tests.genx.generator import DECLARATIONS, cases
from visaproof.decode.message import decode
from visaproof.isa.errors import IllegalInstruction, NotModelled, ReadError
from visaproof.isa.platform import Platform
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.validity import Finding, Mode, Verdict, check_instruction, check_text, igc_rules, page_rules
from visaproof.visaasm.validity.hazards import HAZARDS, hazards, text_hazards
from visaproof.visaasm.validity.type_rules import wrong_types

SKL, TGLLP, DG2, PVC = Platform.SKL, Platform.TGLLP, Platform.DG2, Platform.PVC
NULL = "%null.0"


def text_of(statement: str) -> str:
    return f"{DECLARATIONS}    {statement}\n    ret (M1, 1)\n"


def judged(statement: str, mode: Mode, platform: Platform = DG2) -> Verdict:
    return check_text(text_of(statement), "k.visaasm", platform, mode)


def broken_rules(statement: str, mode: Mode, platform: Platform = DG2) -> set[tuple[str, str]]:
    return {(finding.id, finding.operand) for finding in judged(statement, mode, platform).findings}


def atomic(suffix: str, *operands: str, lanes: str = "(M1, 8)", surface: str = "T6") -> str:
    """`operands` are u, v, r, lod, src0, src1 and dst; those that are left out are null."""
    return f"typed_atomic.{suffix} {lanes} {surface} {' '.join([*operands, *[NULL] * (7 - len(operands))])}"


LEGAL = (
    "(!P3.any) scatter4_scaled.RA (M3_NM, 8) T6 U(0,0)<0;1,0> O.0 U.64",
    "oword_ld (16) %slm 0x10:ud U.64",
    "(P3) qw_scatter.1 (M5, 16) %slm O.0 DF.0",
    atomic("cmpxchg", "O.0", "O.64", "O.128", NULL, "U.0", "U.64", "U.128"),
    atomic("maxsint", "O.0", NULL, NULL, NULL, "D.0", NULL, "D.64"),
    atomic("inc.16", "O.0"),
    atomic("fmax", "O.0", NULL, NULL, NULL, "U.0"),
)


@pytest.mark.parametrize("statement", LEGAL)
@pytest.mark.parametrize("mode", Mode)
def test_legal_instructions_are_accepted_by_both(statement: str, mode: Mode) -> None:
    verdict = judged(statement, mode)
    assert (verdict.checked, verdict.findings) == (1, ())


SCATTER = "scatter4_scaled.R (M1, 8) T6 0x0:ud O.0 U.0"
LOAD = "oword_ld (4) T6 0x0:ud U.0"
QWORDS = "qw_scatter.1 (M1, 8) T6 O.0 Q.0"

PAGE = [
    ("page.operand-count", "", SCATTER + " U.0", DG2),
    ("page.execution", "", SCATTER.replace(" (M1, 8)", ""), DG2),
    ("page.operand-form", "Surface", SCATTER.replace("T6", "T6(0)"), DG2),
    ("page.operand-form", "Offset", SCATTER.replace("0x0:ud", "O.0"), DG2),
    ("page.operand-form", "Src", SCATTER.replace("U.0", "0x0:ud"), DG2),
    ("page.channels", "Channels", SCATTER.replace(".R ", ".AR "), DG2),
    ("page.channels", "Channels", SCATTER.replace(".R ", " "), DG2),
    ("page.num-blocks-number", "Num_blocks", QWORDS.replace(".1", ""), DG2),
    ("page.op-known", "Op", atomic("nop", "O.0"), DG2),
    ("page.op-known", "Op", atomic("inc.64", "O.0"), DG2),
    ("page.oword-suffix", "", LOAD.replace("ld ", "ld.4 "), DG2),
    ("page.platform", "", QWORDS, TGLLP),
    ("page.exec-size", "Exec_size", SCATTER.replace("M1, 8", "M1, 4"), DG2),
    ("page.exec-size", "Exec_size", QWORDS.replace("M1, 8", "M1, 32"), DG2),
    ("page.exec-size", "Exec_size", atomic("inc", "O.0", lanes="(M1, 16)"), PVC),
    ("page.mask", "Exec_size", SCATTER.replace("M1, 8", "M2, 8"), DG2),
    ("page.mask", "Exec_size", QWORDS.replace("M1, 8", "M7, 16"), DG2),
    ("page.predicate-bits", "Pred", f"(P2) {SCATTER.replace('M1, 8', 'M3, 8')}", DG2),
    ("page.no-predicate", "Pred", f"(P2) {LOAD}", DG2),
    ("page.no-mask", "Size", LOAD.replace("(4)", "(M3, 4)"), DG2),
    ("page.num-blocks", "Num_blocks", QWORDS.replace(".1", ".2"), DG2),
    ("page.op", "Op", atomic("fadd", "O.0", NULL, NULL, NULL, "U.0"), DG2),
    ("page.16-bit", "Op", atomic("inc.16", "O.0"), SKL),
    ("page.owords", "Size", LOAD.replace("(4)", "(32)"), DG2),
    ("page.16-owords", "Size", LOAD.replace("(4)", "(16)"), DG2),
    ("page.16-owords", "Size", LOAD.replace("(4) T6", "(16) %slm"), TGLLP),
    ("page.slm", "Surface", LOAD.replace("T6", "%slm"), SKL),
    ("page.texels", "Surface", atomic("inc", "O.0", surface="%slm"), DG2),
    ("page.scalar", "Offset", SCATTER.replace("0x0:ud", "U(0,0)<1;1,0>"), DG2),
    ("page.scalar", "Offset", LOAD.replace("0x0:ud", "(-)U(0,0)<0;1,0>"), DG2),
    ("page.null", "Element_offset", SCATTER.replace("O.0", NULL), DG2),
    ("page.null", "Dst", LOAD.replace("U.0", NULL), DG2),
    ("page.null", "Src", QWORDS.replace("Q.0", NULL), DG2),
    ("page.null", "U", atomic("inc", NULL), DG2),
    ("page.r-needs-v", "R", atomic("inc", "O.0", NULL, "O.0"), DG2),
    ("page.src0", "Src0", atomic("add", "O.0"), DG2),
    ("page.src0", "Src0", atomic("dec", "O.0", NULL, NULL, NULL, "U.0"), DG2),
    ("page.src1", "Src1", atomic("cmpxchg", "O.0", NULL, NULL, NULL, "U.0"), DG2),
    ("page.src1", "Src1", atomic("add", "O.0", NULL, NULL, NULL, "U.0", "U.0"), DG2),
    ("page.type-ud", "Offset", SCATTER.replace("0x0:ud", "0x0:d"), DG2),
    ("page.type-ud", "Element_offset", SCATTER.replace("O.0", "D.0"), DG2),
    ("page.type-dword", "Src", SCATTER.replace("U.0", "W.0"), DG2),
    ("page.type-ud", "Offset", QWORDS.replace("O.0", "F.0"), DG2),
    ("page.type-qword", "Src", QWORDS.replace("Q.0", "U.0"), DG2),
    ("page.type-ud", "LOD", atomic("inc", "O.0", NULL, NULL, "D.0"), DG2),
    ("page.type-atomic", "Src0", atomic("minsint", "O.0", NULL, NULL, NULL, "U.0"), DG2),
    ("page.type-atomic", "Dst", atomic("inc", "O.0", NULL, NULL, NULL, NULL, NULL, "D.0"), DG2),
    ("page.bytes", "Src", SCATTER.replace(".R ", ".RGBA ").replace("U.0", "O.192"), DG2),
    ("page.bytes", "Dst", LOAD.replace("U.0", "S.0"), DG2),
    ("page.bytes", "Element_offset", SCATTER.replace("O.0", "E.16"), DG2),
]


@pytest.mark.parametrize(("rule", "operand", "statement", "platform"), PAGE)
def test_a_rule_of_the_pages_names_itself_and_the_operand(
    rule: str, operand: str, statement: str, platform: Platform
) -> None:
    assert (rule, operand) in broken_rules(statement, Mode.PAGE, platform)


def test_the_bytes_of_an_operand_are_those_of_all_lanes() -> None:
    """An alias may be shorter: what counts is the storage behind it (D6)."""
    assert not broken_rules(SCATTER.replace("O.0", "L4.28"), Mode.PAGE)
    assert not broken_rules(SCATTER.replace("U.0", "U.480"), Mode.PAGE)
    wide = SCATTER.replace(".R ", ".RG ").replace("U.0", "O.192")
    assert not broken_rules(wide, Mode.PAGE, DG2)
    assert ("page.bytes", "Src") in broken_rules(wide, Mode.PAGE, PVC), "a channel takes 16 dwords there"


def test_every_rule_of_the_pages_is_broken_by_one_of_these_tests() -> None:
    rules = {rule.id for rule in (*page_rules.FORMS, *page_rules.RULES)}
    assert rules == {row[0] for row in PAGE}


IGC = [
    ("igc.syntax", "", SCATTER.replace("8) T6", "8)) T6"), DG2),
    ("igc.lower-case", "", SCATTER.upper().replace("0X0:UD", "0x0:ud"), DG2),
    ("igc.no-predicate", "Pred", f"(P2) {LOAD}", DG2),
    ("igc.predicate", "Pred", f"(P2.ANY) {SCATTER}", DG2),
    ("igc.suffix", "Channels", SCATTER.replace(".R ", ".GR "), DG2),
    ("igc.suffix", "Num_blocks", QWORDS.replace(".1", ".0x1"), DG2),
    ("igc.suffix", "Op", atomic("imax", "O.0", NULL, NULL, NULL, "D.0"), DG2),
    ("igc.suffix", "Op", atomic("inc.64", "O.0"), DG2),
    ("igc.execution", "Exec_size", SCATTER.replace("M1, 8", "M1, 0x8"), DG2),
    ("igc.execution", "Exec_size", SCATTER.replace("M1, 8", "M9, 8"), DG2),
    ("igc.execution", "Exec_size", SCATTER.replace("M1, 8", "nomask, 8"), DG2),
    ("igc.operand-count", "", SCATTER + " U.0", DG2),
    ("igc.operand-form", "Surface", SCATTER.replace("T6", "T6(0)"), DG2),
    ("igc.operand-form", "Src", SCATTER.replace("U.0", "U"), DG2),
    ("igc.operand-form", "Src", SCATTER.replace("U.0", "%null.4"), DG2),
    ("igc.operand-form", "Offset", SCATTER.replace("0x0:ud", "U(0,0)"), DG2),
    ("igc.operand-form", "Offset", SCATTER.replace("0x0:ud", "0x0:bool"), DG2),
    ("igc.operand-value", "Offset", SCATTER.replace("0x0:ud", "U(0,0)<3;1,0>"), DG2),
    ("igc.surface", "Surface", SCATTER.replace("T6", "T0"), DG2),
    ("igc.surface", "Surface", SCATTER.replace("T6", "O"), DG2),
    ("igc.predicate-variable", "Pred", f"(NONE) {SCATTER}", DG2),
    ("igc.raw-variable", "Src", SCATTER.replace("U.0", "V32.0"), DG2),
    ("igc.raw-variable", "Offset", QWORDS.replace("O.0", "P2.0"), DG2),
    ("igc.scalar-variable", "Offset", LOAD.replace("0x0:ud", "r[U(0),0]<0;1,0>:ud"), DG2),
    ("igc.origin", "Offset", LOAD.replace("0x0:ud", "U(0,65536)<0;1,0>"), DG2),
    ("igc.platform", "", QWORDS, TGLLP),
    ("igc.modifier", "Offset", LOAD.replace("0x0:ud", "(~)U(0,0)<0;1,0>"), DG2),
    ("igc.modifier", "Offset", LOAD.replace("0x0:ud", "(~)r[A0(0),0]<1,0>:ud"), DG2),
    ("igc.alignment", "Src", SCATTER.replace("U.0", "U.4"), DG2),
    ("igc.alignment", "Src", SCATTER.replace("U.0", "U.32"), PVC),
    ("igc.alignment", "Src", SCATTER.replace("U.0", "L36.0"), DG2),
    ("igc.lanes", "Exec_size", SCATTER.replace("M1, 8", "M8, 8"), DG2),
    ("igc.owords", "Size", LOAD.replace("(4)", "(32)"), DG2),
    ("igc.slm", "Surface", LOAD.replace("T6", "%slm"), SKL),
    ("igc.slm", "Surface", LOAD.replace("T6", "SAM"), SKL),
]


@pytest.mark.parametrize(("rule", "operand", "statement", "platform"), IGC)
def test_a_rule_of_the_verifier_names_itself_and_the_operand(
    rule: str, operand: str, statement: str, platform: Platform
) -> None:
    assert (rule, operand) in broken_rules(statement, Mode.IGC, platform)


def test_every_rule_of_the_verifier_is_broken_by_one_of_these_tests() -> None:
    rules = {rule.id for rule in (*igc_rules.NAMES, *igc_rules.RULES)} - {"igc.raw-offset"}
    assert rules <= {row[0] for row in IGC}


@pytest.mark.parametrize(
    "statement",
    [
        SCATTER.replace("O.0", "D.0").replace("U.0", "HF.0"),
        SCATTER.replace("0x0:ud", "U(0,0)<8;8,1>"),
        SCATTER.replace("0x0:ud", "r[A0(0),4]<1,0>:w"),
        SCATTER.replace("0x0:ud", "r[A0(0),4]<0;1,0>:bool"),
        SCATTER.replace("M1, 8", "M2, 8"),
        SCATTER.replace("U.0", "U.512"),
        SCATTER.replace("U.0", "V7.4"),
        LOAD.replace("(4)", "(NoMask, 16)"),
        QWORDS.replace(".1", ". 3"),
        QWORDS.replace("O.0", NULL),
        QWORDS.replace("O.0", "L64.0"),
        QWORDS.replace("O.0", "E.16").replace("E.16", "LR.4"),
        atomic("fsub.16", NULL, NULL, "O.0", surface="%slm"),
    ],
)
def test_the_verifier_accepts_what_the_pages_do_not(statement: str) -> None:
    assert not broken_rules(statement, Mode.IGC)


def test_small_variables_may_be_misaligned() -> None:
    """A variable of less than a GRF: 32 bytes are one on DG2, and half of one on PVC."""
    assert ("igc.alignment", "Src") in broken_rules(SCATTER.replace("U.0", "E.4"), Mode.IGC, DG2)
    assert not broken_rules(SCATTER.replace("U.0", "E.4"), Mode.IGC, PVC)
    assert not broken_rules(SCATTER.replace("U.0", "S.1"), Mode.IGC, DG2)


def test_the_pages_spelling_is_legal_for_the_pages_with_a_note() -> None:
    statement = atomic("IMAX", "O.0", "V0.0", "V0.0", "V0.0", "D.0").replace("typed_atomic", "TYPED_ATOMIC")
    verdict = judged(statement, Mode.PAGE)
    assert verdict.accepted
    assert [note.written for note in verdict.notes] == ["TYPED_ATOMIC", "IMAX", "V0.0", "V0.0", "V0.0"]
    assert ("igc.lower-case", "") in broken_rules(statement, Mode.IGC)


def test_a_finding_says_where_what_and_by_which_source() -> None:
    (finding,) = judged(SCATTER.replace("U.0", "W.0"), Mode.PAGE).findings
    assert str(finding) == (
        f"k.visaasm:{DECLARATIONS.count(chr(10)) + 1}:45: Src: must have type UD, D or F [page.type-dword] "
        "(SCATTER4_SCALED.md)"
    )


def test_statements_of_other_instructions_are_passed_over() -> None:
    for mode in Mode:
        assert judged("mov (M1, 8) O(0,0)<1> U(0,0)<1;1,0>", mode) == Verdict(0, ())


def test_a_file_that_cannot_be_read_for_another_reason_is_an_error() -> None:
    for mode in Mode:
        with pytest.raises(ReadError):
            judged("mov (M1, 8) NONE(0,0)<1> U(0,0)<1;1,0>", mode)


def test_each_statement_is_judged_on_its_own_in_the_order_of_the_text() -> None:
    bad = SCATTER.replace("U.0", "U.4")
    verdict = judged(f"{bad}\n    {SCATTER.replace('U.0', 'U.516')}\n    {SCATTER}\n    {bad}", Mode.IGC)
    assert verdict.checked == 4
    assert [(finding.id, finding.position.line) for finding in verdict.findings] == [
        ("igc.alignment", 31),
        ("igc.alignment", 32),
        ("igc.alignment", 34),
    ]


def page_objects_to(text: str, platform: Platform) -> bool | None:
    """Whether decoding and the pages' own `validate` reject it; None where they have no opinion."""
    try:
        kernel = read_kernel(text, "k.visaasm", grf_bytes=platform.grf_bytes)
        statement = next(kernel.instructions())
        decode(statement, kernel, platform).validate(platform)
    except (ReadError, NotModelled):
        return None
    except IllegalInstruction:
        return True
    return any(wrong_types(statement, kernel))


STRICTER = {rule.id for rule in page_rules.FORMS} | {
    "page.bytes", "page.predicate-bits", "page.null", "page.no-predicate", "page.no-mask", "page.scalar",
}  # fmt: skip
"""Rules that `validate` leaves to the run (D3, D6), or whose subject decoding leaves out."""


@pytest.mark.slow
def test_the_table_of_the_pages_agrees_with_the_instructions_of_the_pages() -> None:
    asked = 0
    for case in cases(3000, seed=11):
        rejected = page_objects_to(case.text, case.platform)
        if rejected is None:
            continue
        asked += 1
        found = {finding.id for finding in check_text(case.text, "k.visaasm", case.platform, Mode.PAGE).findings}
        assert found if rejected else found <= STRICTER, (case.platform.name, case.statement, found)
    assert asked > 1000


HAZARDOUS = [
    ("hazard.mask", SCATTER.replace("M1, 8", "M2, 8"), DG2),
    ("hazard.mask", SCATTER.replace("M1, 8", "M3, 8"), PVC),
    ("hazard.32-lanes", SCATTER.replace("M1, 8", "M1, 32"), DG2),
    ("hazard.typed-lanes", atomic("inc", "O.0", lanes="(M1, 16)"), DG2),
    ("hazard.oword-mask", LOAD.replace("(4)", "(M3, 4)"), DG2),
    ("hazard.any-all", f"(P3.any) {SCATTER}", DG2),
    ("hazard.predicate-bits", f"(P2) {SCATTER.replace('M1, 8', 'M3, 8')}", DG2),
    ("hazard.float-atomic", atomic("fmax", "O.0", NULL, NULL, NULL, "U.0"), DG2),
    ("hazard.16-bit", atomic("inc.16", "O.0"), SKL),
    ("hazard.one-block", QWORDS.replace(".1", ".3"), DG2),
    ("hazard.blocks", QWORDS.replace(".1", ".4"), DG2),
    ("hazard.16-owords", LOAD.replace("(4)", "(16)"), DG2),
    ("hazard.16-owords", LOAD.replace("(4) T6", "(16) %slm"), TGLLP),
    ("hazard.texels", atomic("inc", "O.0", surface="%slm"), DG2),
    ("hazard.sampler", SCATTER.replace("T6", "SAM"), DG2),
    ("hazard.vector-offset", SCATTER.replace("0x0:ud", "U(0,0)<8;8,1>"), DG2),
    ("hazard.vector-offset", SCATTER.replace("0x0:ud", "r[A0(0),4]<1,0>:ud"), DG2),
    ("hazard.addresses", LOAD.replace("0x0:ud", "r[A0(0),4]<1>:ud"), DG2),
    ("hazard.addresses", LOAD.replace("0x0:ud", "r[A0(0),4]<1,0>:ud"), DG2),
    ("hazard.modifier", LOAD.replace("0x0:ud", "(-)U(0,0)<0;1,0>"), DG2),
    ("hazard.addresses", LOAD.replace("0x0:ud", "r[A0(0),4]<1>:ud"), DG2),
    ("hazard.addresses", LOAD.replace("0x0:ud", "r[A0(0),4]<1,0>:ud"), DG2),
    ("hazard.modifier", LOAD.replace("0x0:ud", "(-)r[A0(0),4]<1,0>:ud"), DG2),
    ("hazard.offset-type", SCATTER.replace("0x0:ud", "F(0,0)<0;1,0>"), DG2),
    ("hazard.offset-type", SCATTER.replace("0x0:ud", "1.0:f"), DG2),
    ("hazard.origin", SCATTER.replace("0x0:ud", "U(5,300)<0;1,0>"), DG2),
    ("hazard.null", SCATTER.replace("U.0", NULL), DG2),
    ("hazard.null", atomic("inc", NULL), DG2),
    ("hazard.r-without-v", atomic("inc", "O.0", NULL, "O.0"), DG2),
    ("hazard.sources", atomic("add", "O.0"), DG2),
    ("hazard.sources", atomic("inc", "O.0", NULL, NULL, NULL, "U.0"), DG2),
    ("hazard.address-variable", SCATTER.replace("U.0", "A0.0"), DG2),
    ("hazard.raw-offset", SCATTER.replace("U.0", "U.65536"), DG2),
    ("hazard.past-the-end", SCATTER.replace("U.0", "U.512"), DG2),
]


def found_hazards(statement: str, platform: Platform) -> tuple[Finding, ...]:
    return text_hazards(text_of(statement), "k.visaasm", platform)


@pytest.mark.parametrize(("hazard", "statement", "platform"), HAZARDOUS)
def test_a_hazard_is_accepted_and_named_with_its_evidence(hazard: str, statement: str, platform: Platform) -> None:
    assert not broken_rules(statement, Mode.IGC, platform)
    found = {finding.id: finding for finding in found_hazards(statement, platform)}
    assert hazard in found
    assert found[hazard].source


def test_every_hazard_is_shown_by_one_of_these_tests() -> None:
    assert {rule.id for rule in HAZARDS} == {row[0] for row in HAZARDOUS}


@pytest.mark.parametrize("statement", LEGAL[1:6])
def test_legal_instructions_have_no_hazard(statement: str) -> None:
    assert found_hazards(statement, DG2) == ()


def test_what_the_verifier_rejects_is_no_hazard() -> None:
    rejected = SCATTER.replace("M1, 8", "M8, 8").replace("0x0:ud", "1.0:f")
    assert found_hazards(rejected, DG2) == ()
    kernel = read_kernel(text_of(rejected), "k.visaasm")
    statement = next(kernel.instructions())
    assert hazards(statement, kernel, DG2) == ()
    assert check_instruction(statement, kernel, DG2, Mode.IGC)
