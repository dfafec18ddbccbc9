"""Whether one kernel refines another, in one call on two files.

from visaproof.refinement.refines import Programs, refines

match refines(Path("before.visaasm"), Path("after.visaasm"), launch=Path("manifest.json")):
    case Refines(by, conditions): ...
    case Difference(): ...
    case Vacuous() | Bounded() | Unknown(): ...
"""

import re
from collections.abc import Collection, Sequence
from math import inf
from pathlib import Path
from typing import TypedDict

from msgspec import Struct, field

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.platform import PLATFORM_NAMES, Platform, platform_named
from visaproof.launch.assumptions import Assume
from visaproof.launch.beside import launch_for, launches_for
from visaproof.launch.float_results import Floats
from visaproof.launch.launch import launch_of
from visaproof.launch.matching import Program
from visaproof.machine.symbolic.run import DEFAULT_UNROLL
from visaproof.program.lower import Runnable
from visaproof.queries.kernels.undefined import FORBIDDEN, UndefinedKind
from visaproof.refinement.comparison import Comparison, compare
from visaproof.refinement.decision import decide
from visaproof.refinement.observed import names_from
from visaproof.refinement.scope import Alias, Scope
from visaproof.refinement.verdicts import Verdict
from visaproof.visaasm.linking.names import functions_beside, linked, read_program
from visaproof.visaasm.reader import check_end, read_kernel
from visaproof.visaasm.source import read_text

TIMEOUT_S = 20.0
"""For one question to a solver."""


class Programs(Struct, frozen=True):
    """The files that were read, each once: questions about one file share it."""

    _read: dict[tuple[Path, Path | None, Platform | None], Program] = field(
        default_factory=dict[tuple[Path, Path | None, Platform | None], Program]
    )

    def read(
        self, path: Path | str, launch: Path | str | None = None, platform: Platform | str | None = None
    ) -> Program:
        """The kernel in a file with its launch.  Raises ReadError, which is not remembered."""
        device = _platform(platform)
        key = Path(path), _path(launch), device
        if key not in self._read:
            kernel = read_program(key[0], grf_bytes=None if device is None else device.grf_bytes)
            self._read[key] = _launched(kernel, key[1], device)
        return self._read[key]


def read_two(
    path: Path | str, launch: Path | str | None = None, platform: Platform | str | None = None
) -> tuple[Program, Program]:
    """The source and the target that one file has.  Raises ReadError."""
    device = _platform(platform)
    source, target = read_two_kernels(Path(path), grf_bytes=None if device is None else device.grf_bytes)
    return _launched(source, _path(launch), device), _launched(target, _path(launch), device)


def _path(path: Path | str | None) -> Path | None:
    return None if path is None else Path(path)


def _platform(platform: Platform | str | None) -> Platform | None:
    """The platform, by its name too.  Raises ValueError."""
    if not isinstance(platform, str):
        return platform
    try:
        return platform_named(platform)
    except KeyError:
        raise ValueError(f"no platform {platform!r}: one of {PLATFORM_NAMES}") from None


def _launched(kernel: Runnable, launch_file: Path | None, platform: Platform | None) -> Program:
    return Program(kernel, *launch_of(launch_file, kernel, platform))


class Options(TypedDict, total=False):
    """What `refines` may be told, by name."""

    launch: Path | str | None
    launch_target: Path | str | None
    platform: Platform | str | None
    assume: Assume | str
    forbidden: Collection[UndefinedKind | str]
    floats: Floats | str
    unroll: int
    timeout_s: float
    programs: Programs | None
    observe: Sequence[str] | str
    alias: Alias | str
    disjoint: Sequence[tuple[str, str]]


def refines(
    source: Path | str | Program,
    target: Path | str | Program,
    *,
    launch: Path | str | None = None,
    launch_target: Path | str | None = None,
    platform: Platform | str | None = None,
    assume: Assume | str = Assume.LAUNCH,
    forbidden: Collection[UndefinedKind | str] = FORBIDDEN,
    floats: Floats | str = Floats.UNINTERPRETED,
    unroll: int = DEFAULT_UNROLL,
    timeout_s: float = TIMEOUT_S,
    programs: Programs | None = None,
    observe: Sequence[str] | str = (),
    alias: Alias | str = Alias.MAY,
    disjoint: Sequence[tuple[str, str]] = (),
) -> Verdict:
    """Whether `target` does what `source` does, for every input for which `source` is defined.

    Both are `.visaasm` files, or programs that `Programs.read` gave; `programs` keeps the files of earlier calls.
    `launch` (a zebin, its .ze_info, or a manifest; by default the one beside the file, and "none" is no such file)
    says what the inputs hold, `launch_target` does where the target's differ; without them inputs are matched by their
    place in the payload. `platform` is the device where
    neither launch information nor the file itself names it; what is not `forbidden` is defined; `floats` says
    what results on floats are taken for, and loops of unknown length are run `unroll` iterations. `observe` names
    registers that have to be equal at the end where the source defines them: "V32", or "V32=V40" where the target
    has another name. Buffers of different arguments may overlap, unless `alias` is "none", the source says
    `restrict` or `constant`, or a pair is among the `disjoint` ones, by name or number. The verdict is `Refines`
    (for all inputs, with the conditions that it needs), `Bounded` (the same, of so many iterations: no proof),
    `Difference` (a run of both kernels), `Vacuous` (the source never is defined), `Apart` (it refines the source
    if these pairs of buffers share no byte, with a run on buffers that overlap if one differs) or `Unknown`.
    Options may be named as on the command line: `assume="none"`, `floats="ieee"`, `platform="dg2"`,
    `forbidden={"race"}`.

    Raises ReadError for a file that cannot be read and for inputs without a counterpart, NotModelled for kernels that
    cannot be compared, ValueError for an option that has no such value.
    """
    return decide(*compared(
        source, target, launch=launch, launch_target=launch_target, platform=platform, assume=assume,
        forbidden=forbidden, floats=floats, unroll=unroll, timeout_s=timeout_s, programs=programs, observe=observe,
        alias=alias, disjoint=disjoint,
    ))  # fmt: skip


def compared(
    source: Path | str | Program,
    target: Path | str | Program,
    *,
    launch: Path | str | None = None,
    launch_target: Path | str | None = None,
    platform: Platform | str | None = None,
    assume: Assume | str = Assume.LAUNCH,
    forbidden: Collection[UndefinedKind | str] = FORBIDDEN,
    floats: Floats | str = Floats.UNINTERPRETED,
    unroll: int = DEFAULT_UNROLL,
    timeout_s: float = TIMEOUT_S,
    programs: Programs | None = None,
    observe: Sequence[str] | str = (),
    alias: Alias | str = Alias.MAY,
    disjoint: Sequence[tuple[str, str]] = (),
) -> tuple[Comparison, int]:
    """The question of `refines`, and the milliseconds for one question to a solver.  Raises what `refines` does."""
    if unroll < 1 or not 0 < timeout_s < inf:
        raise ValueError(
            f"{unroll} iterations, {timeout_s} s: at least one iteration, and a positive number of seconds"
        )
    kinds = frozenset(map(UndefinedKind, [forbidden] if isinstance(forbidden, str) else forbidden))
    known = programs or Programs()
    launched = _launches(source, target, _path(launch), _path(launch_target))
    one, other = (
        program if isinstance(program, Program) else known.read(program, file, platform)
        for program, file in zip((source, target), launched, strict=True)
    )
    observed = [observe] if isinstance(observe, str) else observe
    names = tuple(pair for text in observed for pair in names_from(text))
    timeout_ms = round(1000 * timeout_s)
    assumed = assume if isinstance(assume, Assume) else Assume.of(assume)
    scope = Scope(
        assumed, kinds, unroll, Floats(floats), names, Alias(alias), tuple(disjoint), timeout_ms=timeout_ms
    )  # fmt: skip
    return compare(one, other, scope), timeout_ms


def _launches(
    source: Path | str | Program, target: Path | str | Program, launch: Path | None, launch_target: Path | None
) -> tuple[Path | None, Path | None]:
    """Of a program that was read, what lies beside its file says nothing."""
    if not isinstance(source, Program) and not isinstance(target, Program):
        return launches_for(launch, launch_target, Path(source), Path(target))
    one = None if isinstance(source, Program) else launch_for(launch, Path(source))
    return one, None if isinstance(target, Program) else launch_for(launch_target or launch, Path(target))


SOURCE, TARGET = "src", "tgt"
_START = re.compile(r"[ \t]*\.kernel[ \t]")


def read_two_kernels(path: Path, *, grf_bytes: int | None = None) -> tuple[Runnable, Runnable]:
    """The source and the target.  Raises ReadError, also for a file with more kernels, or fewer.

    Each is read as a file of its own in which the other's lines are empty, so that places stay what they are.  Where
    they are named `src` and `tgt`, these say which is the source and which the target; else the source comes first.
    """
    lines = read_text(path).split("\n")
    starts = [number for number, line in enumerate(lines) if _START.match(line)]
    if len(starts) != 2:
        place = Position(str(path), starts[2] + 1 if len(starts) > 2 else 1, 1)
        hint = "a second file is the target, or one file has two kernels, src and tgt"
        found = "1 kernel" if len(starts) == 1 else f"{len(starts)} kernels"
        raise ReadError(f"{found} in a file that should have two", place, hint)
    head, functions = lines[: starts[0]], functions_beside(path, grf_bytes=grf_bytes)
    kernels: list[Runnable] = []
    for start, end in ((starts[0], starts[1]), (starts[1], len(lines))):
        text = "\n".join([*head, *[""] * (start - starts[0]), *lines[start:end]])
        kernel = read_kernel(text, str(path), grf_bytes=grf_bytes)
        check_end(kernel)
        kernels.append(linked(kernel, functions))
    first, second = kernels
    return (second, first) if (first.name, second.name) == (TARGET, SOURCE) else (first, second)
