"""The strategies, in the order in which they are tried: cheap proofs first, then runs, then a solver.

A proof that holds for the iterations that were unrolled alone (`any_length` is not set) makes the verdict `Bounded`.
"""

from msgspec.structs import replace

from visaproof.refinement.comparison import Comparison
from visaproof.refinement.obligations import open_surfaces, stores_of
from visaproof.refinement.strategies import differences, proofs
from visaproof.refinement.strategies.atomic_events import event_by_event, has_atomics
from visaproof.refinement.strategies.differences import differing_store
from visaproof.refinement.strategies.strategy import Asked, Strategy
from visaproof.refinement.testing.random_testing import AUDITS, LAST_RUNS, TESTS
from visaproof.refinement.vacuity import undefined_always
from visaproof.refinement.verdicts import Difference, Refines, Vacuous


def _every(_: Comparison) -> bool:
    return True


def _loops(comparison: Comparison) -> bool:
    return bool(comparison.question.bounded) or comparison.in_step


def _loops_in_any_order(comparison: Comparison) -> bool:
    """Not of a source whose work items are taken not to race: they may in these runs."""
    return _loops(comparison) and not comparison.question.source.items_apart


def _in_step(comparison: Comparison) -> bool:
    return comparison.in_step


def _no_loops(comparison: Comparison) -> bool:
    return not _loops(comparison) and comparison.open is None


def _no_runs_yet(comparison: Comparison) -> bool:
    """Of loops there were as many runs before: a number of runs fixes their inputs."""
    return not _loops(comparison)


def _several_threads_not_run(comparison: Comparison) -> bool:
    return comparison.split is not None and _no_runs_yet(comparison)


def _of_parts(comparison: Comparison) -> bool:
    """Of whole programs there are too many stores and conditions to ask of each."""
    return not _of_programs(comparison)


def _stores_differ_in_number(comparison: Comparison) -> bool:
    return _of_parts(comparison) and any(
        len(source) != len(target)
        for source, target in (stores_of(comparison.question, name) for name in open_surfaces(comparison.question))
    )


def _of_programs(comparison: Comparison) -> bool:
    """Parts of programs are short: what their normal forms lack is asked step by step."""
    return comparison.question.launched.premises is None


def _conditional(comparison: Comparison) -> bool:
    return comparison.conditional and comparison.exact is not None


def _always_undefined(asked: Asked) -> Vacuous | None:
    always = undefined_always(asked.comparison)
    return Vacuous(always) if always else None


def _of_whole_programs(comparison: Comparison) -> bool:
    return _no_loops(comparison) and _of_programs(comparison)


NO_SOLVER = "no solver"
QUICK = "a solver for 0.3 seconds a question"
A_QUESTION = "one question within the time-out"
A_FEW = f"{AUDITS} runs"
MANY = f"{TESTS} runs of each kind"
MOST = f"{LAST_RUNS} runs in all"

FEW_RUNS = Strategy("few runs", _loops_in_any_order, differences.few, (Difference,), A_FEW)
IN_STEP = Strategy(
    "iterations in step", _in_step, proofs.iterations_in_step, (Refines,), f"{NO_SOLVER}", any_length=True
)
SAME_STORES = (
    Strategy("normal form without conditions", _conditional, proofs.without_conditions, (Refines,), NO_SOLVER),
    Strategy("normal form", _every, proofs.normal_form, (Refines,), NO_SOLVER),
    Strategy("expanded normal form", _of_programs, proofs.expanded_normal_form, (Refines,), NO_SOLVER),
    Strategy("chosen values", _every, proofs.chosen_values, (Refines,), NO_SOLVER),
)
"""Proofs by normal forms."""
SIMPLE_STORES = Strategy("simple stores", _of_whole_programs, proofs.as_it_is, (Refines,), QUICK)
ITEMS_APART = Strategy("items that do not race", _of_whole_programs, proofs.where_items_do_not_race, (Refines,), QUICK)

STRATEGIES = (
    FEW_RUNS,
    IN_STEP,
    Strategy("many runs of loops", _loops, differences.many, (Difference,), MANY),
    Strategy("a store that differs", _loops, differing_store, (Difference,), "a question for each of a few stores"),
    Strategy("longer runs of loops", _loops, differences.unrolled_deeper, (Difference,), MANY),
    *SAME_STORES,
    Strategy("always undefined", _every, _always_undefined, (Vacuous,), NO_SOLVER),
    SIMPLE_STORES,
    ITEMS_APART,
    Strategy("atomics event by event", has_atomics, event_by_event, (Refines,), "a question for each event"),
    Strategy("runs", _no_runs_yet, differences.before_a_solver, (Difference,), f"{MANY}, of several threads {A_FEW}"),
    Strategy("another order", _of_parts, proofs.in_another_order, (Refines,), "a question for each exchange"),
    Strategy("store by store", _every, proofs.store_by_store, (Refines,), "a question for each store"),
    Strategy("case by case", _stores_differ_in_number, proofs.case_by_case, (Refines,), "a question for each case"),
    Strategy("many runs of threads", _several_threads_not_run, differences.many, (Difference,), MANY),
    Strategy("one arbitrary place", _every, proofs.solved, (Refines, Difference, Vacuous), A_QUESTION),
    Strategy("last runs", _every, differences.last, (Difference,), MOST),
)
"""What is asked of two programs where their buffers are apart."""

PROOFS = tuple(row for row in STRATEGIES if row.gives != (Difference,))
"""The same without runs on inputs that nobody says anything of."""

ONLY_RUNS = (
    FEW_RUNS,
    Strategy("many runs", _every, differences.many, (Difference,), MANY),
    Strategy("last runs", _every, differences.last, (Difference,), MOST),
)
"""What is asked where the target has what no proof models."""


def _without_loops(row: Strategy) -> Strategy:
    def applies(comparison: Comparison) -> bool:
        return _no_loops(comparison) and row.applies(comparison)

    return replace(row, applies=applies)


IN_ONE_MEMORY = (IN_STEP, *map(_without_loops, SAME_STORES), ITEMS_APART)
"""What is asked first where buffers may overlap: proofs that need not know which do."""

SIMPLE_IN_ONE_MEMORY = (SIMPLE_STORES,)
"""What is asked there of a target that refines the source where buffers are apart, before runs."""

SOLVED_IN_ONE_MEMORY = (Strategy("as it is", _no_loops, proofs.proved_as_it_is, (Refines,), A_QUESTION),)
"""The same after runs."""
