"""How much is assumed of a launch: a set of premises by its name, less some of them, or with the first lanes on.

launch                    what every host does
launch,-global-ids        the same, of launches with a global offset, too
ids,first-lanes           consecutive ids, and the lanes that are on are the first ones
"""

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

FIRST_LANES = "first-lanes"
FULL_SUB_GROUPS = "full-sub-groups"
INT_IDS = "int-ids"
"""Of questions about one kernel alone: a compiler has to be right for ids of all sizes."""

EITHER_ORDER = "either-order"
"""Of sums and products of floats in the source language: that they are those of their operands in the other order."""

ADDRESS_UNIT = 4
"""Of the addresses in a payload, unless nothing is assumed, or it is known how large an element is."""

SETS: Mapping[str, frozenset[str]] = {
    "launch": frozenset((
        "local-ids", "local-size", "rows", "whole-groups", "unread-dimensions", "global-ids", INT_IDS, "all-lanes",
        FIRST_LANES, "image-extents", FULL_SUB_GROUPS, EITHER_ORDER,
    )),
    "none": frozenset(),
    "ids": frozenset(("ids", "ids-below-size", FIRST_LANES)),
    "bounded": frozenset(("bounded", "ids", "ids-below-size", FIRST_LANES)),
}  # fmt: skip
"""The premises of each set, by their names in `launch/premises.py`."""

DIVISION = "integer-division"
"""The premise that integer divisions by way of `inv` are ones."""
BESIDE = frozenset(("functions-alike", DIVISION))
"""Premises that are assumed beside each set, and say nothing of a launch."""


class Assume(Struct, frozen=True):
    """What is assumed of what a launch hands to a thread."""

    base: str
    """A name of `SETS`."""
    lifted: frozenset[str] = frozenset()
    """Premises of the set that are not assumed."""
    first_lanes: bool = False
    """Whether the lanes that are on are the first ones, stated beside the set: of `ids` only `bounds` assumes it."""

    NONE: ClassVar["Assume"]
    IDS: ClassVar["Assume"]
    BOUNDED: ClassVar["Assume"]
    LAUNCH: ClassVar["Assume"]
    """What every launch that a host makes does; of by-value arguments nothing, unlike `bounded`."""

    @classmethod
    def of(cls, text: str) -> "Assume":
        """From `SET`, `SET,-PREMISE` or `SET,first-lanes`.  Raises ValueError."""
        base, *changes = text.split(",")
        if base not in SETS:
            raise ValueError(f"no set of premises {base!r}: one of {', '.join(SETS)}")
        lifted = {word.removeprefix("-") for word in changes if word.startswith("-")}
        stated = {word for word in changes if not word.startswith("-")}
        if unknown := sorted(lifted - SETS[base] - BESIDE):
            has = ", ".join(sorted(SETS[base])) or "no premise"
            raise ValueError(f"{base} does not assume {unknown[0]!r}: it has {has}")
        if unknown := sorted(stated - {FIRST_LANES}):
            raise ValueError(f"only {FIRST_LANES} can be assumed beside {base}, and not {unknown[0]!r}")
        if lifted & stated:
            raise ValueError(f"{FIRST_LANES} is assumed and lifted")
        return cls(base, frozenset(lifted), bool(stated))

    def __contains__(self, name: str) -> bool:
        return name in (SETS[self.base] | BESIDE) - self.lifted or (self.first_lanes and name == FIRST_LANES)

    @property
    def of_compilers(self) -> "Assume":
        """What is assumed where two kernels are compared."""
        return replace(self, lifted=self.lifted | {INT_IDS})

    @property
    def value(self) -> str:
        """As the command line has it."""
        return ",".join((self.base, *(f"-{name}" for name in sorted(self.lifted)), *[FIRST_LANES] * self.first_lanes))

    @property
    def of_launches(self) -> bool:
        """Whether launches that exist are asked about, as far as nothing is lifted."""
        return self.base == "launch"


Assume.NONE, Assume.IDS, Assume.BOUNDED = Assume("none"), Assume("ids"), Assume("bounded")
Assume.LAUNCH = Assume("launch")
