"""Files on which the rules of visaproof and the real tool are known to differ, or the tool gives no verdict."""

from msgspec import Struct


class Row(Struct, frozen=True):
    """Files with this hazard: the tool may crash on them or never end, which is neither acceptance nor rejection."""

    hazard: str
    reason: str


DOCUMENTED_DISAGREEMENTS = (
    Row("hazard.past-the-end", "the scheduler runs over the registers behind the variable: a message, or signal 11"),
    Row("hazard.addresses", "with some types the tool crashes, with others it never ends"),
    Row("hazard.address-variable", "an unchecked cast: exit 0 or signal 11, as the memory happens to be"),
)
"""No row is about acceptance: where the tool gives a verdict, ours is the same."""
