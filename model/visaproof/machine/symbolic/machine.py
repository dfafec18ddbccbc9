"""The symbolic machine: what one statement does to registers, predicates and surfaces.  Control flow is elsewhere."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import PurePath

from msgspec import Struct
from msgspec.structs import replace

from visaproof.decode.message import Message, TypedMessage
from visaproof.decode.synchronisation import Moment, Synchronised
from visaproof.instructions.family import LscLoadBlock2d, LscStoreBlock2d
from visaproof.instructions.svm_gather import FLAT
from visaproof.instructions.undefined_bytes import ClearedSlice, LeavesUndefinedBytes
from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.identity import Same
from visaproof.isa.operands import NULL, SCRATCH, SLM
from visaproof.launch.float_results import Floats
from visaproof.machine.symbolic.arithmetic import SymbolicArithmetic
from visaproof.machine.symbolic.image_info import write_info
from visaproof.machine.symbolic.lanes import Lanes, Waiting
from visaproof.machine.symbolic.local_id_table import own_ids
from visaproof.machine.symbolic.loops.came_back import CountedLoop, Known
from visaproof.machine.symbolic.loops.iteration import LoopWrites, guard_of, havoc, havoc_private, owners
from visaproof.machine.symbolic.matrices import LoadedBlock, write_sums
from visaproof.machine.symbolic.operands import SymbolicOperands
from visaproof.machine.symbolic.private import MANY_CHOICES, PrivateMemory, PrivateStore
from visaproof.machine.symbolic.register_addresses import AddressRegister, AddressWrite
from visaproof.machine.symbolic.sampler import read_arbitrary
from visaproof.machine.symbolic.state_moves import StateContents, StateMoves
from visaproof.machine.symbolic.thread import Thread, ThreadState, under_guards
from visaproof.machine.symbolic.trace import Performed
from visaproof.machine.symbolic.uninterpreted_results import Uninterpreted
from visaproof.program.program import Program
from visaproof.program.statements import (
    BindState,
    Branch,
    End,
    InfoMessage,
    MatrixProduct,
    MemoryMessage,
    Nothing,
    ReadState,
    Refused,
    Run,
    SamplerMessage,
    Synchronise,
)
from visaproof.semantics.symbolic.accesses import Access, RegisterSlice, Store
from visaproof.semantics.symbolic.beyond import Beyond
from visaproof.semantics.symbolic.cases import under
from visaproof.semantics.symbolic.guarded import ByteWrite
from visaproof.semantics.symbolic.guarded_bits import BitWrite
from visaproof.semantics.symbolic.literals import NONE, Literals, literals_of
from visaproof.semantics.symbolic.names import extents_of, surface_size
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import (
    SymbolicBuffer,
    SymbolicFlat,
    SymbolicImage,
    SymbolicLocal,
    SymbolicScratch,
    SymbolicSurface,
)
from visaproof.semantics.symbolic.value_names import LoadedValue, OfLoop
from visaproof.smt import BitVec, Bool, Term, conj, const, disj, is_false, occurs, symbol, symbols_of

LOD_LEVELS = 15
"""Levels of an image of 2^14 texels."""


class Contents(Struct, frozen=True):
    """The machine at one place, to come back to; of lists that grow, their lengths."""

    lanes: Waiting
    registers: Mapping[str, list[ByteWrite | None]]
    predicates: Mapping[tuple[str, int], BitWrite]
    addresses: Mapping[AddressRegister, AddressWrite]
    bound: StateContents
    performed: int
    conditions: int
    arbitrary: int
    private: tuple[PrivateStore, ...]
    beyond: int
    events: int


class Machine:
    """One thread, its surfaces, and the messages that it has performed."""

    def __init__(
        self,
        program: Program,
        initial: Callable[[str, int], Byte],
        exec_mask: Sequence[Bool],
        initial_predicate: Callable[[str, int], Bool],
        private_base: BitVec | None = None,
        floats: Floats = Floats.UNINTERPRETED,
        name: str = "",
        choices: int = MANY_CHOICES,
        nondeterministic: bool = False,
        divisions: bool = False,
    ) -> None:
        self.program = program
        self._initial = initial
        self._exec_mask = exec_mask
        self.private = PrivateMemory(private_base, choices)
        self._local = SymbolicLocal if program.tags else SymbolicBuffer
        self.lanes = Lanes(exec_mask)
        self.beyond = Beyond(nondeterministic)
        self.thread = Thread(program, self.lanes, initial, initial_predicate, name, self.beyond)
        self.operands = SymbolicOperands(self.thread.registers, self.beyond, literals_of(disj(*exec_mask)))
        self.arithmetic = SymbolicArithmetic(self.thread, self.operands, floats, divisions)
        self.bindings = StateMoves(self.thread, self.operands)
        self.surfaces: dict[str, SymbolicSurface] = {}
        self.performed: list[Performed] = []
        self._times = Counter[Position]()
        """How many of them are of the statement there."""
        self.counted: list[CountedLoop] = []
        self.events: list[Synchronised] = []
        self._of_start, self._reads_seen = set[Term](), 0
        """Symbols of what was read before anything wrote it, as far as that was looked at."""
        self._levels = LOD_LEVELS if _names_levels(program) else 1

    def step(self, statement: Run) -> None:
        """Runs one statement that is neither a branch nor the end."""
        match statement:
            case MemoryMessage():
                self._message(statement)
            case Synchronise():
                here = self.lanes.reached
                self.events.append(Synchronised(len(self.performed), here, statement.event, statement.position))
            case Nothing():
                pass
            case BindState():
                self.bindings.bind(statement)
            case ReadState():
                self.bindings.read(statement)
            case SamplerMessage():
                surface = self.bindings.key(statement.read.surface, statement.position)
                read_arbitrary(statement, surface, self.thread, self.arithmetic)
            case InfoMessage():
                write_info(statement, self._image(statement), self.thread, self.arithmetic)
            case MatrixProduct():
                write_sums(statement, self.thread, self.arithmetic)
            case Refused():
                statement.refuse()
            case Branch() | End():
                raise NotModelled(f"opcode {statement.origin.opcode}", statement.position)
            case _:
                self.arithmetic.step(statement)

    def _message(self, statement: MemoryMessage) -> None:
        plain, position = statement.message, statement.position
        key, surface = self.surface(statement)
        decoded = replace(plain, surface=key)
        if isinstance(surface, SymbolicImage) != isinstance(decoded, TypedMessage):
            raise NotModelled(f"{key} as bytes and as texels", position)
        state = ThreadState.of(self.thread, self.surfaces)
        accesses, short = self._accesses(decoded, state)
        undefined = list(decoded.undefined_bytes(state)) if isinstance(decoded, LeavesUndefinedBytes) else []
        loaded: list[tuple[Access, BitVec]] = []
        block = LoadedBlock(decoded, state) if isinstance(decoded, LscLoadBlock2d) and decoded.dst != NULL else None
        ids = dict(own_ids(self.thread.registers, accesses)) if key == FLAT else {}
        rounds = self._times[position]
        again = f".round{rounds}" if rounds else ""
        for k, access in enumerate(accesses):
            if isinstance(access, Store) or access.destination is None:
                continue
            place = access.destination
            site = f"{_site(self.program, position)}.{k}{again}"
            unknown = symbol(LoadedValue(self.thread.name, site), 8 * place.width)
            value = ids.get(Same(access), unknown)
            if self.private.owns(access):
                value = self._from_private(statement, access, unknown)
            if value is unknown:
                loaded.append((access, value))
            if block is not None:
                block.write(place, access.guard, value)
            elif self.beyond.nondeterministic or self.thread.registers.holds(place.variable, place.start, place.width):
                self.thread.registers.write(place.variable, place.start, value, access.guard)
        if block is not None:
            block.clear_the_rest()
        for guard, place in undefined if block is None else ():
            if not is_false(guard):
                self.thread.registers.write(place.variable, place.start, self._left_in(place, statement), guard)
        accesses = tuple(one for one in accesses if Same(one) not in ids) if ids else accesses
        self._times[position] += 1
        self.performed.append(Performed(
            statement.origin, plain, key, accesses, tuple(loaded), left_open=len(self.arithmetic.arbitrary), short=short
        ))  # fmt: skip
        if key in (FLAT, SCRATCH):
            self.private.store(accesses)

    def _accesses(self, decoded: Message, state: ThreadState) -> tuple[tuple[Access, ...], tuple[Access, ...]]:
        """The accesses that may happen, and those of them that need what a variable does not have."""
        strict = list(decoded.footprint(state))
        found = [access for access in strict if not is_false(access.guard)]
        if not (self.beyond.nondeterministic and any(is_false(access.defined) for access in found)):
            if isinstance(decoded, LscLoadBlock2d | LscStoreBlock2d):  # all is read under what is known of lane 0
                return tuple(map(self._here, found)), ()
            return self._reached(found), ()
        self.beyond.tolerated = True
        pairs = list(zip(decoded.footprint(replace(state, read={})), strict, strict=True))
        self.beyond.tolerated = False
        found = [one for one, _ in pairs if not is_false(one.guard)]
        short = (other for one, other in pairs if is_false(other.defined) and not is_false(one.defined))
        return self._reached(found), self._reached([one for one in short if not is_false(one.guard)])

    def _left_in(self, place: RegisterSlice, statement: MemoryMessage) -> BitVec:
        """What is in bytes of a destination that a load does not fill."""
        if isinstance(place, ClearedSlice):
            return const(0, 8 * place.width)
        return self.arithmetic.fresh(statement, None, 8 * place.width, "which leaves bytes undefined")

    def _from_private(self, statement: MemoryMessage, access: Access, unknown: BitVec) -> BitVec:
        """What a load from private memory brings; `unknown` as far as nothing is known to be there."""
        value = self.private.load(access, unknown, self.thread.assumption(access.guard))
        if occurs(unknown, value):
            reason = "which reads uninitialised private memory, or what a loop stores"
            self.arithmetic.arbitrary.append(Uninterpreted(unknown, statement.origin, access.lane, reason))
        return value

    def _surface(self, key: str, decoded: Message) -> SymbolicSurface:
        """A surface of which nothing is known but its kind."""
        if isinstance(decoded, TypedMessage):
            return self._some_image(key)
        if key == FLAT:
            return SymbolicFlat()
        if key == SCRATCH:
            return SymbolicScratch()
        return (self._local if key == SLM else SymbolicBuffer)(surface_size(key))

    def surface(self, statement: MemoryMessage) -> tuple[str, SymbolicSurface]:
        """The surface that its variable stands for here, and by which key."""
        key = self.bindings.key(statement.message.surface, statement.position)
        return key, self.surfaces.setdefault(key, self._surface(key, statement.message))

    def _some_image(self, key: str) -> SymbolicImage:
        return SymbolicImage(tuple(extents_of(key, level) for level in range(self._levels)))

    def _image(self, statement: InfoMessage) -> SymbolicImage:
        """What the surface variable stands for that an image is bound to."""
        key = self.bindings.key(statement.info.surface, statement.position)
        surface = self.surfaces.setdefault(key, self._some_image(key))
        if not isinstance(surface, SymbolicImage):
            raise NotModelled(f"{statement.origin.opcode} of a buffer", statement.position)
        return surface

    def _reached(self, accesses: Sequence[Access]) -> tuple[Access, ...]:
        """The accesses with the condition that the thread is here; lanes have it in their guards."""
        return under_guards([self._here(one) for one in accesses], self.thread.assumption)

    def _here(self, access: Access) -> Access:
        if isinstance(surface := self.surfaces.get(access.surface), SymbolicLocal):
            access = surface.reached(access)
        if access.lane is None and self.lanes.facts:
            return replace(access, guard=conj(access.guard, self.lanes.reached))
        return access

    def havoc(
        self, name: str, known: LoopWrites, running: tuple[Bool, ...], entered: Literals = NONE
    ) -> dict[tuple[str, int, int], BitVec]:
        """Makes arbitrary what iterations of a loop may have written for these lanes, where it is `entered` at all."""
        self.operands.addresses.havoc(known.addresses)
        guards = [literals_of(guard) for guard in running]
        havoc_private(name, known, guards, self.private)
        self.bindings.loosen(known.bound, name)
        return havoc(name, known, guards, self.thread.registers, self.thread.predicates, entered, self.lanes.facts)

    def held(self, name: str, known: LoopWrites, running: tuple[Bool, ...], facts: Literals) -> list[Term]:
        """What is held here by the cells of private memory that iterations of a loop may write for these lanes, where
        the `facts` hold.  What nothing is known of has a name of its own, which begins as this says."""
        found: list[Term] = []
        for (number, (start, size)), lane in zip(enumerate(known.private), owners(known), strict=True):
            unknown, guard = symbol(OfLoop(name, f"unknown{number}"), 8 * size), guard_of(lane, running, facts)
            found.append(under(self.private.held(start, size, unknown, guard), guard))
        return found

    def fixed(self, messages: int) -> frozenset[Term]:
        """Symbols that mean one value from here on: of the start, and of what the first so many messages brought."""
        reads = islice(self.thread.registers.initial_reads, self._reads_seen, None)
        self._of_start.update(symbols_of(*dict.fromkeys(self._initial(*place)[0] for place in reads)))
        self._reads_seen = len(self.thread.registers.initial_reads)  # none is ever taken back
        loads = (value for one in self.performed[:messages] if not one.any_round for _, value in one.loaded)
        return frozenset(symbols_of(*self._exec_mask, *loads)) | self._of_start

    @property
    def moment(self) -> Moment:
        """How far the run is."""
        return Moment(len(self.performed), len(self.events))

    def contents(self) -> Contents:
        """What `restore` brings back."""
        return Contents(
            self.lanes.contents(),
            self.thread.registers.contents(),
            self.thread.predicates.contents(),
            self.operands.addresses.contents(),
            self.bindings.contents(),
            len(self.performed),
            len(self.operands.conditions),
            len(self.arithmetic.arbitrary),
            self.private.contents(),
            len(self.beyond.found),
            len(self.events),
        )

    def restore(self, contents: Contents) -> None:
        self.lanes.restore(contents.lanes)
        self.thread.registers.restore(contents.registers)
        self.thread.predicates.restore(contents.predicates)
        self.operands.addresses.restore(contents.addresses)
        self.bindings.restore(contents.bound)
        self.private.restore(contents.private)
        self._times.subtract(one.instruction.position for one in self.performed[contents.performed :])
        del self.performed[contents.performed :]
        del self.operands.conditions[contents.conditions :]
        del self.arithmetic.arbitrary[contents.arbitrary :]
        del self.beyond.found[contents.beyond :]
        del self.events[contents.events :]

    def keep_messages_since(self, contents: Contents, known: Known) -> None:
        """Restores the contents, but keeps the messages performed since, as those of any iteration."""
        self.counted.append(known.counted)
        performed = [one.in_any_round(known) for one in self.performed[contents.performed :]]
        conditions = self.operands.conditions[contents.conditions :]
        arbitrary = self.arithmetic.arbitrary[contents.arbitrary :]
        beyond, events = self.beyond.found[contents.beyond :], self.events[contents.events :]
        self.restore(contents)
        self._times.update(one.instruction.position for one in performed)
        self.performed += performed
        self.operands.conditions += conditions
        self.arithmetic.arbitrary.extend(arbitrary)
        self.beyond.found += beyond
        self.events += events


def _site(program: Program, at: Position) -> str:
    """The line of a statement, with the file if it is that of a function."""
    return str(at.line) if at.path == program.path else f"{PurePath(at.path).stem}:{at.line}"


def _names_levels(program: Program) -> bool:
    """Whether a typed message of the program names a level of detail: without one it is level 0."""
    found = (one.message for one in program.statements if isinstance(one, MemoryMessage))
    return any(isinstance(one, TypedMessage) and one.lod not in (NULL, None) for one in found)
