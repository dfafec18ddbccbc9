"""A kernel with what its launch is known to do: what the commands that ask about whole kernels read."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from visaproof.cli.options.arguments import groups_of

if TYPE_CHECKING:
    from visaproof.isa.platform import Platform
    from visaproof.launch.launch import Launch
    from visaproof.visaasm.syntax import Kernel


def milliseconds(timeout: float) -> int:
    return round(1000 * timeout)


def read_with_launch(path: Path, file: Path | None, arguments: Namespace) -> "tuple[Kernel, Launch, Platform]":
    """The kernel, its launch by a file and `--input`, and its device.  Raises ReadError."""
    from visaproof.launch.launch import launch_of, parse_input_option
    from visaproof.visaasm.linking.names import read_program

    stated: Platform | None = arguments.platform
    kernel = read_program(path, grf_bytes=None if stated is None else stated.grf_bytes)
    launch, platform = launch_of(file, kernel, stated)
    options = [parse_input_option(option) for option in arguments.input]
    return kernel, launch.with_inputs(kernel, options).of_groups(groups_of(arguments)), platform
