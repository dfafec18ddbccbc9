"""Calls through a variable that holds the address of one function, as of those that another program defines.

    faddr f V    mov W V    ifcall W sizes        is        fcall f sizes

where no other statement names V or W: then the address is not looked at, and is left out.  A call of an address that
no statement has written yet is undefined, and is one of the function here.
"""

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from visaproof.visaasm.operand_checks import with_names
from visaproof.visaasm.syntax import (
    GeneralVariable,
    Instruction,
    Kernel,
    Name,
    Operand,
    VectorDestination,
    VectorSource,
)


def with_direct_calls(kernel: Kernel) -> Kernel:
    """The kernel with the names of functions in the place of addresses that are only called."""
    if not any(one.opcode == "ifcall" for one in kernel.instructions()):
        return kernel
    called = _only_called(kernel)
    statements = (
        _direct(one, called) if isinstance(one, Instruction) and one.opcode == "ifcall" else one
        for one in kernel.statements
        if not (isinstance(one, Instruction) and one.opcode in ("faddr", "mov") and _written(one) in called)
    )
    return replace(kernel, statements=tuple(statements))


def _only_called(kernel: Kernel) -> dict[str, str]:
    """The functions of which variables hold the address, and for nothing but to call it."""
    functions, copies = list[tuple[str, str]](), list[tuple[str, str]]()
    others = set(_aliased(kernel))
    for one in kernel.instructions():
        target = _written(one)
        if target and one.opcode == "faddr" and isinstance(one.operands[0], Name):
            functions.append((target, one.operands[0].name))
        elif target and (source := _copied(one)):
            copies.append((target, source))
        elif one.opcode == "ifcall":
            others |= {*_names(one)} - {_called(one)}
        else:
            others |= {*_names(one)}
    written = Counter(target for target, _ in (*functions, *copies))
    held = dict(functions)
    while more := {copy: held[source] for copy, source in copies if source in held and copy not in held}:
        held |= more
    others |= {variable for variable, times in written.items() if times > 1}
    spoiled = {name for variable, name in (*functions, *held.items()) if variable in others}
    spoiled |= {held[source] for copy, source in copies if source in held and copy in others}
    return {variable: name for variable, name in held.items() if name not in spoiled}


def _aliased(kernel: Kernel) -> Iterator[str]:
    """Variables that share their bytes with others, or that the launch writes."""
    for variable in kernel.variables.values():
        if isinstance(variable, GeneralVariable) and variable.alias is not None:
            yield from (variable.name, variable.alias.base)
    yield from (one.variable for one in kernel.inputs)


def _names(instruction: Instruction) -> Iterator[str]:
    """What its operands name."""
    found: list[str] = []
    for operand in instruction.operands:
        with_names(operand, lambda name: found.append(name) or name)
    yield from found


def _written(instruction: Instruction) -> str:
    """The variable of which `faddr` or `mov` writes the first element; empty where it is none."""
    return _first(instruction.operands[1 if instruction.opcode == "faddr" else 0]) if instruction.operands else ""


def _copied(instruction: Instruction) -> str:
    """The variable of which `mov` copies the first element."""
    return _first(instruction.operands[1]) if instruction.opcode == "mov" and instruction.predicate is None else ""


def _called(instruction: Instruction) -> str:
    return _first(instruction.operands[0]) if instruction.predicate is None else ""


def _first(operand: Operand) -> str:
    """The variable of which it is the first element; empty where it is something else."""
    match operand:
        case VectorSource(variable, 0, 0, _, "") | VectorDestination(variable, 0, 0):
            return variable
        case _:
            return ""


def _direct(instruction: Instruction, called: dict[str, str]) -> Instruction:
    if (name := called.get(_called(instruction))) is None:
        return instruction
    function = Name(name, instruction.position)
    return replace(instruction, opcode="fcall", operands=(function, *instruction.operands[1:]))
