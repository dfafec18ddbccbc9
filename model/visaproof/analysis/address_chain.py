"""Where the address of a message comes from: the statements that compute it, back to what the kernel is given.

    scatter4_scaled.R (M1, 16) T6 0x0:ud V0061.0 V0063.0      the message
    shl (M1, 16) V0061(0,0)<1> V0060(0,0)<1;1,0> 0x2:d        writes V0061
    add (M1, 16) V0060(0,0)<1> V0059(0,0)<1;1,0> V0038(…)     writes V0060; V0038 is an argument

By the text alone: all statements that may run before and write one of these variables, the bytes of another lane, too.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import cast

from msgspec import Struct

from visaproof.decode.def_use import def_use
from visaproof.decode.message import decode
from visaproof.decode.statement import may_run_from, root_byte
from visaproof.isa.errors import Position
from visaproof.isa.operands import NULL, RawOperand
from visaproof.isa.platform import Platform
from visaproof.visaasm.syntax import Instruction, Kernel, Name, SurfaceVariable

DATA = frozenset(("dst", "src", "src0", "src1", "src2", "execution"))
"""Fields of messages that are no part of an address."""


class AddressChain(Struct, frozen=True):
    """What the address of one message is computed from."""

    statements: tuple[Instruction, ...]
    """In the order of the text."""
    begins: tuple[str, ...]
    """Variables that these read, and that may hold what they held at first: inputs, predefined, uninitialised ones."""


class AddressChains:
    """Of the messages of one kernel."""

    def __init__(self, kernel: Kernel, platform: Platform) -> None:
        """Raises NotModelled for a kernel with a statement that is not decoded, ReadError for one that is malformed."""
        self._kernel, self._platform = kernel, platform
        self._uses = {one.position: def_use(one, kernel, platform) for one in kernel.instructions()}
        self._places = {one.position: at for at, one in enumerate(kernel.statements) if isinstance(one, Instruction)}
        self._writers: dict[str, list[Instruction]] = {}
        for one in kernel.instructions():
            for name in self._uses[one.position].defined:
                self._writers.setdefault(name, []).append(one)
        registers = (one.variable for one in kernel.inputs if one.variable in kernel.registers)
        self._inputs = {root_byte(kernel, one, 0)[0] for one in registers}
        self._later: dict[Position, frozenset[Position]] = {}

    def _runs_before(self, one: Instruction, reader: Instruction) -> bool:
        place = one.position
        if place not in self._later:
            self._later[place] = may_run_from(self._kernel, self._places[place] + 1)
        return reader.position in self._later[place]

    def of(self, message: Instruction) -> AddressChain:
        """Raises NotModelled, ReadError."""
        kernel = self._kernel
        found: set[Position] = set()
        begins: dict[str, None] = {}
        pending = deque((name, message) for name in sorted(address_variables(message, kernel, self._platform)))
        seen: set[tuple[str, Position]] = set()
        while pending:
            name, reader = pending.popleft()
            before = [one for one in self._writers.get(name, ()) if self._runs_before(one, reader)]
            if _is_surface(name, kernel):
                before = _last(before, self._places[reader.position], kernel)
            elif not before or name in self._inputs:
                begins[name] = None
            for one in before:
                found.add(one.position)
                for used in sorted(self._uses[one.position].used):
                    if (used, one.position) not in seen:
                        seen.add((used, one.position))
                        pending.append((used, one))
        return AddressChain(tuple(one for one in kernel.instructions() if one.position in found), tuple(begins))


def address_variables(message: Instruction, kernel: Kernel, platform: Platform) -> frozenset[str]:
    """The variables of which a message takes its address, and its surface."""
    decoded = decode(message, kernel, platform)
    assert isinstance(decoded, Struct)
    data = {name for one in decoded.__struct_fields__ if one in DATA for name in _operands(getattr(decoded, one))}
    own = {name for one in decoded.__struct_fields__ if one not in DATA for name in _operands(getattr(decoded, one))}
    predicate = {message.predicate.variable} if message.predicate else set[str]()
    surfaces = {one.name for one in message.operands if isinstance(one, Name) and _is_surface(one.name, kernel)}
    return frozenset(own | surfaces | def_use(message, kernel, platform).used - data - predicate) - {NULL}


def _is_surface(name: str, kernel: Kernel) -> bool:
    return isinstance(kernel.variables.get(name), SurfaceVariable)


def _last(movs: Sequence[Instruction], place: int, kernel: Kernel) -> list[Instruction]:
    """The last one, if nothing jumps in between: a `movs` binds a surface whatever it was before."""
    for one in reversed(kernel.statements[:place]):
        if not isinstance(one, Instruction):
            break
        if one in movs:
            return [one]
    return list(movs)


def _operands(value: object) -> Iterator[str]:
    """The variables of operands inside of a field."""
    if isinstance(value, RawOperand):
        yield value.variable
    elif isinstance(value, tuple):
        for one in cast(tuple[object, ...], value):
            yield from _operands(one)
    elif isinstance(value, Struct):
        for one in value.__struct_fields__:
            yield from _operands(getattr(value, one))
