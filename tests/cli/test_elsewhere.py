"""Commands where POSIX ends: no signal masks, timers or process groups, and z3 alone.  The calls are taken away."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"

SIGNALS = "pthread_sigmask sigpending setitimer getitimer SIGALRM SIGPROF SIGHUP ITIMER_PROF ITIMER_REAL SIGSTOP"
WITHOUT = f"""
import os, signal, sys
for module, names in ((signal, "{SIGNALS}"), (os, "killpg getpgid setsid")):
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
sys.modules.update(bitwuzla=None, resource=None, fcntl=None, termios=None)
if __name__ == "__main__":
    from visaproof.cli import main
    sys.exit(main(sys.argv[1:]))
"""

CONFLICTS = ["conflicts", str(EXAMPLES / "pairs.visaasm"), "--launch", str(EXAMPLES / "pairs.bin"), "--limit", "60"]
RUN = [
    "run",
    str(EXAMPLES / "pairs.visaasm"),
    "--launch",
    str(EXAMPLES / "pairs.bin"),
    "--global-size",
    "8",
    "--arg",
    "n=8",
]


@pytest.mark.parametrize(
    ("arguments", "code", "printed"),
    [
        (CONFLICTS, 1, "CONFLICT"),
        (["refine", *(str(EXAMPLES / f"{name}.visaasm") for name in ("mean", "mean"))], 0, "REFINES"),
        ([*RUN, "--buffer", "in=zeros:64", "--buffer", "out=zeros:64"], 1, "both write"),
        (["replay", str(ROOT / "counterexamples" / "lane_conflict-tgllp-O2-simd8-line-77.json")], 0, "1 replayed"),
        (["prove", "--proofs", str(ROOT / "proofs"), "address_rules", "--jobs", "2"], 0, "0 unknown"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_an_ordinary_command_runs(arguments: list[str], code: int, printed: str, tmp_path: Path) -> None:
    script = tmp_path / "elsewhere.py"
    script.write_text(WITHOUT)
    ran = subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, timeout=300)
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert printed in ran.stdout
    assert "bitwuzla" not in ran.stdout


def test_a_compiler_that_does_not_end_is_ended(tmp_path: Path) -> None:
    """Without process groups: at least the compiler itself."""
    (tmp_path / "k.cl").write_text("kernel void k(global int *a) { a[0] = 1; }\n")
    compiler = tmp_path / "compiler"
    compiler.write_text("#!/bin/sh\nexec sleep 600\n")
    compiler.chmod(0o755)
    script = tmp_path / "elsewhere.py"
    script.write_text(WITHOUT)
    command = [
        sys.executable,
        str(script),
        "ocloc",
        str(tmp_path / "k.cl"),
        "--ocloc",
        str(compiler),
        "--timeout-compile",
        "1",
    ]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 2
