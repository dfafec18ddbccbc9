"""Claims in z3 arrays: proved without arrays, and refuted by a state that `execute` confirms."""

from time import process_time
from typing import Any

import pytest
import z3 as _untyped
from msgspec.structs import replace

from visaproof.checking.counterexample import Counterexample
from visaproof.checking.decide import decide
from visaproof.checking.encode import Arrays, Step, encode
from visaproof.checking.replay import replay
from visaproof.checking.steps import shown as showing
from visaproof.checking.steps.own_claim import claim
from visaproof.checking.verdict import Proved, Refuted, Unknown, Vacuous, Verdict
from visaproof.decode.message import decode
from visaproof.instructions import Instruction, Scatter4Scaled
from visaproof.isa.errors import NotModelled
from visaproof.isa.platform import Platform
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.visaasm.printing.single_statement import read_alone

z3: Any = _untyped
SCATTER = "scatter4_scaled.R (M1, 8) T6 0x0:ud off.0 src.0"


def instruction(text: str) -> Instruction:
    alone = read_alone(text, "claim", Platform.TGLLP)
    return decode(alone.instruction, alone.kernel, Platform.TGLLP)


def step(text: str = SCATTER, before: Arrays | None = None) -> Step:
    one = instruction(text)
    return encode(one, before or Arrays.arbitrary(one))


def refuted(verdict: Verdict) -> Counterexample:
    assert isinstance(verdict, Refuted), verdict
    assert not replay(verdict.execution, "memory").differences
    return verdict.execution


def outside_is_kept(one: Step) -> Any:
    before, after, at = one.before.buffer("T6"), one.after.buffer("T6"), z3.BitVec("at", 40)
    return z3.Implies(z3.UGE(at, before.size), after.byte(at) == before.byte(at))


def off_is_silent(one: Step, lanes: int) -> Any:
    return z3.Implies(one.before.exec_mask & lanes == 0, one.after.buffer("T6").bytes == one.before.buffer("T6").bytes)


@pytest.mark.parametrize("text", [SCATTER, "qw_scatter.1 (M1, 8) T6 off.0 src.0", SCATTER.replace(".R ", ".RG ")])
def test_what_the_page_says_of_memory_is_proved(text: str) -> None:
    one = step(text)
    assert isinstance(decide(claim(outside_is_kept(one), one)), Proved)
    assert isinstance(decide(claim(off_is_silent(one, 0xFF), one)), Proved)


def test_a_claim_on_memory_costs_no_seconds() -> None:
    """z3's own arrays take some seconds for this one."""
    one = step()
    start = process_time()
    assert isinstance(decide(claim(outside_is_kept(one), one)), Proved)
    assert process_time() - start < 2


def test_a_claim_that_is_false_is_refuted_with_a_run() -> None:
    one = step()
    found = refuted(decide(claim(off_is_silent(one, 0x7F), one, name="lane 7 is silent")))
    assert found.shows == "scatter4_scaled/lane 7 is silent is false here"
    assert int(found.state.exec_mask, 16) & 0x80
    assert found.runs[0].outcome.changes


def test_nomask_ignores_the_execution_mask() -> None:
    one = step(SCATTER.replace("M1", "M1_NM"))
    found = refuted(decide(claim(off_is_silent(one, 0xFF), one)))
    assert int(found.state.exec_mask, 16) & 0xFF == 0


def test_a_load_and_what_it_returns() -> None:
    one = step("oword_ld (2) T6 at(0,0)<0;1,0> dst.0")
    offset, memory = one.before.registers["at"], one.before.buffer("T6")
    address = z3.ZeroExt(8, offset) << 4
    first = z3.Extract(7, 0, one.after.registers["dst"])
    assert isinstance(decide(claim(z3.Implies(z3.UGE(address, memory.size), first == 0), one)), Proved)
    inside = z3.Implies(z3.ULT(address + 4, memory.size), first == memory.byte(address))
    assert isinstance(decide(claim(inside, one)), Proved)
    found = refuted(decide(claim(first == 0, one)))
    assert found.state.surfaces["T6"].contents


def test_atomics_on_a_line_of_texels() -> None:
    one = step("typed_atomic.inc (M1, 8) T6 u.0 %null.0 %null.0 %null.0 %null.0 %null.0 dst.0")
    before, after = one.before.image("T6"), one.after.image("T6")
    zero = z3.BitVecVal(0, 32)
    at = z3.BitVec("u", 32), zero, zero, zero
    grown = z3.Implies(one.before.exec_mask & 0xFE == 0, z3.ULE(after.texel(*at) - before.texel(*at), 1))
    assert isinstance(decide(claim(grown, one)), Proved)
    refuted(decide(claim(z3.ULE(after.texel(*at) - before.texel(*at), 1), one)))


def test_two_steps_one_after_the_other() -> None:
    """The second scatter writes what the first one wrote, to the same places: nothing changes any more."""
    first = step()
    second = step(before=first.after)
    twice, once, never = (arrays.buffer("T6").bytes for arrays in (second.after, first.after, first.before))
    assert isinstance(
        decide(claim(z3.Implies(first.before.exec_mask & 0xFF == 0, twice == never), first, second)), Proved
    )
    assert isinstance(
        decide(claim(z3.Implies(first.before.exec_mask & 0xFE == 0, twice == once), first, second)), Proved
    )
    found = refuted(decide(claim(twice == never, first, second)))
    assert len(found.program) == len(step_program()) + 1


def step_program() -> list[str]:
    one = step()
    return refuted(decide(claim(off_is_silent(one, 0), one))).program


def test_undefined_states_are_left_out_unless_asked_for() -> None:
    one = step()
    assert isinstance(decide(claim(z3.Not(one.undefined), one)), Proved)
    found = refuted(decide(claim(z3.Not(one.undefined), one, even_undefined=True)))
    assert found.runs[0].outcome.undefined is not None


def test_a_claim_about_no_state_is_vacuous() -> None:
    one = step()
    never = replace(one, undefined=z3.BoolVal(True))
    assert isinstance(decide(claim(outside_is_kept(one), never)), Vacuous)


def test_what_is_no_claim_is_said() -> None:
    one = step()
    with pytest.raises(TypeError, match="a claim is a z3 formula"):
        claim(True, one)
    with pytest.raises(TypeError, match="at least one step"):
        claim(z3.BoolVal(True))
    with pytest.raises(ValueError, match="no form without arrays"):
        claim(z3.Int("i") == 0, one)


def test_instructions_without_arrays_are_not_modelled() -> None:
    with pytest.raises(NotModelled, match="svm_scatter in arrays"):
        Arrays.arbitrary(instruction("svm_scatter.4.1 (M1, 8) V0.0 V1.0"))


# ---------------------------------------------------------------- nets


class WritesElsewhereToo(Scatter4Scaled, frozen=True):
    """`execute` does not do what the footprint, and so the arrays, say."""

    def execute(self, state: ConcreteState) -> None:
        super().execute(state)
        memory = state.buffer(self.surface)
        memory.contents[0] = memory.contents.get(0, 0) ^ 0xFF


def wrong_step() -> Step:
    right = instruction(SCATTER)
    assert isinstance(right, Scatter4Scaled)
    wrong = WritesElsewhereToo(
        right.execution, right.channels, right.surface, right.offset, right.element_offset, right.src
    )
    return replace(encode(right, Arrays.arbitrary(right)), instruction=wrong)


def test_a_run_that_is_not_as_the_arrays_say_refutes_nothing() -> None:
    one = wrong_step()
    assert isinstance(decide(claim(off_is_silent(one, 0x7F), one), timeout_ms=2_000), Unknown)


def test_without_that_net_it_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showing, "executes_so", lambda *_: True)
    one = wrong_step()
    assert isinstance(decide(claim(off_is_silent(one, 0x7F), one), timeout_ms=2_000), Refuted)


def test_values_for_which_z3_finds_the_claim_true_refute_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim as terms is not what it is in z3: nothing is refuted by a slip in between."""
    one = step()
    query = claim(off_is_silent(one, 0x7F), one)
    true_in_z3 = replace(query, about=replace(query.about, expression=z3.BoolVal(True)))
    assert isinstance(decide(true_in_z3, timeout_ms=2_000), Unknown)
    monkeypatch.setattr("visaproof.smt.z3_arrays.holds", lambda claim, numbers: z3.is_true(z3.BoolVal(False)))
    assert isinstance(decide(true_in_z3, timeout_ms=2_000), Refuted)
