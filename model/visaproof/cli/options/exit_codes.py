"""The exit codes of every command, and which of them a run with several findings has."""

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """What a command says to the shell."""

    OK = 0
    REFUTED = 1
    USAGE = 2
    UNKNOWN = 3
    NOT_MODELLED = 4
    VACUOUS = 5
    DISAGREEMENT = 6
    INTERNAL = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


TABLE = """exit codes:
    0  proved, or as expected
    1  refuted: a claim, a file or a kernel is not as it should be
    2  usage, or input that cannot be read
    3  unknown: nothing decided it in time
    4  not modelled
    5  vacuous: the assumptions never hold, so a proof says nothing
    6  two solvers disagree (--cross-check)
   70  internal error of visaproof (please report it; VISAPROOF_DEBUG=1 shows the traceback)
  130  interrupted by Ctrl-C
Of several, the first of 70, 6, 130, 2, 1, 5, 4, 3 that applies is returned."""

_WORST_FIRST = (
    ExitCode.INTERNAL,
    ExitCode.DISAGREEMENT,
    ExitCode.INTERRUPTED,
    ExitCode.USAGE,
    ExitCode.REFUTED,
    ExitCode.VACUOUS,
    ExitCode.NOT_MODELLED,
    ExitCode.UNKNOWN,
)


def worst(codes: Iterable[ExitCode]) -> ExitCode:
    """The code of a run in which all of these occurred."""
    occurred = set(codes)
    return next((code for code in _WORST_FIRST if code in occurred), ExitCode.OK)
