"""What the sampler reads in kernels of different SIMD widths: another thread that writes the texel races."""

import pytest

from tests.refinement.widths.test_refinement_widths import differs, each, ids, kernel, verdict
from tests.support.differences import kind_of
from visaproof.launch.matching import Program
from visaproof.queries.kernels.undefined import UndefinedKind, forbidden_by
from visaproof.refinement.verdicts import Refines

HALVES = {8: (("M1", 0),), 16: (("M1", 0), ("M3", 32))}


def load(mask: str, lanes: int, at: int = 0) -> str:
    return f"load_lz.R ({mask}, {lanes}) 0x0:uw T6 Y.{at} X.{at} AT.{at}\n"


def store(mask: str, at: int) -> str:
    return f"scatter4_typed.R ({mask}, 8) T6 AT.{at} AT.{at} %null.0 %null.0 Y.{at}\n"


def moved(simd: int, column: str = "add {m} AT({r},0)<1> X({r},0)<1;1,0> N(0,0)<0;1,0>") -> Program:
    """Each lane copies a texel of row 0 to another place: it reads (id, 0), and writes (id + N, id + N)."""
    text = ids(simd) + each(simd, "mov {m} AT({r},0)<1> 0x0:ud") + load("M1", simd) + each(simd, column)
    return kernel(simd, text + "".join(store(mask, at) for mask, at in HALVES[simd]))


def test_a_source_whose_threads_write_what_others_read_has_no_meaning() -> None:
    assert isinstance(verdict(moved(8), moved(16)), Refines)
    other_place = moved(16, "add {m} AT({r},0)<1> X({r},0)<1;1,0> 0x1:ud")
    assert not isinstance(verdict(moved(8), other_place), Refines)  # a run knows an image of zeros alone


@pytest.mark.slow
def test_a_target_whose_threads_write_what_others_read_is_refuted() -> None:
    """The wide thread reads every texel before it writes one."""

    def in_row(simd: int) -> Program:
        text = ids(simd) + each(simd, "mov {m} AT({r},0)<1> 0x0:ud") + load("M1", simd)
        text += each(simd, "add {m} X({r},0)<1> X({r},0)<1;1,0> N(0,0)<0;1,0>")
        stores = (store(mask, at).replace(f"AT.{at} AT", f"X.{at} AT") for mask, at in HALVES[simd])
        return kernel(simd, text + "".join(stores))

    assert kind_of(differs(in_row(16), in_row(8))) is UndefinedKind.RACE
    assert isinstance(verdict(in_row(8), in_row(16)), Refines)
    ordered = forbidden_by([(UndefinedKind.RACE, False)])
    assert not isinstance(verdict(in_row(8), in_row(16), ordered), Refines)


@pytest.mark.slow
def test_a_thread_sees_what_it_wrote_itself() -> None:
    """A wide thread that reads its second half behind the store of its first may bring what that left."""
    text = ids(16) + each(16, "mov {m} AT({r},0)<1> 0x0:ud") + load("M1", 8)
    text += "add (M1, 8) AT(0,0)<1> X(0,0)<1;1,0> N(0,0)<0;1,0>\n" + store("M1", 0) + load("M3", 8, 32)
    text += "add (M3, 8) AT(1,0)<1> X(1,0)<1;1,0> N(0,0)<0;1,0>\n" + store("M3", 32)
    assert not isinstance(verdict(kernel(16, text), moved(16)), Refines)
    assert not isinstance(verdict(moved(8), kernel(16, text)), Refines)


SPREAD = "mul {m} AT({r},0)<1> X({r},0)<1;1,0> N(0,0)<0;1,0>"


def stored_twice(simd: int, second: str = "0x1:d") -> Program:
    """Each lane writes its id into two texels; threads that write one texel race."""
    text = ids(simd) + each(simd, SPREAD)
    for distance in ("0x0:d", second):
        text += each(simd, f"add {{m}} Y({{r}},0)<1> AT({{r}},0)<1;1,0> {distance}")
        text += "".join(store(mask, at).replace("Y.", "X.").replace("AT.", "Y.") for mask, at in HALVES[simd])
    return kernel(simd, text)


def test_texels_of_threads_that_race_where_they_meet_are_written_in_any_order() -> None:
    """The first of two narrow threads writes both of its texels before the other one writes any."""
    found = verdict(stored_twice(8), stored_twice(16))
    assert isinstance(found, Refines)
    assert "normal form" in found.by
    assert not isinstance(verdict(stored_twice(8), stored_twice(16, "0x2:d")), Refines)
    assert not isinstance(verdict(stored_twice(16), stored_twice(8)), Refines)  # the target races, and the source not


def test_texels_of_one_thread_keep_their_order() -> None:
    """A lane that writes one texel twice leaves the second value."""

    def in_order(simd: int, values: tuple[str, str]) -> Program:
        text = ids(simd)
        for value in values:
            text += each(simd, f"add {{m}} Y({{r}},0)<1> X({{r}},0)<1;1,0> {value}")
            text += "".join(store(mask, at) for mask, at in HALVES[simd])
        return kernel(simd, text)

    assert isinstance(verdict(in_order(8, ("0x1:d", "0x2:d")), in_order(16, ("0x1:d", "0x2:d"))), Refines)
    assert not isinstance(verdict(in_order(8, ("0x1:d", "0x2:d")), in_order(16, ("0x2:d", "0x1:d"))), Refines)


def test_threads_whose_order_is_chosen_keep_the_order_of_their_stores() -> None:
    """Where races are allowed the threads run one after another, and the last store stays."""
    ordered = forbidden_by([(UndefinedKind.RACE, False)])
    assert not isinstance(verdict(stored_twice(8), stored_twice(16), ordered), Refines)
