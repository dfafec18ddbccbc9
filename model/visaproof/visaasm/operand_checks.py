"""Whether an operand names what exists: variables of the right kind, elements inside them.

Source: docs/pages/operands-and-files.md §3-§6.
"""

from collections.abc import Callable, Sequence
from typing import cast

from msgspec.structs import replace

from visaproof.isa.errors import Position, ReadError
from visaproof.visaasm.declarations import KINDS, Declarations
from visaproof.visaasm.opcode_kinds import LOGIC
from visaproof.visaasm.predefined import NULL
from visaproof.visaasm.syntax import (
    AddressOf,
    AddressVariable,
    GeneralVariable,
    IndirectOperand,
    LscAddress,
    LscBase,
    LscData,
    LscPayload,
    LscPlace,
    Name,
    Operand,
    PredicateUse,
    PredicateVariable,
    RawOperand,
    Region,
    RowRegion,
    SamplerVariable,
    SubscriptedName,
    SurfaceVariable,
    VectorDestination,
    VectorSource,
)

ROW_BYTES = 32
"""The smallest GRF: with a larger one, row r lies further in."""


def renamed(operand: Operand, declarations: Declarations) -> Operand:
    """The operand with the unique names of its variables: `V#2` for a `V` that an inner scope declares again."""

    def unique(name: str) -> str:
        variable = declarations.find(name)
        return variable.name if variable else name

    return with_names(operand, unique)


def with_names(operand: Operand, unique: Callable[[str], str]) -> Operand:
    """The operand with other names of its variables, or of its label."""
    match operand:
        case IndirectOperand():
            return replace(operand, address_variable=unique(operand.address_variable))
        case SubscriptedName() | Name():
            return replace(operand, name=unique(operand.name))
        case LscAddress():
            base = None if operand.base is None else with_names(operand.base, unique)
            assert base is None or isinstance(base, LscBase)
            return replace(operand, variable=unique(operand.variable), base=base)
        case LscPlace():
            names = [None if one is None else with_names(one, unique) for one in (operand.base, *operand.parts)]
            base, *parts = cast(list[LscBase | None], names)
            return replace(operand, base=base, parts=tuple(parts))
        case RawOperand() | VectorSource() | VectorDestination() | AddressOf() | LscData() | LscPayload():
            return replace(operand, variable=unique(operand.variable))
        case _:
            return operand


def resolve_name(operand: Name, declarations: Declarations) -> Name | RawOperand:
    """A bare word as what it names; a general variable stands for its bytes from 0 on."""
    variable = declarations.known(operand.name, operand.position)
    if isinstance(variable, GeneralVariable):
        return RawOperand(operand.name, 0, operand.position)
    return operand


def resolve_base(operand: Operand, declarations: Declarations) -> Operand:
    """An address whose base is a bare word, with what that names."""
    if isinstance(operand, LscAddress | LscPlace) and isinstance(operand.base, Name):
        return replace(operand, base=resolve_name(operand.base, declarations))
    return operand


def check_operand(operand: Operand, declarations: Declarations) -> None:
    """Raises ReadError if the operand names something that does not exist."""
    match operand:
        case RawOperand(variable, offset, position) | LscData(variable, offset, _, position):
            _check_bytes(variable, offset, declarations, position)
        case VectorSource(variable, row, column, region, _, position):
            _check_width(region, position)
            if variable == NULL:
                raise ReadError(f"{NULL} cannot be read as a vector", position, "it is absent only in raw operands")
            _check_origin(variable, row, column, declarations, position)
        case VectorDestination(variable, row, column, _, position):
            if variable != NULL:
                _check_origin(variable, row, column, declarations, position)
        case IndirectOperand(region=region, position=position):
            _check_width(region, position)
            _check_indirect(operand, declarations)
        case AddressOf(variable, _, position):
            found = declarations.known(variable, position)
            if not isinstance(found, GeneralVariable | SurfaceVariable):
                raise _wrong_kind(variable, "a general variable or a surface", declarations, position)
        case SubscriptedName():
            _check_subscript(operand, declarations)
        case LscPayload(_, variable, offset, _, _, position):
            _check_bytes(variable, offset, declarations, position)
        case LscAddress() | LscPlace():
            _check_address(operand, declarations)
        case _:
            return


def _check_address(operand: LscAddress | LscPlace, declarations: Declarations) -> None:
    if isinstance(operand, LscAddress):
        _check_bytes(operand.variable, operand.offset, declarations, operand.position)
    else:
        for part in operand.parts:
            check_operand(part, declarations)
    if isinstance(operand.base, Name):
        declarations.known(operand.base.name, operand.position)
    elif operand.base is not None:
        check_operand(operand.base, declarations)


def check_predicate(use: PredicateUse, declarations: Declarations, position: Position) -> None:
    if not isinstance(declarations.known(use.variable, position, PredicateVariable), PredicateVariable):
        raise _wrong_kind(use.variable, "a predicate", declarations, position)


def check_predicates(opcode: str, operands: Sequence[Operand], declarations: Declarations) -> None:
    """Raises ReadError where another variable is named in the place of a predicate."""
    bare = [operand for operand in operands if isinstance(operand, Name)]
    if opcode in ("setp", "cmp"):
        places = operands[:1]
    elif opcode == "mov" or (opcode in LOGIC and bare):
        places = bare if opcode == "mov" else operands
    else:
        return
    for operand in places:
        if isinstance(operand, Name | RawOperand):
            name = operand.name if isinstance(operand, Name) else operand.variable
            if not isinstance(declarations.known(name, operand.position, PredicateVariable), PredicateVariable):
                raise _wrong_kind(name, "a predicate", declarations, operand.position)
        elif opcode in LOGIC:
            hint = "either all operands are predicates or none is"
            raise ReadError(f"{opcode} of predicates and of numbers", operand.position, hint)


def _general(name: str, declarations: Declarations, position: Position) -> GeneralVariable:
    variable = declarations.known(name, position, GeneralVariable)
    if isinstance(variable, GeneralVariable):
        return variable
    raise _wrong_kind(name, "a general variable", declarations, position)


def _check_bytes(name: str, offset: int, declarations: Declarations, position: Position) -> None:
    variable = _general(name, declarations, position)
    if offset >= variable.size:
        hint = f"{name} has {variable.size} bytes"
        raise ReadError(f"{name}.{offset} reads past the end of {name}", position, hint)


def _check_origin(name: str, row: int, column: int, declarations: Declarations, position: Position) -> None:
    variable = _general(name, declarations, position)
    start = row * ROW_BYTES + column * variable.type.size
    if start >= variable.size and start >= declarations.bytes_from(variable):
        hint = f"{name} has {variable.size} bytes, and the element starts at byte {start}"
        raise ReadError(f"{name}({row},{column}) lies past the end of {name}", position, hint)


def _check_width(region: Region | RowRegion | None, position: Position) -> None:
    """Intel's parser takes a width of 0, with which no element has a place."""
    if region is not None and region.width == 0:
        raise ReadError("a region of width 0 has no elements", position, "it is 1, 2, 4, 8 or 16")


def _check_indirect(operand: IndirectOperand, declarations: Declarations) -> None:
    name, position = operand.address_variable, operand.position
    variable = declarations.known(name, position, AddressVariable)
    if not isinstance(variable, AddressVariable):
        raise _wrong_kind(name, "an address variable", declarations, position)
    _check_element(name, operand.element, variable.num_elts, position)


def _check_subscript(operand: SubscriptedName, declarations: Declarations) -> None:
    name, position = operand.name, operand.position
    variable = declarations.known(name, position)
    addressed = operand.region is not None or operand.horizontal is not None
    if addressed and not isinstance(variable, AddressVariable):
        raise _wrong_kind(name, "an address variable", declarations, position)
    if not isinstance(variable, AddressVariable | SurfaceVariable | SamplerVariable):
        raise _wrong_kind(name, "a surface, a sampler or an address variable", declarations, position)
    _check_element(name, operand.element, variable.num_elts, position)


def _check_element(name: str, element: int, num_elts: int, position: Position) -> None:
    if element >= num_elts:
        raise ReadError(f"{name}({element}) lies past the end of {name}", position, f"{name} has {num_elts}")


def _wrong_kind(name: str, wanted: str, declarations: Declarations, position: Position) -> ReadError:
    found = KINDS[type(declarations.known(name, position))]
    return ReadError(f"{name} is {found}", position, f"{wanted} is needed here")
