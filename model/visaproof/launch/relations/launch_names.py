"""The names of a launch that relations and sizes may use: arguments by value, inputs, and values of the launch.

dims.x, dims.s0   a component of a vector by value
n, arg3           an argument by value, by its name or its number: signed where the zebin says that its type is,
                  and in structs, of which it says no types;
                  one that is called as a value of the launch is, by its number alone
V0034             an input of at most 8 bytes, where the text has no launch information
local_size_x      work items of a group in x (y, z), as the host enqueues it: a last group may have fewer
global_size_x     work items of the launch in x: above each global id; the kernel may not get to know it
group_count_x     groups of the launch in x
src.width         texels of a row of an image, as get_image_width; height, depth, and the layers of an array
max(row)          no element that the kernel loads of the buffer `row` is larger; min(row): none is smaller
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from visaproof.isa.errors import ReadError, in_option
from visaproof.launch.assume import INT_IDS
from visaproof.launch.assumptions import Start
from visaproof.launch.ids.group_shape import LARGEST_SIZE, LOCAL_SIZES, GroupShape
from visaproof.launch.ids.launched_start import most_items
from visaproof.launch.ids.launched_words import BITS, between
from visaproof.launch.ids.work_items import GROUP_IDS
from visaproof.launch.input_meaning import DIMENSIONS, MEMBERS
from visaproof.launch.launch import Argument, ArgumentValue, Launch, LaunchValue
from visaproof.launch.relations.element_names import SIGNED, UNSIGNED, Loaded, extreme_of, is_typedef, named_extreme
from visaproof.launch.relations.exact_terms import Word
from visaproof.launch.relations.expression_reader import pointing
from visaproof.launch.relations.expressions import Name
from visaproof.launch.relations.image_names import NoNumber, extent_named
from visaproof.launch.relations.inner_names import InnerName, Kind, is_inner
from visaproof.launch.relations.named_words import COUNT, GLOBAL, LAUNCH_NAMES, LOCAL, Named, Place
from visaproof.launch.relations.vector_names import component, names_of
from visaproof.program.kernel import Kernel
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    add,
    concat,
    const,
    disj,
    eq,
    extract,
    mul,
    symbol,
    symbols_of,
    ule,
    ult,
    value_of,
    zero_extend,
)

GLOBAL_BITS = 33
"""Of a global size: at most 2^32 work items."""
WIDE = 64
MOST_BYTES = 8
MOST_UNIFORM = 16
"""Words of one kernel that are given names although no argument holds them."""

ENQUEUED = "enqueued_local_size"
"""What stands for a local size that the kernel does not get to know."""


@dataclass(frozen=True, slots=True)
class LaunchNames:
    """The names of one kernel and its launch."""

    kernel: Kernel
    launch: Launch
    start: Start
    global_sizes: tuple[BitVec, ...] = ()
    """Those that the user states."""
    loaded: Loaded | None = None
    """What the kernel loads of the buffers of arguments; None where elements have no names."""
    known: dict[str, Named] = field(default_factory=dict[str, Named])
    """Those that were looked up."""
    words: dict[Term, str] = field(default_factory=dict[Term, str], init=False)
    """Those that hold what a name stands for, once they were looked up."""
    uniform: dict[Term, str] = field(default_factory=dict[Term, str], init=False)
    """Those that no argument holds, and that were given names."""
    no_numbers: set[str] = field(default_factory=set[str], init=False)
    """Texts that were looked up and name none."""

    def named(self, name: Name, text: str, option: str) -> Named:
        """What the name stands for.  Raises ReadError, with a caret under the name in the option's text."""
        try:
            return self.found(name.text)
        except NoNumber as error:
            raise pointing(text, name.offset, str(error), option, error.hint) from None

    def of_option(self, name: Name, option: str) -> Named:
        """What a name in a size stands for.  Raises ReadError."""
        try:
            return self.found(name.text)
        except NoNumber as error:
            raise ReadError(str(error), in_option(option), error.hint) from None

    def found(self, name: str) -> Named:
        if name not in self.known:
            self.known[name] = self._found(name)
        return self.known[name]

    def number(self, name: str) -> Named | None:
        """What the name stands for; None where that is no integer."""
        if name in self.no_numbers and name not in self.known:
            return None
        try:
            return self.found(name)
        except NoNumber:
            self.no_numbers.add(name)
            return None

    def is_signed(self, name: str) -> bool:
        """Whether it stands for an integer that may be negative."""
        named = self.number(name)
        return named is not None and named.word.signed

    def words_of_arguments(self) -> list[Term]:
        """The words of the payload that hold the numbers that are passed by value."""
        named = (self.number(name) for name in self.of_arguments())
        return symbols_of(*(one.word.term for one in named if one is not None))

    def by_word(self) -> Mapping[Term, str]:
        """The names by the words that hold what they stand for."""
        if not self.words:
            for name in (*self.of_arguments(), *LAUNCH_NAMES):
                if (named := self.number(name)) is not None:
                    self.words.setdefault(named.word.term, name)
                    if named.places:
                        self.words.setdefault(self._word(named.places), name)
        return self.words

    def own_size(self, dimension: int) -> str:
        """The name of the size of the group itself: of a last group it may be less than `local_size_x`."""
        launched, name = self.start.group.launched, f"{LOCAL}_{DIMENSIONS[dimension]}"
        if launched is None or value_of(size := launched.sizes[dimension]) is not None:
            return name
        return name if self.found(name).word.term is size else InnerName(Kind.OWN_SIZE, dimension)

    def own_words(self) -> dict[Term, str]:
        """The sizes of the group by the words that hold them, where they may be less than those of the launch."""
        launched, found = self.start.group.launched, dict[Term, str]()
        for dimension in range(len(DIMENSIONS)) if launched is not None else ():
            if is_inner(name := self.own_size(dimension), Kind.OWN_SIZE) and launched is not None:
                found[launched.sizes[dimension]] = name
                payload = self._payload(LaunchValue.LOCAL_SIZE, dimension)
                found |= {} if payload is None else {payload.word.term: name}
        return found

    def of_uniform(self, word: BitVec, *, signed: bool) -> str | None:
        """A name for a word that all lanes have alike and no argument holds; the one that it has, if it has one.

        None where there are MOST_UNIFORM already.
        """
        if word not in self.uniform and len(self.uniform) < MOST_UNIFORM:
            self.uniform[word] = name = InnerName(Kind.WORD, len(self.uniform))
            self.known[name] = Named(Word(word, signed))
        return self.uniform.get(word)

    def _found(self, name: str) -> Named:
        launched = self.start.group.launched
        if isinstance(name, InnerName) and name.kind is Kind.OWN_SIZE and launched is not None:
            return Named(Word(launched.sizes[name.number]))
        if name in LAUNCH_NAMES:
            value, _, dimension = name.rpartition("_")
            return self._of_launch(value, DIMENSIONS.index(dimension))
        if (extreme := extreme_of(name, self.kernel, self.launch)) is not None:
            return named_extreme(extreme, self.launch, self.loaded)
        arguments = self.arguments()
        argument = next((one for one in arguments if name in (one.name, f"arg{one.index}")), None)
        if argument is not None:
            return self._argument(argument, arguments[argument])
        base, _, letters = name.rpartition(".")
        vector = next((one for one in arguments if base and base in (one.name, f"arg{one.index}")), None)
        if vector is not None:
            return self._component(vector, arguments[vector], letters)
        if base:
            return extent_named(name, self.kernel, self.launch)
        for item in self.kernel.inputs:
            if item.variable == name and item.size <= MOST_BYTES:
                places = tuple((name, byte) for byte in range(item.size))
                return Named(Word(self._word(places)), places)
        raise NoNumber(f"no argument by value is called {name!r}", self._hint())

    def _hint(self) -> str:
        known = self.of_arguments()
        sizes = f"of the launch: {', '.join(LAUNCH_NAMES)}"
        if known:
            return f"arguments by value: {', '.join(known)}; {sizes}"
        return f"`--launch FILE` names them, or take an input: V0034; {sizes}"

    # ------------------------------------------------------------ arguments

    def arguments(self) -> dict[Argument, dict[int, Place]]:
        """The arguments by value, with where each byte of them stands in the payload."""
        found: dict[Argument, dict[int, Place]] = {}
        for item in self.kernel.inputs:
            for piece in self.launch.pieces(item.variable):
                if isinstance(meaning := piece.meaning, ArgumentValue):
                    bytes_of = found.setdefault(meaning.argument, {})
                    bytes_of.update({meaning.offset + k: (item.variable, piece.offset + k) for k in range(piece.size)})
        return found

    def of_arguments(self) -> list[str]:
        """The names of the numbers that are passed by value: of a vector those of its components."""
        return [name for one in self.arguments() for name in names_of(one, self.launch)]

    def _argument(self, argument: Argument, places: Mapping[int, Place]) -> Named:
        info = self.launch.info(argument.index)
        found = self._integer(f"{argument}", info.type_name, places, range(max(places) + 1))
        # Of a number in a struct nobody says whether it may be negative, as strides of arrays are.
        return replace(found, word=replace(found.word, signed=True)) if argument.index >= MEMBERS else found

    def _component(self, argument: Argument, places: Mapping[int, Place], letters: str) -> Named:
        info = self.launch.info(argument.index)
        place = component(letters, info.components)
        if place is None:
            raise NoNumber(f"{argument} has no component {letters!r}", self._hint())
        first = place * info.scalar_bytes
        return self._integer(f"{argument}.{letters}", info.scalar, places, range(first, first + info.scalar_bytes))

    def _integer(self, what: str, type_name: str, places: Mapping[int, Place], which: range) -> Named:
        """What these bytes of an argument stand for."""
        if type_name and type_name not in SIGNED | UNSIGNED and not is_typedef(type_name):
            raise NoNumber(f"{what} is no integer but {type_name}", self._hint())
        if (size := len(which)) > MOST_BYTES or size & (size - 1):
            raise NoNumber(f"{what} has {size} bytes: it is no integer", self._hint())
        if not places.keys() >= {*which}:
            raise NoNumber(f"the kernel does not get all bytes of {what}", self._hint())
        own = tuple(places[byte] for byte in which)
        signed = type_name in SIGNED or is_typedef(type_name)  # of which nobody says whether it may be negative
        return Named(Word(self._word(own), signed), own, type_name=type_name)

    def _word(self, places: Iterable[Place]) -> BitVec:
        """The bytes as they are when the thread starts, the first one lowest."""
        parts: list[BitVec] = []
        for place in places:
            term, index = self.start.initial(*place)
            parts.append(extract(term, 8 * index + 7, 8 * index))
        return concat(*reversed(parts)) if len(parts) > 1 else parts[0]

    # ------------------------------------------------------------ values of the launch

    def _of_launch(self, value: str, dimension: int) -> Named:
        match value:
            case "local_size":
                return self._local_size(dimension)
            case "global_size":
                return self._global_size(dimension)
            case _:
                return self._group_count(dimension)

    def _payload(self, meaning: LaunchValue, dimension: int) -> Named | None:
        """A dword of the payload that holds it."""
        for variable, byte in self._shape.places((meaning,), dimension):
            places = tuple((variable, byte + k) for k in range(4))
            return Named(Word(self.payload_word(variable, byte)), places)
        return None

    def payload_word(self, variable: str, byte: int) -> BitVec:
        """A dword of a variable when the thread starts."""
        return self._word((variable, byte + k) for k in range(4))

    @property
    def _shape(self) -> GroupShape:
        return GroupShape(self.kernel, self.launch, self.launch.simd or 1)

    def _local_size(self, dimension: int) -> Named:
        launched, shape = self.start.group.launched, self._shape
        if launched is not None and (stated := self.launch.group_size) is not None:
            return Named(Word(const(stated[dimension], BITS)))
        meanings = LOCAL_SIZES if shape.whole else (LaunchValue.ENQUEUED_LOCAL_SIZE,)
        found = next(filter(None, (self._payload(one, dimension) for one in meanings)), None)
        own = launched.sizes[dimension] if launched is not None and shape.read else None
        if own is not None and (shape.whole or value_of(own) is not None):
            return Named(Word(own), () if found is None else found.places)
        return found if found is not None else self._enqueued(own, dimension)

    def _enqueued(self, own: BitVec | None, dimension: int) -> Named:
        """The enqueued local size where the kernel does not get to know it: no less than that of its group."""
        launched, size = self.start.group.launched, symbol(f"{ENQUEUED}_{DIMENSIONS[dimension]}", BITS)
        if own is None and (found := self._payload(LaunchValue.LOCAL_SIZE, dimension)) is not None:
            own = found.word.term
        facts = list(between(size, LARGEST_SIZE if launched is None else launched.most))
        if own is not None:
            facts.append(ule(own, zero_extend(size, own.width)))
        return Named(Word(size), facts=tuple(facts), what=f"local size {DIMENSIONS[dimension]}")

    def _global_size(self, dimension: int) -> Named:
        if dimension < len(self.global_sizes):
            return Named(Word(self.global_sizes[dimension]))
        found = self._payload(LaunchValue.GLOBAL_SIZE, dimension)
        own = symbol(f"{GLOBAL}_{DIMENSIONS[dimension]}", GLOBAL_BITS if self._of_32_bits else WIDE)
        size = own if found is None else found.word.term
        facts = tuple(self._above_the_ids(size, dimension))
        if found is not None:
            return Named(found.word, found.places, facts)
        return Named(Word(own), facts=facts, what=f"global size {DIMENSIONS[dimension]}")

    @property
    def _of_32_bits(self) -> bool:
        """Whether global ids are, as is assumed of launches."""
        return any(one.name == "global-ids" for one in self.start.assumed)

    @property
    def most_items(self) -> int:
        """How large a global size is at most in one dimension, where the global offset is 0."""
        return most_items(any(one.name == INT_IDS for one in self.start.assumed))

    def _above_the_ids(self, size: BitVec, dimension: int) -> Iterator[Bool]:
        """A group ends at the global size or before: whatever size the last one has."""
        launched = self.start.group.launched
        yield ule(const(1, size.width), size)
        if launched is not None and self._of_32_bits:
            yield ule(zero_extend(size, WIDE), const(self.most_items, WIDE))
            yield from self._last_group_ends(size, dimension, launched.sizes[dimension])

    def _last_group_ends(self, size: BitVec, dimension: int, own: BitVec) -> Iterator[Bool]:
        """At the global size; groups before it have the enqueued local size."""
        enqueued = self.found(f"{LOCAL}_{DIMENSIONS[dimension]}")
        whole, local, stride = (zero_extend(one, WIDE) for one in (size, own, enqueued.word.term))
        end = add(mul(zero_extend(GROUP_IDS[dimension], WIDE), stride), local)
        yield from enqueued.facts
        yield ule(end, whole)
        if self._shape.read:  # else the local size is not known, and 1 stands for it
            yield disj(eq(local, stride), eq(end, whole))
        yield ule(local, whole)
        count = self._payload(LaunchValue.GROUP_COUNT, dimension)
        if count is not None:
            of_groups = mul(zero_extend(count.word.term, WIDE), stride)
            yield ule(whole, of_groups)
            yield ult(of_groups, add(whole, stride))

    def _group_count(self, dimension: int) -> Named:
        found = self._payload(LaunchValue.GROUP_COUNT, dimension)
        own = symbol(f"{COUNT}_{DIMENSIONS[dimension]}", 32)
        count = own if found is None else found.word.term
        facts = (ult(GROUP_IDS[dimension], count),) if self.start.group.launched is not None else ()
        if found is not None:
            return Named(found.word, found.places, facts)
        return Named(Word(own), facts=facts, what=f"group count {DIMENSIONS[dimension]}")
