"""From values that refute a query to a counterexample that has been replayed on `execute`."""

from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch

import msgspec

from visaproof.checking.counterexample import Counterexample, Outcome, Run, Violation
from visaproof.checking.runs import claimed, run
from visaproof.checking.states import program, state_record
from visaproof.checking.steps.shown import shown as shown_of_arrays
from visaproof.instructions import TypedAtomic
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, READINGS
from visaproof.queries.page_accesses import page_accesses, page_undefined
from visaproof.queries.query import OneLane, OwnClaim, Query, SerialLanes, TwoLanes
from visaproof.queries.subject import SURFACE, Subject
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Image
from visaproof.semantics.symbolic.accesses import Access, RegisterSlice
from visaproof.smt import Bool, Op, Term, evaluate, show
from visaproof.smt.evaluate import all_hold, evaluate_all

Values = Mapping[Term, int]

MOST_SHOWN = 200
"""Characters of a part of a goal that are shown."""


def confirmed_counterexample(
    query: Query, values: Values, solver: str, anywhere: bool = False
) -> Counterexample | None:
    """The counterexample, if `execute` confirms it; None where it does not replay.

    A claim that is false of the instruction itself is shown where the page defines the instruction and it changes
    something, unless `anywhere`.
    """
    found = _confirmed(query.about, query, values)
    if found is not None and found.violation == "claim-fails" and not (anywhere or found.runs[0].outcome.changes):
        return None
    if found is None:
        return None
    found.solver = solver
    found.readings = [f"{READINGS[name].decision} {name}: {READINGS[name].chosen}" for name in query.readings]
    return found


def writings_agree(query: Query, values: Values) -> bool:
    """Whether the footprint that the claim is about claims what `execute` does in the state of these values."""
    shown = query.about
    if not isinstance(shown, Subject):
        return True
    coloured = {**shown.painted(), **values}
    return _Scene(shown, query, values).model_agrees() and _Scene(shown, query, coloured, True).model_agrees()


@singledispatch
def _confirmed(shown: object, query: Query, values: Values) -> Counterexample | None:
    raise TypeError(f"no way to show {type(shown).__name__}")


@_confirmed.register
def _(shown: Subject, query: Query, values: Values) -> Counterexample | None:
    """The instruction in the state of the values, plain or with everything painted that the query leaves open."""
    plain = _Scene(shown, query, values)
    if shown.variant and (found := plain.where_the_variant_differs()):
        return found
    coloured = {**shown.painted(), **values}
    painted = _Scene(shown, query, coloured, True)
    if shown.variant:
        return painted.where_the_variant_differs()
    if not (plain.model_agrees() and painted.model_agrees()):
        return None
    differs = plain.where_the_page_differs() or painted.where_the_page_differs()
    return differs or _where_the_claim_fails(plain, _Scene(shown, query, coloured), painted)


def _where_the_claim_fails(*scenes: "_Scene") -> Counterexample | None:
    """The first scene in which something is seen to happen, if there is one."""
    for scene in sorted(scenes, key=lambda scene: not scene.leaves_a_trace):
        if found := scene.where_the_claim_fails():
            return found
    return None


class _Scene:
    """The subject's instruction in one concrete state, executed."""

    def __init__(self, shown: Subject, query: Query, values: Values, paint_memory: bool = False) -> None:
        self._shown, self._query, self._values = shown, query, values
        self._instruction, self._before = shown.bind(values)
        if paint_memory:
            for index, access in enumerate((*shown.accesses, *shown.own_accesses)):
                paint = 0x1111_1111 * (index % 15 + 1) % 2 ** (8 * access.width)
                _put(self._before, access.surface, tuple(evaluate_all(access.cell, values)), paint, access.width)
        for place in query.memory:
            content = evaluate(place.content, values)
            cell = tuple(evaluate_all(place.cell, values))
            _put(self._before, place.surface, cell, content, place.content.width // 8)
        self._actual = run(self._instruction, self._before, [self._before.exec_mask])

    @property
    def leaves_a_trace(self) -> bool:
        """Whether the run changes anything."""
        return bool(self._actual.outcome.changes)

    def where_the_variant_differs(self) -> Counterexample | None:
        """A wrong variant claims something else than `execute` does; of another reading, `execute` must agree with
        the claim when it reads the page that way."""
        shown, under = self._shown, self._before.copy()
        under.readings = shown.readings
        claim = self._claimed(shown.accesses, shown.leaves_undefined, under)
        if shown.readings != DEFAULT:
            outcome = run(self._instruction, under, [under.exec_mask]).outcome
            if _differs(outcome, claim):
                return None
        return self._counterexample(claim) if _differs(self._actual.outcome, claim) else None

    def model_agrees(self) -> bool:
        """Whether the footprint, which fails the property, claims what `execute` does here."""
        claim = self._claimed(self._shown.accesses, self._shown.leaves_undefined, self._before)
        return not _differs(self._actual.outcome, claim)

    def where_the_page_differs(self) -> Counterexample | None:
        """`execute` leaves something else than the statement of the page in `queries.pages`."""
        stated = self._claimed(page_accesses(self._shown), page_undefined(self._shown), self._before)
        return self._counterexample(stated) if _differs(self._actual.outcome, stated) else None

    def where_the_claim_fails(self) -> Counterexample | None:
        """Both writings and the page agree, so a claim that fails here is not true of the instruction."""
        query = self._query
        if not self.model_agrees() or not breaks(query, self._values):
            return None
        return msgspec.structs.replace(
            self._counterexample(None),
            shows=failure(query.claim, query.goal, self._values),
            violation="claim-fails",
        )

    def _claimed(
        self, accesses: Sequence[Access], undefined: Iterable[tuple[Bool, RegisterSlice]], state: ConcreteState
    ) -> Outcome:
        collision_undefined = self._shown.instruction.spec.collision_undefined
        return claimed(accesses, collision_undefined, self._values, state, undefined)

    def _counterexample(self, claim: Outcome | None) -> Counterexample:
        shown = self._shown
        return Counterexample(
            claim=self._query.id,
            shows=f"{shown.variant or 'the instruction'} breaks {self._query.claim}",
            violation="claim-differs",
            variant=shown.variant,
            under=shown.readings.chosen_otherwise(),
            platform=shown.platform.name,
            program=program([self._instruction], self._before),
            state=state_record(self._before),
            runs=[self._actual],
            claimed=claim,
        )


def breaks(query: Query, values: Values) -> bool:
    """Whether the assumptions hold for these values, and the goal does not."""
    return all_hold(query.assumptions, values) and not evaluate(query.goal, values)


def failure(claim: str, goal: Bool, values: Values) -> str:
    """In words, that the claim fails, with the first part of its goal that does."""
    parts = goal.args if goal.op is Op.CONJ else (goal,)
    failed = [part for part, holds in zip(parts, evaluate_all(parts, values), strict=True) if not holds]
    text = show(failed[0], 4) if failed else ""
    what = f": {text}" if 0 < len(text) <= MOST_SHOWN else ""
    which = f", in {len(failed)} of its {len(parts)} parts" if len(parts) > 1 else ""
    return f"{claim} is false here{which}{what}"


def _differs(one: Outcome, other: Outcome) -> bool:
    return (one.undefined is None) != (other.undefined is None) or one.changes != other.changes


def _put(state: ConcreteState, name: str, cell: tuple[int, ...], content: int, width: int) -> None:
    """So many bytes of content before the instruction; outside its surface it must not see them."""
    surface = state.surfaces[name]
    if isinstance(surface, Image):
        u, v, r, lod = cell
        surface.texels[u, v, r, lod] = content
    else:
        for k in range(width):
            surface.contents[cell[0] + k] = content >> 8 * k & 0xFF


@_confirmed.register
def _(own: OwnClaim, query: Query, values: Values) -> Counterexample | None:
    """Instructions one after another, and a formula about the arrays before and after."""
    return shown_of_arrays(own, query, dict(values))


# ---------------------------------------------------------------- lanes on one texel

_PLATFORM = Platform.TGLLP
_TEXEL = f"{SURFACE}[0,0,0,0]"


def _lanes_on_one_texel(
    op: AtomicOp, bits: int, old: int, operands: list[tuple[int, int]]
) -> tuple[TypedAtomic, ConcreteState]:
    """A TYPED_ATOMIC on texels of `bits` bits, whose first lanes all address texel (0, 0) of a 1D surface."""
    sources = [RawOperand(f"VS{k}") if k < op.sources else NULL for k in (0, 1)]
    u, dst = RawOperand("VU"), RawOperand("VD")
    instruction = TypedAtomic(Execution(8), op, SURFACE, u, src0=sources[0], src1=sources[1], dst=dst, texel_bits=bits)
    state = ConcreteState(_PLATFORM, surfaces={SURFACE: Image(((1, 1, 1),), {(0, 0, 0, 0): old})})
    state.registers = {"VU": bytearray(32)}
    for k in range(op.sources):
        words = [lane[k] for lane in operands] + [0] * (8 - len(operands))
        state.registers[f"VS{k}"] = bytearray(b"".join(word.to_bytes(4, "little") for word in words))
    state.registers["VD"] = bytearray(32)
    return instruction, state


@_confirmed.register
def _(shown: TwoLanes, query: Query, values: Values) -> Counterexample | None:
    """Lane 0 before lane 1, and lane 1 before lane 0."""
    operands = [(evaluate(lane[0], values), evaluate(lane[1], values)) for lane in (shown.first, shown.second)]
    old = evaluate(shown.before, values)
    instruction, before = _lanes_on_one_texel(shown.op, shown.before.width, old, operands)
    runs = [run(instruction, before, order) for order in ([1, 2], [2, 1])]
    violation: Violation
    if shown.winners:
        violation, shows = "two-winners", "two lanes both find their comparand"
    else:
        violation, shows = "orders-differ", f"the final value of {shown.op.name.lower()} depends on the order"
    found = Counterexample(
        claim=query.id,
        shows=shows,
        violation=violation,
        platform=_PLATFORM.name,
        program=program([instruction], before),
        state=state_record(before),
        runs=runs[:1] if shown.winners else runs,
    )
    return found if violated(found) else None


@_confirmed.register
def _(shown: OneLane, query: Query, values: Values) -> Counterexample | None:
    """One lane on one texel: what a wrong operation would leave is not what `execute` leaves."""
    operands = [(evaluate(shown.src0, values), evaluate(shown.src1, values))]
    old, wrong = evaluate(shown.old, values), evaluate(shown.claimed, values)
    instruction, before = _lanes_on_one_texel(shown.op, shown.old.width, old, operands)
    actual = run(instruction, before, [1])
    kept = {place: value for place, value in actual.outcome.changes.items() if place != _TEXEL}
    claimed = kept if wrong == old else kept | {_TEXEL: f"{wrong:#x}"}
    return _on_one_texel(query, shown.variant, instruction, before, actual, claimed)


@_confirmed.register
def _(shown: SerialLanes, query: Query, values: Values) -> Counterexample | None:
    """Lanes 0, 1, … in this order: what a wrong lemma says of them is not what `execute` does."""
    operands = [(evaluate(src0, values), evaluate(src1, values)) for src0, src1 in shown.operands]
    old, final = evaluate(shown.before, values), evaluate(shown.final, values)
    instruction, before = _lanes_on_one_texel(shown.op, shown.before.width, old, operands)
    actual = run(instruction, before, [1 << lane for lane in range(len(operands))])
    claimed = {_TEXEL: f"{final:#x}"} if final != old else {}
    for lane, value in enumerate(evaluate(term, values) for term in shown.returned):
        if value:
            claimed[f"VD.{4 * lane}"] = f"{value:#x}"
    return _on_one_texel(query, shown.variant, instruction, before, actual, claimed)


def _on_one_texel(
    query: Query, variant: str, instruction: TypedAtomic, before: ConcreteState, actual: Run, claimed: dict[str, str]
) -> Counterexample | None:
    """What the variant says that these lanes leave, if `execute` leaves something else."""
    found = Counterexample(
        claim=query.id,
        shows=f"{variant} breaks {query.claim}",
        violation="claim-differs",
        variant=variant,
        platform=_PLATFORM.name,
        program=program([instruction], before),
        state=state_record(before),
        runs=[actual],
        claimed=Outcome(changes=claimed),
    )
    return found if violated(found) else None


def violated(counterexample: Counterexample) -> bool:
    """Whether the recorded runs show what the counterexample says."""
    outcomes = [one.outcome for one in counterexample.runs]
    match counterexample.violation:
        case "claim-differs":
            wrong = counterexample.claimed
            return wrong is not None and _differs(outcomes[0], wrong)
        case "orders-differ":
            finals = [outcome.changes.get(_TEXEL) for outcome in outcomes]
            return finals[0] != finals[1]
        case "two-winners":
            old = bytes.fromhex(counterexample.state.registers["VS1"])[:4]
            returned = [outcomes[0].changes.get(f"VD.{4 * lane}", "0x0") for lane in (0, 1)]
            return all(int(value, 16) == int.from_bytes(old, "little") for value in returned)
        case "unwritten":
            return outcomes[0] != outcomes[1]
        case "claim-fails":  # the claim is the user's and not in the file: the run must be as recorded
            return True
        case "lanes-collide" | "undefined":
            return outcomes[0].undefined is not None
        case "outside":  # what the surfaces miss is no part of an outcome: the replay looks at the run
            return outcomes[0].undefined is None
