"""Messages that no launch of fewer than 2^31 work items comes to: what is kept for ids that are negative numbers.

if (i < n) { if (n > 0) … else x = y[i]; }      where i is below n and n is no positive number, i is negative
"""

from collections.abc import Sequence
from typing import cast

from visaproof.analysis.bounds.sizes.elements import symbols_used
from visaproof.analysis.bounds.sizes.enough_bytes import OfMessage, SizeFinder
from visaproof.analysis.bounds.sizes.global_ids import FEW_ITEMS
from visaproof.analysis.bounds.sizes.inside_if import InsideIf
from visaproof.analysis.bounds.sizes.launch_integers import conjuncts
from visaproof.launch.ids.work_items import launched_lanes
from visaproof.launch.relations.relations import stated_relation
from visaproof.queries.kernels.bounds import BoundsQuestion
from visaproof.smt import BitVec, Bool, Op, disj, value_of


def where_not_reached(finder: SizeFinder, rounds: Sequence[BoundsQuestion], key: str) -> InsideIf | None:
    """That the global size is no larger, in one dimension, if such launches exist and none comes to an access of the
    message."""
    if not all(is_negative(doubt.access.guard) for each in rounds for doubt in each.outside):
        return None
    asked = OfMessage(finder, rounds, key, "", symbols_used(rounds))
    comes = disj(*launched_lanes(finder.names.kernel))
    for dimension in asked.dimensions():
        relation = FEW_ITEMS[dimension]
        own = stated_relation(finder.names, relation)
        guards = [(each, [doubt.access.guard for doubt in each.outside]) for each in rounds if each.outside]
        stages = [asked.excluded(each, conditions, (*own.facts, own.term)) for each, conditions in guards]
        if stages and all(stages) and asked.is_possible((*own.facts, own.term), comes):
            return InsideIf((relation,), ", ".join(dict.fromkeys(stages)))
    return None


def is_negative(guard: Bool) -> bool:
    """Whether it says that something is less than a word that is not above 0, as signed numbers."""
    known = list(conjuncts(guard))
    denied = [one.args[0] for one in known if one.op is Op.NOT and one.args[0].op is Op.SLT]
    low = {one.args[1] for one in denied if value_of(cast(BitVec, one.args[0])) == 0}
    return any(one.op is Op.SLT and one.args[1] in low for one in known)
