"""Arguments that are called as a value of the launch is, or nearly so: what is known of sizes is not known of them."""

import re
from pathlib import Path

import pytest

from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsAnswers
from visaproof.analysis.bounds.sizes.launch_integers import LaunchIntegers
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import read_launch
from visaproof.smt import true
from visaproof.visaasm.reader import read_kernel_file

DATA = Path(__file__).parents[2] / "data" / "ends"


def asked(inc: str, folder: Path) -> BoundsAnswers:
    """`out[offset + inc * global id]`, of which `inc` is called otherwise: it is argument 1."""
    kernel = read_kernel_file(DATA / "strided.visaasm")
    info = folder / "ends.ze_info"
    info.write_text(re.sub(r"\binc\b", inc, (DATA / "ends.ze_info").read_text()))
    launch = read_launch(info, kernel, Platform.DG2)
    assert launch.arg_names[1] == inc
    return ask_bounds(kernel, Platform.DG2, launch, Assume.LAUNCH, StatedLaunch(), 5_000)


def test_the_name_of_a_value_of_the_launch_is_that_value(tmp_path: Path) -> None:
    names = asked("global_size_x", tmp_path).sizes.names
    assert names.found("global_size_x").word.term is not names.found("arg1").word.term
    assert sorted(names.of_arguments()) == ["arg1", "offset"]


@pytest.mark.slow(but=1)
@pytest.mark.parametrize(("inc", "shown"), [("global_size_x", "arg1"), ("global_size_hint", "global_size_hint")])
def test_a_size_names_the_argument_beside_the_launch(inc: str, shown: str, tmp_path: Path) -> None:
    answers = asked(inc, tmp_path)
    found = (finding.enough for finding in answers.answers())
    (enough,) = {str(one.size and one.size.amount) for one in found if one is not None}
    assert enough == f"4*offset + 4*{'*'.join(sorted((shown, 'global_size_x')))} + 4 - 4*{shown}"


@pytest.mark.parametrize("inc", ["local_size_hint", "global_size_hint", "group_count_of_it"])
def test_an_argument_whose_name_begins_as_a_size_may_be_0(inc: str, tmp_path: Path) -> None:
    answers = asked(inc, tmp_path)
    assert answers.start.group.launched is not None
    found = LaunchIntegers(answers.sizes.names, answers.start.group.launched).least(true(), [inc, "local_size_x"])
    assert found == {"local_size_x": 1}
