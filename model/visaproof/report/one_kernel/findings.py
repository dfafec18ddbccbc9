"""Uses of undefined values as people read them, and writes that no lane reaches."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from visaproof.analysis.findings.kernel import Uses
from visaproof.analysis.findings.verdicts import Allowed, MayDepend, NoEffect, Shown, UndefinedUse, assumed_lanes
from visaproof.queries.kernels.suspects import Effect
from visaproof.report.one_kernel.conflicts import input_lines, inputs_of
from visaproof.report.one_kernel.kernel_runs import AskedKernel
from visaproof.visaasm.syntax import Instruction, Kernel

INDENT = " " * 8


def lines_of(kernel: Kernel, uses: Uses, asked: AskedKernel | None = None) -> Iterator[str]:
    """What is undefined, unreachable, and not asked; with what was `asked` also the inputs of the runs that show it."""
    yield from _use_lines(kernel, uses.undefined, asked)
    yield from _unreachable_lines(uses.unreachable)
    if uses.stopped is not None:
        yield ""
        yield f"  not asked: whether more depends on undefined values: {uses.stopped}"


def listed_json(kernel: Kernel, uses: Uses, asked: AskedKernel | None = None) -> dict[str, Any]:
    """The same for programs."""
    return {
        "undefined": uses_json(kernel, uses.undefined, asked),
        "undefined_not_asked": None if uses.stopped is None else str(uses.stopped),
        "unreachable": unreachable_json(uses.unreachable),
    }


def _use_lines(kernel: Kernel, uses: Sequence[UndefinedUse], asked: AskedKernel | None) -> Iterator[str]:
    """Each use with its source line; with what was `asked` also the inputs of the runs that show its effect."""
    texts = {one.position: one.text for one in kernel.instructions()}
    listed = _listed(uses)
    if listed:
        yield ""
        yield "  undefined behaviour:"
        yield f"  assumed: {assumed_lanes(kernel)}"
    for one in listed:
        suspect = one.suspect
        yield f"  {suspect.position.line:>5} | {texts[suspect.position]}"
        yield f"{INDENT}{_verdict(one)}"
        if isinstance(one.answer, Shown) and asked is not None:
            yield from (f"{INDENT}{line}" for line in input_lines(asked, one.answer))


def _listed(uses: Sequence[UndefinedUse]) -> list[UndefinedUse]:
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


def _unreachable_lines(writes: Sequence[Instruction]) -> Iterator[str]:
    """Each write that no lane reaches."""
    if writes:
        yield ""
        yield "  unreachable: no lane of any launch writes here:"
    for one in writes:
        yield f"  {one.position.line:>5} | {one.text}"


def uses_json(kernel: Kernel, uses: Sequence[UndefinedUse], asked: AskedKernel | None) -> list[dict[str, Any]]:
    """The same for programs."""
    texts = {one.position: one.text for one in kernel.instructions()}
    return [_use_json(one, texts[one.suspect.position], asked) for one in _listed(uses)]


def _use_json(one: UndefinedUse, instruction: str, asked: AskedKernel | None) -> dict[str, Any]:
    record: dict[str, Any] = {
        "kind": one.suspect.kind.value,
        "line": one.suspect.position.line,
        "column": one.suspect.position.column,
        "instruction": instruction,
        "variable": one.suspect.variable,
        "what": one.suspect.what,
        "partly": one.suspect.partly,
    }
    match one.answer:
        case Shown(effect, position) as shown:
            inputs: Mapping[str, int] = dict(inputs_of(asked, shown)) if asked is not None else {}
            return record | {
                "verdict": "refuted",
                "effect": effect.name.lower(),
                "effect_line": position.line,
                "execution_mask": f"{shown.state.exec_mask:#x}",
                "inputs": {name: f"{value:#x}" for name, value in inputs.items()},
                "replayed": True,
            }
        case NoEffect():
            return record | {"verdict": "note"}
        case MayDepend(reason):
            return record | {"verdict": "unknown", "reason": reason}
        case Allowed():
            return record | {"verdict": "allowed"}


def unreachable_json(writes: Sequence[Instruction]) -> list[dict[str, Any]]:
    """The writes that no lane reaches, for programs."""
    return [{"line": one.position.line, "instruction": one.text} for one in writes]
