"""Uses of undefined values as people read them, and writes that no lane reaches."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from visaproof.analysis.findings.kernel import Uses
from visaproof.analysis.findings.verdicts import Allowed, MayDepend, NoEffect, Shown, UndefinedUse, assumed_lanes
from visaproof.program.kernel import Kernel
from visaproof.program.statements import Origin
from visaproof.queries.kernels.suspects import Effect
from visaproof.report.one_kernel.conflicts import input_lines
from visaproof.report.one_kernel.kernel_runs import AskedKernel
from visaproof.report.one_kernel.statements import line_number

INDENT = " " * 8

MOST_LINES = 8
"""Of statements with one verdict that are named one by one."""


def lines_of(kernel: Kernel, uses: Uses, asked: AskedKernel | None = None) -> Iterator[str]:
    """What is undefined, unreachable, and not asked; with what was `asked` also the inputs of the runs that show it."""
    yield from _use_lines(kernel, uses.undefined, asked)
    yield from _unreachable_lines(kernel, uses.unreachable)
    if uses.stopped is not None:
        yield ""
        yield f"  not asked: whether more depends on undefined values: {uses.stopped}"


def _use_lines(kernel: Kernel, uses: Sequence[UndefinedUse], asked: AskedKernel | None) -> Iterator[str]:
    """Each use with its source line; with what was `asked` also the inputs of the runs that show its effect."""
    texts = {one.position: one.text for one in kernel.instructions()}
    suspects = listed(uses)
    if suspects:
        yield ""
        yield "  undefined behaviour:"
        yield f"  assumed: {assumed_lanes(kernel)}"
    for verdict, group in groupby(suspects, _verdict):
        one, *alike = group
        shown = [one, *alike] if isinstance(one.answer, Shown) else [one]
        for each in shown:
            yield f"  {line_number(kernel, each.suspect.position):>5} | {texts[each.suspect.position]}"
            yield f"{INDENT}{verdict}"
            if isinstance(each.answer, Shown) and asked is not None:
                yield from (f"{INDENT}{line}" for line in input_lines(asked, each.answer))
                yield from (f"{INDENT}{line}" for line in _hints(asked, each.answer))
        if len(shown) == 1 and alike:
            yield f"{INDENT}the same in {_lines(alike)}"


def _lines(uses: Sequence[UndefinedUse]) -> str:
    """Where they stand, in as few words as there are places to look at."""
    found = sorted({one.suspect.position.line for one in uses})
    if len(found) > MOST_LINES:
        return f"{len(found)} more statements, lines {found[0]} to {found[-1]}"
    return f"line{'s' * (len(found) > 1)} {', '.join(map(str, found))}"


def _hints(asked: AskedKernel, shown: Shown) -> Iterator[str]:
    """How to ask of full sub-groups alone: of others, what is left by a message of one lane that stores for all of them
    is undefined in the language (cl_intel_subgroups, block writes)."""
    lanes = asked.kernel.work_items or 1
    stores = [one for one in asked.asked.trace.performed if one.instruction.position == shown.position]
    for_all = all(len({access.lane for access in one.accesses}) == 1 for one in stores)
    if shown.effect is Effect.OUTPUT and stores and for_all and shown.state.exec_mask + 1 < 1 << lanes:
        yield f"hint: `--local-size {lanes}` asks of full sub-groups, of which alone block writes are defined"


def listed(uses: Sequence[UndefinedUse]) -> list[UndefinedUse]:
    return [one for one in uses if not one.suspect.harmless]


def _verdict(one: UndefinedUse) -> str:
    what = f"{one.suspect.kind.value}: it {one.suspect.what}"
    match one.answer:
        case Shown(effect=Effect.WRITTEN):
            return f"UNDEFINED: {what}: other variables may change (replayed)"
        case Shown(effect, position):
            return f"UNDEFINED: {what}; {effect.value} in line {position.line} depends on it (two runs replayed)"
        case NoEffect():
            return f"note: {what}; no address, branch, mask or output depends on it"
        case MayDepend(reason):
            return f"UNKNOWN: {what}; {reason}"
        case Allowed():
            return f"allowed: {what}"


def _unreachable_lines(kernel: Kernel, writes: Sequence[Origin]) -> Iterator[str]:
    """Each write that no lane reaches."""
    if writes:
        yield ""
        yield "  unreachable: no lane of any launch writes here:"
    for one in writes:
        yield f"  {line_number(kernel, one.position):>5} | {one.text}"
