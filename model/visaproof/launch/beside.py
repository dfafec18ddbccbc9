"""The launch information that a compiler, or `visaproof dump`, wrote beside a kernel."""

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from visaproof.isa.errors import ReadError
from visaproof.visaasm.file_content import LAUNCH_LIMIT, content_of

MANIFEST = "manifest.json"
BINARIES = (".progbin", ".bin", ".zeinfo", ".ze_info")
"""What says how a kernel is launched, the best first."""

NO_LAUNCH = Path("none")
"""What is stated where nothing shall be known of the launch."""

KERNEL = re.compile(r'^[ \t]*\.kernel[ \t]+"?([^"\s]+)', re.MULTILINE)
"""The line of a `.visaasm` file that names its kernel."""
DUMPED = re.compile(r"^(?P<program>.*?)(?:_(?P<attempt>\d+))?_simd\d+_")
"""The compiler's own names: `OCL_asm0123456789abcdef_simd16_entry_0001`; `…_1_simd16_…` is its second attempt."""


def launch_for(stated: Path | None, kernel: Path, root: Path | None = None) -> Path | None:
    """The launch file of a kernel: what is stated, or what lies beside it, up to the root."""
    if stated is not None:
        return None if stated == NO_LAUNCH else stated
    return launch_beside(kernel, root)


def launches_for(
    launch: Path | None,
    launch_target: Path | None,
    source: Path,
    target: Path | None,
    roots: tuple[Path | None, Path | None] = (None, None),
) -> tuple[Path | None, Path | None]:
    """Those of two kernels, or of two in one file: what is stated of the source is so of the target.

    Of files that nobody stated, that beside the source may tell of both.  Either both count or none: inputs are matched
    by what both launches put there.
    """
    stated = launch_target or launch
    one = launch_for(launch, source, roots[0])
    other = one if target is None else launch_for(stated, target, roots[1])
    if stated is None and other is None and one is not None and target is not None and tells_of(one, target):
        return one, one
    if (launch is None and other is None) or (stated is None and one is None):
        return None, None
    return one, other


def launch_beside(path: Path, root: Path | None = None) -> Path | None:
    """The file that tells of the kernel in the file at `path`, from its folder up to the root (default: its folder).

    In each folder the binary of the same compilation comes first, then a manifest, then a binary that is the only one
    there to tell of this kernel.  Files that cannot be read, or tell of other kernels, do not count.
    """
    root = root or path.parent
    names = _names(path)
    for folder in (one for one in (path.parent, *path.parent.parents) if one.is_relative_to(root)):
        for one in (*(_of_one_compilation(path) if folder == path.parent else ()), folder / MANIFEST):
            if _tells_of(one, path, names):
                return one
        for suffix in BINARIES:
            found = [one for one in sorted(folder.glob(f"*{suffix}")) if _tells_of(one, path, names)]
            if len(found) == 1:
                return found[0]
    return None


def tells_of(launch: Path, kernel: Path) -> bool:
    """Whether a launch file has an entry for the kernel of a `.visaasm` file.

    It need not be well-formed: what is wrong with it is said when it is read.
    """
    return _tells_of(launch, kernel, _names(kernel))


def program_of(path: Path) -> str:
    """The hash of the program that was compiled; of a file with a name of its own all of it."""
    found = DUMPED.match(path.stem)
    return found["program"] if found else path.stem


def _of_one_compilation(path: Path) -> Iterator[Path]:
    for suffix in BINARIES:
        yield path.with_name(program_of(path) + suffix)
        yield path.with_name(path.stem + suffix)


def _names(kernel: Path) -> list[str]:
    """Of the kernels in a file; none where it cannot be read."""
    try:
        return KERNEL.findall(content_of(kernel, LAUNCH_LIMIT).decode(errors="replace"))
    except ReadError:
        return []


def _tells_of(launch: Path, kernel: Path, names: list[str]) -> bool:
    """By `name: K` of a ze_info, or by the file that a manifest names, or whose digest it has."""
    if not names or not launch.is_file():
        return False
    try:
        blob = content_of(launch, LAUNCH_LIMIT)
        if launch.suffix == ".json":
            digest = sha256(content_of(kernel, LAUNCH_LIMIT)).hexdigest()
            return any(text.encode() in blob for text in (kernel.name, digest))
    except ReadError:
        return False
    return any(re.search(rb"\bname:[ ]+['\"]?%s['\"]?\s" % re.escape(name.encode()), blob) for name in names)
