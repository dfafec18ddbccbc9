"""Registers of two kernels that are compared at the end: declared variables and predicates, by their names."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from visaproof.isa.errors import ReadError, in_option
from visaproof.isa.surface_keys import ObservedRegister, surface_key
from visaproof.program.kernel import Kernel
from visaproof.visaasm.naming import closest

OPTION = "--observe"


class RegisterPlace(Struct, frozen=True):
    """Where a variable is kept: from this byte of a root variable on; of a predicate, from this bit on."""

    variable: str
    first: int
    is_predicate: bool

    def at(self, index: int) -> str:
        """One of its bytes or bits, for a file."""
        return (
            f"{self.variable}[{self.first + index}]" if self.is_predicate else f"{self.variable}.{self.first + index}"
        )


class Observed(Struct, frozen=True):
    """A register of the source, and the one of the target that has to hold the same."""

    name: str
    target_name: str
    source: RegisterPlace
    target: RegisterPlace
    count: int
    """Bytes; bits of a predicate."""
    element_bytes: int
    """Of the source's variable."""

    @property
    def both(self) -> str:
        """Both names, for the reader."""
        return self.name if self.name == self.target_name else f"{self.name} ({self.target_name} in the target)"

    @property
    def surface(self) -> str:
        """A name for what it holds, beside those of the surfaces."""
        return str(ObservedRegister(self.name))

    def place(self, side: str) -> RegisterPlace:
        """Where the kernel of this side has it."""
        return self.source if side == "source" else self.target


def is_register(surface: str) -> bool:
    """Whether the name is that of a register, and not of a surface."""
    return isinstance(surface_key(surface), ObservedRegister)


def register_name(surface: str) -> str:
    """The register of which this is the name among surfaces."""
    key = surface_key(surface)
    return key.name if isinstance(key, ObservedRegister) else surface


def observed_as(observed: Iterable[Observed], surface: str) -> Observed:
    """The register that is observed under this name."""
    return next(one for one in observed if one.surface == surface)


def names_from(text: str) -> Iterator[tuple[str, str]]:
    """`V32,P1=P2`: names in the source, each with the name in the target.  Raises ReadError."""
    for part in text.split(","):
        name, equals, other = (one.strip() for one in part.partition("="))
        if not name or (equals and not other):
            raise _bad(f"{text!r} is not NAME[=NAME][,…]", "as in --observe V32,P1 or --observe V32=V40")
        yield name, other or name


def observed_registers(source: Kernel, target: Kernel, names: Iterable[tuple[str, str]]) -> tuple[Observed, ...]:
    """The registers of these names.  Raises ReadError."""
    found: dict[str, Observed] = {}
    for name, target_name in names:
        one, other = _declared(source, name), _declared(target, target_name)
        if one.place.is_predicate != other.place.is_predicate or one.count != other.count:
            said = f"{name} has {one} and {target_name} has {other}"
            raise _bad(f"{name} cannot be compared with {target_name}: {said}", "both need one size")
        if name in found and found[name].target_name != target_name:
            raise _bad(f"{name} is compared with {found[name].target_name} and with {target_name}", "")
        found[name] = Observed(name, target_name, one.place, other.place, one.count, one.element_bytes)
    return tuple(found.values())


class _Declared(Struct, frozen=True):
    """A register of one of the kernels."""

    place: RegisterPlace
    count: int
    """Bytes; bits of a predicate."""
    element_bytes: int

    def __str__(self) -> str:
        return f"{self.count} {'bits' if self.place.is_predicate else 'bytes'}"


def _declared(kernel: Kernel, name: str) -> _Declared:
    if (bits := kernel.predicates.get(name)) is not None:
        return _Declared(RegisterPlace(name, 0, is_predicate=True), bits, 1)
    register = kernel.registers.get(name)
    if register is not None and not register.predefined:
        return _Declared(RegisterPlace(register.owner, register.first, False), register.size, register.type.size)
    known = [one.name for one in kernel.registers.values() if not one.predefined] + [*kernel.predicates]
    hint = closest(name, known, 0.4) or f"declared are {', '.join(known[:8])}{', …' if len(known) > 8 else ''}"
    raise _bad(f"{kernel.path} declares no general variable or predicate {name!r}", hint)


def _bad(message: str, hint: str) -> ReadError:
    return ReadError(message, in_option(OPTION), hint)
