"""Whether a kernel of today still does what a counterexample shows of an earlier one."""

from dataclasses import replace
from pathlib import Path

import msgspec

from visaproof.checking.all_choices import under_each_choice
from visaproof.checking.counterexample import Counterexample
from visaproof.checking.states import state_from
from visaproof.isa.platform import platform_named
from visaproof.machine.concrete.run import run
from visaproof.semantics.concrete.choices import Choices
from visaproof.visaasm.linking.names import read_program

OF_KERNELS = ("lanes-collide", "undefined", "outside")
"""Findings that one run of a kernel shows."""


def still_done_by(text: str, path: Path) -> str:
    """In words, what the kernel in this file still does; empty where it does nothing of the kind.  Raises ReadError."""
    found = msgspec.json.decode(text, type=Counterexample)
    if found.violation not in OF_KERNELS:
        return f"{found.violation} is not what one run of a kernel shows: it cannot be asked of {path}"
    platform = platform_named(found.platform)
    kernel = read_program(path, grf_bytes=platform.grf_bytes)
    lost = [name for name in (*found.state.registers, *found.state.predicates) if name not in kernel.variables]
    if lost:
        return f"{path} has no {', '.join(lost)}: the counterexample has to be made again"

    def problem(choices: Choices) -> str:
        state = replace(state_from(found.state, found.platform), choices=choices)
        outcome = run(kernel, state)
        if outcome.undefined is not None:
            return f"{outcome.undefined.position}: {outcome.undefined.message}"
        outside = [one for one in outcome.performed if one.misses] if found.violation == "outside" else []
        return f"{outside[0].instruction.position}: reaches outside of {outside[0].surface}" if outside else ""

    return next(filter(None, under_each_choice(problem)), "")
