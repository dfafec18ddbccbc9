"""Which variables a statement reads and writes, by its text alone: what is computed from what."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from msgspec import Struct
from msgspec.structs import replace

from visaproof.decode.image_info import image_info
from visaproof.decode.message import OPCODES, decode
from visaproof.decode.raw_send import resolved
from visaproof.decode.sampler import sampler_read
from visaproof.isa.operands import RawOperand as PageOperand
from visaproof.isa.platform import Platform
from visaproof.visaasm.opcode_kinds import DESTINATIONS, Kind, kind_of
from visaproof.visaasm.predefined import NULL
from visaproof.visaasm.syntax import (
    AddressOf,
    GeneralVariable,
    IndirectOperand,
    Instruction,
    Kernel,
    LscAddress,
    LscData,
    LscPayload,
    LscPlace,
    Name,
    Operand,
    PredicateVariable,
    RawOperand,
    SubscriptedName,
    VectorDestination,
    VectorSource,
)

_NOTHING = frozenset((Kind.NOTHING, Kind.GROUP, Kind.BRANCH, Kind.END))


class DefUse(Struct, frozen=True):
    """Names of variables; of general ones those that own the storage."""

    defined: frozenset[str]
    used: frozenset[str]


def def_use(instruction: Instruction, kernel: Kernel, platform: Platform) -> DefUse:
    """What a statement may write, and what that may depend on; memory and which lanes run are left out.

    Raises NotModelled for a message that is not decoded, ReadError for one that is malformed.
    """
    instruction = resolved(instruction, kernel, platform)
    kind = kind_of(instruction, OPCODES)
    used = [name for operand in instruction.operands for name in _variables(operand, kernel)]
    defined: list[str] = []
    match kind:
        case Kind.MEMORY:
            message = decode(instruction, kernel, platform)
            defined += [message.dst.variable] if isinstance(message, _Brings) else []
        case Kind.SAMPLE:
            defined.append(sampler_read(instruction, kernel, platform).dst.variable)
        case Kind.INFO:
            defined.append(image_info(instruction, kernel, platform).dst.variable)
        case _ if kind not in _NOTHING:
            count = DESTINATIONS.get(instruction.opcode, 1)
            defined += [name for operand in instruction.operands[:count] for name in _variables(operand, kernel)]
        case _:
            pass
    for name in defined:
        if name in used:
            used.remove(name)
    used += [one.address_variable for one in instruction.operands if isinstance(one, IndirectOperand)]
    used += [instruction.predicate.variable] if instruction.predicate else []
    return DefUse(frozenset(defined) - {NULL}, frozenset(used) - {NULL})


@runtime_checkable
class _Brings(Protocol):
    """A message that brings something into registers."""

    @property
    def dst(self) -> PageOperand: ...


def _variables(operand: Operand, kernel: Kernel) -> Iterator[str]:
    """The variables of which an operand names bytes, bits or elements; an indirect one may name any with an address."""
    match operand:
        case LscPlace(base=base, parts=parts):
            for part in (base, *parts):
                if part is not None:
                    yield from _variables(part, kernel)
        case LscAddress(base=base) if base is not None:
            yield from _variables(replace(operand, base=None), kernel)
            yield from _variables(base, kernel)
        case (
            RawOperand() | VectorSource() | VectorDestination() | AddressOf() | LscData() | LscAddress() | LscPayload()
        ):
            declared = kernel.variables.get(operand.variable)
            yield kernel.root_of(declared)[0].name if isinstance(declared, GeneralVariable) else operand.variable
        case IndirectOperand():
            yield from _with_address(kernel)
        case Name(name) if isinstance(kernel.variables.get(name), PredicateVariable):
            yield name
        case SubscriptedName(name):
            yield name
        case _:
            pass


def _with_address(kernel: Kernel) -> Iterator[str]:
    """The variables of which a statement takes the address."""
    for instruction in kernel.instructions():
        for operand in instruction.operands:
            if isinstance(operand, AddressOf):
                yield from _variables(operand, kernel)
