"""The words of loops on which depends what two kernels are compared by: nothing has to be shown of the others.

    used = the symbols of all that a run shows, then of what the used words hold before, during and after iterations

Most words that iterations write are temporary, and nothing reads them later.  To leave such a word out only takes
equalities away that an induction might have had: what is proved without them holds.
"""

from msgspec.structs import replace

from visaproof.machine.symbolic.loops.iteration import Held
from visaproof.machine.symbolic.trace import Trace
from visaproof.refinement.iteration_numbers import changed_in
from visaproof.smt import Term, symbols_of


def with_used_words(trace: Trace) -> Trace:
    """The same run with these words alone."""
    terms: list[Term] = []
    rounds = tuple(replace(one, held=()) for one in trace.rounds)
    changed_in(replace(trace, arbitrary=(), rounds=rounds), lambda term: terms.append(term) or term)
    made: dict[Term, list[Term]] = {}
    for one in trace.arbitrary:
        parts = [source.bits for source in one.operands or ()]
        made.setdefault(one.symbol, []).extend(parts if one.control is None else [*parts, one.control])
    words: dict[Term, list[Held]] = {}
    for held in (held for one in trace.rounds for held in one.held):
        words.setdefault(held.during, []).append(held)
        words.setdefault(held.left, []).append(held)
    used = set[Term]()
    while terms:
        fresh = [one for one in symbols_of(*terms) if one not in used]
        used.update(fresh)
        terms = [term for one in fresh for term in made.get(one, ())]
        for held in (held for one in fresh for held in words.get(one, ())):
            terms += held.before, held.after, held.ended
    rounds = (tuple(held for held in one.held if not used.isdisjoint((held.during, held.left))) for one in trace.rounds)
    return replace(trace, rounds=tuple(replace(one, held=held) for one, held in zip(trace.rounds, rounds, strict=True)))
