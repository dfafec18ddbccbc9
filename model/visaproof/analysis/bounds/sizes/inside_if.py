"""With what every access of a message was proved to lie inside of its surface."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from visaproof.launch.relations.expressions import Expression, Name, Relation, in_order, names_in


class Bytes(Struct, frozen=True):
    """So many of a surface."""

    surface: str
    """As `--size` takes it."""
    amount: Expression


class InsideIf(Struct, frozen=True):
    """What is enough: relations to arguments and the launch, and of a buffer of any size, how large it is."""

    relations: tuple[Relation, ...]
    by: str
    size: Bytes | None = None
    """None where the size is known, and of an image, of which the relations say it."""

    @property
    def names(self) -> tuple[Name, ...]:
        """Those of the size and of the relations."""
        size = () if self.size is None else names_in(self.size.amount)
        return (*size, *(name for one in self.relations for name in one.names()))

    @property
    def options(self) -> str:
        """What states it on the command line."""
        size = () if self.size is None else (f"--size '{self.size.surface}={self.size.amount}'",)
        return " ".join((*size, *(f"--where '{one}'" for one in self.relations)))

    def in_order(self, names: Sequence[str]) -> "InsideIf":
        """The same with factors in the order of these names, as the kernel has its arguments."""
        relations = tuple(
            replace(one, left=in_order(one.left, names), right=in_order(one.right, names)) for one in self.relations
        )
        size = self.size and replace(self.size, amount=in_order(self.size.amount, names))
        return InsideIf(relations, self.by, size)

    def __str__(self) -> str:
        size = () if self.size is None else (f"at least {self.size.amount} bytes",)
        return " and ".join((*size, *map(str, self.relations)))
