"""What is undefined in a kernel: where no launch is known, for arbitrary inputs."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from visaproof.analysis.conflicts.thread_states import Asked
from visaproof.analysis.findings.unreachable import unreachable_writes
from visaproof.analysis.findings.verdicts import UndefinedUse, undefined_uses
from visaproof.isa.errors import LimitReached, Position
from visaproof.isa.platform import Platform
from visaproof.launch.assume import FULL_SUB_GROUPS
from visaproof.launch.assumptions import Assume, start_of
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.launch.launch import NOTHING_KNOWN, Launch
from visaproof.launch.premises import Premise
from visaproof.machine.symbolic.run import trace
from visaproof.program.lower import Runnable, lowered
from visaproof.program.places_alone import places_alone
from visaproof.program.statements import Origin
from visaproof.queries.kernels.full_sub_groups import assumes_full_sub_groups, full_sub_groups
from visaproof.queries.kernels.initialised_values import nothing_depends, nothing_undefined_matters
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.queries.kernels.uninitialised import launched_variables
from visaproof.smt import Bool
from visaproof.smt.limit import NO_LIMIT, Limit

QUESTION_SHARE = 0.2
"""Of the time that is left, for one question to a solver: of an effect that stays open it is said that it may be."""


class Uses(Struct, frozen=True):
    """Uses of undefined values, and writes that no lane reaches."""

    undefined: tuple[UndefinedUse, ...] = ()
    unreachable: tuple[Origin, ...] = ()
    stopped: LimitReached | None = None
    """Why there may be more."""
    assumed: tuple[Premise, ...] = ()
    """Of the launches that were asked about."""


FOLLOWED = (UndefinedKind.UNINITIALISED, UndefinedKind.BEYOND_VARIABLE)
"""What values may be undefined by."""


def nothing_undefined(
    kernel: Runnable, platform: Platform, choices: Mapping[UndefinedKind, bool], full_sub_groups: bool
) -> bool:
    """Whether it is seen without a run that there is no use to be told of.

    One without an effect is, too, where its kind is forbidden.
    """
    if any(choices.get(kind) for kind in FOLLOWED):
        return False
    return nothing_undefined_matters(lowered(kernel, platform), full_sub_groups)


def uses_in(
    asked: Asked,
    premises: Sequence[Bool],
    choices: Mapping[UndefinedKind, bool],
    limit: Limit,
    reached: Collection[Position] = (),
) -> Uses:
    """Those of a run, as far as the limit lets them be decided; some run has come to what is `reached`."""
    uses: list[UndefinedUse] = []
    unreachable: list[Origin] = []
    if limit is not NO_LIMIT:
        asked = replace(asked, timeout_ms=min(asked.timeout_ms, int(1000 * QUESTION_SHARE * limit.left)))
    stopped = asked.trace.stopped if isinstance(asked.trace.stopped, LimitReached) else None
    try:
        with limit.within():
            unreachable.extend(unreachable_writes(asked, premises, reached))
            full = assumes_full_sub_groups(asked.start.assumed)
            if not nothing_undefined(asked.kernel, asked.platform, choices, full):
                known = nothing_depends(lowered(asked.kernel, asked.platform), full)
                uses.extend(undefined_uses(asked, premises, choices, nothing_depends=known))
    except LimitReached as limited:
        stopped = limited
    return Uses(tuple(uses), tuple(unreachable), stopped)


def uses_of(
    kernel: Runnable,
    platform: Platform,
    choices: Mapping[UndefinedKind, bool],
    timeout_ms: int,
    limit: Limit = NO_LIMIT,
    launch: Launch | None = None,
) -> Uses:
    """Those of a kernel, up to the first statement without semantics here; of launches that exist if one is known."""
    assume = Assume.NONE if launch is None else Assume.LAUNCH
    start = start_of(kernel, launch or NOTHING_KNOWN, assume)
    base = start.private_base
    run = partial(
        trace, kernel, platform, start.initial, private_base=base, nondeterministic=True, limit=limit
    )  # fmt: skip
    try:
        with limit.within():
            fine = nothing_undefined(kernel, platform, choices, FULL_SUB_GROUPS in assume)
            ran = run(places=places_alone(lowered(kernel, platform), start.private_variable)) if fine else None
            if ran is None or ran.stopped is not None:
                ran = run(launched=launched_variables(kernel))
    except LimitReached as reached:
        return Uses(stopped=reached)
    start = replace(start, assumed=(*start.assumed, *full_sub_groups(kernel, ran, assume)))
    premises = start.premises(launched_lanes(kernel))
    found = uses_in(Asked(kernel, platform, ran, start, timeout_ms), premises, choices, limit)
    return replace(found, assumed=start.assumed)
