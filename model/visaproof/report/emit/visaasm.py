"""A counterexample as a `.visaasm` file that Intel's GenX_IR accepts, with its state."""

from collections.abc import Iterator

from visaproof.checking.counterexample import Counterexample, State, SurfaceState
from visaproof.isa.platform import platform_named
from visaproof.report.claims.counterexample import instructions_of

DWORD = 4


def visaasm(found: Counterexample) -> str:
    """The program, which begins with the state: of one instruction as statements, of a whole kernel, whose inputs the
    driver sets, as a comment."""
    lines = found.program
    first = next((index for index, line in enumerate(lines) if _is_statement(line)), len(lines))
    whole = bool(found.line)
    state = [] if whole else list(_statements(found.state, platform_named(found.platform).grf_bytes))
    # GenX_IR wants .version first: comments may stand above it
    return "\n".join([*_comments(found, whole), *lines[:first], *state, *lines[first:]]) + "\n"


def _is_statement(line: str) -> bool:
    text = line.strip()
    return bool(text) and not text.startswith((".", "//", "/*")) and not text.endswith(":")


def _comments(found: Counterexample, whole: bool) -> Iterator[str]:
    yield f"// {' '.join(found.shows.split())}"
    yield f"// on {found.platform}, execution mask {found.state.exec_mask}"
    if whole:
        yield f"// line {found.line} of the kernel: {' '.join(instructions_of(found))}"
        for name, content in found.state.registers.items():
            yield f"// {name} = {content}"
        for name, bits in found.state.predicates.items():
            yield f"// {name} = {bits.bits}"
    for name, surface in found.state.surfaces.items():
        yield f"// {name}: {_surface(surface)}"
    for run in found.runs:
        outcome = run.outcome
        changes = ", ".join(f"{place} = {value}" for place, value in outcome.changes.items())
        yield f"// execute: {f'undefined: {outcome.undefined}' if outcome.undefined else changes or 'changes nothing'}"


def _surface(surface: SurfaceState) -> str:
    size = f"{surface.levels} texels" if surface.levels is not None else f"{surface.size or 0} bytes"
    held = ", ".join(f"[{place}] = {value}" for place, value in surface.contents.items())
    return f"{size}{f'; {held}' if held else ''}"


def _statements(state: State, grf_bytes: int) -> Iterator[str]:
    """Sets every dword that is not 0, and the predicates."""
    row = grf_bytes // DWORD
    for name, content in state.registers.items():
        data = bytes.fromhex(content)
        if name.startswith("%") or not data:
            continue
        for index in range(len(data) // DWORD):
            value = int.from_bytes(data[DWORD * index : DWORD * (index + 1)], "little")
            yield f"    mov (M1_NM, 1) {name}({index // row},{index % row})<1> {value:#x}:ud"
    for name, bits in state.predicates.items():
        yield f"    setp (M1_NM, {_lanes(bits.count)}) {name} {bits.bits}:ud"


def _lanes(count: int) -> int:
    """The execution size that sets so many bits."""
    return next(size for size in (1, 2, 4, 8, 16, 32) if size >= min(count, 32))
