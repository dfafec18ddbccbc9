"""Kernels that name what the linker knows: `faddr` and `fcall`.  Pages: FADDR.md, FCALL.md, FRET.md.

Both become statements that the machines run: an address is copied from a variable that nothing writes, and a call is
the statements of the function's own file, in its place.  Of one place that is called in a loop, a later iteration finds
in the function's own variables what the iteration before left there, and a caller finds in `%arg` what the function
left; the pages give neither of them a meaning.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.execution import ExecMask
from visaproof.isa.types import DataType
from visaproof.visaasm import syntax
from visaproof.visaasm.instruction_reader import JUMPS
from visaproof.visaasm.linking.called_addresses import with_direct_calls
from visaproof.visaasm.linking.implicit_arguments import CALLED, with_implicit_arguments
from visaproof.visaasm.linking.subroutines import inlined
from visaproof.visaasm.operand_checks import with_names
from visaproof.visaasm.predefined import PREDEFINED
from visaproof.visaasm.reader import read_kernel_file
from visaproof.visaasm.syntax import Instruction, Kernel, Label, Name, Number, Statement

MAX_DEPTH = 16
"""Calls inside of each other; more are given up."""


def read_program(path: Path, *, grf_bytes: int | None = None) -> Kernel:
    """The kernel in a file, linked with the functions in the files beside it.  Raises ReadError."""
    kernel = read_kernel_file(path, grf_bytes=grf_bytes)
    return linked(kernel, functions_beside(path, grf_bytes=grf_bytes))


def functions_beside(path: Path, *, grf_bytes: int | None = None) -> dict[str, Kernel]:
    """The functions of `k.f0.visaasm`, `k.f1.visaasm`, … beside `k.visaasm`, by name.  Raises ReadError.

    The compiler itself dumps them as `k_f0.visaasm`.
    """
    functions: dict[str, Kernel] = {}
    while beside := _function_file(path, len(functions)):
        function = read_kernel_file(beside, grf_bytes=grf_bytes)
        functions[function.name] = function
    return functions


def _function_file(path: Path, number: int) -> Path | None:
    files = (path.with_name(f"{path.stem}{mark}f{number}{path.suffix}") for mark in (".", "_"))
    return next((file for file in files if _is_file(file)), None)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is longer than file systems allow
        return False


def linked(kernel: Kernel, functions: Mapping[str, Kernel]) -> Kernel:
    """The kernel without its `faddr`, and without those `call`, `fcall` and `ifcall` that can be resolved.

    The others stay, and `unlinked` says why.
    """
    kernel = with_direct_calls(inlined(kernel))
    if not any(each.opcode in ("faddr", "fcall") for each in kernel.instructions()):
        return kernel
    linker = _Linker(kernel, {name: with_direct_calls(inlined(one)) for name, one in functions.items()})
    statements = tuple(linker.statements(kernel, ()))
    unlinked = {**kernel.unlinked, **linker.unlinked}
    whole = replace(kernel, statements=statements, variables=linker.variables, unlinked=unlinked)
    return with_implicit_arguments(whole) if linker.calls else whole


@dataclass
class _Linker:
    """What was linked so far."""

    kernel: Kernel
    functions: Mapping[str, Kernel]
    variables: dict[str, syntax.Variable] = field(init=False)
    unlinked: dict[syntax.Position, str] = field(default_factory=dict[syntax.Position, str])
    calls: int = 0

    def __post_init__(self) -> None:
        self.variables = dict(self.kernel.variables)

    def statements(self, code: Kernel, callers: tuple[str, ...]) -> Iterator[Statement]:
        """The statements of a kernel or function, linked."""
        for statement in code.statements:
            if isinstance(statement, Instruction) and statement.opcode == "faddr":
                yield self._address(statement)
            elif isinstance(statement, Instruction) and statement.opcode == "fcall":
                yield from self._call(statement, callers)
            else:
                yield statement

    def _address(self, faddr: Instruction) -> Instruction:
        """Page FADDR: "The function address is represented as a 64-bit unsigned integer"; which one is arbitrary."""
        name, target = faddr.operands
        assert isinstance(name, Name)
        declared = self.variables.get(getattr(target, "variable", ""))
        if not isinstance(declared, syntax.GeneralVariable) or declared.type is not DataType.UQ:
            self.unlinked[faddr.position] = f"the address of {name.name} in anything but a UQ"
            return faddr
        address = f"&{name.name}"
        self.variables[address] = syntax.GeneralVariable(address, DataType.UQ, 1, None, None, None)
        source = syntax.VectorSource(address, 0, 0, syntax.Region(0, 1, 0), "", name.position)
        once = syntax.ExecutionField(ExecMask.M1_NM, 1)
        return replace(faddr, opcode="mov", execution=once, operands=(target, source))

    def _call(self, fcall: Instruction, callers: tuple[str, ...]) -> Iterator[Statement]:
        name = fcall.operands[0]
        assert isinstance(name, Name)
        function = self.functions.get(name.name)
        reason = self._obstacle(fcall, name.name, function, callers)
        if function is None or reason:
            self.unlinked[fcall.position] = reason
            yield fcall
            return
        self.calls += 1
        own = _Names(f"{name.name}{CALLED}{self.calls}", function)
        self.variables |= own.variables()
        end = Label(own.label("end of the function"), fcall.position)
        yield from self.statements(replace(function, statements=tuple(own.body(end))), (*callers, name.name))
        yield end

    def _obstacle(self, fcall: Instruction, name: str, function: Kernel | None, callers: tuple[str, ...]) -> str:
        """Why a call cannot be resolved; empty where it can."""
        if function is None:
            stem = Path(self.kernel.path).stem
            return f"a call of {name}, which is not in {stem}.f{len(self.functions)}.visaasm or one before it"
        if name in callers or len(callers) == MAX_DEPTH:
            return f"a call of {name} by itself" if name in callers else f"{MAX_DEPTH} calls inside of each other"
        sizes = [each.value for each in fcall.operands[1:] if isinstance(each, Number)]
        if sizes != [function.attributes.get("ArgSize", 0), function.attributes.get("RetValSize", 0)]:
            return f"a call of {name} with other sizes than it declares"  # Page: "It is an error"
        lanes = self.kernel.attributes.get("SimdSize")
        execution = fcall.execution
        whole = execution is not None and execution.size == lanes and execution.mask is ExecMask.M1
        if fcall.predicate is not None or not whole:
            return f"a call of {name} for some of the lanes"
        if any(each.opcode == "ret" for each in function.instructions()):
            return f"a call of {name}, which has subroutines"
        return ""


class _Names(Struct, frozen=True):
    """The names of one call of a function: `NAME@1:V0041`."""

    call: str
    function: Kernel

    def name(self, name: str) -> str:
        return name if name in PREDEFINED else f"{self.call}:{name}"

    def label(self, label: str) -> str:
        return f"{self.call}:{label}"

    def variables(self) -> Iterator[tuple[str, syntax.Variable]]:
        """The function's own variables under their new names."""
        for variable in self.function.variables.values():
            if variable.name in PREDEFINED:
                continue
            renamed = replace(variable, name=self.name(variable.name))
            if isinstance(renamed, syntax.GeneralVariable) and renamed.alias is not None:
                renamed = replace(renamed, alias=replace(renamed.alias, base=self.name(renamed.alias.base)))
            yield renamed.name, renamed

    def body(self, end: Label) -> Iterator[Statement]:
        """The statements of the function, which go to `end` where it returns."""
        for statement in self.function.statements:
            if isinstance(statement, Label):
                yield replace(statement, name=self.label(statement.name))
            else:
                yield self._instruction(statement, end)

    def _instruction(self, instruction: Instruction, end: Label) -> Instruction:
        use = instruction.predicate
        predicate = None if use is None else replace(use, variable=self.name(use.variable))
        if instruction.opcode == "fret":
            target = Name(end.name, instruction.position)
            return replace(instruction, opcode="goto", predicate=predicate, operands=(target,))
        if instruction.opcode in ("faddr", "fcall"):
            name, *others = instruction.operands
            operands = (name, *(with_names(other, self.name) for other in others))
        else:
            rename = self.label if instruction.opcode in JUMPS else self.name
            operands = tuple(with_names(operand, rename) for operand in instruction.operands)
        return replace(instruction, predicate=predicate, operands=operands)
