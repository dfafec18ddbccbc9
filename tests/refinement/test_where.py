"""`--where` in the other commands: it bounds the questions of `refine` and `bounds`, and what they save obeys it."""

import msgspec
import pytest
from msgspec.structs import replace

from tests.premises.kernels import STORE, program
from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsAnswers
from visaproof.analysis.bounds.records import bounds_records
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds, Outside
from visaproof.analysis.surface_sizes import parse_amount, parse_size_option
from visaproof.checking.replay import replay
from visaproof.isa.errors import ReadError
from visaproof.launch.assumptions import Assume
from visaproof.launch.overlap import ArgumentInfo
from visaproof.launch.relations.expression_reader import parse_relation
from visaproof.launch.relations.expressions import Relation
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.record import refinement_record
from visaproof.refinement.replay import replay_refinement
from visaproof.refinement.scope import Scope
from visaproof.refinement.verdicts import Apart, Difference, Refines, Vacuous, Verdict

AT_N = "mov (M1, 8) U(0,0)<1> N(0,0)<0;1,0>\nshl (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x2:ud\n"
ONE = "scatter4_scaled.R (M1_NM, 1) T6 0x0:ud U.0 DATA.0\n"
HALF = "mov (M1, 8) DATA(0,0)<1> N(0,0)<0;1,0>\n{}" + "mov (M1_NM, 8) U(0,0)<1> 0x0:ud\n" + ONE
ODD = "or (M1, 8) DATA(0,0)<1> DATA(0,0)<1;1,0> 0x1:d\n"


def where(*texts: str) -> tuple[Relation, ...]:
    found = [parse_relation(text, "--where") for text in texts]
    return tuple(one for one in found if isinstance(one, Relation))


def refined(*relations: str) -> Verdict:
    source, target = program(HALF.format("")), program(HALF.format(ODD))
    return decide(compare(source, target, Scope(Assume.LAUNCH, where=where(*relations))), 5_000)


def test_a_target_refines_where_the_relation_holds_that_it_needs() -> None:
    """n | 1 is n where n is odd."""
    assert isinstance(refined("arg0 % 2 == 1"), Refines)
    assert not isinstance(refined(), Refines)
    assert not isinstance(refined("arg0 % 4 != 2"), Refines)


def test_relations_that_no_launch_obeys_refine_nothing() -> None:
    assert isinstance(refined("arg0 > 3", "arg0 < 3"), Vacuous)


def test_a_difference_obeys_the_relation_and_replays_under_it() -> None:
    source, target = program(HALF.format("")), program(HALF.format(ODD))
    comparison = compare(source, target, Scope(Assume.LAUNCH, where=where("arg0 % 4 == 2", "arg0 > 9")))
    found = decide(comparison, 5_000)
    found = found.difference if isinstance(found, Apart) else found
    assert isinstance(found, Difference)
    record = refinement_record(comparison, found, "")
    assert not replay_refinement(record, "one.json")
    value = record.where[1].names["arg0"].value
    assert (value % 4, value > 9) == (2, True)
    broken = msgspec.structs.replace(record.where[0], relation="arg0 % 4 == 1")
    again = replay_refinement(msgspec.structs.replace(record, where=[broken]), "one.json")
    assert again == (f"the state does not obey arg0 % 4 == 1: arg0 = {value}",)


# ---------------------------------------------------------------- bounds


def bounds(body: str, size: str, *relations: str, type_name: str = "uint") -> BoundsAnswers:
    one = program(body)
    launch = replace(one.launch, infos={0: ArgumentInfo(type_name=type_name)}, arg_names={0: "n", 1: "dst"})
    launch = replace(launch, binding_table={0: 1})
    stated = StatedLaunch((parse_size_option(f"dst={size}"),), where=where(*relations))
    return ask_bounds(one.kernel, one.platform, launch, Assume.LAUNCH, stated, 5_000)


def is_inside(answers: BoundsAnswers) -> bool:
    assert not answers.vacuous
    return all(isinstance(one.bounds, Holds) for one in answers.answers())


def test_a_relation_bounds_what_a_message_reaches() -> None:
    assert is_inside(bounds(AT_N + STORE, "4096", "arg0 < 1024"))
    assert not is_inside(bounds(AT_N + STORE, "4096", "arg0 <= 1024"))


@pytest.mark.parametrize(("type_name", "expected"), [("int", False), ("uint", True)])
def test_an_argument_has_the_sign_of_its_type(type_name: str, expected: bool) -> None:
    """Below 1024 an int may be -1, and the message then reaches the end of 4 GiB."""
    assert is_inside(bounds(AT_N + STORE, "4096", "arg0 < 1024", type_name=type_name)) is expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("4*arg0 + 4", True),
        ("4*arg0", False),
        ("4*(arg0 + 1)", True),
        ("4*arg0*arg0", True),
        ("arg0*arg0 - arg0*arg0", False),
    ],
)
def test_a_size_of_sums_and_products_does_not_wrap(size: str, expected: bool) -> None:
    """4·n·n of 32 bits would be 0 where n is 2^16."""
    assert is_inside(bounds(AT_N + STORE, size, "arg0 == 0x10000")) is expected


def test_what_bounds_saves_obeys_the_relations() -> None:
    answers = bounds(AT_N + STORE, "4096", "arg0 > 5000", "arg0 % 3 == 1")
    (finding,) = answers.answers()
    assert isinstance(finding.bounds, Outside)
    ((_, record),) = bounds_records(answers, finding)
    assert not replay(record, "one.json").differences
    assert [one.relation for one in record.where] == ["arg0 > 5000", "arg0 % 3 == 1"]


@pytest.mark.parametrize("relation", ["local_size_x <= 4", "global_size_y == 1", "group_count_z < 7"])
def test_values_of_the_launch_have_names_in_a_kernel_that_gets_none_of_them(relation: str) -> None:
    assert is_inside(bounds(AT_N + STORE, "4096", "arg0 < 1024", relation))


def test_a_name_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ReadError) as caught:
        bounds(AT_N + STORE, "4096", "1 + m >= 3")
    assert "no argument by value is called 'm'\n    1 + m >= 3\n        ^" in caught.value.message
    assert "arguments by value: arg0; of the launch: local_size_x" in caught.value.hint


def test_a_float_is_in_no_relation() -> None:
    with pytest.raises(ReadError, match="is no integer but float"):
        bounds(AT_N + STORE, "4096", "arg0 > 1", type_name="float")


@pytest.mark.parametrize("type_name", ["float2", "struct one", "half", "double"])
def test_what_is_no_name_for_a_number_is_in_none_either(type_name: str) -> None:
    with pytest.raises(ReadError, match="is no integer but"):
        bounds(AT_N + STORE, "4096", "arg0 > 1", type_name=type_name)


def test_a_number_of_a_type_of_its_own_may_be_negative() -> None:
    assert not is_inside(bounds(AT_N + STORE, "4096", "arg0 < 1024", type_name="index_t"))
    assert is_inside(bounds(AT_N + STORE, "4096", "arg0 < 1024", "arg0 >= 0", type_name="index_t"))


def test_a_size_may_be_one_of_the_launch() -> None:
    assert str(parse_amount("4*global_size_x", "--size")) == "4*global_size_x"
    assert not is_inside(bounds(AT_N + STORE, "4*global_size_x", "arg0 <= global_size_x"))
    assert is_inside(bounds(AT_N + STORE, "4*global_size_x", "arg0 < global_size_x"))
