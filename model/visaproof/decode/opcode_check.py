"""Whether a statement is one that its opcode's page describes.  All machines ask here before they run it."""

from collections.abc import Iterator

from visaproof.isa.errors import NotModelled, Position
from visaproof.isa.execution import ExecMask
from visaproof.isa.opcodes import ROWS, Form, Lanes, Mix, Predicates, Row, Saturation, Types
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.visaasm.naming import listed
from visaproof.visaasm.opcode_kinds import LOGIC, PACKED, RESTRICTED_FLOATS, is_scalar
from visaproof.visaasm.syntax import (
    AddressVariable,
    GeneralVariable,
    Immediate,
    IndirectOperand,
    Instruction,
    Kernel,
    Name,
    Operand,
    PredicateVariable,
    SamplerVariable,
    SubscriptedName,
    SurfaceVariable,
    VectorDestination,
    VectorSource,
)

Found = tuple[DataType | None, ...]

_HALF_MASKS = (ExecMask.M1, ExecMask.M5, ExecMask.M1_NM, ExecMask.M5_NM)


def require_described(instruction: Instruction, kernel: Kernel, platform: Platform) -> None:
    """Raises NotModelled for a form of an ALU opcode that its page does not describe; others are not looked at."""
    row = ROWS.get(instruction.opcode)
    if row is None or (instruction.opcode in LOGIC and any(isinstance(one, Name) for one in instruction.operands)):
        return
    refusal = next(_refusals(instruction, row, kernel, platform), None)
    if refusal is not None:
        what, position = refusal
        raise NotModelled(f"{instruction.opcode}{what}: page {row.page}", position)


def _refusals(instruction: Instruction, row: Row, kernel: Kernel, platform: Platform) -> Iterator[tuple[str, Position]]:
    """What the page does not describe, as the end of a sentence that begins with the opcode."""
    yield from _statement_refusals(instruction, row)
    yield from _operand_refusals(instruction, row)
    match instruction.opcode:
        case "mov" if isinstance(instruction.operands[1], Name):
            yield from _predicate_move_refusals(instruction, kernel)
            return
        case "mov" if isinstance(instruction.operands[0], SubscriptedName):
            yield from _address_move_refusals(instruction, kernel)
            return
        case "movs":
            yield from _state_refusals(instruction, row, kernel)
            return
        case "setp":
            yield from _half_refusals(instruction)
        case _:
            pass
    found = tuple(_type_of(operand, kernel) for operand in instruction.operands)
    first = int(row.predicates is Predicates.RESULT and isinstance(instruction.operands[0], Name))
    if (wrong := _wrong_type(found, first, row, platform)) is not None:
        place, why = wrong
        yield f" with {why}", instruction.operands[place].position
    elif "sat" in instruction.suffixes and row.saturation is Saturation.FLOATS and not _is_float(found[0]):
        yield ".sat of integers, which saturates floats only", instruction.position
    elif row.lanes is Lanes.UNMASKED and found[0] is DataType.UB and not _is_unmasked(instruction):
        yield " into :ub without NoMask", instruction.position


def _statement_refusals(instruction: Instruction, row: Row) -> Iterator[tuple[str, Position]]:
    execution = instruction.execution
    if "sat" in instruction.suffixes and row.saturation is Saturation.NO:
        yield ".sat, which it does not have", instruction.position
    if instruction.predicate is not None and not row.predicated:
        yield " under a predicate, which it does not have", instruction.position
    if execution is not None and execution.size not in row.sizes:
        yield f" with {execution.size} lanes, not {listed(map(str, row.sizes))}", instruction.position


def _operand_refusals(instruction: Instruction, row: Row) -> Iterator[tuple[str, Position]]:
    for place, operand in enumerate(instruction.operands):
        name = _name(place, row)
        modifier = getattr(operand, "modifier", "")
        if modifier not in row.modifiers.value:
            yield f" with ({modifier}) before {name}, which it does not have", operand.position
        if isinstance(operand, IndirectOperand) and not row.indirect:
            yield f" with an indirect {name}", operand.position
        if isinstance(operand, Immediate) and not row.immediate:
            yield f" with an immediate {name}", operand.position
        if isinstance(operand, Immediate) and operand.type is DataType.VF and _lanes(instruction) > RESTRICTED_FLOATS:
            yield f" with more lanes than {name} of type :vf has elements", operand.position


def _predicate_move_refusals(instruction: Instruction, kernel: Kernel) -> Iterator[tuple[str, Position]]:
    """Page MOV: "<exec_size> must be one", and a destination of UB, UW or UD that holds every bit.

    Into D by the reading mov-of-predicate.
    """
    source, target = instruction.operands[1], instruction.operands[0]
    assert isinstance(source, Name)
    declared, result = kernel.variables.get(source.name), _type_of(target, kernel)
    if not isinstance(declared, PredicateVariable):
        yield f" of {source.name}, which is no predicate", source.position
    elif result not in (DataType.UB, DataType.UW, DataType.UD, DataType.D) or result.bits < declared.num_elts:
        yield f" of {declared.num_elts} predicate bits into {_spelled(result)}", target.position
    if instruction.execution is not None and instruction.execution.size != 1:
        yield " of a predicate with more than one lane", instruction.position
    if instruction.predicate is not None or instruction.suffixes:
        yield " of a predicate with predication or saturation", instruction.position


def _address_move_refusals(instruction: Instruction, kernel: Kernel) -> Iterator[tuple[str, Position]]:
    """5_operands.md: "initialize an address register to zero for all lanes"; the reading mov-of-address."""
    target, source = instruction.operands
    assert isinstance(target, SubscriptedName)
    if not isinstance(kernel.variables.get(target.name), AddressVariable):
        yield f" into {target.name}, which is no address variable", target.position
    if not isinstance(source, Immediate) or source.bits or source.type.floating:
        yield " into an address register of anything but the integer 0", source.position
    if "sat" in instruction.suffixes:
        yield ".sat into an address register", instruction.position


def _state_refusals(instruction: Instruction, row: Row, kernel: Kernel) -> Iterator[tuple[str, Position]]:
    """Page MOVS: an index in UD into a state variable, or from one into another of its class or into UD."""
    classes: set[type] = set()
    for place, operand in enumerate(instruction.operands):
        name = operand.name if isinstance(operand, SubscriptedName | Name) else ""
        declared = kernel.variables.get(name)
        if isinstance(operand, SubscriptedName) and isinstance(declared, SurfaceVariable | SamplerVariable):
            classes.add(type(declared))
            if operand.element + _lanes(instruction) > declared.num_elts:
                yield (
                    f" of elements of {name} from {operand.element} on, which has {declared.num_elts}",
                    operand.position,
                )
        elif name:
            yield f" with {name}, which is no element of a state variable", operand.position
        elif (found := _type_of(operand, kernel)) not in (allowed := _state_types(row, place)):
            yield (
                f" with {_name(place, row)} of type {_spelled(found)}, not {listed(map(_spelled, allowed))}",
                operand.position,
            )
    if len(classes) != 1:
        yield " between a surface and a sampler" if classes else " of no state variable", instruction.position


def _state_types(row: Row, place: int) -> tuple[DataType, ...]:
    """The types of a general operand beside a state variable."""
    return tuple(dict.fromkeys(one for form in row.forms for one in (*form.results, *form.sources)[place]))


def _half_refusals(instruction: Instruction) -> Iterator[tuple[str, Position]]:
    """Page SETP of a scalar: the lower or upper 16 bits, by a mask of M1 or M5; or all 32."""
    execution, source = instruction.execution, instruction.operands[1]
    if isinstance(source, Immediate) and source.type.packed:
        yield f" of a packed {_spelled(source.type)}", source.position
    if execution is not None and is_scalar(source) and execution.mask not in _HALF_MASKS:
        yield f" of a scalar with mask {execution.mask.name}, not M1 or M5", instruction.position


def _wrong_type(found: Found, first: int, row: Row, platform: Platform) -> tuple[int, str] | None:
    """The operand from `first` on that no form has, with what is wrong; None where one form has all of them."""
    forms = [form for form in row.forms if platform >= form.since]
    if any(_fits(found, first, form) for form in forms):
        return None
    for place, data_type in enumerate(found):
        choices = [_types(form)[place] for form in forms]
        if place >= first and all(types and data_type not in types for types in choices):
            wanted = sorted({one.spelling for types in choices for one in types})
            return place, f"{_name(place, row)} of type {_spelled(data_type)}, not {listed(wanted)}"
    together = " and ".join(_spelled(one) for one in found[first:] if one is not None)
    return 0, f"the types {together}, which do not go together"


def _fits(found: Found, first: int, form: Form) -> bool:
    given = [(one, types) for one, types in zip(found, _types(form), strict=True) if types][first:]
    if any(one not in types for one, types in given):
        return False
    match form.mix:
        case Mix.EACH:
            return True
        case Mix.ALIKE:
            return len({one for one, _ in given}) == 1
        case Mix.WIDE:
            return len({one.size for one, _ in given[:2] if one is not None}) == 1


def _types(form: Form) -> tuple[Types, ...]:
    return (*form.results, *form.sources)


def _type_of(operand: Operand, kernel: Kernel) -> DataType | None:
    """The type of a vector operand's elements."""
    match operand:
        case Immediate(type=data_type) | IndirectOperand(type=data_type):
            return PACKED.get(data_type, data_type)
        case VectorSource(variable) | VectorDestination(variable):
            declared = kernel.variables[variable]
            return declared.type if isinstance(declared, GeneralVariable) else None
        case _:
            return None


def _lanes(instruction: Instruction) -> int:
    return 1 if instruction.execution is None else instruction.execution.size


def _is_unmasked(instruction: Instruction) -> bool:
    return instruction.execution is not None and instruction.execution.mask.no_mask


def _is_float(data_type: DataType | None) -> bool:
    return data_type is not None and data_type.floating


def _spelled(data_type: DataType | None) -> str:
    return "none" if data_type is None else f":{data_type.spelling}"


def _name(place: int, row: Row) -> str:
    """The operand's name: Dst, Src0, Src1, …"""
    if place >= row.results:
        return f"Src{place - row.results}"
    return "Dst" if row.results == 1 else f"Dst{place}"
