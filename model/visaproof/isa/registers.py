"""What a kernel declares, however it is written: register variables with aliases resolved, states, and inputs."""

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.isa.types import DataType


class Register(Struct, frozen=True):
    """`count` elements of `type`, in the bytes of the variable `owner` from byte `first` on."""

    name: str
    type: DataType
    count: int
    owner: str
    """The variable that owns the storage: itself, if it is no alias."""
    first: int
    predefined: bool = False

    @property
    def size(self) -> int:
        """Bytes."""
        return self.type.size * self.count

    @property
    def owns_storage(self) -> bool:
        return self.owner == self.name


class StateVariable(Struct, frozen=True):
    """A variable of surfaces or of samplers."""

    elements: int
    is_surface: bool


class Input(Struct, frozen=True):
    """`.input V offset=O size=S` (or `.implicit_X V …`): the launch puts `size` bytes into `variable`.

    `offset` is the byte position in the payload, where r0 starts at 0.
    """

    variable: str
    offset: int
    size: int
    implicit: str | None
    position: Position
