"""Functions that read the implicit arguments: each load of them becomes moves from an input that holds the same.

    mov (M1_NM, 1) V1(0,0)<1> 0x4:ud                            mov (M1_NM, 1) R(0,0)<1> %implicit_local_size(0,0)
    lsc_load.ugm (M1_NM, 1) V2:d32x3t arg[V1]:a32       is      and so for elements 1 and 2, with R the bytes of V2

A kernel itself gets its payload, and its `arg` stays as it is: so does a load of another form.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from msgspec.structs import replace

from visaproof.isa.execution import ExecMask
from visaproof.isa.implicit_arguments import IDS, IMPLICIT, IMPLICIT_ARGUMENTS, TABLE, ImplicitArgument, dimension_bytes
from visaproof.isa.registers import Input
from visaproof.isa.types import DataType
from visaproof.visaasm import syntax
from visaproof.visaasm.syntax import Instruction, Kernel, Statement

PAYLOAD_END = 1 << 16
"""The inputs lie behind every payload, where no text can have one."""

CALLED = "@"
"""In the names of variables of functions that were linked to a kernel, and in no other."""

_SHAPE = re.compile(r"d(32|64)(?:x([23]))?t")
_ONCE = syntax.ExecutionField(ExecMask.M1_NM, 1)
_SCALAR = syntax.Region(0, 1, 0)


def with_implicit_arguments(kernel: Kernel) -> Kernel:
    """The kernel whose functions, linked to it, read inputs instead of implicit arguments."""
    loads = {index: found for index, found in _loads(kernel) if found is not None}
    if not loads or "%r0" in _written(kernel):
        return kernel
    variables, inputs = dict(kernel.variables), list(kernel.inputs)
    statements: list[Statement] = []
    position = next(iter(kernel.instructions())).position
    for one in dict.fromkeys(loads.values()):
        inputs += _declared(
            variables, one.variable, PAYLOAD_END + one.start, 8 if one.variable == TABLE else 12, position
        )
        if one.variable == TABLE:
            size, at = 3 * dimension_bytes(_lanes(kernel)), PAYLOAD_END + (1 << 10)
            inputs += _declared(variables, IDS, at, size, position)
    for index, statement in enumerate(kernel.statements):
        if index in loads:
            assert isinstance(statement, Instruction)
            statements += _moves(statement, loads[index], variables)
        else:
            statements.append(statement)
    return replace(kernel, statements=tuple(statements), variables=variables, inputs=tuple(inputs))


def _lanes(kernel: Kernel) -> int:
    stated = kernel.attributes.get("SimdSize")
    return stated if isinstance(stated, int) else 0


def _loads(kernel: Kernel) -> Iterator[tuple[int, ImplicitArgument | None]]:
    """The loads in functions from a constant place, by their number among the statements."""
    for index, (before, one) in enumerate(pairwise(kernel.statements), 1):
        if isinstance(before, Instruction) and isinstance(one, Instruction):
            yield index, _loaded(before, one)


def _loaded(before: Instruction, load: Instruction) -> ImplicitArgument | None:
    """What a load reads whose address the statement before it puts down as a constant."""
    if load.opcode != "lsc_load" or load.predicate or load.execution != _ONCE or len(load.operands) != 2:
        return None
    data, place = load.operands
    if not isinstance(data, syntax.LscData) or not isinstance(place, syntax.LscAddress):
        return None
    shape = _SHAPE.fullmatch(data.shape)
    if (
        CALLED not in place.variable
        or shape is None
        or (place.model, place.size, place.base, place.scale) != ("arg", "a32", None, 1)
    ):
        return None
    if before.opcode != "mov" or before.suffixes or before.predicate or before.execution != _ONCE:
        return None
    target, start = before.operands
    if not isinstance(target, syntax.VectorDestination) or not isinstance(start, syntax.Immediate):
        return None
    same = (target.variable, target.row, target.column, place.offset) == (place.variable, 0, 0, 0)
    found = (start.bits + place.immediate, int(shape[1]) // 8) if same and start.type.size == 4 else None
    stated = (one for one in IMPLICIT_ARGUMENTS if (one.start, one.element_bytes) == found)
    return next((one for one in stated if int(shape[2] or 1) <= one.elements), None)


def _written(kernel: Kernel) -> set[str]:
    """The variables of which an instruction names some bytes as its result."""
    targets = (one for each in kernel.instructions() for one in each.operands)
    named = (one.variable for one in targets if isinstance(one, syntax.VectorDestination | syntax.LscData))
    return {kernel.registers[name].owner for name in named if name in kernel.registers}


def _declared(
    variables: dict[str, syntax.Variable], name: str, offset: int, size: int, position: syntax.Position
) -> Iterator[Input]:
    """An input of so many bytes, for which a variable is declared."""
    kind = DataType.UQ if size == DataType.UQ.size else DataType.UD
    variables[name] = syntax.GeneralVariable(name, kind, size // kind.size, None, None, None)
    yield Input(name, offset, size, IMPLICIT, position)


def _moves(load: Instruction, held: ImplicitArgument, variables: dict[str, syntax.Variable]) -> Iterator[Instruction]:
    """What a load brings, element by element."""
    data, _ = load.operands
    assert isinstance(data, syntax.LscData)
    whole, name = held.variable == TABLE, f"{data.variable}:{load.position.line}"
    kind = DataType.UQ if whole else DataType.UD
    stride = held.element_bytes // kind.size
    shape = _SHAPE.fullmatch(data.shape)
    elements = int(shape[2] or 1) if shape else 0
    alias = syntax.Alias(data.variable, data.offset)
    variables[name] = syntax.GeneralVariable(name, kind, stride * elements, alias, None, None)
    for number in range(stride * elements):
        element, rest = divmod(number, stride)
        target = syntax.VectorDestination(name, 0, number, 1, load.position)
        source = syntax.VectorSource(held.variable, 0, element, _SCALAR, "", load.position)
        value = syntax.Immediate(0, kind, load.position) if rest else source
        yield replace(load, opcode="mov", suffixes=(), operands=(target, value))
