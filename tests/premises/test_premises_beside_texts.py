"""Witnesses of premises on what lies beside two texts, and of sums with an immediate."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.analysis.bounds.test_bounds_addresses import PRIVATE, asked_of_slots, of_slots
from tests.analysis.test_scratch import BASE, RESULT, fill
from tests.analysis.test_scratch import program as of_scratch
from tests.execution.test_lsc_surfaces import ADDED, HEADER, IMMEDIATE, launch
from tests.premises.test_premises_of_pairs import IDS, NONE, SOLVED_MS, answered, refines_on
from tests.refinement.inputs.test_beside_the_text import END, asked
from tests.refinement.inputs.test_beside_the_text import program as of_launches
from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds, Outside
from visaproof.instructions.lsc import store as store_module
from visaproof.instructions.lsc.load import first_address
from visaproof.instructions.lsc.untyped import Addresses
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.input_meaning import Argument, ArgumentValue
from visaproof.launch.launch import NOTHING_KNOWN, Piece
from visaproof.launch.matching import Program
from visaproof.program.lower import tree_of
from visaproof.refinement.verdicts import Difference
from visaproof.semantics.symbolic.state import SymbolicState
from visaproof.smt import BitVec, Bool, add, const, ite, ult
from visaproof.visaasm.reader import read_kernel

PASS_ON = "    mov (M1, 8) D(0,0)<1> X(0,0)<1;1,0>\n" + END


def test_without_launch_information_arguments_are_taken_to_stand_where_they_did() -> None:
    """One text, whose zebins pass another argument at the place that it reads."""
    source = of_launches(PASS_ON)
    target = of_launches(PASS_ON, meanings={"X": (Piece(0, 32, ArgumentValue(Argument(3))),)})
    unsaid = [replace(one, launch=NOTHING_KNOWN) for one in (source, target)]
    assert refines_on("launched-alike", unsaid[0], unsaid[1])
    assert isinstance(asked(source, target), Difference)
    assert "launched-alike" not in answered(source, target).premises


def of_size(bytes_of_scratch: int) -> Program:
    """Four stores of 32 bytes one after another behind %scratch."""
    code = of_scratch(BASE + fill() + RESULT)
    kernel = tree_of(code.kernel)
    attributes = {**kernel.attributes, "SpillMemOffset": bytes_of_scratch}
    return replace(code, kernel=replace(kernel, attributes=attributes))


def test_each_kernel_stays_inside_what_it_has_behind_scratch() -> None:
    source, target = of_size(128), of_size(64)
    assert refines_on("scratch-sizes", source, target)
    assert "scratch-sizes" not in answered(source, source).premises
    for code, kind in ((source, Holds), (target, Outside)):
        answers = ask_bounds(code.kernel, code.platform, code.launch, Assume.NONE, StatedLaunch(), 5_000).answers()
        last = [found.bounds for found in answers if "%scratch" in found.surfaces][-1]
        assert isinstance(last, kind)


def test_each_kernel_stays_inside_its_slot_of_private_memory(tmp_path: Path) -> None:
    """Slots of 32 bytes, of which the target is given 24."""
    text = PRIVATE.replace("STRIDE", "0x20")
    source, target = (of_slots(tmp_path, text, bytes_each, Platform.TGLLP) for bytes_each in (4, 3))
    assert refines_on("private-sizes", source, target, IDS, SOLVED_MS)
    assert "private-sizes" not in answered(source, source, IDS, SOLVED_MS).premises
    for bytes_each, kind in ((4, Holds), (3, Outside)):
        assert isinstance(asked_of_slots(tmp_path, text, bytes_each, Platform.TGLLP).bounds, kind)


AT_ANY_OFFSET = HEADER.replace(".kernel_attr", ".input I offset=64 size=32\n.kernel_attr")


@pytest.mark.slow
def test_sums_with_an_immediate_wrap_as_other_sums_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """If offset and immediate were added without wrapping, what is beyond 4 GiB would be dropped."""
    given = launch(0)
    offsets = {"I": (Piece(0, 32, ArgumentValue(Argument(1))),)}
    with_offsets = replace(given, meanings={**given.meanings, **offsets})
    head = AT_ANY_OFFSET[: AT_ANY_OFFSET.index("    shl")]
    texts = (f"{head}{store}    ret (M1, 1)\n" for store in (ADDED, IMMEDIATE))
    source, target = (Program(read_kernel(text, "k.visaasm"), with_offsets, Platform.DG2) for text in texts)
    assert refines_on("lsc-immediate", source, target)

    def without_wrapping(state: SymbolicState, of: Addresses, lane: int, enabled: Bool) -> tuple[BitVec, bool]:
        first, known = first_address(state, replace(of, immediate=0), lane, enabled)
        total = add(first, const(of.immediate, of.bits))
        return ite(ult(total, first), const(-1, of.bits), total), known

    monkeypatch.setattr(store_module, "first_address", without_wrapping)
    assert not answered(source, target, NONE, SOLVED_MS).right
    assert answered(source, source).right
