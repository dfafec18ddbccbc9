"""Platforms in the order by which the pages gate features ("{ICLLP+}"), and what else tells them apart.

Sources: docs/pages/instructions.md for the order; docs/pages/current-compiler.md §1, §2 and §8 and the binaries of
ocloc 22.43 and 26.27 for the rows of `DEVICES`.
"""

from collections.abc import Iterable
from enum import IntEnum

from msgspec import Struct


class Platform(IntEnum):
    """A GPU generation; `a < b` says that `a` came first.  PVC and PVCXT are one machine."""

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
    PVCXT = 10
    Xe2 = 12
    Xe3 = 13
    Xe3P = 14

    @property
    def device(self) -> "Device":
        """The row of this platform."""
        return _BY_PLATFORM[self]

    @property
    def grf_bytes(self) -> int:
        """Bytes of one general register."""
        return _BY_PLATFORM[self].grf_bytes


class ThreadNumber(Struct, frozen=True):
    """Where the state registers have the number of a hardware thread, by which kernels find their private memory.

    %msg0.0   [high bits]
    %sr0.0    [low bits, among which some say something else]
    """

    skipped: tuple[int, ...]
    """The bits of the first dword of `%sr0` below its last one that are not of the number, ascending."""
    low_bits: int
    """How many bits of the number `%sr0` has."""
    high_bits: int = 0
    """How many more `%msg0` has."""


class Device(Struct, frozen=True):
    """One row: what a platform is called, how binaries name it, and what a launch differs in."""

    platform: Platform
    names: tuple[str, ...] = ()
    """Besides the platform's own: words of `//Platform:` comments, and devices of ocloc."""
    product_families: tuple[int, ...] = ()
    """IntelGT note 1."""
    core_family: int = 0
    """IntelGT note 2; several platforms may share it, and compilers before 2023 wrote 0."""
    releases: tuple[tuple[int, int, int], ...] = ()
    """IntelGT note 6: major version, first and last minor version."""
    grf_bytes: int = 32
    base_without_local_ids: int | None = 32
    """The payload byte at which arguments begin where a kernel has no local ids; None: not tried."""
    thread_number: ThreadNumber | None = None
    """None: kernels read `%hw_id`."""


_DG2_THREAD = ThreadNumber(skipped=(3, 6), low_bits=12)
_XE2_THREAD = ThreadNumber(skipped=(3,), low_bits=6, high_bits=8)
_ANY_MINOR = 0, 255

DEVICES = (
    Device(Platform.BDW, (), (16,), base_without_local_ids=64),
    Device(Platform.CHV, (), (), base_without_local_ids=64),
    Device(Platform.SKL, (), (18, 19, 20), base_without_local_ids=64),  # skl, kbl, cfl
    Device(Platform.BXT, (), (22, 23), base_without_local_ids=64),  # apl, glk
    Device(Platform.ICLLP, (), (26, 27, 28), base_without_local_ids=64),  # icllp, lkf, ehl
    Device(Platform.TGLLP, (), (29, 30, 31, 32, 33, 1210), 0x12, ((12, 0, 10),),  # rkl, adl-s, adl-p, adl-n, dg1
           base_without_local_ids=64),
    Device(Platform.XeHP_SDV, (), (1250,), 0xC05, ((12, 50, 50),), base_without_local_ids=None),
    Device(Platform.DG2, (), (1270,), 0xC07, ((12, 55, 57),), thread_number=_DG2_THREAD),
    Device(Platform.MTL, (), (1272,), 0xC07, ((12, 70, 71),), thread_number=_DG2_THREAD),
    Device(Platform.ARL, ("ARL-H",), (1273,), 0xC07, ((12, 74, 74),), thread_number=_DG2_THREAD),
    Device(Platform.PVC, ("PVCXT",), (1271,), 0xC08, ((12, 60, 61),), 64, 64, ThreadNumber((3, 6, 7), 12)),
    Device(Platform.Xe2, ("BMG", "LNL"), (1274, 1275), 0xC09, ((20, *_ANY_MINOR),), 64, 64, _XE2_THREAD),
    Device(Platform.Xe3, ("PTL", "NVL-S"), (1300, 1340), 0x1E00, ((30, *_ANY_MINOR),), 64, 64, _XE2_THREAD),
    Device(Platform.Xe3P, ("NVL", "NVL-P", "CRI", "XE3P_CRI"), (1360, 1380), 0x2300, ((35, *_ANY_MINOR),),
           64, 64, _XE2_THREAD),
)  # fmt: skip
"""All platforms, in their order."""

_BY_PLATFORM = {device.platform: device for device in DEVICES}
_BY_NAME = {name.lower(): device.platform for device in DEVICES for name in (device.platform.name, *device.names)}

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
    return _BY_NAME[name.lower()]


def _shown(device: Device) -> str:
    return device.platform.name + (f" ({', '.join(device.names)})" if device.names else "")


PLATFORM_NAMES = ", ".join(map(_shown, DEVICES))
"""All names, for messages."""


def noted_platforms(family: int | None, core: int | None, release: tuple[int, int] | None) -> tuple[Platform, ...]:
    """The platforms that the notes of a binary allow: none where they name no known device.

    The product family decides; the GfxCore family where that is unknown, with the IP version among those that share it;
    else the IP version alone.
    """
    exact = tuple(device.platform for device in DEVICES if family in device.product_families)
    if exact:
        return exact
    of_core = tuple(device for device in DEVICES if core and core == device.core_family)
    released = _released(of_core or DEVICES, release)
    return released or tuple(device.platform for device in of_core)


def _released(devices: Iterable[Device], release: tuple[int, int] | None) -> tuple[Platform, ...]:
    if release is None:
        return ()
    major, minor = release
    return tuple(
        device.platform
        for device in devices
        for one, first, last in device.releases
        if one == major and first <= minor <= last
    )


THREAD_NUMBER_BYTE, THREAD_NUMBER_SINCE = 8, Platform.XeHP_SDV
"""The byte of r0 with the number of the thread in its group, which kernels take as the id of their sub-group, and the
first device that has it there.  Source: docs/pages/payload.md §3."""
