"""Which line of source a statement comes from."""

from pathlib import Path

from visaproof.program.source_places import SourcePlace, source_place
from visaproof.visaasm.reader import read_kernel_file

TEXT = """.version 4.1
.kernel "k"
.decl V0 v_type=G type=d num_elts=8
.function "k"
    mov (M1, 8) V0(0,0)<1> 0x1:d
    FILE "dir/k.cl"
    LOC 3
    mov (M1, 8) V0(0,0)<1> 0x2:d
    mov (M1, 8) V0(0,0)<1> 0x3:d
    LOC 0
    mov (M1, 8) V0(0,0)<1> 0x4:d
    FILE "other.h"
    LOC 7
    mov (M1, 8) V0(0,0)<1> 0x5:d
    ret (M1, 1)
"""


def test_a_statement_comes_from_the_last_file_and_line_above(tmp_path: Path) -> None:
    path = tmp_path / "k.visaasm"
    path.write_text(TEXT)
    kernel = read_kernel_file(path)
    places = [source_place(kernel, one.position) for one in kernel.instructions()]
    assert places == [
        None,  # before any line of source
        SourcePlace("dir/k.cl", 3),
        SourcePlace("dir/k.cl", 3),
        None,  # the compiler's line 0: none of the source
        SourcePlace("other.h", 7),
        SourcePlace("other.h", 7),
    ]
