"""What the rules of grammar.lark for operands mean."""

import re
from collections.abc import Callable
from functools import partial
from typing import cast

from lark import Token
from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.isa.types import DataType
from visaproof.visaasm import constant_expressions as arithmetic
from visaproof.visaasm.constant_expressions import UnreadableNumber
from visaproof.visaasm.fragment_records import FragmentError, Shape
from visaproof.visaasm.grammar_rules import Constant, ConstantRules, literal_value, type_spelled, unquoted
from visaproof.visaasm.naming import listed, shown
from visaproof.visaasm.syntax import (
    AddressOf,
    Immediate,
    IndirectOperand,
    LscAddress,
    LscBase,
    LscData,
    LscPayload,
    LscPlace,
    Name,
    Number,
    RawOperand,
    Region,
    RowRegion,
    SubscriptedName,
    VectorDestination,
    VectorSource,
)

VERTICAL_STRIDES = (0, 1, 2, 4, 8, 16, 32)
WIDTHS = (0, 1, 2, 4, 8, 16)
HORIZONTAL_STRIDES = (0, 1, 2, 4)
LARGEST_OFFSET = 1 << 16
"""Of a raw operand, in bytes; rows and columns are smaller still."""

LARGEST_ADDRESS = (1 << 64) - 1

DATA_SHAPE = re.compile(
    r"[du](8[cu]32|16[cu]32h?|8|16|32|64)((x(64|32|16|8|4|3|2|1))?t?|\.(?=.)x?y?z?w?|\.([0-9]+x)?[0-9]+x[0-9]+[nt]?[nt]?)"
    r"|[0-9]+x[0-9]+"
)
"""The last one is a block of bytes of an image.  Source: docs/pages/current-compiler.md §6."""

ADDRESS_SIZES = ("a16", "a32", "a32s", "a32u", "a64")

BaseAt = Callable[[Position], LscBase]
Part = tuple[BaseAt, int]
"""A part of an address, and the constant that is added to it."""


class Model(Struct, frozen=True):
    """The model of an LSC address: its word, what stands in its parentheses, and the index after that."""

    word: str
    base: BaseAt | None
    index: int = 0


class OperandRules(ConstantRules):
    """Operands without their place; see `Shape`."""

    # ------------------------------------------------------------ parts

    def origin(self, row: Constant, column: Constant) -> tuple[int, int]:
        return _natural(row, "row"), _natural(column, "column")

    def region(self, vertical: Constant, width: Constant, horizontal: Constant) -> Region:
        return Region(
            _one_of(VERTICAL_STRIDES, vertical, "vertical stride"),
            _one_of(WIDTHS, width, "width"),
            _one_of(HORIZONTAL_STRIDES, horizontal, "horizontal stride"),
        )

    def row_region(self, width: Constant, horizontal: Constant) -> RowRegion:
        return RowRegion(
            _one_of(WIDTHS, width, "width"),
            _one_of(HORIZONTAL_STRIDES, horizontal, "horizontal stride"),
        )

    # ------------------------------------------------------------ words and numbers

    def bare(self, name: Token) -> Shape:
        return Shape(str(name), Name)

    def quoted(self, text: Token) -> Shape:
        return Shape(unquoted(text), Name)

    def number(self, token: Token) -> Shape:
        value = literal_value(token).value
        return Shape("", lambda _, position: Number(value, position))

    def immediate(self, constant: Constant, spelled: Token) -> Shape:
        data_type = type_spelled(spelled, spelled.start_pos or 0)
        try:
            bits = arithmetic.integer_bits(constant.value, data_type)
        except UnreadableNumber as error:
            raise FragmentError(str(error), constant.offset) from None
        return Shape("", lambda _, position: Immediate(bits, data_type, position))

    def float_immediate(self, fraction: Token, spelled: Token) -> Shape:
        return _float_immediate(fraction, "", spelled)

    def negative_float_immediate(self, fraction: Token, spelled: Token) -> Shape:
        return _float_immediate(fraction, "-", spelled)

    # ------------------------------------------------------------ registers

    def raw(self, name: Token, offset: Constant) -> Shape:
        start = _natural(offset, "offset")
        return Shape(str(name), lambda variable, position: RawOperand(variable, start, position))

    def destination_start(self, name: Token, stride: Constant) -> Shape:
        return self.destination(name, (0, 0), stride)

    def destination(self, name: Token, origin: tuple[int, int], stride: Constant) -> Shape:
        row, column = origin
        step = _one_of(HORIZONTAL_STRIDES, stride, "destination stride")
        return Shape(str(name), lambda variable, position: VectorDestination(variable, row, column, step, position))

    def source(self, modifier: Token | None, name: Token, origin: tuple[int, int], region: Region) -> Shape:
        row, column = origin
        sign = _modifier(modifier)
        return Shape(str(name), lambda variable, position: VectorSource(variable, row, column, region, sign, position))

    def surface_state(self, name: Token, origin: tuple[int, int], region: Region, index: Constant) -> Shape:
        row, column = origin
        number = _natural(index, "index")
        return Shape(
            str(name), lambda variable, position: VectorSource(variable, row, column, region, "", position, number)
        )

    def source_row(self, name: Token, origin: tuple[int, int]) -> Shape:
        return self.source(None, name, origin, Region(1, 1, 0))

    def subscripted(self, name: Token, element: Constant) -> Shape:
        return _subscripted(name, element, None, None)

    def subscripted_stride(self, name: Token, element: Constant, stride: Constant) -> Shape:
        return _subscripted(name, element, None, stride.value)

    def subscripted_region(self, name: Token, element: Constant, region: Region) -> Shape:
        return _subscripted(name, element, region, None)

    def indirect_destination(
        self, _: Token, name: Token, element: Constant, offset: Constant | None, stride: Constant, spelled: Token
    ) -> Shape:
        step = _one_of(HORIZONTAL_STRIDES, stride, "destination stride")
        return _indirect(name, element, offset, None, step, spelled, "")

    def indirect_source(
        self,
        modifier: Token | None,
        _: Token,
        name: Token,
        element: Constant,
        offset: Constant | None,
        region: Region | RowRegion,
        spelled: Token,
    ) -> Shape:
        return _indirect(name, element, offset, region, None, spelled, _modifier(modifier))

    def address_of(self, name: Token, offset: Constant | None) -> Shape:
        start = offset.value if offset else 0
        if not -(2**15) <= start < 2**15:
            raise FragmentError("this offset needs more than 16 bits", offset.offset if offset else 0)
        return Shape(str(name), lambda variable, position: AddressOf(variable, start, position))

    # ------------------------------------------------------------ lsc_* operands

    def lsc_data(self, name: Token, offset: Constant | None, shape: Token) -> Shape:
        start = _natural(offset, "offset") if offset else 0
        if not DATA_SHAPE.fullmatch(shape):
            hint = "a data shape is written as d32, u8, d64x4, d32x16t, d16u32 or d32.xyzw"
            raise FragmentError(f"unknown data shape {shown(shape)}", shape.start_pos or 0, hint)
        text = str(shape)
        return Shape(str(name), lambda variable, position: LscData(variable, start, text, position))

    def plain_model(self, name: Token) -> Model:
        return Model(str(name), None)

    def constant_model(self, name: Token, argument: Constant) -> Model:
        largest = LARGEST_ADDRESS if name == "flat" else LARGEST_OFFSET
        value = _natural(argument, "base" if name == "flat" else "surface", largest)
        return Model(str(name), partial(Number, value))

    def named_model(self, name: Token, base: BaseAt, index: Constant | None) -> Model:
        return Model(str(name), base, _natural(index, "index") if index else 0)

    def raw_base(self, variable: Token, offset: Token | None) -> BaseAt:
        return (
            partial(RawOperand, str(variable), literal_value(offset).value) if offset else partial(Name, str(variable))
        )

    def element_base(self, variable: Token, origin: tuple[int, int]) -> BaseAt:
        return lambda position: VectorSource(str(variable), *origin, Region(0, 1, 0), "", position)

    def payload(self, name: Token, offset: Constant | None) -> tuple[str, int]:
        return str(name), _natural(offset, "offset") if offset else 0

    def lsc_address(
        self,
        model: Model | None,
        scale: Constant | None,
        payload: tuple[str, int],
        displacement: Constant | None,
        size: Token,
    ) -> Shape:
        width = _address_size(size)
        place, factor = model or Model("flat", None), scale.value if scale else 1
        start, added = payload[1], displacement.value if displacement else 0

        def build(name: str, position: Position) -> LscAddress:
            base = None if place.base is None else place.base(position)
            return LscAddress(place.word, base, name, start, factor, added, width, position, place.index)

        return Shape(payload[0], build)

    def raw_part(self, payload: tuple[str, int], displacement: Constant | None) -> Part:
        return partial(RawOperand, *payload), displacement.value if displacement else 0

    def element_part(self, variable: Token, origin: tuple[int, int], displacement: Constant | None) -> Part:
        return self.element_base(variable, origin), displacement.value if displacement else 0

    def constant_part(self, constant: Constant) -> Part:
        return partial(Number, constant.value), 0

    def lsc_place(self, model: Model | None, *parts: Part | Token | None) -> Shape:
        *operands, size = parts
        place = model or Model("flat", None)
        read = [one for one in operands if isinstance(one, tuple)]
        width = "" if size is None else _address_size(cast(Token, size))

        def build(_: str, position: Position) -> LscPlace:
            base = None if place.base is None else place.base(position)
            found = tuple(at(position) for at, _ in read)
            return LscPlace(place.word, base, found, tuple(by for _, by in read), width, position, place.index)

        return Shape("", build)

    def lsc_unsized(self, model: Model, payload: tuple[str, int]) -> Shape:
        """`bti(1)[V10]`, as lsc_read_state_info has it."""

        def build(name: str, position: Position) -> LscPlace:
            base = None if model.base is None else model.base(position)
            part = RawOperand(name, payload[1], position)
            return LscPlace(model.word, base, (part,), (0,), "", position, model.index)

        return Shape(payload[0], build)

    def lsc_payload(self, model: Model | None, payload: tuple[str, int], x: Constant, y: Constant) -> Shape:
        word = model.word if model else "flat"
        if model and model.base is not None:
            raise FragmentError(f"a payload behind {word}(…)", x.offset, "flat[V + (X,Y)]")
        start = payload[1]

        def build(name: str, position: Position) -> LscPayload:
            return LscPayload(word, name, start, x.value, y.value, position)

        return Shape(payload[0], build)


def _address_size(size: Token) -> str:
    if size not in ADDRESS_SIZES:
        hint = f"the address sizes are {listed(ADDRESS_SIZES)}"
        raise FragmentError(f"unknown address size {shown(size)}", size.start_pos or 0, hint)
    return str(size)


def _natural(constant: Constant, what: str, largest: int = LARGEST_OFFSET) -> int:
    if 0 <= constant.value <= largest:
        return constant.value
    hint = f"0 to {largest} can be written"
    raise FragmentError(f"{what} {constant.value} is out of range", constant.offset, hint)


def _one_of(allowed: tuple[int, ...], constant: Constant, what: str) -> int:
    if constant.value in allowed:
        return constant.value
    hint = f"it is {listed(map(str, allowed))}"
    raise FragmentError(f"there is no {what} {constant.value}", constant.offset, hint)


def _modifier(token: Token | None) -> str:
    """ "-" for `(-)`, "abs" for `(abs)`."""
    return "" if token is None else re.sub(r"[() \t]", "", token)


def _float_immediate(fraction: Token, sign: str, spelled: Token) -> Shape:
    data_type = type_spelled(spelled, spelled.start_pos or 0)
    try:
        bits = arithmetic.float_bits(sign + fraction, data_type)
    except UnreadableNumber as error:
        hint = "the number of another type is written as its bits: 0x3c00:hf"
        raise FragmentError(str(error), spelled.start_pos or 0, hint) from None
    return Shape("", lambda _, position: Immediate(bits, data_type, position))


def _subscripted(name: Token, element: Constant, region: Region | None, horizontal: int | None) -> Shape:
    index = _natural(element, "element")
    return Shape(str(name), lambda variable, position: SubscriptedName(variable, index, region, horizontal, position))


def _indirect(
    name: Token,
    element: Constant,
    offset: Constant | None,
    region: Region | RowRegion | None,
    horizontal: int | None,
    spelled: Token,
    modifier: str,
) -> Shape:
    data_type: DataType = type_spelled(spelled, spelled.start_pos or 0)
    if data_type.packed:
        raise FragmentError(f"no register has the packed type {spelled}", spelled.start_pos or 0)
    index, start = _natural(element, "element"), offset.value if offset else 0
    return Shape(
        str(name),
        lambda variable, position: IndirectOperand(
            variable, index, start, region, horizontal, data_type, modifier, position
        ),
    )
