"""Symbolic register files against plain bytes: random guarded writes, read back in part and under assumptions."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visaproof.isa.errors import Position
from visaproof.semantics.symbolic import guarded
from visaproof.semantics.symbolic.guarded import GuardedRegisters
from visaproof.semantics.symbolic.guarded_bits import GuardedPredicates
from visaproof.semantics.symbolic.literals import literals_of, missing
from visaproof.semantics.symbolic.registers import Byte, RegisterFile
from visaproof.smt import (
    Bool,
    Op,
    Term,
    bool_symbol,
    concat,
    conj,
    disj,
    evaluate,
    extract,
    false,
    is_false,
    is_true,
    neg,
    symbol,
    symbols_of,
    true,
)

SIZE = 16
GUARDS = tuple(bool_symbol(f"g{k}") for k in range(3))


def initial(variable: str, position: int) -> Byte:
    return symbol(f"{variable}.{position // 4}", 32), position % 4


def concrete_bytes(values: dict[Term, int]) -> bytearray:
    dwords = (values[symbol(f"V.{k}", 32)] for k in range(SIZE // 4))
    return bytearray(b"".join(dword.to_bytes(4, "little") for dword in dwords))


def some_values(pick: Random, terms: Sequence[Term]) -> dict[Term, int]:
    return {term: pick.getrandbits(max(term.width, 1)) for term in terms}


def some_guard(pick: Random) -> Bool:
    literals = [guard if pick.randrange(2) else neg(guard) for guard in GUARDS if pick.randrange(2)]
    return conj(*literals)


def test_what_bytes_may_show_is_all_that_a_read_of_them_depends_on() -> None:
    """And where a read finds bytes that are uninitialised, nobody says what they may show."""

    @given(st.randoms(use_true_random=False))
    def agree(pick: Random) -> None:
        file = GuardedRegisters({"V": SIZE}, initial)
        for number in range(pick.randrange(6)):
            size = pick.choice((1, 2, 4))
            file.write("V", pick.randrange(SIZE - size), symbol(f"w{number}", 8 * size), some_guard(pick))
        assumed, start = literals_of(some_guard(pick)), pick.randrange(SIZE - 4)
        shown = file.may_show("V", start, 4, assumed)
        read = file.read_under("V", start, 4, assumed)
        if file.read_uninitialised or file.partly:
            assert shown is None
        if shown is not None:
            assert set(symbols_of(read)) <= set(symbols_of(*shown))

    agree()


@pytest.mark.parametrize("kind", [RegisterFile, GuardedRegisters])
def test_writes_under_guards_are_writes_where_the_guard_holds(kind: type[RegisterFile]) -> None:
    """Any number of overlapping writes, then every slice of the variable: as bytes would have it."""

    @given(st.randoms(use_true_random=False))
    def agree(pick: Random) -> None:
        file = kind({"V": SIZE}, initial)
        symbols: list[Term] = [*GUARDS, *(symbol(f"V.{k}", 32) for k in range(SIZE // 4))]
        writes: list[tuple[int, Term, Bool]] = []
        for number in range(pick.randrange(1, 7)):
            width = pick.choice([1, 2, 4, 4, 8])
            value = symbol(f"w{number}.{width}", 8 * width)
            start = pick.randrange(SIZE - width + 1)
            guard = some_guard(pick)
            file.write("V", start, value, guard)
            symbols.append(value)
            writes.append((start, value, guard))
        for _ in range(4):
            values = some_values(pick, symbols)
            expected = concrete_bytes(values)
            for start, value, guard in writes:
                if evaluate(guard, values):
                    width = value.width // 8
                    expected[start : start + width] = values[value].to_bytes(width, "little")
            width = pick.choice([1, 2, 3, 4, 8, SIZE])
            first = pick.randrange(SIZE - width + 1)
            held = evaluate(file.read("V", first, width), values).to_bytes(width, "little")
            assert held == bytes(expected[first : first + width])

    agree()


@given(st.randoms(use_true_random=False))
def test_a_read_under_an_assumption_is_right_where_it_holds(pick: Random) -> None:
    file = GuardedRegisters({"V": SIZE}, initial)
    for number in range(5):
        file.write("V", 4 * pick.randrange(SIZE // 4), symbol(f"w{number}", 32), some_guard(pick))
    assumed = some_guard(pick)
    under = file.read_under("V", 0, SIZE, literals_of(assumed))
    anywhere = file.read("V", 0, SIZE)
    symbols = symbols_of(under, anywhere)
    for bits in range(8):
        values = some_values(pick, symbols) | {guard: bits >> k & 1 for k, guard in enumerate(GUARDS)}
        if evaluate(assumed, values):
            assert evaluate(under, values) == evaluate(anywhere, values)


def test_a_value_comes_back_as_it_was_written_under_its_guard() -> None:
    """Without a choice: what is read under the guard is the term itself."""
    file = GuardedRegisters({"V": SIZE}, initial)
    word = symbol("word", 32)
    file.write("V", 4, word, conj(*GUARDS[:2]))
    assert file.read_under("V", 4, 4, frozenset(GUARDS)) is word
    assert file.read_under("V", 4, 4, frozenset((neg(GUARDS[0]),))) is symbol("V.1", 32)
    assert file.read("V", 4, 4).op is Op.ITE


def test_what_was_never_written_is_noted_when_it_is_read() -> None:
    file = GuardedRegisters({"V": SIZE}, initial)
    file.write("V", 0, symbol("word", 32), true())
    file.read("V", 0, 6)
    assert list(file.initial_reads) == [("V", 4), ("V", 5)]


def test_a_slice_of_neighbouring_bytes_is_a_slice_of_their_term() -> None:
    file = RegisterFile({"V": SIZE}, initial)
    assert file.read("V", 4, 4) is symbol("V.1", 32)
    assert file.read("V", 5, 2) is extract(symbol("V.1", 32), 23, 8)
    assert file.read("V", 2, 4) is concat(extract(symbol("V.1", 32), 15, 0), extract(symbol("V.0", 32), 31, 16))


def test_a_variable_holds_what_lies_wholly_inside_it() -> None:
    file = RegisterFile({"V": SIZE}, initial)
    assert file.holds("V", 12, 4)
    assert not file.holds("V", 13, 4)
    assert not file.holds("V", -1, 4)


@given(st.randoms(use_true_random=False))
def test_predicate_bits_under_guards(pick: Random) -> None:
    """Two lanes; writes under guards, read under an assumption, as bits would have it."""
    file = GuardedPredicates({"P": 2}, lambda name, lane: bool_symbol(f"{name}.{lane}"))
    symbols: list[Term] = [*GUARDS, bool_symbol("P.0"), bool_symbol("P.1")]
    writes: list[tuple[int, Bool, Bool]] = []
    for number in range(pick.randrange(1, 6)):
        lane, value, guard = pick.randrange(2), bool_symbol(f"v{number}"), some_guard(pick)
        file.write_under("P", lane, value, literals_of(guard))
        writes.append((lane, value, guard))
        symbols.append(value)
    assumed = some_guard(pick)
    for _ in range(8):
        values = some_values(pick, symbols)
        bits = [values[bool_symbol("P.0")], values[bool_symbol("P.1")]]
        for lane, value, guard in writes:
            if evaluate(guard, values):
                bits[lane] = values[value]
        if evaluate(assumed, values):
            read = [file.read_under("P", lane, literals_of(assumed)) for lane in (0, 1)]
            assert [evaluate(bit, values) for bit in read] == bits


def test_some_of_the_lanes_run_wherever_some_of_fewer_do() -> None:
    p, q, r, s = (bool_symbol(name) for name in "pqrs")
    all_lanes, in_the_loop = disj(p, q), disj(conj(p, r), conj(q, s))
    assert is_true(missing(frozenset((all_lanes,)), frozenset((in_the_loop,))))
    assert missing(frozenset((in_the_loop,)), frozenset((all_lanes,))) is in_the_loop
    assert missing(frozenset((all_lanes,)), frozenset((disj(conj(p, r), s),))) is all_lanes


def test_what_all_lanes_jump_by_is_missing_where_some_lane_runs() -> None:
    """Not what only some of them do, nor where other lanes run."""
    p, q, r, s = (bool_symbol(name) for name in "pqrs")
    jumped = frozenset((disj(conj(p, r), conj(q, r)),))
    assert missing(jumped, frozenset((disj(p, q),))) is r
    assert missing(jumped, frozenset((p,))) is r
    assert missing(jumped, frozenset((disj(p, q, s),))) is conj(*jumped)
    assert missing(jumped, frozenset((s,))) is conj(*jumped)
    some = frozenset((disj(conj(p, r), q),))
    assert missing(some, frozenset((disj(p, q),))) is conj(*some)
    assert missing(some, frozenset((p,))) is conj(*some)


def test_what_is_missing_says_with_the_assumption_what_the_guard_says() -> None:
    """For each value of the literals: guards and assumptions as those of lanes that run, jump and wait."""
    words = tuple(bool_symbol(f"lane{k}") for k in range(4))

    def some(pick: Random) -> Bool:
        return conj(*(pick.choice((one, neg(one))) for one in pick.sample(words, pick.randrange(1, 4))))

    @given(st.randoms(use_true_random=False))
    def agree(pick: Random) -> None:
        guard, assumed = (
            literals_of(conj(*(disj(*(some(pick) for _ in range(pick.randrange(1, 4)))) for _ in range(2))))
            for _ in range(2)
        )
        rest = missing(guard, assumed)
        for bits in range(16):
            values: dict[Term, int] = {word: bits >> k & 1 for k, word in enumerate(words)}
            if evaluate(conj(*assumed), values):
                assert evaluate(rest, values) == evaluate(conj(*guard), values)

    agree()


def test_what_is_missing_of_a_guard() -> None:
    p, q, r = GUARDS
    assert is_true(missing(frozenset((p,)), frozenset((p, q))))
    assert missing(frozenset((p, q)), frozenset((p,))) is q
    assert is_false(missing(frozenset((p, q)), frozenset((neg(p),))))
    assert is_false(missing(frozenset((p, q)), frozenset((r, neg(conj(p, q))))))
    assert literals_of(true()) == frozenset()
    assert is_false(missing(literals_of(false()), frozenset((p,))))


@pytest.mark.parametrize("seed", range(40))
def test_writes_of_whole_words_are_read_as_those_of_bytes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that overlap, under guards of any of three conditions; some are written twice, or under one guard."""
    pick, file = Random(seed), GuardedRegisters({"V": SIZE}, initial)
    guards = [literals_of(some_guard(pick)) for _ in range(3)]
    for _ in range(8):
        size = pick.choice((2, 4, 4))
        word = symbol(f"w{pick.randrange(2)}", 8 * size)
        file.write_under("V", pick.choice((0, 2, 4)), word, pick.choice(guards))
    asked = [(start, size, some_guard(pick)) for start in range(6) for size in (1, 2, 4)]
    words = [file.read_under("V", start, size, literals_of(guard)) for start, size, guard in asked]
    monkeypatch.setattr(guarded, "_one_write", lambda _: None)
    of_bytes = [file.read_under("V", start, size, literals_of(guard)) for start, size, guard in asked]
    for word, other, (_, _, guard) in zip(words, of_bytes, asked, strict=True):
        terms = symbols_of(word, other, *GUARDS)
        for number in range(8):
            given = {one: number >> at & 1 for at, one in enumerate(GUARDS)}
            values = some_values(pick, terms) | given
            assert not evaluate(guard, values) or evaluate(word, values) == evaluate(other, values)


def test_a_word_written_under_many_guards_is_read_without_recursion() -> None:
    file, words = GuardedRegisters({"V": SIZE}, initial), [symbol(f"w{number}", 32) for number in range(1_500)]
    for number, word in enumerate(words):
        file.write("V", 0, word, bool_symbol(f"c{number}"))
    found = file.read_under(
        "V", 0, 4, literals_of(conj(*(neg(bool_symbol(f"c{number}")) for number in range(700, 1_500))))
    )
    assert found.op is Op.ITE
    assert words[699] in found.args


def _in_one_guard(file: GuardedRegisters) -> None:
    for number, guard in enumerate(GUARDS):
        file.write("V", 0, symbol(f"w{number}", 32), guard)


def test_what_was_read_under_one_assumption_is_put_together_once(monkeypatch: pytest.MonkeyPatch) -> None:
    file = GuardedRegisters({"V": SIZE}, initial)
    file.write("V", 0, symbol("w", 32), true())
    _in_one_guard(file)
    assumed = literals_of(bool_symbol("h"))
    first = file.read_under("V", 0, 4, assumed)
    monkeypatch.setattr(file, "_resolve", None)
    assert file.read_under("V", 0, 4, assumed) is first


def test_a_write_to_one_byte_of_what_was_read_is_seen() -> None:
    file = GuardedRegisters({"V": SIZE}, initial)
    file.write("V", 0, symbol("w", 32), true())
    _in_one_guard(file)
    before, known = file.contents(), file.read("V", 0, 4)
    file.write("V", 2, symbol("b", 8), true())
    assert extract(file.read("V", 0, 4), 23, 16) is symbol("b", 8)
    file.restore(before)
    assert file.read("V", 0, 4) is known


def test_each_reader_of_what_some_path_did_not_write_is_noted() -> None:
    file = GuardedRegisters({"V": SIZE}, initial)
    _in_one_guard(file)
    readers = [Position("k.visaasm", line, 1) for line in (1, 2)]
    for file.reader in readers:
        file.read("V", 0, 4)
    assert list(file.partly["V", 0]) == readers
