"""Which places of registers and predicates a statement reads and writes for each lane, whatever they hold.

A statement under the execution mask reads and writes for the lanes that it covers.  One without (`_NM`) reads for the
thread, which is there with whichever lane, and writes for all.
"""

from collections.abc import Callable, Sequence

from visaproof.decode.dpas import Dpas
from visaproof.decode.image_info import CHANNEL_BYTES
from visaproof.decode.statement import lane_offset
from visaproof.isa.execution import Combine
from visaproof.isa.operands import NULL, Execution, RawOperand
from visaproof.program.operands import (
    Constant,
    Destination,
    DroppedTarget,
    Elements,
    PackedConstant,
    PredicateTarget,
    Source,
    Target,
)
from visaproof.program.program import Program
from visaproof.program.statements import (
    BindState,
    Branch,
    ClearAddress,
    CombinePredicates,
    Compare,
    Compute,
    End,
    InfoMessage,
    MatrixProduct,
    MovePredicate,
    Nothing,
    Run,
    SamplerMessage,
    SetPredicate,
    Synchronise,
)
from visaproof.queries.kernels.lane_places import (
    OF_THE_THREAD,
    Cover,
    Moved,
    NotFollowed,
    Places,
    Spans,
    Touched,
    Variable,
    read_for,
    written_for,
)
from visaproof.queries.kernels.uninitialised import compares_with_itself
from visaproof.semantics.symbolic.pairs import PAIRED

OTHERWISE = frozenset(("plane", "lrp", *PAIRED))
"""Opcodes that do not read and write an element in each lane by the regions of their operands."""

HALF = 16
"""Page SETP: of a scalar, the bits of 16 lanes at least are set."""

DWORD_BYTES = 4


class LaneBytes:
    """What statements of a program read and write; of memory messages see `message_bytes`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.sizes = {name: one.size for name, one in program.storage.items()}
        """Bytes of each register variable."""
        self._counts = {Variable(name): size for name, size in self.sizes.items()}
        self._counts |= {Variable(name, of_bits=True): bits for name, bits in program.predicates.items()}

    def count(self, variable: Variable) -> int:
        """How many places it has."""
        if variable not in self._counts:
            raise NotFollowed
        return self._counts[variable]

    def read(self, cover: Cover, touched: Touched) -> Places:
        return [(variable, read_for(self.count(variable), cover, spans)) for variable, spans in touched]

    def written(self, cover: Cover, touched: Touched) -> Places:
        return [(variable, written_for(self.count(variable), cover, spans)) for variable, spans in touched]

    def of(self, statement: Run) -> Moved:
        """What it reads and writes.  Raises NotFollowed."""
        match statement:
            case Nothing() | Synchronise() | End(predicated=False) | ClearAddress():
                return Moved()
            case Branch():
                cover = OF_THE_THREAD if statement.lanes.size == 1 else Cover.of(statement.lanes)
                return Moved(self.read(cover, guards(statement.lanes)), is_checked=True)
            case Compute():
                return self._computed(statement)
            case Compare():
                cover = Cover.of(statement.lanes)
                sources = [] if compares_with_itself(statement) else _sources(cover, statement.sources)
                return self._by_lanes(statement.lanes, sources, _compared(cover, statement.target))
            case MovePredicate():
                cover, source = Cover.of(statement.lanes), Variable(statement.predicate, of_bits=True)
                bits: Touched = [(source, ((0, self.count(source)),) * cover.size)]
                return self._by_lanes(statement.lanes, bits, _target(cover, statement.target))
            case CombinePredicates():
                cover = Cover.of(statement.lanes)
                sources = [_bits(name, cover) for name in statement.sources]
                return self._by_lanes(statement.lanes, sources, [_bits(statement.target, cover)])
            case SetPredicate():
                return self._set(statement)
            case BindState():
                thread = Cover(0, statement.lanes.size, masked=False)
                moved = (statement.source,) if isinstance(statement.source, Source) else ()
                return Moved([one for lane in _sources(thread, moved) for one in self._all(lane)], is_checked=True)
            case SamplerMessage():
                return self._sampled(statement)
            case InfoMessage():
                return self._informed(statement)
            case MatrixProduct():
                return self._multiplied(statement.product)
            case _:
                raise NotFollowed

    def _all(self, touched: tuple[Variable, Spans]) -> Places:
        """Read for the thread."""
        return self.read(Cover(0, len(touched[1]), masked=False), [touched])

    def _by_lanes(self, execution: Execution, sources: Touched, targets: Touched, *, chooses: bool = False) -> Moved:
        """What a lane writes depends on its sources, and on its predicate, which may also keep it from writing."""
        cover, read = Cover.of(execution), [*guards(execution), *sources]
        certain = chooses or execution.predicate is None
        return Moved(self.read(cover, read), self.written(cover, targets), cover, read, targets, certain)

    def _computed(self, statement: Compute) -> Moved:
        execution, name = statement.lanes, statement.operation.name
        if name in OTHERWISE:
            raise NotFollowed
        cover = Cover.of(execution)
        targets = [one for target in statement.targets for one in _target(cover, target)]
        if name == "madw":  # Page MADW: "the high 32b of results are stored in the high GRFs"
            register = self.program.platform.grf_bytes
            targets += _target(cover, statement.target, -(-4 * execution.size // register) * register)
        return self._by_lanes(execution, _sources(cover, statement.sources), targets, chooses=name == "sel")

    def _set(self, statement: SetPredicate) -> Moved:
        target, source, execution = statement.target, statement.source, statement.lanes
        if not isinstance(target, PredicateTarget) or execution.predicate is not None:
            raise NotFollowed
        cover, predicate = Cover.of(execution), Variable(target.variable, of_bits=True)
        if not source.is_scalar:
            return self._by_lanes(execution, _sources(cover, (source,)), [_bits(target.variable, cover)])
        bits = self.count(predicate)
        if cover.first + cover.size > bits:
            raise NotFollowed
        places = cover.first, min(cover.first + max(cover.size, HALF), bits)  # Page SETP: whatever the mask
        reads = self.read(OF_THE_THREAD, _sources(OF_THE_THREAD, (source,)))
        return Moved(reads, self.written(OF_THE_THREAD, [(predicate, (places,))]), is_checked=True)

    def _sampled(self, statement: SamplerMessage) -> Moved:
        read = statement.read
        cover, slot = Cover.of(read.execution), max(read.execution.size * read.width, self.program.platform.grf_bytes)
        sources: Touched = [
            (Variable(one.variable), _elements(cover, one.offset, of.size, of.size)) for one, of in read.coordinates
        ]
        targets: Touched = [
            (Variable(read.dst.variable), _elements(cover, read.dst.offset + number * slot, read.width, read.width))
            for number in range(read.channels.mask.bit_count())
        ]
        return self.message(read.execution, self.read(cover, sources), self.written(cover, targets))

    def _informed(self, statement: InfoMessage) -> Moved:
        info = statement.info
        cover, size = Cover.of(info.execution), CHANNEL_BYTES
        level: Touched = [(Variable(info.level.variable), _elements(cover, info.level.offset, size, size))]
        targets: Touched = [
            (Variable(info.dst.variable), _elements(cover, info.dst.offset + start, size, size))
            for _, start in info.places(self.program.platform)
        ]
        return self.message(info.execution, self.read(cover, level), self.written(cover, targets))

    def _multiplied(self, product: Dpas) -> Moved:
        """Page §7: a lane has a column of B, of the accumulator and of the result, and all of A."""
        cover, size = Cover.of(product.execution), product.execution.size

        def columns(operand: RawOperand, registers: int) -> Touched:
            starts = (operand.offset + DWORD_BYTES * size * number for number in range(registers))
            return [(Variable(operand.variable), _elements(cover, at, DWORD_BYTES, DWORD_BYTES)) for at in starts]

        first, bytes_of_a = product.a.offset, product.rows * (product.a_bits // 8)
        a = Variable(product.a.variable), ((first, first + bytes_of_a),) * size
        sums = [] if product.acc == NULL else columns(product.acc, product.rows)
        sources = [a, *columns(product.b, product.b_dwords), *sums]
        return self._by_lanes(product.execution, sources, columns(product.dst, product.rows))

    def message(self, execution: Execution, reads: Places, writes: Places) -> Moved:
        """That of a message: more depends on what it reads."""
        cover = Cover.of(execution)
        guarded = self.read(cover, guards(execution))
        return Moved([*guarded, *reads], writes, cover, certain=execution.predicate is None, is_checked=True)


def guards(execution: Execution) -> Touched:
    """The bits of its predicate: each lane's own, or all where they are combined."""
    predicate, first = execution.predicate, lane_offset(execution)
    if predicate is None:
        return []
    if not isinstance(predicate.combine, Combine):
        raise NotFollowed
    end = first + execution.size
    own = predicate.combine is Combine.PLAIN
    spans = tuple((lane, lane + 1) if own else (first, end) for lane in range(first, end))
    return [(Variable(predicate.variable, of_bits=True), spans)]


def _bits(name: str, cover: Cover) -> tuple[Variable, Spans]:
    return Variable(name, of_bits=True), tuple(
        (lane, lane + 1) for lane in range(cover.first, cover.first + cover.size)
    )


def _sources(cover: Cover, sources: Sequence[Source]) -> Touched:
    found: Touched = []
    for one in sources:
        match one:
            case Constant() | PackedConstant():
                pass
            case Elements(storage=storage):
                found.append((Variable(storage), tuple(map(_span_of(one), range(cover.size)))))
            case _:
                raise NotFollowed
    return found


def _span_of(operand: Elements) -> Callable[[int], tuple[int, int]]:
    region, size, start = operand.region, operand.type.size, operand.start
    vertical, width, horizontal = region.vertical, region.width, region.horizontal

    def span(lane: int) -> tuple[int, int]:
        first = start + size * (lane // width * vertical + lane % width * horizontal)
        return first, first + size

    return span


def _target(cover: Cover, target: Destination, behind: int = 0) -> Touched:
    match target:
        case DroppedTarget():
            return []
        case Target(storage, start, stride, of):
            return [(Variable(storage), _elements(cover, start + behind, stride * of.size, of.size))]
        case _:
            raise NotFollowed


def _compared(cover: Cover, target: PredicateTarget | Destination) -> Touched:
    return [_bits(target.variable, cover)] if isinstance(target, PredicateTarget) else _target(cover, target)


def _elements(cover: Cover, start: int, step: int, size: int) -> Spans:
    return tuple((start + lane * step, start + lane * step + size) for lane in range(cover.size))
