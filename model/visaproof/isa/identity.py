"""Objects as keys by their identity, for those that are equal by content or cannot be hashed."""

from typing import Generic, TypeVar, cast

T_co = TypeVar("T_co", covariant=True)


class Same(Generic[T_co]):
    """An object that equals itself alone.

    It holds the object: the bare number of one that is gone may come again as that of another.
    """

    __slots__ = ("it",)

    def __init__(self, it: T_co) -> None:
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.it is cast(Same[object], other).it
