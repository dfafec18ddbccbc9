"""Results that no address, branch or mask depends on: a question about one kernel leaves them open.

Such a statement still reads its sources, so that uninitialised ones are noted; what depends on those, or on registers
beyond a variable, is computed, for an output may.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count

from visaproof.decode.statement import lane_offset, without_mask, without_predicate
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.identity import Same
from visaproof.isa.operands import SCRATCH
from visaproof.machine.symbolic.operands import SymbolicOperands
from visaproof.machine.symbolic.predicates import Lane, SymbolicPredicates, lanes_of
from visaproof.machine.symbolic.thread import Thread
from visaproof.program.def_use import FLOWS, WRITTEN, addressed, definitions, names, uses
from visaproof.program.operands import (
    AddressedElements,
    AddressedTarget,
    Constant,
    Elements,
    PackedConstant,
    PredicateTarget,
    Target,
)
from visaproof.program.program import Program
from visaproof.program.statements import (
    CombinePredicates,
    Compare,
    Compute,
    MemoryMessage,
    MovePredicate,
    Run,
    SetPredicate,
)
from visaproof.semantics.symbolic.cases import under
from visaproof.semantics.symbolic.pairs import PAIRED
from visaproof.semantics.symbolic.value_names import BeyondVariable, OpenValue, PredicateBit
from visaproof.smt import Op, Term, symbol

_Flow = Compute | Compare | MovePredicate | SetPredicate | CombinePredicates

_NOT_BY_REGION = {"plane", "lrp", "addc", "subb", "madw", *PAIRED}
"""Opcodes that do not read and write an element in each lane by the regions of their operands."""

_UNDEFINED = (BeyondVariable, PredicateBit)
"""What stands for something undefined, beside words of variables that the launch does not write."""


class DataResults:
    """Runs statements, and leaves open what no address, branch or mask depends on."""

    def __init__(
        self, program: Program, thread: Thread, operands: SymbolicOperands, launched: Collection[str], private: bool
    ) -> None:
        """`launched` are the variables that the launch writes: what they hold at the start is initialised.

        `private` says that what is stored in the flat address space may be loaded again from there.
        """
        self._thread = thread
        self._operands = operands
        self._predicates = SymbolicPredicates(thread, operands)
        self._reads = {Same(one): uses(one) for one in program.run_statements()}
        self._writes = {Same(one): definitions(one) for one in program.run_statements()}
        self._add_addressed(program)
        scratch = any(isinstance(one, MemoryMessage) and one.message.surface == SCRATCH for one in program.statements)
        self._open = frozenset(self._unasked(program, private or scratch))
        self._tainted = set[str]()
        """The variables that may hold something which depends on what was undefined."""
        self._undefined: dict[Term, bool] = {}
        """Of terms that were met, whether they hold a symbol of something undefined."""
        self._names = count()
        thread.registers.launched = thread.predicates.launched = frozenset(launched)

    def step(self, statement: Run, run: Callable[[Run], None]) -> None:
        """Runs a statement, or leaves its results open."""
        key = Same(statement)
        spreads = not self._tainted.isdisjoint(self._reads[key])
        if isinstance(statement, Compute | Compare | CombinePredicates) and (spreads or key in self._open):
            lanes = self._lanes(statement)
            spreads = not (
                all(self._is_defined(one, lanes, statement) for one in _sources(statement))
                and all(self._is_enabled_by_what_is_defined(one, statement) for one in lanes)
            )
            if not spreads and key in self._open:
                assert isinstance(statement, Compute | Compare)
                self._leave_open(statement, lanes)
                return
        before = self._noted
        run(statement)
        if spreads or self._noted != before:
            self._tainted |= self._writes[key]

    @property
    def _noted(self) -> tuple[int, ...]:
        """Changes where something undefined was read."""
        return self._thread.registers.undefined, self._thread.predicates.undefined, len(self._thread.beyond.found)

    def _lanes(self, statement: Compute | Compare | CombinePredicates) -> list[Lane]:
        return lanes_of(self._thread, without_predicate(statement.lanes) if _chooses(statement) else statement.lanes)

    def _is_enabled_by_what_is_defined(self, of_lane: Lane, statement: Compute | Compare | CombinePredicates) -> bool:
        """Whether no condition on which a lane writes, or by which it chooses, depends on anything undefined."""
        lane, guard, assumed = of_lane
        conditions = [*guard]
        if _chooses(statement) and statement.lanes.predicate is not None:
            conditions.append(self._thread.passes(without_mask(statement.lanes), lane, assumed))
        return not any(map(self._is_undefined, conditions))

    def _is_defined(self, source: object, lanes: Sequence[Lane], statement: _Flow) -> bool:
        """Whether what all lanes read depends on nothing undefined: then readers are noted as where it is computed."""
        if isinstance(source, Constant | PackedConstant):
            return True
        if isinstance(source, str):
            first = lane_offset(statement.lanes)
            read = self._thread.predicates.read_under
            bits = (under(read(source, first + lane, assumed), assumed) for lane, _, assumed in lanes)
            return not any(map(self._is_undefined, bits))
        if not isinstance(source, Elements):
            return self._tainted.isdisjoint(self._reads[Same(statement)])
        return all(self._holds_defined(source, one) for one in lanes)

    def _holds_defined(self, source: Elements, of_lane: Lane) -> bool:
        lane, _, assumed = of_lane
        registers, region, size = self._thread.registers, source.region, source.type.size
        distance = lane // region.width * region.vertical + lane % region.width * region.horizontal
        start = source.start + size * distance
        if source.storage not in self._tainted and registers.shows(source.storage, start, size, assumed):
            return True
        shown = registers.may_show(source.storage, start, size, assumed)
        if shown is not None and not any(map(self._is_undefined, shown)):
            return True
        return not self._is_undefined(under(registers.read_under(source.storage, start, size, assumed), assumed))

    def _is_undefined(self, term: Term) -> bool:
        """Whether a term holds a symbol of what is not initialised, or lies beyond a variable."""
        known, stack = self._undefined, [term]
        while stack:
            top = stack[-1]
            open_args = [arg for arg in top.args if arg not in known]
            if open_args:
                stack += open_args
                continue
            stack.pop()
            if top.op is Op.SYMBOL:
                known[top] = top in self._thread.registers.uninitialised or isinstance(top.payload, _UNDEFINED)
            else:
                known[top] = any(known[arg] for arg in top.args)
        return known[term]

    def _leave_open(self, statement: Compute | Compare, lanes: Sequence[Lane]) -> None:
        """Writes arbitrary results."""
        site, target = f"{statement.position.line}.data", statement.target
        if isinstance(target, PredicateTarget):
            sites = (f"{site}{number}" for number in self._names)
            self._predicates.leave_open(target, statement.lanes, lanes, sites)
            return
        write, width = self._operands.writer(target), self._operands.destination_type(target).bits
        for lane, guard, assumed in lanes:
            value = symbol(OpenValue(self._thread.name, f"{site}{next(self._names)}"), width)
            write(lane, value, guard, assumed)

    def _add_addressed(self, program: Program) -> None:
        """Adds the variables that statements read and write through addresses: any whose address is taken."""
        taken = addressed(program)
        for one in program.run_statements():
            if isinstance(one, FLOWS):
                if any(isinstance(source, AddressedElements) for source in _sources(one)):
                    self._reads[Same(one)] |= taken
                if any(isinstance(target, AddressedTarget) for target in _targets(one)):
                    self._writes[Same(one)] |= taken

    def _unasked(self, program: Program, private: bool) -> Iterator[Same[Run]]:
        """The statements of which nothing that is asked about depends on a result."""
        writers: dict[str, list[Run]] = {}
        asked = set[str]()
        stack = [name for name in program.storage if name.startswith("%")]  # some say how all compute
        for statement in program.run_statements():
            if isinstance(statement, FLOWS):
                if not _chooses(statement):  # lanes that are off read nothing undefined
                    stack.extend(names(statement.lanes.predicate))
                for name in self._writes[Same(statement)]:
                    writers.setdefault(name, []).append(statement)
            elif isinstance(statement, MemoryMessage):
                loaded_again = private and statement.message.surface in (FLAT, SCRATCH)
                stack.extend(names(statement.message, leave_out=WRITTEN if loaded_again else (*WRITTEN, "src")))
            else:
                stack.extend((*self._reads[Same(statement)], *self._writes[Same(statement)]))
        while stack:
            name = stack.pop()
            if name not in asked:
                asked.add(name)
                stack.extend(read for one in writers.get(name, ()) for read in self._reads[Same(one)])
        for statement in program.run_statements():
            plain = isinstance(statement, Compute | Compare) and _is_plain(statement)
            if plain and asked.isdisjoint(self._writes[Same(statement)]):
                yield Same(statement)


def _chooses(statement: Run) -> bool:
    return isinstance(statement, Compute) and statement.operation.name == "sel"


def _sources(statement: _Flow) -> tuple[object, ...]:
    match statement:
        case Compute() | Compare() | CombinePredicates():
            return statement.sources
        case SetPredicate():
            return (statement.source,)
        case MovePredicate():
            return (statement.predicate,)


def _targets(statement: _Flow) -> tuple[object, ...]:
    return statement.targets if isinstance(statement, Compute) else (statement.target,)


def _is_plain(statement: Compute | Compare) -> bool:
    """Whether each lane reads and writes elements of variables by their regions."""
    targets = _targets(statement)
    return (
        statement.operation.name not in _NOT_BY_REGION
        and len(targets) == 1
        and isinstance(targets[0], Target | PredicateTarget)
        and all(isinstance(one, Elements | Constant | PackedConstant) for one in statement.sources)
        and not (statement.operation.name == "sel" and statement.lanes.predicate is None)
    )
