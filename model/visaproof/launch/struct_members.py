"""The pointers and numbers that are passed in structs by value, as functors of SYCL are.

    {arg_type: arg_byvalue, arg_index: 1, source_offset: 16, size: 8, is_ptr: true}      the buffer `arg1_16`
    {arg_type: arg_byvalue, arg_index: 2, source_offset: 0, size: 56}                    .input V0044 size=8: `arg2_0`

The compiler cuts such structs into their members and says which are pointers.  Each is an argument of its own.  Numbers
that follow one another are one entry: there the inputs of the kernel say where each begins.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from visaproof.isa.registers import Register
from visaproof.launch.input_meaning import MEMBERS, Argument, ArgumentValue, Piece
from visaproof.launch.overlap import NOTHING_SAID, ArgumentInfo
from visaproof.launch.yaml_tree import Node

Place = tuple[int, int]
"""An argument and a byte of it."""

POINTER_BYTES = 8
INT_BYTES = 4
MEMBER_BYTES = (2, 4, 8)
"""Of numbers; a single byte mostly fills a gap."""

CLASS = "class."
"""How the names of classes begin.  A struct is that of C++, too, if there is a pointer in it: OpenCL C allows none."""

SCOPE = "::"
"""In the name of a type of C++."""

MOST_BYTES = 1 << 16
"""Of a struct; so many indices from `MEMBERS` on are those of what stands in one argument."""


def members(
    payload: Sequence[Node], names: Mapping[int, str], infos: Mapping[int, ArgumentInfo]
) -> dict[Place, Argument]:
    """By where they are passed.  Byte 16 of an argument `f` is `f_16`, or `arg1_16`: no other argument has the name."""
    found: dict[Place, Argument] = {}
    places = _places(payload)
    with_pointers = {place[0] for one in payload if is_pointer(one) and (place := by_value(one))}
    for node in payload:
        place = by_value(node)
        if place is None or not number_bytes(node):
            continue
        index, offset = place
        if index in with_pointers or (_is_class(infos.get(index)) and places[index] > 1):
            found[place] = _member(index, offset, names)
    return found


def members_of_inputs(
    pieces: Mapping[str, tuple[Piece, ...]],
    registers: Mapping[str, Register],
    names: Mapping[int, str],
    infos: Mapping[int, ArgumentInfo],
) -> dict[str, tuple[Piece, ...]]:
    """What the inputs hold, where those that are one number of a struct of C++ hold an argument of its own."""
    found = dict(pieces)
    for variable, held in pieces.items():
        match held:
            case (Piece(0, size, ArgumentValue(Argument(index), offset)),) if index < MEMBERS:
                declared = registers.get(variable)
                is_number = declared is not None and declared.type.bits == 8 * size and size in MEMBER_BYTES
                if is_number and offset + size <= MOST_BYTES and _is_of_cpp(infos.get(index)):
                    found[variable] = (Piece(0, size, ArgumentValue(_member(index, offset, names))),)
            case _:
                pass
    return found


def _member(index: int, offset: int, names: Mapping[int, str]) -> Argument:
    name = f"{names.get(index) or f'arg{index}'}_{offset}"
    while name in names.values():
        name += "_"
    return Argument(MEMBERS + index * MOST_BYTES + offset, name)


def names_of_members(pieces: Mapping[str, tuple[Piece, ...]]) -> dict[int, str]:
    """By index."""
    held = (one.meaning.argument for each in pieces.values() for one in each if isinstance(one.meaning, ArgumentValue))
    return {one.index: one.name for one in held if one.index >= MEMBERS and one.name is not None}


def without_classes(payload: Sequence[Node], infos: Mapping[int, ArgumentInfo]) -> dict[int, ArgumentInfo]:
    """What is said of arguments, but for the types of structs that are one number, as sizes are in SYCL."""
    places = _places(payload)
    return {
        index: replace(info, type_name="") if places[index] == 1 and _is_class(info) else info
        for index, info in infos.items()
    }


def by_value(node: Node) -> Place | None:
    """Of which argument it is a part, and where."""
    index, offset = node.integer_or("arg_index", -1), max(0, node.integer_or("source_offset", 0))
    return (index, offset) if node["arg_type"].text == "arg_byvalue" and index >= 0 and offset < MOST_BYTES else None


def number_bytes(node: Node) -> int:
    """Of the number with which a part begins; 0 where it is none.

    The gap after a number of four bytes may be passed with it: 5 bytes, of which 4 are the number.
    """
    size = node["size"].natural
    if INT_BYTES < size < POINTER_BYTES and max(0, node.integer_or("source_offset", 0)) % INT_BYTES == 0:
        return INT_BYTES
    return size if size in MEMBER_BYTES else 0


def is_pointer(node: Node) -> bool:
    """Whether it is a pointer that is passed in a struct."""
    flag = node.get("is_ptr")
    said = flag is not None and flag.text == "true"
    return said and node["size"].natural == POINTER_BYTES and by_value(node) is not None


def _is_class(info: ArgumentInfo | None) -> bool:
    return (info or NOTHING_SAID).type_name.startswith(CLASS)


def _is_of_cpp(info: ArgumentInfo | None) -> bool:
    return _is_class(info) or SCOPE in (info or NOTHING_SAID).type_name


def _places(payload: Sequence[Node]) -> Counter[int]:
    """How many parts of each argument are passed by value; what is longer than a number is as many as it may hold."""
    found = Counter[int]()
    for node in payload:
        if (place := by_value(node)) is not None:
            found[place[0]] += max(1, node["size"].natural // POINTER_BYTES)
    return found
