"""The option that names the launch information of a kernel, and what is taken where it is left out."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

NO_LAUNCH = Path("none")
"""What the option says where nothing shall be known of the launch."""


def add_launch(parser: ArgumentParser, file: str = "a zebin, its .ze_info, or a manifest.json") -> None:
    """What says how a kernel is launched."""
    parser.add_argument(
        "--launch", metavar="FILE", type=Path,
        help=f"{file} (default: the one beside the kernel that tells of it; none: no such file)",
    )  # fmt: skip


def launch_for(stated: Path | None, kernel: Path, root: Path | None = None) -> Path | None:
    """The launch file of a kernel: what is stated, or what lies beside it, up to the root."""
    if stated is not None:
        return None if stated == NO_LAUNCH else stated
    from visaproof.launch.beside import launch_beside

    return launch_beside(kernel, root)


def launches_for(
    arguments: Namespace, source: Path, target: Path | None, roots: tuple[Path | None, Path | None] = (None, None)
) -> tuple[Path | None, Path | None]:
    """Those of two kernels, or of two in one file: what is stated of the source is so of the target.

    Of files that nobody stated, that beside the source may tell of both.  Either both count or none: inputs are matched
    by what both launches put there.
    """
    from visaproof.launch.beside import tells_of

    stated: Path | None = arguments.launch_target or arguments.launch
    one = launch_for(arguments.launch, source, roots[0])
    other = one if target is None else launch_for(stated, target, roots[1])
    if stated is None and other is None and one is not None and target is not None and tells_of(one, target):
        return one, one
    if (arguments.launch is None and other is None) or (stated is None and one is None):
        return None, None
    return one, other
