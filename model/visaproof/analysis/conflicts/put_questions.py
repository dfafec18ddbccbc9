"""The questions about a run of a kernel, under what its start has assumed."""

from visaproof.analysis.conflicts.known_apart import KnownApart
from visaproof.analysis.conflicts.no_lane import NoLane
from visaproof.analysis.conflicts.simpler_formulas import without_products
from visaproof.analysis.conflicts.thread_states import Asked
from visaproof.analysis.tables import tables_of
from visaproof.checking.limited import Questions, questions_within
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.launch.launch import Launch
from visaproof.launch.local_memory import local_memory
from visaproof.program.lower import Runnable
from visaproof.queries.kernels.conflict import ConflictQuestion, conflict_questions
from visaproof.queries.kernels.constant_data import loads_of_tables
from visaproof.queries.kernels.extents import EXTENTS, limits
from visaproof.queries.kernels.local_size import local_limit
from visaproof.smt import conj
from visaproof.smt.limit import Limit


def put_questions(kernel: Runnable, launch: Launch, asked: Asked, limit: Limit) -> Questions[ConflictQuestion]:
    """Those that can be put within the limit."""
    ran, start = asked.trace, asked.start
    facts = loads_of_tables(ran, tables_of(kernel, launch, start))
    extents = limits(ran) if EXTENTS in start.assumed else ()
    local = local_limit(ran, local_memory(kernel, launch).most)
    holds = () if local is None else (local.holds,)
    premises = (*facts, *holds, *extents, *start.premises(launched_lanes(kernel)))
    return questions_within(limit, ran, conflict_questions(ran, premises, NoLane(start.group.launched).by))


def known_apart(put: Questions[ConflictQuestion]) -> KnownApart | None:
    """What will be proved of scatters; None where there are none."""
    return KnownApart(conj(*put.asked[0].premises), without_products) if put.asked else None
