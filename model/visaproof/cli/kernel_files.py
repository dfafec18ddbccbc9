"""A kernel with what its launch is known to do: what the commands that ask about whole kernels read."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.cli.errors import UsageError
from visaproof.isa.platform import Platform, platform_named

if TYPE_CHECKING:
    from visaproof.kernel.launch import Launch
    from visaproof.kernel.syntax import Kernel

DEFAULT_PLATFORM = Platform.DG2
"""For a file of which neither `--platform` nor `--launch` names the device."""


def milliseconds(timeout: float) -> int:
    return round(1000 * timeout)


def platform_option(name: str | None) -> Platform | None:
    """The platform of `--platform`."""
    if name is None:
        return None
    try:
        return platform_named(name)
    except KeyError:
        known = ", ".join(platform.name for platform in Platform)
        raise UsageError(f"no platform {name!r}", f"one of {known}") from None


def read_with_launch(path: Path, arguments: Namespace, platform: Platform | None) -> "tuple[Kernel, Launch]":
    """The kernel, and its launch by `--launch` and `--input`.  Raises ReadError."""
    from visaproof.kernel.launch import NOTHING_KNOWN, parse_input_option, read_launch
    from visaproof.kernel.linking import read_program

    kernel = read_program(path, grf_bytes=None if platform is None else platform.grf_bytes)
    launch = read_launch(arguments.launch, kernel, platform) if arguments.launch else NOTHING_KNOWN
    options = [parse_input_option(option) for option in arguments.input]
    return kernel, launch.with_inputs(kernel, options)
