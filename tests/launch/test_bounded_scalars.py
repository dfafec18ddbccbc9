"""What a thread starts with under `--assume bounded`."""

from pathlib import Path

import pytest

from visaproof.launch.assumptions import Assume, Start, start_of
from visaproof.launch.bounded_scalars import BOUNDED
from visaproof.launch.launch import NOTHING_KNOWN, parse_input_option, read_launch
from visaproof.smt import Term, evaluate, symbols_of
from visaproof.visaasm.reader import read_kernel, read_kernel_file

DATA = Path(__file__).parent.parent / "data"
FILE = DATA / "visaasm" / "transpose_naive" / "tgllp-O2-simd8.visaasm"


def number(start: Start, variable: str, first: int, size: int, pick: int) -> int:
    """The bytes of a register where every symbol is 0, or every bit of it is 1."""

    def byte(at: int) -> int:
        term, index = start.initial(variable, at)
        values: dict[Term, int] = {one: pick * ((1 << one.width) - 1) for one in symbols_of(term)}
        return evaluate(term, values) >> 8 * index & 0xFF

    return int.from_bytes(bytes(byte(first + k) for k in range(size)), "little")


def ends(start: Start, variable: str, first: int = 0, size: int = 4) -> tuple[int, int]:
    return number(start, variable, first, size, 0), number(start, variable, first, size, 1)


def started(assume: Assume) -> tuple[Start, dict[str, str]]:
    """The start of a real kernel, and its variables by what they hold."""
    kernel = read_kernel_file(FILE)
    launch = read_launch(DATA / "manifest.json", kernel)
    held = {str(piece.meaning): item.variable for item in kernel.inputs for piece in launch.pieces(item.variable)}
    return start_of(kernel, launch, assume), held


def test_bounded_words_range_over_all_that_is_assumed_and_no_more() -> None:
    """Scalars and local sizes from 1 to 2^14, group ids from 0 to 2^16 - 1, no offset."""
    start, held = started(Assume.BOUNDED)
    (width,) = [name for meaning, name in held.items() if meaning.startswith("argument 2")]
    assert ends(start, width) == (1, 2**14)
    for byte in (0, 4, 8):
        assert ends(start, held["enqueued_local_size"], byte) == (1, 2**14)
        assert ends(start, held["global_id_offset"], byte) == (0, 0)
    for byte in (4, 24, 28):
        assert ends(start, "%r0", byte) == (0, 2**16 - 1)
    assert ends(start, "%r0", 8) == (0, 2**32 - 1)
    assert start.assumed[-1] == BOUNDED
    assert start.least[f"{width}.0"] == 1


@pytest.mark.parametrize("assume", [Assume.NONE, Assume.IDS])
def test_weaker_sets_leave_scalars_arbitrary(assume: Assume) -> None:
    start, held = started(assume)
    (width,) = [name for meaning, name in held.items() if meaning.startswith("argument 2")]
    assert ends(start, width) == (0, 2**32 - 1)
    assert ends(start, "%r0", 4) == (0, 2**32 - 1)
    assert ends(start, held["global_id_offset"]) == (0, 2**32 - 1)
    assert not start.least


SCALARS = """.version 4.1
.kernel "k"
.decl VF v_type=G type=f num_elts=1 align=dword
.decl VB v_type=G type=ub num_elts=1 align=byte
.decl VW v_type=G type=w num_elts=1 align=word
.decl VQ v_type=G type=uq num_elts=1 align=qword
.decl VV v_type=G type=d num_elts=2 align=qword
.input VF offset=32 size=4
.input VB offset=36 size=1
.input VW offset=38 size=2
.input VQ offset=40 size=8
.input VV offset=48 size=8
.kernel_attr SimdSize=8
.function "k"
    ret (M1, 1)
"""


@pytest.mark.parametrize(
    ("variable", "size", "expected"),
    [("VF", 4, (0, 2**32 - 1)), ("VB", 1, (0, 255)), ("VW", 2, (1, 2**14)), ("VQ", 8, (1, 2**14)),
     ("VV", 8, (0, 2**64 - 1))],
)  # fmt: skip
def test_only_single_integers_of_two_bytes_or_more_are_bounded(
    variable: str, size: int, expected: tuple[int, int]
) -> None:
    kernel = read_kernel(SCALARS, "k.visaasm")
    names = ("VF", "VB", "VW", "VQ", "VV")
    options = [parse_input_option(f"{name}=arg_byvalue:arg{k}") for k, name in enumerate(names)]
    start = start_of(kernel, NOTHING_KNOWN.with_inputs(kernel, options), Assume.BOUNDED)
    assert ends(start, variable, 0, size) == expected
