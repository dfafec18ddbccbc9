"""The option that names the launch information of a kernel."""

from argparse import ArgumentParser
from pathlib import Path


def add_launch(parser: ArgumentParser, file: str = "a zebin, its .ze_info, or a manifest.json") -> None:
    """What says how a kernel is launched."""
    parser.add_argument(
        "--launch", metavar="FILE", type=Path,
        help=f"{file} (default: the one beside the kernel that tells of it; none: no such file)",
    )  # fmt: skip
