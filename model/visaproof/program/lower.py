"""Lowers a kernel of `.visaasm` to a program.  Once for a kernel and a platform: it costs more than to run it once."""

from functools import lru_cache

from visaproof.decode.dpas import decode_dpas
from visaproof.decode.image_info import image_info
from visaproof.decode.message import OPCODES, decode
from visaproof.decode.opcode_check import require_described
from visaproof.decode.opcode_names import not_modelled
from visaproof.decode.raw_send import resolved
from visaproof.decode.sampler import sampler_read
from visaproof.decode.statement import execution_of, label_places
from visaproof.decode.surfaces import StateElement, SurfaceBindings
from visaproof.decode.synchronisation import NAMED, event_of
from visaproof.decode.synchronisation import OPCODES as EVENTS
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.identity import Same
from visaproof.isa.platform import Platform
from visaproof.program.lower_operands import OperandLowering, predicate, registers
from visaproof.program.operands import Source, Unlowered
from visaproof.program.program import Program
from visaproof.program.statements import (
    BindState,
    Branch,
    ClearAddress,
    CombinePredicates,
    Compare,
    Compute,
    Computing,
    End,
    InfoMessage,
    Landing,
    MatrixProduct,
    MemoryMessage,
    MovePredicate,
    Nothing,
    Operation,
    Origin,
    ReadState,
    Refused,
    Run,
    SamplerMessage,
    SetAddress,
    SetPredicate,
    Statement,
    Synchronise,
)
from visaproof.visaasm import syntax
from visaproof.visaasm.opcode_kinds import DESTINATIONS, Kind, boolean_table, kind_of, label_of

Runnable = Program | syntax.Kernel
"""What a machine is given: a program, or a kernel that is lowered first."""


def lowered(code: Runnable, platform: Platform) -> Program:
    """The program of a kernel; a program is itself."""
    return code if isinstance(code, Program) else _lowered(Same(code), platform)


def has_text(code: Runnable) -> bool:
    """Whether it is a `.visaasm` kernel, and no program of another front end."""
    return isinstance(code, syntax.Kernel)


def tree_of(code: Runnable) -> syntax.Kernel:
    """The `.visaasm` kernel itself, for what is about its text."""
    assert isinstance(code, syntax.Kernel)
    return code


def text_of(origin: Origin) -> syntax.Instruction:
    """What a statement of a `.visaasm` kernel was lowered from, for what is about its text."""
    assert isinstance(origin, syntax.Instruction)
    return origin


@lru_cache(maxsize=16)
def _lowered(same: Same[syntax.Kernel], platform: Platform) -> Program:
    kernel = same.it
    lowering = _Lowering(kernel, platform)
    return Program(
        path=kernel.path,
        name=kernel.name,
        platform=platform,
        statements=tuple(map(lowering.statement, kernel.statements)),
        registers=kernel.registers,
        predicates=kernel.predicates,
        addresses={
            one.name: one.num_elts for one in kernel.variables.values() if isinstance(one, syntax.AddressVariable)
        },
        states=kernel.states,
        inputs=kernel.inputs,
        work_items=kernel.work_items,
        lanes=kernel.lanes,
        local_bytes=kernel.local_bytes,
        scratch_bytes=kernel.scratch_bytes,
        source_lines=kernel.source_lines,
        of_several_files=kernel.of_several_files,
    )


class _Lowering:
    def __init__(self, kernel: syntax.Kernel, platform: Platform) -> None:
        self._kernel = kernel
        self._platform = platform
        self._operands = OperandLowering(kernel, platform)
        self._surfaces = SurfaceBindings(kernel, platform)
        self._labels = label_places(kernel)

    def statement(self, statement: syntax.Statement) -> Statement:
        if isinstance(statement, syntax.Label):
            return Landing(statement.name, statement.position)
        try:
            require_described(statement, self._kernel, self._platform)
            return self._run(statement)
        except NotModelled as reason:
            return Refused(statement, reason.what, reason.position)
        except ReadError as reason:
            return Refused(statement, reason.message, reason.position, True, reason.hint)

    def _run(self, one: syntax.Instruction) -> Run:
        stands_for = resolved(one, self._kernel, self._platform)
        match kind_of(stands_for, OPCODES):
            case Kind.MEMORY:
                return MemoryMessage(one, decode(stands_for, self._kernel, self._platform))
            case Kind.NOTHING | Kind.GROUP:
                return self._synchronise(one, stands_for) if stands_for.opcode in EVENTS else Nothing(one)
            case Kind.BIND:
                return self._state(one)
            case Kind.BRANCH:
                return Branch(one, execution_of(one), self._labels[label_of(one)])
            case Kind.END:
                return End(one, one.predicate is not None)
            case Kind.SAMPLE:
                return SamplerMessage(one, one.opcode, sampler_read(one, self._kernel, self._platform))
            case Kind.INFO:
                return InfoMessage(one, image_info(one, self._kernel, self._platform))
            case Kind.MATRIX:
                return MatrixProduct(one, decode_dpas(one, self._kernel, self._platform))
            case Kind.UNKNOWN:
                what = self._kernel.unlinked.get(one.position, not_modelled(one.opcode))
                raise NotModelled(what, one.position)
            case kind:
                return self._computing(one, kind)

    def _synchronise(self, one: syntax.Instruction, event: syntax.Instruction) -> Synchronise:
        waits = event.opcode == "barrier" or (event.opcode == "sbarrier" and "wait" in event.suffixes)
        return Synchronise(one, event_of(event), waits, event.opcode == NAMED)

    def _computing(self, one: syntax.Instruction, kind: Kind) -> Computing:
        lanes, first = execution_of(one), one.operands[0]
        match kind:
            case Kind.COMPARE:
                target = predicate(first) or self._operands.destination(first)
                return Compare(one, lanes, Operation(one.opcode), one.suffixes[0], target, self._sources(one, 1))
            case Kind.SET_PREDICATE:
                bits = predicate(first) or Unlowered("setp of what is no predicate", first.position)
                return SetPredicate(one, lanes, bits, self._operands.source(one.operands[1]))
            case Kind.PREDICATE_LOGIC:
                names = [operand.name for operand in one.operands if isinstance(operand, syntax.Name)]
                if one.predicate is not None or len(names) != len(one.operands):
                    raise NotModelled(f"{one.opcode} of predicates in this form", one.position)
                return CombinePredicates(one, lanes, Operation(one.opcode), names[0], tuple(names[1:]))
            case Kind.ADDRESS:
                _, base, offset = one.operands
                assert isinstance(first, syntax.SubscriptedName)
                address, added = self._operands.address(base), self._operands.source(offset)
                return SetAddress(one, lanes, registers(first), address, added)
            case _:
                pass
        if one.opcode == "mov" and (bits := predicate(one.operands[1])):
            return MovePredicate(one, lanes, self._operands.destination(first), bits.variable)
        if isinstance(first, syntax.SubscriptedName):
            return ClearAddress(one, lanes, registers(first))
        results = DESTINATIONS.get(one.opcode, 1)
        targets = tuple(map(self._operands.destination, one.operands[:results]))
        return Compute(one, lanes, _operation(one), targets, self._sources(one, results))

    def _sources(self, one: syntax.Instruction, first: int) -> tuple[Source, ...]:
        return tuple(map(self._operands.source, one.operands[first:]))

    def _state(self, movs: syntax.Instruction) -> BindState | ReadState:
        target, source = movs.operands
        lanes = execution_of(movs)
        moved = StateElement(source.name, source.element) if isinstance(source, syntax.SubscriptedName) else None
        if isinstance(target, syntax.SubscriptedName):
            surfaces = self._surfaces.bound_by(movs)
            where = StateElement(target.name, target.element)
            return BindState(movs, lanes, where, moved or self._operands.source(source), surfaces)
        assert moved is not None
        return ReadState(movs, lanes, self._operands.destination(target), moved, source.position)


def _operation(one: syntax.Instruction) -> Operation:
    table = boolean_table(one) if one.opcode == "bfn" else None
    return Operation(one.opcode, "sat" in one.suffixes, table)
