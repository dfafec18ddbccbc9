"""A concrete run of one of two kernels: from the registers and the memory of a launch to what it leaves."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.checking.stages import Values
from visaproof.decode.surfaces import HANDLE_BYTES
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.answers import HalfResultRest
from visaproof.isa.errors import NotModelled
from visaproof.isa.operands import SCRATCH
from visaproof.isa.platform import Platform
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.isa.surface_keys import HandleNumber, StateAt, surface_key
from visaproof.launch.input_meaning import Argument, SamplerModes
from visaproof.launch.matching import SHARED_LOCAL, THREAD_STATE, own_predicates
from visaproof.machine.concrete.run import MissingSurface, Observer, run
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.lower import Runnable, lowered
from visaproof.queries.kernels.surface_names import PRIVATE, PRIVATE_SIZE, base_at
from visaproof.refinement.effects.sharing import NOTHING_SHARED, Sharing
from visaproof.refinement.inputs.samplers import Samplers, outside_of
from visaproof.refinement.observed import Observed
from visaproof.refinement.testing.memory import IMAGE_SIZE, Memory, bases_of, image_of, levels_of, sampled_image, views
from visaproof.refinement.testing.ran import ObserverOf, Prepared, Ran, at_no_surface, ran_of
from visaproof.refinement.testing.watch import FLAT_SIZE, FlatContents, Watch, WatchedBuffer
from visaproof.semantics.concrete.choices import STRICT, Choices
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, Scratch
from visaproof.semantics.symbolic.registers import Byte
from visaproof.semantics.symbolic.state import SymbolicBuffer, SymbolicImage
from visaproof.semantics.symbolic.value_names import Owner
from visaproof.smt import BitVec, Bool, extract, is_true
from visaproof.smt.evaluate import evaluate_all

IN_LOOPS = 2_000
"""Statements that a run may take beyond those of its kernel: most inputs of a loop of unknown length make it long."""
IN_FIXED_LOOPS = 6_000
"""The same of a kernel whose loops all have a fixed length, and in functions that it calls: inputs change little."""

KEPT = replace(DEFAULT, half_result_rest=HalfResultRest.PRESERVED)
"""After a result of 16 bits a register may have zeros, or what was there."""


class Runner(Struct, frozen=True):
    """One of the kernels, and what its registers hold before it starts."""

    owner: Owner
    kernel: Runnable
    platform: Platform
    trace: Trace
    initial: Callable[[str, int], Byte]
    surface: Callable[[str], str]
    pointers: Mapping[BitVec, str] = field(default_factory=dict[BitVec, str])
    """The words that are the address of a buffer, and the buffer."""
    threads: tuple[int, ...] = ()
    """It is one thread."""
    observed: tuple[Observed, ...] = ()
    """The registers that are compared at the end."""
    lost: tuple[str, ...] = ()
    """Surfaces by a handle of which it is not known whose it is; a run finds it by its number, if it is one's."""
    sharing: Sharing = NOTHING_SHARED
    """The buffers that may overlap."""
    unwritten: frozenset[str] = frozenset()
    """The surfaces of arguments that nobody writes while the kernel runs, by what the source says of them."""
    handles: Mapping[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    """Where a kernel with such surfaces gets the handle of an argument, and the name of that surface."""
    local_bytes: int | None = None
    """Its shared local memory, where the other kernel has another size."""
    samplers: Samplers = field(default_factory=dict[int, SamplerModes | Argument])
    """What stands at the numbers of its samplers, where both kernels say it."""
    sampler_handles: Mapping[str, int | Argument] = field(default_factory=dict[str, int | Argument])
    """The samplers behind the inputs that are handles of one."""
    distances: Mapping[str, BitVec] = field(default_factory=dict[str, BitVec])
    """How far its surfaces begin before their buffers, where places in buffers are compared."""
    generalised: dict[bool, Trace] = field(default_factory=dict[bool, Trace])
    """The same with one iteration for all of a loop, once it was run so; loops of a fixed length to their end or not.
    It is the same wherever buffers lie."""
    given_predicates: Callable[[str, int], Bool] | None = None
    """What its predicates hold before it starts, where that is an input; else each kernel finds bits of its own."""

    @property
    def predicate(self) -> Callable[[str, int], Bool]:
        """What the bits of predicates hold before it starts."""
        return self.given_predicates or own_predicates(self.owner)

    @property
    def name(self) -> str:
        """source or target"""
        return self.owner.side

    @property
    def handle_words(self) -> Mapping[str, BitVec]:
        """The words with the handles of its surfaces, if a run may have to find surfaces by them."""
        if not lowered(self.kernel, self.platform).computed_handles:
            return {}
        found: dict[str, BitVec] = {}
        for name in dict.fromkeys((*self.trace.surfaces, *(name for name, _ in self.sampled()))):
            key = surface_key(name)
            if isinstance(key, StateAt) and key.line is None:
                word, start = self.initial(key.variable, key.byte)
                found[name] = extract(word, min(word.width, 8 * (start + HANDLE_BYTES)) - 1, 8 * start)
        return found

    def start_words(self) -> Iterator[BitVec]:
        """What its registers hold before it starts, as far as it reads that."""
        for variable, byte in self.reads:
            yield self.initial(variable, byte)[0]

    @property
    def reads(self) -> Collection[tuple[str, int]]:
        """The bytes that it may read before it writes them; of a symbolic run that stopped, all that is set before."""
        known = self.trace.registers.initial_reads
        if self.trace.stopped is None:
            return known.keys()
        sizes = self.trace.registers.sizes
        names = [item.variable for item in self.kernel.inputs] + sorted(THREAD_STATE & sizes.keys())
        return known | dict.fromkeys((name, byte) for name in names for byte in range(sizes[name]))

    def size_of(self, surface: str, size: int) -> int:
        """How many bytes a surface has for this kernel that has `size` of them in memory."""
        return self.local_bytes if surface == SHARED_LOCAL and self.local_bytes is not None else size

    def orders(self) -> "tuple[Runner, ...]":
        """The kernel with each order of its threads that is tried."""
        return (self,)

    @property
    def images(self) -> Mapping[str, SymbolicImage]:
        """The typed surfaces, by their common names, and those of which only a sampler reads."""
        found = {self.surface(key): surface for key, surface in self.trace.surfaces.items()}
        sampled = [name for _, name in self.sampled() if name not in found]
        return {name: sampled_image(name) for name in sampled} | {
            name: surface for name, surface in found.items() if isinstance(surface, SymbolicImage)
        }

    def sampled(self) -> list[tuple[str, str]]:
        """The surfaces that are read through the sampler, by their own names and by the common ones."""
        read = {one.origin.surface: None for one in self.trace.arbitrary if one.origin is not None}
        return [(key, self.surface(key)) for key in read]

    def run(
        self,
        memory: Memory,
        lanes: Sequence[Bool],
        values: Values,
        backwards: bool = False,
        observer_of: ObserverOf | None = None,
        readings: Readings = DEFAULT,
        picks: bool = False,
    ) -> "Ran":
        """The run, and the memory after it; on request the last lane of an atomic first, and with a result that is
        picked where pages allow several.  Raises NotModelled."""
        start = self.prepared(memory, lanes, values)
        start.state.backwards, start.state.readings = backwards, readings
        start.state.choices = Choices(0) if picks else STRICT
        return self.run_from(start, memory, observer_of and observer_of(None, start.state))

    @property
    def most_statements(self) -> int:
        """How many a run may take."""
        fixed = not (self.trace.bounded or self.trace.loops) and self.trace.stopped is None
        return len(self.kernel.statements) + (IN_FIXED_LOOPS if fixed else IN_LOOPS)

    def other_ways(self, ran: Ran) -> Iterator[tuple[bool, Readings]]:
        """What else it may do on the same inputs: the lanes of an atomic in another order, other bytes where a page
        leaves them undefined."""
        if ran.atomics_met:
            yield True, DEFAULT
        if any(one.operands is None for one in self.trace.arbitrary):
            yield False, KEPT

    def run_from(self, start: "Prepared", memory: Memory, observer: Observer | None = None) -> "Ran":
        """The run from this start, for which this was in memory.  Raises NotModelled."""
        endless = not any(self.trace.registers.anew.values())
        try:
            outcome = run(
                self.kernel, start.state, start.observed(observer), most=self.most_statements, endless=endless
            )
        except MissingSurface as missing:
            known = start.state.surfaces if self.trace.stopped is None else ()  # else one that terms did not get to
            outcome = at_no_surface(missing, known)
        return replace(ran_of(outcome, memory, start), state=start.state)

    def prepared(self, memory: Memory, lanes: Sequence[Bool], values: Values) -> "Prepared":
        """What the run starts from."""
        watch = Watch()
        return self.beside(self.surfaces(memory, values, watch), lanes, values, watch)

    def surfaces(self, memory: Memory, values: Values, watch: Watch) -> Mapping[str, WatchedBuffer | Image]:
        """The surfaces with these contents, by their common names."""
        images, outside = self.images, outside_of(self.samplers, values)
        after: dict[str, WatchedBuffer | Image] = {}
        for name, (size, contents) in memory.items():
            if name in images and size == IMAGE_SIZE:
                levels = tuple(levels_of(images[name], name, values))
                after[name] = image_of(levels, images[name].kind, contents, watch, outside)
            else:
                after[name] = WatchedBuffer(self.size_of(name, size), dict(contents), watch=watch)
            watch.named(after[name], name)
        for name, view in views(self.sharing, memory, values):
            after[name] = WatchedBuffer(view.size, view.within(after), watch=watch)
        watch.starts(after.get(SHARED_LOCAL))
        return after

    def beside(
        self, after: Mapping[str, WatchedBuffer | Image], lanes: Sequence[Bool], values: Values, watch: Watch
    ) -> "Prepared":
        """What a run on these surfaces starts from, which other threads may have as well."""
        bases = bases_of(self.pointers.values(), values, self.sharing)
        flat = _flat(after, bases)
        values = dict(values)
        for pointer, buffer in self.pointers.items():
            if FLAT not in after or buffer == PRIVATE:
                values[pointer] = bases[buffer]
        state = ConcreteState(self.platform, exec_mask=bits_of(lanes, values))
        for register in self.kernel.registers.values():
            if register.owns_storage:
                state.registers[register.name] = bytearray(register.size)
        for name, count in self.kernel.predicates.items():
            own = [self.predicate(name, lane) for lane in range(count)]
            state.predicates[name] = PredicateBits(count, bits_of(own, values))
        self._fill(state.registers, values)
        self._bind_handles(state, after)
        for key, surface in self.trace.surfaces.items():
            if key in self.lost:
                continue
            if key == FLAT:
                state.surfaces[key] = WatchedBuffer(FLAT_SIZE, flat, watch=watch)
            elif key == SCRATCH:
                state.surfaces[key] = Scratch()
            else:  # one that no lane ever reaches has no contents
                unreached = Image(((1, 1, 1),)) if isinstance(surface, SymbolicImage) else WatchedBuffer(0)
                state.surfaces[key] = after.get(self.surface(key), unreached)
        state.surfaces |= {key: after[name] for key, name in self.sampled() if name in after}
        for key, word in self.handle_words.items():
            name = str(HandleNumber(evaluate_all([word], values)[0]))
            if key in state.surfaces and state.surfaces.setdefault(name, found := state.surfaces[key]) is not found:
                raise NotModelled("two arguments with the same handle")
        return Prepared(state, after, flat, watch)

    def _bind_handles(self, state: ConcreteState, after: Mapping[str, WatchedBuffer | Image]) -> None:
        """Gives each argument a handle of its own.

        Raises NotModelled where the launch gives two the same, and for images that are found by their handles alone.
        """
        if any(not isinstance(self.trace.surfaces.get(key), SymbolicBuffer) for key in self.lost):
            raise NotModelled("images that a run finds by their handles")
        for number, ((variable, first), common) in enumerate(self.handles.items() if self.lost else (), 1):
            if not any((variable, first + byte) in self.trace.registers.initial_reads for byte in range(HANDLE_BYTES)):
                state.registers[variable][first : first + HANDLE_BYTES] = (number << 6).to_bytes(HANDLE_BYTES, "little")
            handle = int.from_bytes(state.registers[variable][first : first + HANDLE_BYTES], "little")
            name = str(HandleNumber(handle))
            if name in state.surfaces:
                raise NotModelled("two arguments with the same handle")
            if common in after:
                state.surfaces[name] = after[common]

    def _fill(self, registers: dict[str, bytearray], values: Values) -> None:
        """What the kernel may read before anything writes it; nothing depends on the rest."""
        places = list(self.reads)
        terms = [self.initial(variable, byte) for variable, byte in places]
        words = list(dict.fromkeys(term for term, _ in terms))
        known = dict(zip(words, evaluate_all(words, values), strict=True))
        for (variable, byte), (term, index) in zip(places, terms, strict=True):
            registers[variable][byte] = known[term] >> 8 * index & 0xFF


def _flat(after: Mapping[str, WatchedBuffer | Image], bases: Mapping[str, int]) -> FlatContents:
    """What lies at 64-bit addresses: all there is, or the buffers and private memory."""
    flat = FlatContents([(bases.get(PRIVATE, base_at(PRIVATE)), PRIVATE_SIZE, {})])
    if isinstance(whole := after.get(FLAT), Buffer):
        flat.windows.append((0, FLAT_SIZE, whole.contents))
        return flat
    for buffer in sorted(bases.keys() - {PRIVATE}):
        found = after.get(buffer)
        size, contents = (found.size, found.contents) if isinstance(found, Buffer) else (0, {})
        flat.windows.append((bases[buffer], size, contents))
    return flat


def bits_of(bits: Sequence[Bool], values: Values) -> int:
    return sum((is_true(one) or values.get(one, 0) & 1) << lane for lane, one in enumerate(bits))
