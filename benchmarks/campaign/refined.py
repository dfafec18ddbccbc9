"""What `visaproof refine` says of one kernel that was compiled twice."""

import subprocess
import sys
from random import Random

from benchmarks.campaign.launches import Answer, Outcome
from benchmarks.campaign.syntax import Kernel
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.pairs.compilation import Compiled

SMALL, SHARE, LIMIT_S = 22, 4, 8
"""Statements and operators at most, one kernel of so many, and seconds of a processor for a question."""
WITHOUT = frozenset(("float", "double", "half", "approximate", "atomic", "local atomic", "ticket", "sub-group"))
"""Features of which the two programs may be right and differ: NaN, orders of work items."""


def is_asked(kernel: Kernel) -> bool:
    return (
        kernel.size <= SMALL and not kernel.features & WITHOUT and not Random(f"refine {kernel.seed}").randrange(SHARE)
    )


def asked(kernel: Kernel, source: Compiled, target: Compiled) -> Outcome:
    """Their buffers are apart: the generated kernels are only run on such."""
    one, other = (str(each.kernels[kernel.name].path) for each in (source, target))
    launches = ("--launch", str(source.zebin), "--launch-target", str(target.zebin))
    command = [sys.executable, "-m", "visaproof", "refine", one, other, *launches, "--alias", "none"]
    ran = subprocess.run([*command, "--limit", str(LIMIT_S)], capture_output=True, text=True, check=False)
    match ran.returncode:
        case ExitCode.OK:
            return Outcome(Answer.REFINES)
        case ExitCode.REFUTED:
            return Outcome(Answer.REFUTED, " ".join(ran.stdout.split("DOES NOT REFINE")[-1].split())[:600])
        case code:
            return Outcome(Answer.OPEN, f"exit code {code}")
