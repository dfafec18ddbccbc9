"""Random pairs: where one kernel is said to refine another, runs of both agree wherever the first is defined."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.machine.concrete.run import run
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.runs import again
from visaproof.refinement.verdicts import Difference, Refines
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer
from visaproof.testing import random_kernels as generated
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import GeneralVariable, Kernel, PredicateVariable

INPUTS = [f".input V{kind}{k} offset={64 + 256 * (2 * place + k)} size=256"
          for place, kind in enumerate(generated.TYPES) for k in (0, 1)]  # fmt: skip
PREDICATES = [f"    cmp.lt (M1_NM, 16) P{k} Vw{k - 1}(0,0)<1;1,0> Vw{k - 1}(1,0)<1;1,0>" for k in (1, 2)]
STORE = "    scatter_scaled.4 (M1, 8) T6 0x0:ud OFFSETS.0 Vud0.0"
RUNS = 12
SURFACE = "bti 0"
BOUND = "    movs (M1_NM, 1) T6(0) 0x0:ud"


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """A kernel, and one in which two statements have changed places, or one is gone, stands twice, or has no mask."""
    text = draw(generated.kernels()).replace(".kernel_attr", "\n".join(INPUTS) + "\n.kernel_attr", 1)
    lines = text.replace("_main:", "\n".join(["_main:", BOUND, *PREDICATES]), 1).splitlines()
    lines.insert(len(lines) - 1, STORE)
    first = lines.index("_main:") + 1
    place = draw(st.integers(first, len(lines) - 3))
    changed = list(lines)
    match draw(st.integers(0, 3)):
        case 0:
            changed[place], changed[place + 1] = changed[place + 1], changed[place]
        case 1 if not lines[place].endswith(":"):
            del changed[place]
        case 2 if "goto" not in lines[place] and not lines[place].endswith(":"):
            changed.insert(place, lines[place])
        case _:
            changed[place] = lines[place].replace("(M1,", "(M1_NM,") if "goto" not in lines[place] else lines[place]
    return "\n".join(lines) + "\n", "\n".join(changed) + "\n"


def state(kernel: Kernel, seed: int) -> ConcreteState:
    """The same bytes in the same registers, whichever kernel it is."""
    pick = Random(seed)
    found = ConcreteState(
        Platform.TGLLP, exec_mask=pick.choice([0xFFFF, 1 << pick.randrange(16), pick.randrange(1, 1 << 16)])
    )
    small = pick.random() < 0.5
    for variable in kernel.variables.values():
        if isinstance(variable, GeneralVariable) and variable.alias is None:
            words = (pick.getrandbits(4 if small else 32) for _ in range(variable.size // 4 + 1))
            found.registers[variable.name] = bytearray(
                b"".join(w.to_bytes(4, "little") for w in words)[: variable.size]
            )
        elif isinstance(variable, PredicateVariable):
            found.predicates[variable.name] = PredicateBits(variable.num_elts, pick.getrandbits(variable.num_elts))
    found.surfaces[SURFACE] = Buffer(pick.choice([1 << 32, 4096, 62]), {k: pick.getrandbits(8) for k in range(62)})
    return found


def memory_after(kernel: Kernel, seed: int) -> dict[int, int] | None:
    """What the surface holds then; None where the run is undefined, or no end."""
    start = state(kernel, seed)
    try:
        if run(kernel, start, most=5_000).undefined is not None:
            return None
    except NotModelled:
        return None
    return {address: byte for address, byte in start.buffer(SURFACE).contents.items() if byte}


@pytest.mark.slow
@settings(deadline=None, max_examples=8)
@given(pairs(), st.integers(0, 2**32))
def test_a_refinement_holds_in_runs_and_a_difference_replays(pair: tuple[str, str], seed: int) -> None:
    source, target = (read_kernel(text, "k.visaasm") for text in pair)
    try:
        one, other = (Program(kernel, NOTHING_KNOWN, Platform.TGLLP) for kernel in (source, target))
        comparison = compare(one, other, Scope(Assume.NONE))
        verdict = decide(comparison, 200)
    except NotModelled:
        return
    if isinstance(verdict, Difference):
        assert again(comparison, verdict) is not None
    if isinstance(verdict, Refines):
        for number in range(RUNS):
            left = memory_after(source, seed + number)
            assert left is None or memory_after(target, seed + number) == left
