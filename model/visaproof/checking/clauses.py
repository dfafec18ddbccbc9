"""A proof in small pieces: clauses that together imply a goal, each cut to what it rests on.

A clause is a disjunction, and so is `premise ⇒ clause`.  Inside of one, what a literal denies may be taken as true in
the others; literals that share no symbol stand for themselves, and the clause is valid iff one of these groups is.
Groups that differ only in the names of their symbols are decided once: of the lane pairs of a scatter, one.
"""

from collections.abc import Collection, Iterable
from typing import cast

from msgspec import Struct, field

from visaproof.checking.stages import NORMAL_FORM, Holds, decide_goal
from visaproof.smt import BitVec, Bool, Op, Term, disj, false, is_true, neg, sub, substitute, symbols_of, true
from visaproof.smt.arithmetic import linear_parts, sum_of
from visaproof.smt.evaluate import outward, subterms
from visaproof.smt.substitution import substitute_all

Form = tuple[tuple[object, ...], ...]
"""A term up to the names of its symbols."""


class Clauses(Struct, frozen=True):
    """Decides statements under one premise, and remembers what it has decided up to renaming."""

    premise: tuple[Bool, ...]
    timeout_ms: int
    seed: int = 0
    answers: dict[Form, Holds | None] = field(default_factory=dict[Form, Holds | None])
    """Of groups of literals."""
    proved: set[Form] = field(default_factory=set[Form])
    """Whole statements, with the premise."""

    def first_open(self, statements: Iterable[Bool]) -> Bool | Holds:
        """The first clause of a statement that was not proved wherever the premise holds; or how all of them were.

        A premise that cannot hold proves anything: whether it can is for the caller to ask.
        """
        by = NORMAL_FORM
        denied = [neg(part) for part in self.premise]
        for statement in statements:
            form = form_of(*self.premise, statement)
            if form in self.proved:
                continue
            for clause in _conjuncts(statement):
                found = self._holds([*denied, clause])
                if found is None:
                    return clause
                by = found.by if by == NORMAL_FORM else by  # a solver, if one was asked
            self.proved.add(form)
        return Holds(by)

    def _holds(self, literals: Iterable[Bool]) -> Holds | None:
        for group in _groups(_propagated(_flat(literals))):
            form = form_of(group)
            if form not in self.answers:
                self.answers[form] = self._decided(group)
            found = self.answers[form]
            if found is not None:
                return found
        return None

    def _decided(self, group: Bool) -> Holds | None:
        answer = decide_goal((), _with_fewer_symbols(group), self.timeout_ms, self.seed)
        return answer if isinstance(answer, Holds) else None


def _flat(literals: Iterable[Bool]) -> list[Bool]:
    """The literals of a disjunction: a denied conjunction denies one of its parts."""
    flat: list[Bool] = []
    stack = list(literals)
    while stack:
        literal = stack.pop()
        if literal.op is Op.DISJ:
            stack += cast(tuple[Bool, ...], literal.args)
        elif literal.op is Op.NOT and literal.args[0].op is Op.CONJ:
            stack += (neg(cast(Bool, part)) for part in literal.args[0].args)
        else:
            flat.append(literal)
    return flat


def _propagated(literals: list[Bool]) -> list[Bool]:
    """The same disjunction, in which each literal is false inside of the others."""
    while True:
        simple = [literal for literal in dict.fromkeys(literals) if literal.op is not Op.CONJ]
        compound = [literal for literal in dict.fromkeys(literals) if literal.op is Op.CONJ]
        facts: dict[Term, Term] = {}
        for literal in simple:
            facts[literal] = false()
            facts[neg(literal)] = true()
        reduced = _flat(substitute_all(compound, facts)) if compound else []
        if set(reduced) == set(compound):
            return simple + compound
        literals = simple + reduced


def _groups(literals: list[Bool]) -> list[Bool]:
    """The disjunctions of the literals that hang together by their symbols: those with the most to say first."""
    if any(is_true(literal) for literal in literals):
        return [true()]
    groups: list[tuple[set[Term], list[Bool]]] = []
    for literal in literals:
        symbols, members = {term for term in subterms(literal) if term.op is Op.SYMBOL}, [literal]
        for group in [group for group in groups if not group[0].isdisjoint(symbols)]:
            groups.remove(group)
            symbols |= group[0]
            members += group[1]
        groups.append((symbols, members))
    groups.sort(key=lambda group: sum(symbol.width for symbol in group[0]), reverse=True)
    return [disj(*members) for _, members in groups]


def _conjuncts(statement: Bool) -> tuple[Bool, ...]:
    """The clauses that a statement consists of."""
    return cast(tuple[Bool, ...], statement.args) if statement.op is Op.CONJ else (statement,)


def form_of(*roots: Term, kept: Collection[Term] = ()) -> Form:
    """The same for other terms iff they differ only in the names of their symbols, in the order of their subterms.

    Those symbols that are `kept` keep their names.
    """
    number: dict[Term, int] = {}
    form: list[tuple[object, ...]] = []
    for term in outward(*roots):
        number[term] = len(form)
        payload = None if term.op is Op.SYMBOL and term not in kept else term.payload
        form.append((term.op, term.width, payload, *(number[part] for part in term.args)))
    return (*form, tuple(number[root] for root in roots))


def _with_fewer_symbols(claim: Bool) -> Bool:
    """A claim that is valid iff this one is: where x occurs as x + y, the sum is as arbitrary as x.

    x − y is put in for x, the newest symbol of its sum, if symbols are then gone.  Each word still has all its values:
    what it is shifted by are older words, so the old values of all words can be had from the new ones in turn.
    """
    shifts: dict[Term, Term] = {}
    for term in subterms(claim):
        if term.op is Op.SUM:
            _, factors = linear_parts(cast(BitVec, term))
            atom = max(factors, key=lambda atom: atom.serial)
            others = {other: factor for other, factor in factors.items() if other is not atom}
            if all(part.op is Op.SYMBOL for part in factors) and factors[atom] == 1 and others:
                shifts.setdefault(atom, sub(atom, sum_of(0, others, term.width)))
    shifted = substitute(claim, shifts) if shifts else claim
    return shifted if len(symbols_of(shifted)) < len(symbols_of(claim)) else claim
