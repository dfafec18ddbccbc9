"""Private memory: a load brings what the thread stored last, as the engine forwards it."""

from visaproof.checking.claims.catalogue import for_each
from visaproof.queries.private_loads import (
    Loaded,
    Stored,
    load_brings_what_another_would,
    load_brings_what_was_stored,
)
from visaproof.queries.query import Query
from visaproof.smt import BitVec, add, bool_symbol, concat, conj, const, neg, scale, symbol, zero_extend

p, q = bool_symbol("p"), bool_symbol("q")
old, new, third = (symbol(name, 32) for name in ("old", "new", "third"))
byte, half, wide = symbol("byte", 8), symbol("half", 16), symbol("wide", 64)
i, j = symbol("i", 64), symbol("j", 64)
INDEX = zero_extend(symbol("index", 32), 64)


def at(offset: int) -> BitVec:
    return const(offset, 64)


def element(index: BitVec, first: int = 0, size: int = 4) -> BitVec:
    """Where an element of an array lies."""
    return add(scale(index, size), const(first, 64))


LAST = Loaded("the last of two stores", (Stored(at(8), old), Stored(at(8), new)), at(8), 4)
GUARDED = Loaded("a store that may not happen", (Stored(at(8), old), Stored(at(8), new, p)), at(8), 4)
PART = Loaded("an upper part of a store", (Stored(at(8), wide),), at(12), 4)
BETWEEN = Loaded("a store over a part of another", (Stored(at(8), wide), Stored(at(11), half)), at(8), 8)
OVER_THE_END = Loaded("beyond a store", (Stored(at(6), old),), at(8), 4)
ANY = Loaded("an element of an array", (Stored(element(i), old), Stored(element(j), new)), element(INDEX), 4)
ONE_HAPPENED = Loaded(
    "one of two stores that exclude each other",
    (Stored(at(8), old, conj(p, q)), Stored(at(8), new, conj(p, neg(q)))),
    at(8),
    4,
    p,
)

LOW = symbol("low", 32)
BY_HALVES = Loaded(
    "beside a store, by the lower halves of both",
    (Stored(concat(symbol("high", 32), add(LOW, const(2, 32))), half),),
    concat(symbol("other", 32), LOW),
    2,
)
NEAR = Loaded(
    "near a store, by the lower halves of both",
    (Stored(concat(symbol("high", 32), add(LOW, const(1, 32))), half),),
    BY_HALVES.offset,
    2,
)

k, m, n = (symbol(name, 32) for name in "kmn")


def in_scratch(index: BitVec, first: int) -> BitVec:
    """Where an element of 128 bytes lies in `%scratch`, or what is behind its first byte."""
    return add(scale(index, 128), const(first, 32))


UNITS_APART = Loaded("lanes of elements, by their low bits", (Stored(in_scratch(k, 4), old),), in_scratch(m, 8), 4)
UNITS_NEAR = Loaded("near lanes of elements, by their low bits", (Stored(in_scratch(k, 5), old),), in_scratch(m, 8), 4)

LOADS = (
    LAST,
    GUARDED,
    PART,
    BETWEEN,
    OVER_THE_END,
    ANY,
    ONE_HAPPENED,
    Loaded("what nothing stored", (), at(8), 4),
    Loaded("beside a store", (Stored(at(8), old),), at(12), 4),
    Loaded("beside a newer store", (Stored(at(12), old), Stored(at(8), new)), at(12), 4),
    Loaded("a store that happens wherever the load does", (Stored(at(8), old), Stored(at(8), new, p)), at(8), 4, p),
    Loaded("a byte of each of two", (Stored(at(8), byte), Stored(at(9), old)), at(8), 2),
    Loaded("before the base", (Stored(at(-2), old),), at(-4), 4),
    Loaded("a byte in a word at an index", (Stored(element(i), old), Stored(element(j, 1), byte)), element(INDEX), 4),
    Loaded(
        "elements that are apart", (Stored(element(i, 4, 8), new), Stored(element(j, 0, 8), old)), element(i, 4, 8), 4
    ),
    Loaded("any bytes", (Stored(i, half), Stored(j, byte)), INDEX, 2),
    Loaded("a word of which halves are elements", (Stored(element(i, 0, 2), half),), element(INDEX, 0, 4), 4),
    BY_HALVES,
    NEAR,
    UNITS_APART,
    UNITS_NEAR,
    Loaded("over the end of %scratch", (Stored(const(-2, 32), old),), const(0, 32), 4),
    Loaded("in %scratch, not behind the base", (Stored(const(8, 32), old), Stored(at(8), new)), const(8, 32), 4),
    Loaded("an element of a lane", (Stored(in_scratch(k, 4), old), Stored(in_scratch(m, 4), new)), in_scratch(n, 4), 4),
    Loaded(
        "the last byte of a store, by the lower halves of both",
        (Stored(concat(symbol("high", 32), LOW), half),),
        concat(symbol("other", 32), add(LOW, const(1, 32))),
        2,
    ),
    Loaded("elements one behind another", (Stored(element(i, 4), old),), element(INDEX), 4),
    Loaded("a byte stored over a word", (Stored(at(8), old), Stored(at(8), byte)), at(8), 4),
    Loaded("under guards", (Stored(element(i), old, p), Stored(element(j), new, q)), element(INDEX), 4),
)


@for_each(LOADS)
def prove_a_load_brings_what_was_stored_last(case: Loaded) -> Query:
    return load_brings_what_was_stored(case)


def refute_a_load_brings_what_was_stored_first() -> Query:
    first = Loaded(LAST.name, tuple(reversed(LAST.stores)), at(8), 4)
    return load_brings_what_another_would(LAST, first, "the first of two stores")


def refute_a_store_that_may_not_happen_is_loaded() -> Query:
    return load_brings_what_another_would(GUARDED, LAST, "the last store, whether it happens or not")


def refute_a_load_begins_where_a_store_does() -> Query:
    begins = Loaded(PART.name, PART.stores, at(8), 4)
    return load_brings_what_another_would(PART, begins, "the first bytes of the store")


def refute_a_store_over_a_part_leaves_nothing_of_another() -> Query:
    whole = Loaded(BETWEEN.name, BETWEEN.stores[1:], at(8), 8)
    return load_brings_what_another_would(BETWEEN, whole, "the newer store alone")


def refute_a_load_beyond_a_store_brings_the_store_alone() -> Query:
    shorter = Loaded(OVER_THE_END.name, (Stored(at(8), old),), at(8), 4)
    return load_brings_what_another_would(OVER_THE_END, shorter, "the store, from its first byte on")


def refute_elements_at_two_indices_are_apart() -> Query:
    apart = Loaded(ANY.name, ANY.stores[:1], ANY.offset, 4)
    return load_brings_what_another_would(ANY, apart, "the elements of one store")


def refute_of_two_stores_that_exclude_each_other_the_newer_happened() -> Query:
    newer = Loaded(ONE_HAPPENED.name, (Stored(at(8), new),), at(8), 4)
    return load_brings_what_another_would(ONE_HAPPENED, newer, "the newer store")


def refute_lower_halves_that_are_a_byte_apart_keep_words_apart() -> Query:
    return load_brings_what_another_would(NEAR, BY_HALVES, "what was there before")


def refute_units_that_are_three_bytes_apart_keep_words_apart() -> Query:
    return load_brings_what_another_would(UNITS_NEAR, UNITS_APART, "what was there before")


def refute_scratch_and_what_lies_behind_the_base_are_one_memory() -> Query:
    both = Loaded("both", (Stored(at(8), old), Stored(at(8), new)), at(8), 4)
    apart = Loaded("both", (Stored(const(8, 32), old), Stored(at(8), new)), const(8, 32), 4)
    return load_brings_what_another_would(apart, both, "the last store to either")
