"""A page as a record: what it says beside the effect of its instruction."""

from msgspec import Struct

from visaproof.isa.fields import Field
from visaproof.isa.platform import Platform


class Spec(Struct, frozen=True):
    """The head and the properties of a page."""

    opcode: int
    mnemonic: str
    page: str
    exec_sizes: tuple[int, ...] = ()
    """Legal execution sizes; empty where the instruction has none."""
    since: Platform = Platform.BDW
    """First platform of the instruction."""
    collision_undefined: bool = False
    """Page: "The behavior is undefined if more than one channel writes to the same address."""
    readings: tuple[str, ...] = ()
    """The readings (see `visaproof.isa.readings`) on which its effect depends."""
    text: str = ""
    """The page's Text, in the grammar's spelling."""
    out_of_bounds: str = ""
    """The page's property of that name."""
    fields: tuple[Field, ...] = ()
    """The Format table without its opcode, in the order of byte code."""
    examples: tuple[str, ...] = ()
    """Legal statements; the first one shows what the instruction is for."""

    @property
    def name(self) -> str:
        """The mnemonic as the grammar spells it, and as obligations are named."""
        return self.mnemonic.lower()
