"""Platforms in the order by which the pages gate features ("{ICLLP+}").  Source: spec/instructions.md."""

from enum import IntEnum


class Platform(IntEnum):
    """A GPU generation; `a < b` says that `a` came first."""

    BDW = 0
    CHV = 1
    SKL = 2
    BXT = 3
    ICLLP = 4
    TGLLP = 5
    XeHP_SDV = 6
    DG2 = 7
    MTL = 8
    ARL = 9
    PVC = 10
    PVCXT = 11
    Xe2 = 12
    Xe3 = 13

    @property
    def grf_bytes(self) -> int:
        """Bytes of one general register: 32 up to ARL, 64 from PVC on."""
        return 64 if self >= Platform.PVC else 32


SUPPORTED = (
    Platform.SKL,
    Platform.ICLLP,
    Platform.TGLLP,
    Platform.XeHP_SDV,
    Platform.DG2,
    Platform.PVC,
)
"""The platforms whose validity rules and register size have been checked against Intel's tools."""


def platform_named(name: str) -> Platform:
    """The platform spelled `name`, case ignored.  Raises KeyError for any other name."""
    by_name = {platform.name.lower(): platform for platform in Platform}
    return by_name[name.lower()]
