"""Whole files: what was read is printed so that it reads as the same, in the compiler's own spelling."""

from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from tests.support.messages import DECLARATIONS, INDICES, messages
from visaproof.isa.errors import ReadError
from visaproof.testing.random_kernels import kernels
from visaproof.visaasm.bytecode.messages import PageInstruction
from visaproof.visaasm.items import Declared, Item
from visaproof.visaasm.operand_checks import with_names
from visaproof.visaasm.printing.comments import comments
from visaproof.visaasm.printing.document import Document, Line, read_document
from visaproof.visaasm.printing.printer import print_message
from visaproof.visaasm.printing.quoting import quoted
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Instruction

DATA = Path(__file__).parents[2] / "data" / "visaasm"
SHARED = Path(__file__).parents[3].parent / "shared" / "corpus" / "visaasm"
PLACES = frozenset(["position", "text", "num_elts_offset", "base_offset"])
"""Fields of the syntax that say where something stands, and the text that an instruction was read from."""

HEADER = """.version 4.1
.kernel "demo"
.decl V1 v_type=G type=ud num_elts=32
.decl V2 v_type=G type=uq num_elts=16
.decl P1 v_type=P num_elts=8
.decl A0 v_type=A num_elts=4
.decl S3 v_type=S num_elts=1
.decl T6 v_type=T num_elts=2
"""


def content(value: Any) -> Any:
    """A value of the syntax without its places."""
    if isinstance(value, Struct):
        kept = [name for name in value.__struct_fields__ if name not in PLACES]
        return (type(value), *(content(getattr(value, name)) for name in kept))
    return tuple(map(content, value)) if isinstance(value, tuple) else value


def read(text: str) -> Document:
    return read_document(text, "k.visaasm", grf_bytes=32)


def printed(statement: str) -> str:
    lines = str(read(f"{HEADER}{statement}\nhere:\nret (M1, 1)\n")).split("\n")
    return lines[HEADER.count("\n")].strip()


def without_blanks(text: str) -> list[str]:
    return [line.rstrip(" ") for line in text.rstrip("\n").split("\n")]


def assert_printed_as_written(paths: list[Path]) -> None:
    for path in paths:
        text = path.read_text()
        assert without_blanks(str(read(text))) == without_blanks(text), path


# ---------------------------------------------------------------- the compiler's files


def test_the_compilers_files_come_back_but_for_blanks_at_the_end_of_a_line() -> None:
    assert_printed_as_written(sorted(DATA.glob("*/*.visaasm")))


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="the whole corpus is not beside the repository")
def test_every_file_of_the_corpus_comes_back_but_for_blanks_at_the_end_of_a_line() -> None:
    paths = sorted(SHARED.glob("*/*.visaasm"))
    assert len([path for path in paths if not path.name.endswith(".f0.visaasm")]) == 483
    assert_printed_as_written(paths)


def test_nothing_is_printed_from_the_text_that_was_read() -> None:
    document = read((DATA / "vc_typed_atomic" / "tgllp-vc.visaasm").read_text())
    assert str(document.edited(forget_the_text)) == str(document)


def test_the_compilers_spacing_comes_back_to_files_that_lost_it() -> None:
    for path in sorted(DATA.glob("*/*simd8*.visaasm")):
        text = path.read_text()
        pressed = "\n".join(" ".join(line.split()) for line in text.split("\n"))
        assert without_blanks(str(read(pressed))) == without_blanks(text), path


def forget_the_text(item: Item) -> Item:
    return replace(item, text="") if isinstance(item, Instruction) else item


@pytest.mark.slow
def test_ten_thousand_lines_are_read_and_printed_in_seconds() -> None:
    body = "    add (M1, 8) V1(0,0)<1> V1(0,8)<8;8,1> 0x4:ud\n" * 10_000
    start = process_time()
    assert str(read(f"{HEADER}{body}    ret (M1, 1)\n")).count("\n") == 10_009
    assert process_time() - start < 10


# ---------------------------------------------------------------- any other file


@pytest.mark.slow
@given(kernels())
@settings(max_examples=50)
def test_a_kernel_reads_the_same_after_it_was_printed(text: str) -> None:
    document = read(text)
    again = read(str(document))
    assert content(again.lines) == content(document.lines)
    assert str(again) == str(document)


@pytest.mark.slow
@given(messages())
def test_a_statement_and_its_byte_code_are_printed_alike(message: PageInstruction) -> None:
    text = print_message(message, INDICES)
    document = read(f"{DECLARATIONS}    {text}\n    ret (M1, 1)\n")
    assert str(document.lines[-2]).split() == text.split()


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("mov (8) V1 (0, 0) <1> -1:w", "mov (M1, 8) V1(0,0)<1> 0xffffffff:w"),
        ("mov (M1, 8) V1(0,0)<1> V1(0,1)", "mov (M1, 8) V1(0,0)<1> V1(0,1)<1;1,0>"),
        ("mov (M1, 1) V1<1> 1.5:f", "mov (M1, 1) V1(0,0)<1> 0x3fc00000:f"),
        ("( ! P1.all ) mov.sat (NoMask, 4) V1<2> (1+2):UD", "(!P1.all) mov.sat (M1_NM, 4) V1(0,0)<2> 0x3:ud"),
        ("mov (M1, 4) V1<1> (-abs)r[A0(1), 4*2]<4;4,1>:d", "mov (M1, 4) V1(0,0)<1> (-abs)r[A0(1),8]<4;4,1>:d"),
        ("mov (M1, 4) r[A0(1)]<2>:ud 0:ud", "mov (M1, 4) r[A0(1),0]<2>:ud 0x0:ud"),
        ("mov (M1, 8) V1(0,0)<1> r[A0(0), 4]< 1 , 0 >:d", "mov (M1, 8) V1(0,0)<1> r[A0(0),4]<1,0>:d"),
        ("addr_add (M1, 1) A0(0)<1> &V1[ 8 ] 4:uw", "addr_add (M1, 1) A0(0)<1> &V1[8] 0x4:uw"),
        ("movs (M1_NM, 1) T6(1) 7:ud", "movs (M1_NM, 1) T6(1) 0x7:ud"),
        ("svm_block_ld (M3, 2) V2(0,0)<0;1,0> V1.32", "svm_block_ld (M3, 2) V2(0,0)<0;1,0> V1.32"),
        ("oword_st (M1, 2) T6 0:ud V1", "oword_st (2) T6 0x0:ud V1.0"),
        ("lsc_load.ugm (8) V1:d32 [V1]:a32", "lsc_load.ugm (M1, 8)  V1:d32  flat[V1]:a32"),
        ("lsc_load.ugm (8) V1.32:d32 ss(T6)[4*V1.64-16]:a32",
         "lsc_load.ugm (M1, 8)  V1.32:d32  ss(T6)[0x4*V1.64-0x10]:a32"),
        ("lsc_store.ugm (8) bti(6)[V1+1+1]:a32 V1:d32", "lsc_store.ugm (M1, 8)  bti(0x6)[V1+0x2]:a32  V1:d32"),
        ("lsc_atomic_iadd.ugm (8) %null:d32 bss(V1.4)[V1]:a32 V1 %null",
         "lsc_atomic_iadd.ugm (M1, 8)  %null:d32  bss(V1.4)[V1]:a32  V1  %null"),
        ("sample_lz.RGBA (M1, 8) 0:uw S3 T6 V1 V1 V1", "sample_lz.RGBA (M1, 8)  0x0:uw S3 T6 V1.0 V1.0 V1.0"),
        ('faddr "a \\"name\\"" V2<1>', 'faddr "a \\"name\\"" V2(0,0)<1>'),
        ("(P1) goto (M1, 8) here", "(P1) goto (M1, 8) here"),
        ("media_ld.nomod (4,4) T6 0x0:ud V1 V1 V1", "media_ld.nomod (4,4) T6 0x0:ud V1.0 V1.0 V1.0"),
        ("barrier", "barrier"),
        ("fence_global.E.L1", "fence_global.E.L1"),
    ],
)  # fmt: skip
def test_an_instruction_has_one_spelling(written: str, canonical: str) -> None:
    assert printed(written) == canonical
    assert printed(canonical) == canonical


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        (".decl V9 v_type=G type=UD num_elts=4*2 align=32word", ".decl V9 v_type=G type=ud num_elts=8 align=wordx32"),
        (".decl V9 v_type = G type=w num_elts=4 alias=<V1,3+5> attrs={a, b=0x10, c=\"\\q\"}",
         ".decl V9 v_type=G type=w num_elts=4 alias=<V1, 8> attrs={a, b=16, c=\"\\q\"}"),
        (".decl S9 v_type=S num_elts=1 v_name=S9", ".decl S9 v_type=S num_elts=1 v_name=S9"),
        (".decl P9 v_type=P num_elts=%sizeof(V1)/4 attrs={x}", ".decl P9 v_type=P num_elts=32 attrs={x}"),
        (".input V1 offset=0x20", ".input V1 offset=32"),
        (".implicit_UNDEFINED_12 V1 offset=32 size=128", ".implicit_UNDEFINED_12 V1 offset=32 size=128"),
        ("   .kernel_attr NAME =", ".kernel_attr NAME"),
        (".kernel_attr Target=\"cm\"", ".kernel_attr Target=\"cm\""),
        (".kernel_attr SLMSize=4*16", ".kernel_attr SLMSize=64"),
        (".function main", ".function \"main\""),
        (".file \"C:\\q\\x\"", ".file \"C:\\q\\x\""),
        (".loc 0x10", ".loc 16"),
        ("LOC 0x10", "LOC 16"),
        ("FILE  \"C:\\q.cl\"", "FILE \"C:\\q.cl\""),
        (".funcdecl \"f\"", ".funcdecl \"f\""),
    ],
)  # fmt: skip
def test_a_directive_has_one_spelling(written: str, canonical: str) -> None:
    assert printed(written) == canonical
    assert printed(canonical) == canonical


def test_comments_braces_and_empty_lines_stay_in_their_order() -> None:
    text = (
        f"{HEADER}/* over\n   two lines */\n\n{{ .decl V1 v_type=G type=f num_elts=8 // inner\n"
        'mov (8) V1 \\ // first\n  <1> 0:f // second\n} /* a */ // "b\n\nret (M1, 1)'
    )
    assert str(read(text)).removeprefix(HEADER).split("\n") == [
        "/* over",
        "   two lines */",
        "",
        "{",
        f"{'.decl V1 v_type=G type=f num_elts=8':<80} // inner",
        "// first",
        f"{'    mov (M1, 8) V1(0,0)<1> 0x0:f':<80} // second",
        "/* a */",
        f'{"}":<80} // "b',
        "",
        "    ret (M1, 1)",
        "",
    ]


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("/* a\n b */ ret (M1, 1)", [f"{'    ret (M1, 1)':<80} /* a", " b */"]),
        ("ret (M1, 1) /* a\n b */", [f"{'    ret (M1, 1)':<80} /* a", " b */"]),
        ("barrier /* a\n b */ ret (M1, 1) // c", ["/* a", " b */", "    barrier", f"{'    ret (M1, 1)':<80} // c"]),
        ("ret \\\n\\\n (M1, 1)", ["    ret (M1, 1)"]),
    ],
)
def test_a_comment_over_several_lines_loses_no_statement(written: str, lines: list[str]) -> None:
    text = str(read(f"{HEADER}{written}")).removeprefix(HEADER)
    assert text.split("\n") == [*lines, ""]
    assert str(read(HEADER + text)) == HEADER + text


DECORATIONS = ("{0}", "{0}", "{0} // {1}", "/* {1} */ {0}", "/* {1}\n */ {0}", "{0} /* {1}\n */", "\n// {1}\n{0}",
               "  {0} /* {1} */ // and {1}", "\\\n{0} // {1}")  # fmt: skip


@pytest.mark.slow
@given(kernels(), st.data())
@settings(max_examples=40)
def test_comments_anywhere_change_no_statement_and_are_all_kept(text: str, data: st.DataObject) -> None:
    lines = text.rstrip("\n").split("\n")
    drawn = data.draw(st.lists(st.sampled_from(DECORATIONS), min_size=len(lines), max_size=len(lines)))
    decorated = "\n".join(form.format(line, f"c{k}") for k, (form, line) in enumerate(zip(drawn, lines, strict=True)))
    document = read(decorated)
    assert [content(line.item) for line in document.lines if line.item] == [
        content(line.item) for line in read(text).lines if line.item
    ]
    assert [note.text for note in comments(str(document))] == [note.text for note in comments(decorated)]
    assert str(read(str(document))) == str(document)


def test_a_mark_of_a_comment_in_a_string_is_none() -> None:
    found = [note.text for note in comments('.file "//" /* "x */ // "y\n"/* \\" //" // z')]
    assert found == ['/* "x */', '// "y', "// z"]


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_a_string_comes_back_from_between_its_quotes(text: str) -> None:
    kernel = read_kernel(f".version 4.1\n.kernel {quoted(text)}\nret (M1, 1)\n", "k.visaasm")
    assert kernel.name == text


# ---------------------------------------------------------------- edits


def test_an_edit_keeps_all_other_lines_with_what_nobody_knows() -> None:
    text = (
        f'{HEADER}.decl V8 v_type=G type=ud num_elts=8 attrs={{unheard_of=1}} // why\n.file "a\\q"\n'
        "    media_ld.nomod (4,4) T6 0x0:ud V1.0 V1.0 V8.0\n\n    mov (M1, 8) V8(0,0)<1> 0x1:ud // set\nret (M1, 1)\n"
    )
    before = read(text)
    after = before.edited(rename)
    assert str(after) == str(before).replace("V8", "N8")
    assert content(read(str(after)).lines) == content(after.lines)


def rename(item: Item) -> Item:
    """`V8` is called `N8`."""
    new = {"V8": "N8"}
    match item:
        case Declared(name, _):
            return replace(item, name=new.get(name, name))
        case Instruction():
            operands = tuple(with_names(operand, lambda name: new.get(name, name)) for operand in item.operands)
            return replace(item, operands=operands)
        case _:
            return item


def test_places_in_the_source_are_no_statements() -> None:
    """As in what the compiler dumps with -g; a label may still be called so."""
    text = f'{HEADER}    FILE "a.cl"\n    LOC 3\nLOC:\n    goto (M1, 8) LOC\n    ret (M1, 1)\n'
    kernel = read_kernel(text, "k.visaasm")
    assert [str(getattr(each, "opcode", "label")) for each in kernel.statements] == ["label", "goto", "ret"]
    assert str(read(text)) == text
    with pytest.raises(ReadError, match="unexpected"):
        read(f"{HEADER}LOC 3 4\nret (M1, 1)\n")


def test_a_line_can_be_put_in() -> None:
    document = read(f"{HEADER}ret (M1, 1)\n")
    longer = replace(document, lines=(*document.lines[:-1], Line(comment="// new"), document.lines[-1]))
    assert str(longer) == f"{HEADER}// new\n    ret (M1, 1)\n"


def test_a_file_that_was_cut_off_is_not_printed() -> None:
    with pytest.raises(ReadError, match="the file ends before the kernel does"):
        read(HEADER)
