"""Each opcode on the machines against what its page allows, and whether the vectors would see a wrong opcode."""

import pytest

from benchmarks.alu_vectors import floats, integers
from benchmarks.alu_vectors.generator import instructions, states
from benchmarks.alu_vectors.machines import After, difference
from benchmarks.alu_vectors.measure import FORMS, measured
from benchmarks.alu_vectors.oracle import expected
from benchmarks.alu_vectors.reals import product

SEED = 17


@pytest.mark.parametrize("form", FORMS)
def test_the_concrete_machine_does_what_the_page_allows(form: str) -> None:
    assert measured(form, 8, SEED).differences == []


@pytest.mark.parametrize("machine", ["arrays", "symbolic"])
@pytest.mark.parametrize("form", FORMS)
def test_the_other_machines_do_what_the_page_allows(form: str, machine: str) -> None:
    assert measured(form, 1, SEED, machine).differences == []


@pytest.mark.slow(but=22)
@pytest.mark.parametrize("form", FORMS)
def test_the_concrete_machine_answers_on_every_type_of_the_page(form: str) -> None:
    assert measured(form, 24, SEED + 1).reasons == {}


WRONG = {
    "add": lambda lane, n: n[0] if n[0] == lane.types[0].most else n[0] + n[1],
    "asr": lambda _, n: n[0] >> (n[1] & 7),
    "avg": lambda _, n: (n[0] + n[1]) >> 1,
    "bfi": lambda _, n: n[3],
    "cbit": lambda _, n: min(n[0].bit_count(), 31),
    "fbl": lambda _, n: 32 if n[0] == 0 else (n[0] & -n[0]).bit_length() - 1,
    "lzd": lambda _, n: min(32 - n[0].bit_length(), 31),
    "div": lambda _, n: n[0] // n[1] if n[1] else None,
    "mod": lambda _, n: n[0] % n[1] if n[1] else None,
    "mulh": lambda _, n: abs(n[0] * n[1]) >> 32,
    "madw.high": lambda _, n: (n[0] * n[1]) >> 32,
    "addc.carry": lambda _, n: 0,
    "subb.borrow": lambda _, n: int(n[0] <= n[1]),
    "shl": lambda _, n: n[0] << (n[1] & 63),
    "rol": lambda lane, n: n[0] << (n[1] % lane.types[0].bits),
    "min": lambda _, n: min(abs(each) for each in n),
}
"""Operations that are wrong at an edge; a machine that did this would be as far from the page."""


@pytest.mark.parametrize("opcode", WRONG)
def test_the_vectors_see_an_operation_that_is_wrong_at_an_edge(opcode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(integers.FUNCTIONS, opcode, WRONG[opcode])
    assert measured(opcode.split(".")[0], 40, SEED).differ > 0


def test_the_vectors_see_a_product_that_is_rounded_before_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    def unfused(lane, values):  # type: ignore[no-untyped-def]
        yield product(values[0], values[1])

    monkeypatch.setitem(floats.FUNCTIONS, "mad", unfused)
    assert measured("mad", 60, SEED).differ > 0


def test_a_byte_that_nothing_writes_is_looked_at() -> None:
    vector = next(instructions("add", 1, SEED))
    state = next(states(vector, SEED))
    wanted = expected(vector, state)
    content = {name: bytearray(each) for name, each in state.registers.items()}
    for each in wanted.elements:
        bits = min(each.allowed.bits)
        content[each.variable][each.byte : each.byte + each.bytes] = bits.to_bytes(each.bytes, "little")
    right = After({name: bytes(each) for name, each in content.items()}, dict(state.predicates))
    assert difference(state, wanted, right) is None
    written = {byte for each in wanted.elements for byte in range(each.byte, each.byte + each.bytes)}
    spared = next(byte for byte in range(len(content["D"])) if byte not in written)
    content["D"][spared] ^= 1
    wrong = After({name: bytes(each) for name, each in content.items()}, dict(state.predicates))
    assert "though nothing writes this byte" in str(difference(state, wanted, wrong))
