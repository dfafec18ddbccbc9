"""What a comparison of two kernels speaks of, and what has to be assumed of a launch beside it."""

from enum import Enum

from msgspec import Struct

from visaproof.checking.decide import DEFAULT_TIMEOUT_MS
from visaproof.launch.assumptions import Assume
from visaproof.launch.float_results import Floats
from visaproof.launch.launch import ANY_GROUPS, StatedGroups
from visaproof.launch.relations.expressions import Relation
from visaproof.machine.symbolic.run import DEFAULT_UNROLL
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind


class Alias(Enum):
    """Whether buffers of different arguments may share bytes."""

    MAY = "may"
    NONE = "none"


class Scope(Struct, frozen=True):
    """Which launches and results a comparison speaks of, and what counts as undefined."""

    assume: Assume
    """Of the launch."""
    forbidden: frozenset[UndefinedKind] = FORBIDDEN
    """What is undefined; all else is allowed."""
    unroll: int = DEFAULT_UNROLL
    """Iterations of a loop whose number of iterations is not constant; of longer runs nothing is asked.  Of none, one
    iteration stands for all."""
    floats: Floats = Floats.UNINTERPRETED
    """What results on floats are taken for."""
    observe: tuple[tuple[str, str], ...] = ()
    """Registers of the source and of the target that have to be equal at the end."""
    alias: Alias = Alias.MAY
    """Whether buffers of different arguments may overlap where nothing keeps them apart."""
    disjoint: tuple[tuple[str, str], ...] = ()
    """Arguments that share no byte, by their names or numbers."""
    where: tuple[Relation, ...] = ()
    """Relations between arguments of the source and its launch."""
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    """For each question to a solver that comes before the one that is asked."""
    groups: StatedGroups = ANY_GROUPS
    """What is stated of the groups of the launch."""
