"""`visaproof explain` of the forms that the compiler of today emits: a line of a dump, and the statement alone."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from visaproof.analysis.address_chain import AddressChains
from visaproof.decode.message import OPCODES
from visaproof.isa.errors import NotModelled

CORPUS = Path(__file__).parents[3] / "shared" / "corpus-2026" / "visaasm"
NOT_LEGAL = ("block2d_copy/dg2-O2", "vc_typed_atomic/pvc-vc")
"""2D blocks of a device that has none, and atomics of 16 lanes."""
DATA = Path(__file__).parents[1] / "data"

ALONE = [
    "lsc_load_block2d.ugm (M1, 1)  V0067:d16.16x8nn  flat[V0062 + (0,0)]",
    "lsc_store_block2d.ugm (M1, 1)  flat[V0071,V0072,V0052,V0072,V0050,V0051]  V0053:d32.16x8nn",
    "lsc_atomic_iinc.ugm (M1, 32)  %null:d32  flat[V0064]:a64  %null  %null",
    "lsc_atomic_icas.ugm (M1, 16)  V0079:d32  flat[V0074]:a64  V0078  V0055",
    "lsc_load.ugm (M1, 16) V1:d32 bti(0x7)[V2]:a32",
    "lsc_load.ugm (M1, 16) V1:d32 bss(V7)[V2+0x10]:a32",
]


@pytest.mark.parametrize("statement", ALONE, ids=lambda one: one.split()[0])
def test_a_statement_needs_no_declarations(visaproof, statement):
    ran = visaproof("explain", statement, "--platform", "xe2")
    assert (ran.code, ran.err) == (0, "")
    assert "taken as declared" in ran.out
    assert "legal by its page" in ran.out


def test_a_whole_dump_is_explained_by_what_it_is_given_and_reaches(visaproof):
    dump, manifest = DATA / "visaasm" / "vadd" / "tgllp-O2-simd8.visaasm", DATA / "manifest.json"
    ran = visaproof("explain", str(dump), "--launch", str(manifest))
    assert (ran.code, ran.err) == (0, "")
    given, _, reached = ran.out.partition("its memory messages")
    assert "address of argument 2 (c)" in given
    surfaces = ["surface of a;" in each for each in reached.split("\n") if each.startswith("           ")]
    assert surfaces == [True, False, False]
    assert "surface of c;" in reached.rpartition("scatter4_scaled.R")[2]


def test_a_folder_is_explained_by_its_one_kernel(visaproof, tmp_path):
    text = (DATA / "blocks" / "moved.visaasm").read_text()
    (tmp_path / "moved.visaasm").write_text(text)
    assert "its memory messages" in visaproof("explain", str(tmp_path)).out
    (tmp_path / "other.visaasm").write_text(text)
    assert visaproof("explain", str(tmp_path)).code == 2


def test_a_folder_with_the_name_of_a_page_is_no_folder(visaproof, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("dumps", "oword_ld"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "moved.visaasm").write_text((DATA / "blocks" / "moved.visaasm").read_text())
    assert "its memory messages" in visaproof("explain", "dumps").out
    assert "OWORD_LD" in visaproof("explain", "oword_ld").out


def test_a_statement_longer_than_names_of_files_is_a_statement(visaproof):
    ran = visaproof("explain", ALONE[-1].replace("V1:d32", " " * 300 + "V1:d32"), "--platform", "xe2")
    assert (ran.code, "legal by its page" in ran.out) == (0, True)


def test_a_launch_file_is_about_a_dump(visaproof):
    ran = visaproof("explain", "oword_ld", "--launch", str(DATA / "manifest.json"))
    assert (ran.code, ran.out) == (2, "")
    assert "it is about a dump" in ran.err


def test_one_message_that_is_not_followed_hides_no_other(visaproof, tmp_path, monkeypatch):
    of = AddressChains.of

    def failing(chains, message):
        if message.opcode == "lsc_store_block2d":
            raise NotModelled("this one")
        return of(chains, message)

    monkeypatch.setattr(AddressChains, "of", failing)
    told = visaproof("explain", str(DATA / "blocks" / "moved.visaasm")).out
    assert told.count("not followed: ") == 1
    assert re.search(r"; by \d+ statement", told)


def test_a_line_of_a_dump_is_explained_with_its_own_declarations(visaproof):
    path = DATA / "blocks" / "moved.visaasm"
    line = next(place for place, text in enumerate(path.read_text().splitlines(), 1) if "lsc_store_block2d" in text)
    ran = visaproof("explain", f"{path}:{line}")
    assert (ran.code, ran.err) == (0, "")
    assert "on Xe2" in ran.out  # as the comment of the dump says
    assert "taken as declared" not in ran.out


SENT = """.version 4.1
.kernel "k"
.decl P v_type=G type=d num_elts=16 align=GRF
.decl D v_type=G type=d num_elts=128 align=GRF
.kernel_attr Target="cm"
.function "k_0"
k_0:
mov (M1, 1) P(0,7)<1> 0xf07:d
raw_sends.15.1.0.8 (M1, 1) 0x0:ud 0x2888403:ud P.0 %null.0 D.0
raw_sends.15.1.0.8 (M1, 1) 0x0:ud 0x2108580:ud P.0 %null.0 D.0
ret (M1, 1)
"""


def test_a_raw_message_is_explained_as_what_it_stands_for(visaproof, tmp_path):
    file = tmp_path / "sent.visaasm"
    file.write_text(SENT)
    found = visaproof("explain", f"{file}:9", "--platform", "Xe2")
    assert (found.code, found.err) == (0, "")
    assert "lsc_load_block2d.ugm (M1, 1) D:d32.8x16tn flat[P + (0,0)]" in found.out
    other = visaproof("explain", f"{file}:10", "--platform", "Xe2")
    assert other.code == 4
    assert "raw_sends" in other.err


def test_a_block_is_explained_in_the_words_of_its_page(visaproof):
    out = visaproof("explain", ALONE[0], "--platform", "xe2").out
    rows = [line for line in out.splitlines() if "flat[(BASE.4:BASE.0)" in line]
    assert len(rows) == 8 * 2  # each has 16 bytes: eight columns of a row
    assert "+7*PITCH+2*(sign_extend(X))" in rows[-1]
    for part in ("X: the dword V0062.20", "HEIGHT: the dword V0062.12", "beyond WIDTH or HEIGHT a load brings 0"):
        assert part in out


def forms() -> Iterator[tuple[Path, int, str]]:
    """Of each form of a memory message the first one, numbers aside."""
    seen: set[str] = set()
    for path in sorted(CORPUS.glob("*/*.visaasm")):
        for line, text in enumerate(path.read_text().splitlines(), 1):
            statement = text.partition("//")[0].strip()
            found = re.match(r"(?:\([^()]*\)\s*)?([a-z_0-9]+)", statement)
            form = re.sub(r"0x[0-9a-f]+|\d+", "N", statement)
            if found is not None and found[1] in OPCODES and form not in seen:
                seen.add(form)
                yield path, line, statement


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of 2026 is not here")
def test_each_form_of_message_of_the_corpus_is_explained(visaproof):
    wrong = [
        (path, line, ran.code, ran.err)
        for path, line, statement in forms()
        for text in ((f"{path}:{line}",), (statement, "--platform", path.stem.split("-")[0]))
        if (ran := visaproof("explain", *text)).code
        and not f"{path}".endswith(tuple(f"{one}.visaasm" for one in NOT_LEGAL))
    ]
    assert wrong == []
