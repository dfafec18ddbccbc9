"""Inputs of which a launch does not say what they hold: a run that reads one is not modelled."""

from collections.abc import Iterator

from visaproof.decode.statement import execution_of, root_byte
from visaproof.decode.surfaces import first_byte
from visaproof.execution.payload import Payloads, Program
from visaproof.isa.platform import Platform
from visaproof.launch.unmodelled_inputs import input_not_modelled
from visaproof.program.lower import has_text, tree_of
from visaproof.visaasm.syntax import (
    AddressOf,
    GeneralVariable,
    Instruction,
    Kernel,
    LscAddress,
    LscData,
    LscPayload,
    LscPlace,
    RawOperand,
    VectorSource,
)

Span = tuple[str, int, int]
"""A root variable, and its bytes from one to before another."""

_TO_THE_END = 1 << 30


def require_known(program: Program, payloads: Payloads) -> None:
    """Raises NotModelled where the kernel reads an input of which nothing is known; without a text it may read all."""
    unknown = list(payloads.unknown())
    spans = list(_reads(tree_of(program.kernel), program.platform)) if unknown and has_text(program.kernel) else None
    for item, piece in unknown:
        start, end = piece.offset, piece.offset + piece.size
        if spans is None or any(root == item.variable and first < end and start < last for root, first, last in spans):
            raise input_not_modelled(item, piece)


def _reads(kernel: Kernel, platform: Platform) -> Iterator[Span]:
    """What the statements may read of general variables; where it is not plain, all from the first byte on."""
    for instruction in kernel.instructions():
        for operand in instruction.operands:
            if isinstance(operand, VectorSource):
                if isinstance(kernel.variables.get(operand.variable), GeneralVariable):
                    yield _elements(kernel, instruction, operand, platform)
            elif isinstance(operand, LscPlace):
                for part in (operand.base, *operand.parts):
                    if isinstance(part, RawOperand | VectorSource):
                        yield from _from(kernel, part.variable, 0)
            elif isinstance(operand, RawOperand | LscData | LscAddress | LscPayload):
                yield from _from(kernel, operand.variable, operand.offset)
                if isinstance(operand, LscAddress) and isinstance(operand.base, RawOperand | VectorSource):
                    yield from _from(kernel, operand.base.variable, 0)
            elif isinstance(operand, AddressOf):
                yield from _from(kernel, operand.variable, 0)


def _from(kernel: Kernel, variable: str, offset: int) -> Iterator[Span]:
    if isinstance(kernel.variables.get(variable), GeneralVariable):
        yield *root_byte(kernel, variable, offset), _TO_THE_END


def _elements(kernel: Kernel, instruction: Instruction, source: VectorSource, platform: Platform) -> Span:
    root, first = first_byte(kernel, source, platform)
    declared = kernel.variables[source.variable]
    assert isinstance(declared, GeneralVariable)
    size, region = execution_of(instruction).size if instruction.execution else 1, source.region
    rows = -(-size // max(1, region.width))
    columns = min(size, max(1, region.width))
    elements = (rows - 1) * region.vertical + (columns - 1) * region.horizontal + 1
    return root, first, first + elements * declared.type.size
