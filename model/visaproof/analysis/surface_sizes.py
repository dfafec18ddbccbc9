"""How many bytes the surfaces of a kernel have: what the user states of arguments, and the kernel of its SLM."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from visaproof.isa.errors import ReadError, in_option
from visaproof.isa.identity import Same
from visaproof.isa.operands import SCRATCH
from visaproof.isa.registers import Input
from visaproof.isa.surface_keys import OfArgument, StateAt, TableEntry, surface_key
from visaproof.launch.assumptions import Start, table_surfaces
from visaproof.launch.input_meaning import Argument, Meaning
from visaproof.launch.launch import (
    BufferAddress,
    BufferOffset,
    Launch,
    LaunchValue,
    Piece,
    SlmAddress,
    Surface,
)
from visaproof.launch.local_memory import passes_local_memory, scratch_bytes
from visaproof.launch.matching import is_linked, linked_address
from visaproof.launch.overlap import SURFACE_ALIGNMENT, multiples
from visaproof.launch.premises import Premise, premise
from visaproof.launch.relations.exact_terms import Exact, TooWide, clamped, exact
from visaproof.launch.relations.expression_reader import parse_expression
from visaproof.launch.relations.expressions import Expression, Number, names_in
from visaproof.launch.relations.launch_names import LaunchNames
from visaproof.machine.symbolic.trace import Performed, Trace
from visaproof.program.kernel import Kernel
from visaproof.semantics.symbolic.accesses import Access
from visaproof.semantics.symbolic.names import SurfaceSize, surface_size
from visaproof.semantics.symbolic.state import ADDRESS_BITS, SymbolicBuffer
from visaproof.smt import (
    BitVec,
    Bool,
    Term,
    concat,
    const,
    eq,
    extract,
    sle,
    substitute,
    truncate,
)

SIZE_OPTION = "--size"
SLM = "%slm"
LARGEST = (1 << ADDRESS_BITS) - 1
"""No address of a surface is larger, so it stands for all larger sizes."""


class Stated(Struct, frozen=True):
    """The sizes of surfaces by their keys, ADDRESS_BITS wide, and on what they rest."""

    sizes: Mapping[str, BitVec]
    premises: tuple[Bool, ...] = ()
    assumed: tuple[Premise, ...] = ()


_ADDRESSES = (BufferAddress, BufferOffset, SlmAddress)


def parse_amount(text: str, option: str) -> Expression:
    """`4096`, `0x1000`, `n`, `4*w*h` or `4*(w + 16)`.  Raises ReadError for anything else."""
    found = parse_expression(text, option)
    if isinstance(found, Number) and found.value > LARGEST:
        raise _bad(option, f"{text} is more than {LARGEST:#x}", "as in 4096, n or 4*w*h")
    return found


class AlignedAddresses(Struct, frozen=True):
    """That addresses in the payload, and of what the program names, are multiples of powers of two."""

    conditions: tuple[Bool, ...] = ()
    others: Mapping[str, int] = field(default_factory=dict[str, int])
    """The arguments of which it is not that of all the rest, by their names: of how many bytes."""

    def described(self, unit: int) -> str:
        """Of how many bytes, in words."""
        return multiples(unit, self.others)


def aligned_addresses(kernel: Kernel, launch: Launch, start: Start, unit: int, of_elements: bool) -> AlignedAddresses:
    """Multiples of `unit`; `of_elements`, of its element's size where the launch information says what it points to."""
    conditions: list[Bool] = []
    others: dict[str, int] = {}
    for item, piece in pieces(kernel, launch):
        own = _alignment(launch, piece.meaning, unit, of_elements)
        if own and (found := _multiple(_value(start, item.variable, piece), own)) is not None:
            conditions.append(found)
        if own not in (0, unit) and isinstance(piece.meaning, BufferAddress | BufferOffset):
            others[str(piece.meaning.argument)] = own
    named = (linked_address(name) for name in kernel.registers if is_linked(name))
    conditions += [found for one in named if (found := _multiple(one, unit)) is not None]
    return AlignedAddresses(tuple(conditions), others)


def _alignment(launch: Launch, meaning: Meaning, unit: int, of_elements: bool) -> int:
    """Bytes; 0 of what is no address.  Where a surface begins is rounded down to 4 bytes, so that offsets keep that."""
    if not isinstance(meaning, _ADDRESSES) and meaning is not LaunchValue.PRIVATE_BASE:
        return 0
    if not of_elements or not isinstance(meaning, BufferAddress | BufferOffset):
        return unit
    info = launch.info(meaning.argument.index)
    element = info.alignment if info.has_element else unit
    return min(element, SURFACE_ALIGNMENT) if isinstance(meaning, BufferOffset) else element


def _multiple(address: BitVec, unit: int) -> Bool | None:
    bits = unit.bit_length() - 1
    return eq(truncate(address, bits), const(0, bits)) if bits else None


def parse_size_option(text: str) -> tuple[str, Expression]:
    """`dst=4*n`, `arg1=4*n`, `1=0x1000` (a binding table index), `slm=1024`, or a name of the program: `table=64`."""
    surface, equals, amount = (part.strip() for part in text.partition("="))
    if not (surface and equals and amount):
        raise _bad(SIZE_OPTION, f"{text!r} is not SURFACE=BYTES", "as in src=4096, dst=4*n, 1=0x1000 or slm=1024")
    return surface, parse_amount(amount, SIZE_OPTION)


def stated_sizes(names: LaunchNames, keys: Iterable[str], options: Iterable[tuple[str, Expression]]) -> Stated:
    """The sizes of the surfaces `keys`.  Raises ReadError where an option names none that the launch knows."""
    kernel, launch, start = names.kernel, names.launch, names.start
    sizes: dict[str, BitVec] = {}
    assumed: list[Premise] = []
    premises: list[Bool] = []
    present = list(keys)
    if kernel.local_bytes is not None:
        sizes[SLM] = const(min(kernel.local_bytes, LARGEST), ADDRESS_BITS)
    elif launch.slm_bytes and not passes_local_memory(kernel, launch):
        sizes[SLM] = const(min(launch.slm_bytes, LARGEST), ADDRESS_BITS)
        if SLM in present:
            assumed.append(premise("slm-size", size=launch.slm_bytes))
    if SCRATCH in present and (own := scratch_bytes(kernel, launch)):
        sizes[SCRATCH] = const(min(own, LARGEST), ADDRESS_BITS)
        assumed.append(premise("scratch-size", size=own, surface=SCRATCH))
    tables = {key: launch.constants.get(name) for key, name in table_surfaces(kernel, launch).items()}
    sizes |= {key: const(len(one.content), ADDRESS_BITS) for key, one in tables.items() if one is not None}
    for name, amount in options:
        argument = _argument(kernel, launch, name)
        size, facts = _exact_amount(names, amount, SIZE_OPTION)
        premises += facts
        if size.range.low < 0:  # no buffer has so many bytes
            premises.append(sle(const(0, size.term.width), size.term))
        sizes |= dict.fromkeys(_keys_of(kernel, launch, name, argument, present), clamped(size, LARGEST))
        assumed.append(premise("stated-size", what=argument or name, size=amount))
        for item, piece in pieces(kernel, launch):
            if argument is not None and piece.meaning == BufferOffset(argument):
                premises.append(eq(_value(start, item.variable, piece), const(0, 8 * piece.size)))
                assumed.append(premise("stated-offset", offset=piece))
    return Stated(sizes, tuple(premises), tuple(assumed))


def amount_term(names: LaunchNames, amount: Expression, option: str) -> tuple[BitVec, tuple[Bool, ...]]:
    """The amount with ADDRESS_BITS bits, with what holds of its names in every launch.

    It is 0 where it is less, and LARGEST where it needs more bits.  Raises ReadError for a name that there is not.
    """
    value, facts = _exact_amount(names, amount, option)
    return clamped(value, LARGEST), facts


def _exact_amount(names: LaunchNames, amount: Expression, option: str) -> tuple[Exact, tuple[Bool, ...]]:
    found = {name.text: names.of_option(name, option) for name in names_in(amount)}
    try:
        value = exact(amount, {name: one.word for name, one in found.items()}, ADDRESS_BITS)
    except TooWide as error:
        raise _bad(option, f"{amount}: {error}", "") from None
    return value, tuple(fact for one in found.values() for fact in one.facts)


def pieces(kernel: Kernel, launch: Launch) -> Iterator[tuple[Input, Piece]]:
    """Every piece of the payload with the input that it is in."""
    for item in kernel.inputs:
        for piece in launch.pieces(item.variable):
            yield item, piece


def bytes_at(start: Start, variable: str, first: int, width: int) -> BitVec:
    """`width` bytes of an input from byte `first` on, as they are when the thread starts."""
    parts: list[BitVec] = []
    for byte in range(first, first + width):
        term, index = start.initial(variable, byte)
        parts.append(extract(term, 8 * index + 7, 8 * index))
    return concat(*reversed(parts)) if len(parts) > 1 else parts[0]


def _value(start: Start, variable: str, piece: Piece) -> BitVec:
    return bytes_at(start, variable, piece.offset, piece.size)


def _names(argument: Argument, name: str) -> bool:
    return name in (argument.name, f"arg{argument.index}")


def _argument(kernel: Kernel, launch: Launch, name: str) -> Argument | None:
    """The argument with a surface or an address that has this name."""
    indices = [*launch.binding_table.values(), *launch.arg_names]
    indices += [piece.meaning.argument.index for _, piece in pieces(kernel, launch)
                if isinstance(piece.meaning, BufferAddress)]  # fmt: skip
    return next((launch.argument(index) for index in indices if _names(launch.argument(index), name)), None)


def _keys_of(kernel: Kernel, launch: Launch, name: str, argument: Argument | None, keys: list[str]) -> list[str]:
    """The surfaces that the name stands for; none where the kernel does not use that one."""
    if name.lstrip("%").lower() in ("slm", "t0"):
        return [SLM]
    if name.isdecimal():
        return [str(TableEntry(int(name)))]
    if name in keys:
        return [name]
    if argument is None and f"&{name}" in keys:
        return [f"&{name}"]
    if argument is None:
        raise _bad(SIZE_OPTION, f"no surface is called {name!r}", _known_surfaces(launch, keys))
    return [key for key in keys if argument_of(kernel, launch, key) == argument]


def address_key(argument: Argument) -> str:
    """What the buffer of an argument is called that is reached by its address."""
    return str(OfArgument(argument.index))


def argument_of(kernel: Kernel, launch: Launch, key: str) -> Argument | None:
    """The argument whose surface or buffer has this key, where the launch says it."""
    match named := surface_key(key):
        case OfArgument(index):
            return launch.argument(index)
        case TableEntry(index):
            return launch.surface(index)
        case StateAt():
            for item, piece in pieces(kernel, launch):
                # ze_info has a bindless argument as its pointer, which holds the offset of its surface state.
                if named == StateAt(item.variable, piece.offset):
                    return piece.meaning.argument if isinstance(piece.meaning, Surface | BufferAddress) else None
        case _:
            pass
    return None


def _known_surfaces(launch: Launch, keys: list[str]) -> str:
    names = [argument.name for argument in map(launch.argument, launch.binding_table.values()) if argument.name]
    if not names:
        names = [str(one.index) if isinstance(one := surface_key(key), TableEntry) else key for key in keys]
    return f"surfaces: {', '.join(names)}" if names else "the kernel has none"


def _bad(option: str, message: str, hint: str) -> ReadError:
    return ReadError(message, in_option(option), hint)


def is_free(size: BitVec) -> bool:
    """Whether nothing is known of a size."""
    return isinstance(size.payload, SurfaceSize)


def with_sizes(trace: Trace, sizes: Mapping[str, BitVec]) -> Trace:
    """The trace of a launch whose surfaces have these sizes, and arbitrary ones where none is given."""
    replaced: dict[Term, Term] = {}
    surfaces = dict(trace.surfaces)
    for key, size in sizes.items():
        surface = surfaces.get(key)
        if isinstance(surface, SymbolicBuffer) and is_free(surface.size):
            replaced[surface.size] = size
            surfaces[key] = replace(surface, size=size)
    performed = tuple(_resized(one, replaced) if one.surface in sizes else one for one in trace.performed)
    return replace(trace, surfaces=surfaces, performed=performed)


def with_scratch_that_ends(trace: Trace) -> Trace:
    """The trace of a thread whose private memory in `%scratch` has an arbitrary size."""
    if SCRATCH not in trace.surfaces:
        return trace
    scratch = SymbolicBuffer(surface_size(SCRATCH))
    performed = tuple(_within(one, scratch) if one.surface == SCRATCH else one for one in trace.performed)
    return replace(trace, surfaces=trace.surfaces | {SCRATCH: scratch}, performed=performed)


def _within(performed: Performed, buffer: SymbolicBuffer) -> Performed:
    return _with_accesses(
        performed, [replace(one, inside=buffer.contains(one.cell[0], one.width)) for one in performed.accesses]
    )


def _resized(performed: Performed, sizes: Mapping[Term, Term]) -> Performed:
    return _with_accesses(performed, [replace(one, inside=substitute(one.inside, sizes)) for one in performed.accesses])


def _with_accesses(performed: Performed, accesses: Sequence[Access]) -> Performed:
    """The message with these in the place of its accesses."""
    by_old = dict(zip(map(Same, performed.accesses), accesses, strict=True))
    loaded = tuple((by_old[Same(access)], value) for access, value in performed.loaded)
    return replace(performed, accesses=tuple(accesses), loaded=loaded)


def offset_words(kernel: Kernel, launch: Launch, start: Start, key: str) -> tuple[BitVec, ...]:
    """The words of this surface's argument that say where in its buffer it begins: 0 if a size is stated."""
    own = argument_of(kernel, launch, key)
    found = () if own is None else pieces(kernel, launch)
    return tuple(
        bytes_at(start, item.variable, piece.offset, piece.size)
        for item, piece in found
        if own is not None and piece.meaning == BufferOffset(own)
    )
