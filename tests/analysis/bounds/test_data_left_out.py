"""Data that no access depends on is left out of the run, unless something undefined is read or it is asked for."""

import pytest

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsAnswers
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds, Outside
from visaproof.analysis.surface_sizes import parse_size_option
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.visaasm.reader import read_kernel

HEADER = """.version 4.1
.kernel "k"
.decl OWN v_type=G type=ud num_elts=8 align=GRF
.decl AT v_type=G type=ud num_elts=8 align=GRF
.decl D v_type=G type=ud num_elts=8 align=GRF
.decl E v_type=G type=ud num_elts=8 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.kernel_attr SimdSize=8
.function "k"
    movs (M1_NM, 1) T6(0) 0x0:ud
    movs (M1_NM, 1) T7(0) 0x1:ud
    mul (M1_NM, 8) OWN(0,0)<1> 0x76543210:v 0x4:uw
"""
LOAD = "    gather_scaled.4 (M1, 8) T7 0x0:ud OWN.0 D.0\n"
DATA = "    mul (M1, 8) E(0,0)<1> {}(0,0)<1;1,0> {}(0,0)<1;1,0>\n"
STORE = "    scatter_scaled.4 (M1, 8) T6 0x0:ud {}.0 E.0\n"
INSIDE = LOAD + DATA.format("D", "D") + STORE.format("OWN")


def asked(body: str, *, with_data: bool = False) -> BoundsAnswers:
    stated = StatedLaunch(tuple(map(parse_size_option, ("0=32", "1=32"))))
    kernel = read_kernel(f"{HEADER}{body}    ret (M1, 1)\n", "k.visaasm")
    return ask_bounds(kernel, Platform.TGLLP, NOTHING_KNOWN, Assume.NONE, stated, 5_000, with_data=with_data)


def is_written(answers: BoundsAnswers) -> bool:
    """Whether the run writes the product into E."""
    before, _ = answers.asked.start.initial("E", 0)
    return answers.asked.trace.registers.read("E", 0, 4) is not before


@pytest.mark.parametrize("with_data", [False, True])
def test_the_verdicts_are_those_of_the_run_with_data(with_data: bool) -> None:
    answers = asked(INSIDE, with_data=with_data)
    assert is_written(answers) == with_data
    assert all(isinstance(one.bounds, Holds) for one in answers.answers())
    assert not answers.uninitialised


def test_data_that_is_an_address_stays() -> None:
    at = "    and (M1, 8) AT(0,0)<1> D(0,0)<1;1,0> 0x{}:ud\n"
    for mask, of in (("1c", Holds), ("3c", Outside)):
        answers = asked(LOAD + at.format(mask) + DATA.format("D", "D") + STORE.format("AT"))
        assert not is_written(answers)
        *_, last = answers.answers()
        assert isinstance(last.bounds, of)


def test_what_is_read_before_it_is_written_is_still_told() -> None:
    answers = asked(LOAD + DATA.format("D", "AT") + STORE.format("OWN"))
    assert is_written(answers)
    assert [one.variable for one in answers.uninitialised] == ["AT"]
