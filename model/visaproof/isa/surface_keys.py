"""What surfaces, buffers and observed registers are called inside of one question, and what such a name says.

A name is the identity of a memory, in a run and in saved files.  It is made and read here alone: elsewhere a name is
compared, and nothing is taken out of its text.
"""

import re
from functools import lru_cache

from msgspec import Struct


class TableEntry(Struct, frozen=True):
    """The surface with this index in the binding table."""

    index: int

    def __str__(self) -> str:
        return f"bti {self.index}"


class StateAt(Struct, frozen=True):
    """The surface whose handle, the offset of its state, lies at this byte of a variable."""

    variable: str
    byte: int
    line: int | None = None
    """Where it is read, if something other than the launch wrote it; None if it is read as the launch gave it."""

    def __str__(self) -> str:
        return f"bindless {self.place}"

    @property
    def place(self) -> str:
        """The byte, as it is named."""
        return f"{self.variable}.{self.byte}{'' if self.line is None else f' line {self.line}'}"


class HandleNumber(Struct, frozen=True):
    """The surface with this handle, in a run that knows the handles of its arguments."""

    handle: int

    def __str__(self) -> str:
        return f"bindless handle {self.handle}"


class OfArgument(Struct, frozen=True):
    """The buffer or image of an argument, however the kernel reaches it."""

    index: int

    def __str__(self) -> str:
        return f"argument {self.index}"


class AtPayloadByte(Struct, frozen=True):
    """The surface whose handle a kernel gets at this byte of its payload, of an unknown launch."""

    byte: int

    def __str__(self) -> str:
        return f"surface at payload byte {self.byte}"


class ObservedRegister(Struct, frozen=True):
    """No surface: a register of both kernels that is compared as memory is."""

    name: str

    def __str__(self) -> str:
        return f"register {self.name}"


SurfaceKey = TableEntry | StateAt | HandleNumber | OfArgument | AtPayloadByte | ObservedRegister

_FORMS = re.compile(
    r"bti (?P<entry>[0-9]+)"
    r"|bindless handle (?P<handle>[0-9]+)"
    r"|bindless (?P<variable>\S+)\.(?P<byte>[0-9]+)(?: line (?P<line>[0-9]+))?"
    r"|argument (?P<argument>[0-9]+)"
    r"|surface at payload byte (?P<payload>[0-9]+)"
    r"|register (?P<register>.+)"
)
_BY_NUMBER = {"entry": TableEntry, "handle": HandleNumber, "argument": OfArgument, "payload": AtPayloadByte}


@lru_cache(maxsize=1024)
def surface_key(name: str) -> SurfaceKey | None:
    """What a name says; None of one that says nothing, as `%slm`, `flat`, and a variable that nothing bound."""
    found = _FORMS.fullmatch(name)
    if found is None:
        return None
    for form, made in _BY_NUMBER.items():
        if found[form] is not None:
            return made(int(found[form]))
    if found["register"] is not None:
        return ObservedRegister(found["register"])
    return StateAt(found["variable"], int(found["byte"]), None if found["line"] is None else int(found["line"]))


def by_handle(name: str) -> bool:
    """Whether the surface is reached by a handle, even where nothing says which handle that is."""
    return name.startswith("bindless ")


def argument_number(name: str) -> int | None:
    """The number of the argument whose buffer or image has this name; None of another name."""
    key = surface_key(name)
    return key.index if isinstance(key, OfArgument) else None
