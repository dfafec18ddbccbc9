"""What the table of premises says of each."""

from enum import Enum

from msgspec import Struct

TWO_KERNELS = "refine", "tv"
ONE_KERNEL = "conflicts", "bounds"
ALL = *ONE_KERNEL, *TWO_KERNELS
"""Commands whose answers rest on what is said of a launch."""


class Grantor(Enum):
    """Who sees to it that a premise holds."""

    PAGE = "page"
    COMPILER = "compiler"
    DRIVER = "driver"
    LANGUAGE = "language"
    HOST = "host"
    USER = "user"
    NOBODY = "nobody"
    """The answer holds where the premise does, and nobody is known to see to it."""
    OPEN = "open"
    """There is nothing to see to: what is left open was asked of all that it may be."""


class PremiseRow(Struct, frozen=True):
    """One premise of the table."""

    name: str
    sentence: str
    """What holds, with a {field} for what differs from kernel to kernel."""
    granted: Grantor
    source: str
    """Where that is read, or why nobody grants it."""
    commands: tuple[str, ...]
    """The commands whose answers may rest on it."""
    lifted: str = ""
    """The option that asks without it, or states something else, or is left out; empty where there is none."""
