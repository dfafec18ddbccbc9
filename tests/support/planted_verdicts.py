"""Wrong steps inside the decision of a question: wrong terms, a wrong solver, a wrong normal form, a false premise.

Each function plants one fault and says whether the answer that must not be given was withheld.
"""

from typing import cast

import pytest
from msgspec.structs import replace

from proofs import word_rules
from proofs.shapes import EACH_ATOMIC
from tests.analysis.bounds.test_uninitialised_runs import OFFSETS as UNWRITTEN_OFFSETS
from tests.analysis.bounds.test_uninitialised_runs import STORE, small
from tests.checking.test_decide import question, x, y
from tests.cli.test_findings import HEAD as FINDINGS_HEAD
from tests.cli.test_findings import STORED
from tests.execution.test_launch_choices import launched, used
from tests.refinement.test_refinement import APART, HEAD, IDLE, STORE_B, STORE_C, program
from tests.rules.test_rule_verdicts import SCATTER, _rule
from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsAnswers
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.uninitialised_runs import dependence
from visaproof.analysis.bounds.verdicts import Undecided as NotInBounds
from visaproof.analysis.bounds.verdicts import decide_bounds, decide_meaning
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import KernelAnswers
from visaproof.analysis.conflicts.verdicts import Free, Undecided, decide_conflict
from visaproof.analysis.findings import verdicts as findings
from visaproof.analysis.surface_sizes import parse_size_option
from visaproof.checking import decide as deciding
from visaproof.checking import stages
from visaproof.checking.all_choices import under_all_choices
from visaproof.checking.claims import identities
from visaproof.checking.verdict import Refuted
from visaproof.checking.verdict import Vacuous as VacuousClaim
from visaproof.execution.choices import DependentEnding, run_with_choices
from visaproof.execution.run import Engine, Ran
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN, parse_input_option
from visaproof.launch.relations.expressions import Number
from visaproof.queries import atomics, bounds, subject
from visaproof.queries.identities import rule_holds
from visaproof.queries.kernels.bounds import Doubt
from visaproof.queries.kernels.conflict import LanePair
from visaproof.queries.query import Query
from visaproof.refinement import comparison, decision
from visaproof.refinement.comparison import compare
from visaproof.refinement.effects.question import Launched, Question
from visaproof.refinement.questions import questions
from visaproof.refinement.scope import Scope
from visaproof.refinement.strategies import proofs
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.verdicts import ByteDiffers, Difference, Refines, Unknown, Vacuous
from visaproof.rules import decision as rules
from visaproof.rules import verdicts as rule_verdicts
from visaproof.semantics.concrete.choices import Choices, Picked
from visaproof.semantics.symbolic.accesses import Atomic
from visaproof.semantics.symbolic.names import lane_on
from visaproof.smt import add, eq, false, true
from visaproof.smt.answers import Satisfiable
from visaproof.visaasm.reader import read_kernel

QUICK_MS = 200
OFFSETS = "add (M1_NM, 8) C(0,0)<1> 0x76543210:uv 0x0:ud\nshl (M1, 8) C(0,0)<1> C(0,0)<1;1,0> 0x2:ud\n"
"""A dword for each lane, from 0 to 28."""
STORED_IN = OFFSETS + STORE_C
NO_MEANING = "mov (M1_NM, 8) C(0,0)<1> 0x1:ud\n" + STORE_C.replace("(M1,", "(M1_NM,")
"""Its offsets are no multiples of 4."""

# ---------------------------------------------------------------- claims


def refuted(query: Query, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether it is refuted if a stage wrongly says that it fails."""
    values = stages.decide_goal(query.assumptions, false(), QUICK_MS)
    monkeypatch.setattr(deciding, "decide_goal", lambda *_: values)
    monkeypatch.setattr(deciding, "attempted", lambda *_: None)
    return isinstance(deciding.decide(query, QUICK_MS), Refuted)


def a_claim_that_holds(monkeypatch: pytest.MonkeyPatch) -> bool:
    right = subject.qw_scatter(1, Platform.DG2, False)
    return not refuted(bounds.out_of_bounds_write_is_dropped(right), monkeypatch)


def values_that_break_no_claim(monkeypatch: pytest.MonkeyPatch) -> bool:
    return a_claim_that_holds(monkeypatch)


def a_footprint_that_execute_does_not_share(_: pytest.MonkeyPatch) -> bool:
    """ADD with the footprint of SUB: a claim that fails of it may hold of the instruction."""
    right = EACH_ATOMIC[0]()
    wrong = tuple(replace(cast(Atomic, access), op=AtomicOp.SUB) for access in right.accesses)
    query = atomics.memory_holds_the_result(replace(right, accesses=wrong, own_accesses=wrong))
    return not isinstance(deciding.decide(replace(query, goal=false()), 2_000), Refuted)


def a_variant_that_is_right(monkeypatch: pytest.MonkeyPatch) -> bool:
    right = subject.qw_scatter(1, Platform.DG2, False)
    variant = right.with_variant("nothing-wrong", right.accesses)
    return not refuted(bounds.out_of_bounds_write_is_dropped(variant), monkeypatch)


def orders_that_end_alike(monkeypatch: pytest.MonkeyPatch) -> bool:
    """Two lanes add: the order does not matter."""
    return not refuted(question(eq(add(x, y), add(y, x))), monkeypatch)


def a_rule_of_the_normal_form_that_holds(monkeypatch: pytest.MonkeyPatch) -> bool:
    """The solver says that it fails where all words are 0."""
    monkeypatch.setattr(identities, "solve", lambda *_: Satisfiable({}, "planted"))
    query = rule_holds(word_rules.SUMS[0])
    return not isinstance(deciding.decide(query, QUICK_MS), Refuted)


def a_false_premise(_: pytest.MonkeyPatch) -> bool:
    return isinstance(deciding.decide(question(eq(add(x, y), add(y, x)), false())), VacuousClaim)


# ---------------------------------------------------------------- one kernel


def conflicts_of(body: str) -> KernelAnswers:
    return ask_kernel(program(body).kernel, Platform.DG2, NOTHING_KNOWN, Assume.NONE, QUICK_MS)


def bounds_of(body: str, size: str = "0=0x40") -> BoundsAnswers:
    stated = StatedLaunch(surfaces=(parse_size_option(size),))
    return ask_bounds(program(body).kernel, Platform.DG2, NOTHING_KNOWN, Assume.NONE, stated, QUICK_MS)


def lanes_that_do_not_meet(_: pytest.MonkeyPatch) -> bool:
    """The terms say that lanes 0 and 1 always write one byte."""
    answers = conflicts_of(STORED_IN)
    (asked,) = answers.questions
    one, other = asked.lanes[:2]
    planted = replace(asked, pairs=(LanePair(0, 1, true(), (one, other)),))
    return isinstance(decide_conflict(planted, answers.asked), Undecided)


def never_defined(_: pytest.MonkeyPatch) -> bool:
    """Before the second store every run is undefined."""
    answers = conflicts_of(NO_MEANING + STORED_IN)
    asked = answers.questions[-1]
    one, other = asked.lanes[:2]
    answer = decide_conflict(replace(asked, pairs=(LanePair(0, 1, true(), (one, other)),)), answers.asked)
    return isinstance(answer, Free) and answer.vacuous


def lanes_inside(_: pytest.MonkeyPatch) -> bool:
    """The terms say that an access to the first 32 of 64 bytes is outside."""
    answers = bounds_of(STORED_IN)
    (asked,) = answers.questions
    planted = replace(asked, outside=(Doubt(asked.performed.accesses[0], true()),))
    return isinstance(decide_bounds(planted, answers.asked), NotInBounds)


def lanes_with_a_meaning(_: pytest.MonkeyPatch) -> bool:
    """The terms say that the page leaves an aligned store undefined."""
    answers = bounds_of(STORED_IN)
    (asked,) = answers.questions
    planted = replace(asked, undefined=(Doubt(asked.performed.accesses[0], true()),))
    return isinstance(decide_meaning(planted, answers.asked), NotInBounds)


def premises_that_contradict(_: pytest.MonkeyPatch) -> bool:
    """No lane has an id below a global size of 0."""
    kernel = read_kernel(HEAD + STORED_IN + "ret (M1, 1)\n", "k.visaasm")
    launch = replace(NOTHING_KNOWN.with_inputs(kernel, [parse_input_option("AT=local_id_x")]), group_size=(8, 1, 1))
    stated = StatedLaunch(global_size=(Number(0),))
    return ask_bounds(kernel, Platform.DG2, launch, Assume.IDS, stated, QUICK_MS).vacuous


# ---------------------------------------------------------------- undefined values


def finding_shown(body: str) -> bool:
    kernel = read_kernel(f"{FINDINGS_HEAD}{body}ret (M1, 1)\n", "k.visaasm")
    answers = ask_kernel(kernel, Platform.DG2, NOTHING_KNOWN, Assume.NONE, QUICK_MS)
    return any(isinstance(one.answer, findings.Shown) for one in findings.undefined_uses(answers.with_data()))


def a_value_that_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> bool:
    """The terms say that a mask differs, and the values that the solver gives leave it as it is: no pair of runs may
    then be said to differ."""
    monkeypatch.setattr(findings, "_differ", lambda *_: true())
    masked = "cmp.ne (M1, 8) P1 N(0,0)<1;1,0> 0x5:ud\n" + STORED.replace("scatter4", "(P1) scatter4")
    return not finding_shown(masked)


def a_write_that_stays_inside(monkeypatch: pytest.MonkeyPatch) -> bool:
    """The solver says that a write goes beyond a variable, for values for which none of its lanes is on."""
    monkeypatch.setattr(findings._Question, "_values", lambda *_: {lane_on(0): 1})
    beyond = "cmp.eq (M1, 8) P1 X(0,0)<1;1,0> 0x5:ud\n(P1) mov (M1, 8) SHORT(0,0)<1> X(0,0)<1;1,0>\n"
    return not finding_shown(beyond + STORED)


def bits_that_decide_nothing(_: pytest.MonkeyPatch) -> bool:
    answers = small(UNWRITTEN_OFFSETS + "    and (M1, 8) V1(0,0)<1> V1(0,0)<1;1,0> 0x0:ud\n" + STORE.format("V2", "V1"))
    return dependence(answers, answers.uninitialised[0]) is None


# ---------------------------------------------------------------- two kernels


def refined(source: str, target: str) -> decision.Verdict:
    return decision.decide(compare(program(source), program(target), Scope(Assume.NONE)), QUICK_MS)


ADDED = APART + "add (M1, 8) X(0,0)<1> X(0,0)<1;1,0> 0x1:d\n" + STORE_B
LOOP = """L:
add (M1, 8) Y(0,0)<1> Y(0,0)<1;1,0> 0x1:d
cmp.lt (M1, 8) P1 Y(0,0)<1;1,0> X(0,0)<1;1,0>
(P1) goto (M1, 8) L
"""


def a_normal_form_that_equates(monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(proofs, "same_effects", lambda _: True)
    return is_noticed(APART + STORE_B, ADDED)


def stores_that_are_equated(monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(proofs, "one_by_one", lambda *_: True)
    return is_noticed(APART + STORE_B, ADDED)


def is_noticed(source: str, target: str) -> bool:
    """Whether the target is not said to refine the source, or runs say otherwise."""
    try:
        return not isinstance(refined(source, target), Refines)
    except AssertionError:
        return True


def rounds_that_are_equated(monkeypatch: pytest.MonkeyPatch) -> bool:
    def anything(runners: tuple[Runner, Runner], launched: Launched, scope: Scope, _: object) -> Question:
        return questions(runners, launched, scope.forbidden)[1]

    monkeypatch.setattr(comparison, "in_step", anything)
    return not isinstance(refined(LOOP + APART + STORE_B, LOOP + ADDED), Refines)


def equated_by_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proof, and a solver with a difference."""
    monkeypatch.setattr(proofs, "same_effects", lambda _: False)
    monkeypatch.setattr(proofs, "one_by_one", lambda *_: False)
    monkeypatch.setattr(proofs, "uncut", lambda *_: stages.Fails({}))


def a_difference_that_is_none(monkeypatch: pytest.MonkeyPatch) -> bool:
    """The terms differ, and a solver says so."""
    equated_by_nothing(monkeypatch)
    return isinstance(refined(APART + STORE_B, IDLE + APART + STORE_B), Unknown)


def a_source_that_is_always_undefined(_: pytest.MonkeyPatch) -> bool:
    return isinstance(refined(NO_MEANING, IDLE + NO_MEANING), Vacuous)


FOUND = Difference({}, 1, {}, ByteDiffers("bti 0", 0, 0, 0, 1, None, None))
"""What a run shows that was never made."""

# ---------------------------------------------------------------- rules


def a_rule_that_is_right(monkeypatch: pytest.MonkeyPatch) -> bool:
    """The terms of its two sides differ, and a solver says so."""
    equated_by_nothing(monkeypatch)
    return isinstance(rules.check_rule(_rule(SCATTER, SCATTER), 0.2), rule_verdicts.Unknown)


def preconditions_that_contradict(_: pytest.MonkeyPatch) -> bool:
    return isinstance(rules.check_rule(_rule(SCATTER, SCATTER, "pre: off < 4", "pre: off > 8")), rule_verdicts.Vacuous)


# ---------------------------------------------------------------- results that no page states

PLACE = Position("k.visaasm", 1, 1)
PICKED = Picked(PLACE, "a result", None, 0)


def shown_by_one_choice(_: pytest.MonkeyPatch) -> bool:
    """A run refutes a claim under the first choice alone."""

    def attempt(choices: Choices) -> str | None:
        choices.picked[PLACE, PICKED.what] = PICKED
        return "shown" if choices.policy == 0 else None

    try:
        return under_all_choices(attempt) is None
    except NotModelled:
        return True


def bytes_that_depend(_: pytest.MonkeyPatch) -> bool:
    found = launched(used("div", "stored"), Engine.SCALAR)[2]
    return found is not None and bool(found.dependent)


def addresses_that_depend(_: pytest.MonkeyPatch) -> bool:
    found = launched(used("div", "address"), Engine.SCALAR)[2]
    return found is not None and bool(found.dependent)


def an_ending_that_depends(_: pytest.MonkeyPatch) -> bool:
    """The launch stops under the second choice alone."""
    ran, memory, _found = launched(used("div", "dead"), Engine.SCALAR)

    def launch(choices: Choices, most: int) -> Ran:
        choices.picked[PLACE, PICKED.what] = PICKED
        if choices.policy == 1:
            raise NotModelled("something else", PLACE)
        return ran

    found = run_with_choices(launch, memory)[1]
    return found is not None and any(isinstance(one, DependentEnding) for one in found.dependent)
