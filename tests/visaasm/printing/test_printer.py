"""Instructions as canonical text, and the pages' spelling of it."""

import pytest
from hypothesis import given

from tests.support.messages import DECLARATIONS, INDICES, PLATFORM, messages
from visaproof.decode.message import decode
from visaproof.isa.errors import Position
from visaproof.visaasm.bytecode.messages import PageInstruction, encoded, indices_of
from visaproof.visaasm.printing.printer import print_encoded, print_message, print_statement
from visaproof.visaasm.printing.spelling import Note, as_written, in_grammar_spelling
from visaproof.visaasm.reader import read_kernel


def read(statement: str):
    kernel = read_kernel(f"{DECLARATIONS}    {statement}\n    ret (M1, 1)\n", "k.visaasm", grf_bytes=32)
    return next(kernel.instructions()), kernel


def printed(statement: str) -> str:
    instruction, kernel = read(statement)
    return print_statement(instruction, indices_of(kernel.variables, PLATFORM.grf_bytes))


@given(messages())
def test_every_legal_instruction_comes_back_from_its_text(message: PageInstruction) -> None:
    assert decode(*read(print_message(message, INDICES)), PLATFORM) == message


@pytest.mark.slow
@given(messages())
def test_text_and_byte_code_print_alike(message: PageInstruction) -> None:
    text = print_encoded(encoded(message, INDICES), INDICES)
    assert text == print_message(message, INDICES) == printed(text)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        (
            "(!P16.any) scatter4_scaled.ra (NoMask, 8) T6 (1+2):UD O.0 D.(32*2)",
            "(!P16.any) scatter4_scaled.RA (M1_NM, 8) T6 0x3:ud O.0 D.64",
        ),
        ("scatter4_scaled.R (8) %slm -4:d O.0 D.0", "scatter4_scaled.R (M1, 8) %slm 0xfffffffc:d O.0 D.0"),
        ("scatter4_scaled.R (8) %slm -1:w O.0 D.0", "scatter4_scaled.R (M1, 8) %slm 0xffffffff:w O.0 D.0"),
        ("scatter4_scaled.R (8) %slm 1.5:f O.0 D.0", "scatter4_scaled.R (M1, 8) %slm 0x3fc00000:f O.0 D.0"),
        (
            "scatter4_scaled.R (8) %slm (-abs)O( 0,0 )<8;4,2> O.0 D.0",
            "scatter4_scaled.R (M1, 8) %slm (-abs)O(0,0)<8;4,2> O.0 D.0",
        ),
        ("oword_ld.mod (M3, 8) %slm O(1,3)<0;1,0> D.0", "oword_ld (8) %slm O(1,3)<0;1,0> D.0"),
        ("qw_scatter.4 (M3_NM, 8) %scratch O.0 Q.0", "qw_scatter.4 (M3_NM, 8) %scratch O.0 Q.0"),
        (
            "typed_atomic.minsint.16 (8) T6 O.0 %null.0 %null.0 %null.0 D.0 %null.0 %r0.0",
            "typed_atomic.minsint.16 (M1, 8) T6 O.0 %null.0 %null.0 %null.0 D.0 %null.0 %r0.0",
        ),
    ],
)
def test_the_canonical_text_is_that_of_intels_listing(written: str, canonical: str) -> None:
    assert printed(written) == canonical
    assert printed(canonical) == canonical


def test_a_scalar_far_inside_a_variable_is_printed_with_its_row() -> None:
    """Row and column have a byte each: column 300 would come back as 44."""
    message = decode(*read("oword_ld (1) T6 D(0,300)<0;1,0> D.0"), PLATFORM)
    assert print_message(message, INDICES) == "oword_ld (1) T6 D(37,4)<0;1,0> D.0"  # type: ignore[arg-type]


PAGE = """    SCATTER4_SCALED.RG (M1, 8) T5 0x0:ud O.0 D.0
    (P16) TYPED_ATOMIC.IMAX.16 (M1, 8) T6 O.0 V0.0 V0.0 V0.0 D.0 V0.0 D.0
    OWORD_LD (4) T0 0x0:ud D.0
    mov (M1, 1) O(0,0)<1> 0x5:ud
    qw_scatter.1 (M1, 8) T255 O.0 Q.0"""
GRAMMAR = """    scatter4_scaled.RG (M1, 8) %scratch 0x0:ud O.0 D.0
    (P16) typed_atomic.maxsint.16 (M1, 8) T6 O.0 %null.0 %null.0 %null.0 D.0 %null.0 D.0
    oword_ld (4) %slm 0x0:ud D.0
    mov (M1, 1) O(0,0)<1> 0x5:ud
    qw_scatter.1 (M1, 8) %scratch O.0 Q.0"""


def test_the_pages_spelling_is_read_with_a_note_for_each_word() -> None:
    text, notes = in_grammar_spelling(PAGE)
    assert text == GRAMMAR
    assert notes[:4] == (
        Note(1, 5, "SCATTER4_SCALED", "scatter4_scaled"),
        Note(1, 32, "T5", "%scratch"),
        Note(2, 11, "TYPED_ATOMIC", "typed_atomic"),
        Note(2, 24, "IMAX", "maxsint"),
    )
    assert str(notes[1]) == "line 1: T5 is the pages' spelling of %scratch"
    assert in_grammar_spelling(GRAMMAR) == (GRAMMAR, ())


def test_places_in_the_grammars_spelling_are_found_in_the_pages() -> None:
    text, notes = in_grammar_spelling(PAGE)
    for number, (written, spelled) in enumerate(zip(PAGE.split("\n"), text.split("\n"), strict=True), 1):
        for word in (" O.0", "D.0", "(M1, 8)"):
            if word in spelled:
                place = Position("k", number, spelled.index(word) + 1)
                assert as_written(place, notes).column == written.index(word) + 1, (number, word)


def test_a_declared_surface_comes_before_the_pages_name() -> None:
    """D5: a file may call its own surface T5, and its own variable V0."""
    text = ".decl T5 v_type=T num_elts=1\n.decl V0 v_type=G type=ud num_elts=8\noword_ld (1) T5 0x0:ud V0.0"
    assert in_grammar_spelling(text) == (text, ())


def test_predec_keeps_the_pages_name() -> None:
    """D28: the grammar has no word for it; the reader of this package takes the page's."""
    text, notes = in_grammar_spelling("TYPED_ATOMIC.PREDEC (M1, 8) T6 O.0 V0.0 V0.0 V0.0 V0.0 V0.0 D.0")
    assert text == "typed_atomic.predec (M1, 8) T6 O.0 %null.0 %null.0 %null.0 %null.0 %null.0 D.0"
    assert Note(1, 14, "PREDEC", "predec") in notes
    assert printed(text) == text
