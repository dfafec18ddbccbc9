"""Whether two work items only write one byte where an earlier scatter of theirs does: asked of any work items at once.

    Mᵢ: the lanes of pair i write one byte, for any different work items that they run
    Eᵢ: they did not in certain earlier scatters

    P ∧ Mᵢ ∧ Eᵢ  cannot hold for any pair i    ⇒    no two lanes collide here first

The lanes of a thread run different work items of one group, so this holds of them as well.  Over any work items most
pairs are one question, where over the layouts of ids each is one of its own.
"""

from collections.abc import Iterable

from visaproof.analysis.conflicts.any_items.items_apart import ItemsApart
from visaproof.analysis.conflicts.any_items.products import without_products
from visaproof.checking.clauses import form_of
from visaproof.isa.errors import Position
from visaproof.smt import Bool, conj, neg, substitute
from visaproof.smt.answers import Undecided, Unsatisfiable
from visaproof.smt.solvers import solve

PAIR_MS = 500
"""For one pair: mostly it takes a few milliseconds."""
QUICK_MS = 200
"""The same where a run has shown that the lanes collide after others."""
SOON_MS = 150
"""The same of many scatters, of which it may be asked in vain."""


def excluded_among_items(
    items: ItemsApart, position: Position, number: int, rounds: int, others: Iterable[Position], most_ms: int = PAIR_MS
) -> str:
    """The solvers that show it of this iteration of a scatter, beside these others; empty where it is not shown."""
    question, seen, solvers = items.iteration(position, number, rounds), set[Bool](), dict[str, None]()
    if question is None:
        return ""
    denied = dict[tuple[int, int], list[Bool]]()
    for pair in (pair for one in items.earlier(question, others) for pair in one.pairs):
        denied.setdefault((pair.first, pair.second), []).append(neg(pair.meet))
    for one in items.collisions(question):
        lanes = one.pair.first, one.pair.second
        asked = substitute(conj(one.exactly, *denied.get(lanes, ())), one.any_two)
        if asked in seen:
            continue
        seen.add(asked)
        formula = without_products(conj(*question.premises, asked))
        form = form_of(formula)
        if form not in items.excluded:
            quick = most_ms < PAIR_MS
            answer = solve([formula], min(most_ms, items.asked.timeout_ms), alone=quick)
            if quick and isinstance(answer, Undecided):
                return ""
            items.excluded[form] = answer.solver if isinstance(answer, Unsatisfiable) else ""
        if not items.excluded[form]:
            return ""
        solvers[items.excluded[form]] = None
    return ", ".join(solvers)
