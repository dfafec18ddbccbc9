"""Whatever the text says, reading it gives a kernel or a ReadError, and soon."""

from contextlib import suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st

from visaproof.isa.errors import ReadError
from visaproof.visaasm.reader import read_kernel, read_kernel_file

DATA = Path(__file__).parents[1] / "data" / "visaasm"
FILES = (
    "vc_typed_atomic/tgllp-vc.visaasm",
    "lane_conflict/tgllp-O2-simd8.visaasm",
    "copy16/pvc-O2.visaasm",
    "permute_scatter/dg2-O2-lsc-simd8.visaasm",
    "lane_conflict_fixed/tgllp-O2-simd8.visaasm",
)
DEADLINE = timedelta(seconds=2)

HEADER = """.version 4.1
.kernel "demo"
.decl V1 v_type=G type=ud num_elts=8
.decl P1 v_type=P num_elts=8
.decl A0 v_type=A num_elts=4
.decl T6 v_type=T num_elts=1
"""

PIECES = [
    *("V1", "P1", "A0", "T6", "V9", "%null", "%r0", "%sizeof", "GRF", "add", "goto", "here", "flat", "bti", "r", "a64"),
    *("0", "1", "8", "0x10", "99999999999999999999", "1.5", "ud", "f", "d32", "x", "M1", "M9_NM", "any", "v_type", "G"),
    *(
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        "{",
        "}",
        ",",
        ";",
        ":",
        ".",
        "=",
        "!",
        "~",
        "&",
        "|",
        "^",
        "+",
        "-",
        "*",
        "/",
        "%",
    ),
    *("?", "<<", ">>>", '"', "\\", "//", "/*", "*/", " ", "\t", "\n", "\r", "\\\n", "\0", "\ufeff", "é", "\ud800"),
    *(".decl ", ".input ", ".kernel ", ".function ", ".kernel_attr ", ".implicit_X ", ".version 4.1", " num_elts="),
    *(" type=", " align=", " alias=<", " offset=", " size=", "(M1, 8) ", "V1(0,0)<1;1,0> ", "V1.0 ", "(P1) ", "here:"),
]


@cache
def compiled_lines() -> tuple[str, ...]:
    """Lines of compiled kernels; a test needs many at once."""
    return tuple(dict.fromkeys(line for name in FILES for line in (DATA / name).read_text().split("\n")))


def attempt(text: str) -> None:
    refusal = refusal_of(text)
    if refusal is not None:
        lines = text.removeprefix("\ufeff").split("\n")
        assert 1 <= refusal.position.line <= len(lines)
        assert 1 <= refusal.position.column <= len(lines[refusal.position.line - 1]) + 1


def refusal_of(text: str) -> ReadError | None:
    try:
        read_kernel(text, "fuzz.visaasm")
    except ReadError as error:
        return error
    return None


@given(st.text())
@settings(deadline=DEADLINE)
@example("\ud800")
@example(".version 4.1\n.kernel \ud800")
def test_any_text_is_read_or_refused(text: str) -> None:
    attempt(text)


@given(st.binary(max_size=200))
@settings(deadline=DEADLINE)
def test_any_file_is_read_or_refused(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "k.visaasm"
        file.write_bytes(content)
        with suppress(ReadError):
            read_kernel_file(file)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@settings(deadline=DEADLINE, max_examples=400)
def test_any_statements_are_read_or_refused(statements: str) -> None:
    attempt(HEADER + statements)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@settings(deadline=DEADLINE, max_examples=300)
def test_any_operand_is_read_or_refused(operand: str) -> None:
    attempt(f"{HEADER}add (M1, 8) V1(0,0)<1> {operand}")


@given(st.sampled_from(FILES), st.data())
@settings(deadline=DEADLINE)
def test_a_truncated_kernel_is_read_or_refused(name: str, data: st.DataObject) -> None:
    text = (DATA / name).read_text()
    attempt(text[: data.draw(st.integers(0, len(text)))])


@given(st.sampled_from(FILES), st.data())
@settings(deadline=DEADLINE)
def test_a_changed_kernel_is_read_or_refused(name: str, data: st.DataObject) -> None:
    text = (DATA / name).read_text()
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 8))
        text = text[:start] + data.draw(st.sampled_from(["", *PIECES])) + text[start + length :]
    attempt(text)


@given(st.data())
@settings(deadline=DEADLINE)
def test_spliced_kernels_are_read_or_refused(data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.sampled_from(compiled_lines()), max_size=20))
    attempt(HEADER + "\n".join(lines))
