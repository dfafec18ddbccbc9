"""Uninitialised values in the source may be what the target leaves: proved where it may, held against all choices."""

from collections.abc import Callable, Hashable, Sequence
from functools import reduce
from itertools import islice, product
from operator import add, and_, mul, or_, xor
from random import Random

import pytest
from msgspec import Struct
from msgspec.structs import replace

from tests.refinement.test_refinement_choices import asked, number, store
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import NOTHING_KNOWN
from visaproof.launch.matching import Program
from visaproof.refinement.comparison import compare
from visaproof.refinement.decision import decide
from visaproof.refinement.effects.witness import is_uninitialised
from visaproof.refinement.inputs.samplers import sampler_symbol
from visaproof.refinement.scope import Scope
from visaproof.refinement.testing.small_launches import small_launches
from visaproof.refinement.verdicts import Difference, Refines
from visaproof.semantics.symbolic.names import extents_of
from visaproof.semantics.symbolic.value_names import Anew, LoadedValue, OpenValue, Own, Owner, RegisterByte
from visaproof.smt import symbol
from visaproof.visaasm.reader import read_kernel

ONE = "(M1_NM, 1)"


def op(opcode: str, dst: str, *sources: str) -> str:
    operands = (one if one[0].isdigit() else f"{one}(0,0)<0;1,0>" for one in sources)
    return f"{opcode} {ONE} {dst}(0,0)<1> {' '.join(operands)}\n"


def stored(value: str) -> str:
    return store("D", value, ONE)


ANYTHING = stored("Y")
"""Uninitialised values is stored."""


# ---------------------------------------------------------------- by hand


@pytest.mark.usefixtures("few_runs")
@pytest.mark.parametrize(
    ("made", "reached"),
    [
        (op("mul", "Y", "Y", "0x3:ud") + op("add", "Y", "Y", "X"), True),
        (op("mul", "Y", "Y", "0x6:ud") + op("add", "Y", "Y", "X"), False),
        (op("xor", "Y", "Y", "X"), False),
        (op("or", "Y", "Y", "X"), False),
        (op("add", "Y", "Y", "N"), True),
        (op("mul", "N", "Y", "Y") + op("add", "Y", "Y", "N"), False),
    ],
)
def test_a_sum_with_what_nothing_wrote_is_anything_if_each_number_is_one(made: str, reached: bool) -> None:
    """Y is free: 3Y + X is any number, 6Y + X and Y | X are not, and Y + Y² is even.  Of Y ^ X it is not seen."""
    found = asked(made + stored("Y"), ANYTHING)
    assert isinstance(found, Refines) is reached, found


def test_a_word_that_is_stored_twice_is_missing_to_one_sum_alone() -> None:
    """255 - Y at one place and Y at another: two numbers of which the target chooses both are no such two."""
    both = op("add", "Z", "0xff:ud", "X") + op("xor", "Z", "Z", "Y") + store("D", "Z", ONE) + store("X", "Y", ONE)
    other = store("D", "Z", ONE) + store("X", "Y", ONE)
    assert not isinstance(asked(both, other), Refines)
    assert isinstance(asked(both, both), Refines)


@pytest.mark.parametrize(("mask", "is_left"), [("0x30:ud", True), ("0xf0:ud", True), ("0x31:ud", False)])
def test_what_the_target_stores_may_be_found_where_that_is_left_as_it_is(mask: str, is_left: bool) -> None:
    """The source clears the bits of all but 0xf0: of what the target has cleared so already that leaves the same."""
    source, target = (op("and", "Y", "Y", one) + stored("Y") for one in ("0xf0:ud", mask))
    found = asked(source, target)
    assert isinstance(found, Difference) is not is_left, found


def test_a_selection_that_leaves_what_it_gives_may_find_that() -> None:
    """f(c) is c, or its sign where c has no exponent; the target gives the sign or 1: both f leaves as they are."""
    small = op("and", "N", "Y", "0x807fffff:ud") + f"cmp.eq {ONE} P1 N(0,0)<0;1,0> Y(0,0)<0;1,0>\n"
    sign = op("and", "N", "Y", "0x80000000:ud")
    source = small + sign + f"(P1) sel {ONE} Z(0,0)<1> N(0,0)<0;1,0> Y(0,0)<0;1,0>\n"
    found = asked(source + stored("Z"), small + sign + f"(P1) sel {ONE} Z(0,0)<1> N(0,0)<0;1,0> 0x0:ud\n" + stored("Z"))
    assert not isinstance(found, Difference), found
    tiny = asked(source + stored("Z"), small + sign + f"(P1) sel {ONE} Z(0,0)<1> N(0,0)<0;1,0> 0x1:ud\n" + stored("Z"))
    assert isinstance(tiny, Difference), tiny


def test_a_lane_that_may_be_on_is_on_where_the_target_needs_it() -> None:
    """Predicates that nothing wrote: the source may do what the target always does, but not the other way round."""
    always = number(5) + store("C", "Z")
    some = number(5) + "(P1) lsc_store.ugm (M1_NM, 8) bti(0x0)[C]:a32 Z:d32\n"
    assert isinstance(asked(some, always), Refines)
    assert isinstance(asked(always, some), Difference)


# ---------------------------------------------------------------- what is chosen, and what is guessed


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        (Own(Owner("source"), RegisterByte("V33", 4)), True),
        (Own(Owner("source", 1), RegisterByte("V33", 4)), True),
        (Own(Owner("source"), Anew(RegisterByte("V33", 4), 0)), True),
        (Own(Owner("source"), RegisterByte("%tsc", 0)), False),
        (Own(Owner("source", 1), Anew(RegisterByte("%tsc", 0), 0)), False),
        (Own(Owner("source"), OpenValue("", "12.3")), False),
        (Own(Owner("source"), OpenValue("thread 1:", "12.3")), False),
        (Own(Owner("source"), LoadedValue("", "12.3")), False),
        (Own(Owner("target"), RegisterByte("V33", 4)), False),
        ("source:V33.4", False),
    ],
    ids=str,
)
def test_the_source_chooses_its_registers_but_not_what_the_device_writes(name: Hashable, chosen: bool) -> None:
    assert is_uninitialised(symbol(name, 8)) is chosen


def test_of_two_images_one_may_be_large_and_of_two_samplers_one_may_tell() -> None:
    extents = [extents_of(f"argument {number}", 0)[0] for number in range(2)]
    samplers = [sampler_symbol(number) for number in range(2)]
    launches = [values for values, _ in islice(small_launches((), [*extents, *samplers], 0), 40)]
    wide, narrow = extents
    assert any(
        values[wide] > 1000 * values[narrow] and values[samplers[0]] != values[samplers[1]] for values in launches
    )


@pytest.mark.parametrize(
    ("made", "left_out"),
    [
        (op("add", "Y", "Y", "X") + stored("Y"), True),
        (op("or", "Y", "Y", "0x1:ud") + stored("Y"), False),
        (stored("Y") + store("X", "Y", ONE), False),
        (op("mul", "N", "Y", "0x3:ud") + stored("Y") + store("X", "Z", ONE), True),
        (op("mul", "Z", "Y", "0x3:ud") + stored("Y") + store("X", "Z", ONE), False),
    ],
)
def test_a_store_may_be_left_out_if_it_may_store_what_is_there(made: str, left_out: bool) -> None:
    """Y + X may be what memory holds, Y | 1 is odd, and Y, or Y and 3Y, at two places need not be what is there."""
    found = asked(made, "")
    assert isinstance(found, Difference) is not left_out, found


GIVEN_STORES = number(7) + store("X", "Z", ONE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "left_out"),
    [
        (stored("Y"), True),
        (store("X", "Y", ONE), True),
        (stored("Y") + store("C", "Y", ONE), False),
        (store("Y", "Y", ONE), False),
        (stored("Y") + op("and", "Y", "Y", "0x1:ud") + store("C", "Y", ONE), False),
        (stored("Z"), False),
    ],
)
@pytest.mark.parametrize("is_first", [False, True])
def test_a_store_may_be_left_out_beside_others_if_all_else_goes_without_its_word(
    more: str, left_out: bool, is_first: bool
) -> None:
    """Behind the store of 7 the word may be that 7; not where it is stored twice, or is the address itself."""
    source = more.replace("Z", "N") + GIVEN_STORES if is_first else GIVEN_STORES + more
    found = asked(op("mov", "N", "0x7:ud") + source, op("mov", "N", "0x7:ud") + GIVEN_STORES)
    assert not isinstance(found, Difference if left_out else Refines), found


TYPED = """.version 4.1
.kernel "k"
.decl X v_type=G type=ud num_elts=8 align=GRF
.decl B v_type=G type=ub num_elts=4 align=GRF
.decl Y v_type=G type=ud num_elts=1 alias=<B, 0>
.decl T6 v_type=T num_elts=1
.input X offset=64 size=32
.function "k"
_main:
movs (M1_NM, 1) T6(0) 0x0:ud
{made}scatter4_typed.R (M1_NM, 1) T6 X.0 %null.0 %null.0 %null.0 Y.0
ret (M1, 1)
"""


@pytest.mark.parametrize("copies", [0, 1, 3])
def test_a_byte_that_is_there_twice_makes_no_word_that_is_anything(copies: int) -> None:
    """Of uninitialised bytes a texel may be any, but not where one of them is others as well."""
    made = "".join(f"mov {ONE} B(0,{byte})<1> B(0,0)<0;1,0>\n" for byte in range(4 - copies, 4))
    source, target = (
        Program(read_kernel(TYPED.format(made=text), "k.visaasm"), NOTHING_KNOWN, Platform.DG2)
        for text in (made, op("mul", "Y", "X", "0x3:ud"))
    )
    found = decide(compare(source, target, Scope(Assume.NONE)), 1_000)
    assert isinstance(found, Difference if copies else Refines), found


# ---------------------------------------------------------------- against all choices

OPS: dict[str, Callable[[int, int], int]] = {"add": add, "xor": xor, "and": and_, "or": or_, "mul": mul}

OWN, GIVEN = range(8), range(4)
"""Uninitialised values, and the input, as far as the kernels look at them."""


class Function(Struct, frozen=True):
    """Of uninitialised values and of the input: each step joins what there is with a constant or with one of both."""

    steps: Sequence[tuple[str, int | str]]

    def __call__(self, own: int, given: int) -> int:
        operands = {"N": own, "C": given}

        def step(value: int, one: tuple[str, int | str]) -> int:
            return OPS[one[0]](value, one[1] if isinstance(one[1], int) else operands[one[1]]) % 2**32

        return reduce(step, self.steps, own)

    @property
    def text(self) -> str:
        """It leaves the result in Z."""
        lines = (op(name, "Z", "Z", f"{one:#x}:ud" if isinstance(one, int) else one) for name, one in self.steps)
        return op("mov", "Z", "N") + "".join(lines)


def function(random: Random) -> Function:
    def step() -> tuple[str, int | str]:
        return random.choice(list(OPS)), random.choice((random.randrange(8), random.randrange(8), "C", "N"))

    return Function([step() for _ in range(random.choice((1, 1, 2)))])


def kernel(functions: Sequence[Function]) -> str:
    """Stores each at its own place."""
    text = op("and", "N", "Y", "0x7:ud") + op("and", "C", "X", "0x3:ud")
    for place, one in enumerate(functions):
        text += op("mov", "D", f"{4 * place:#x}:ud") + one.text + stored("Z")
    return text


def refines(source: Sequence[Function], target: Sequence[Function]) -> bool:
    """Whether for each input and each choice of the target one choice of the source leaves all the same."""

    def left(functions: Sequence[Function], own: int, given: int) -> tuple[int, ...]:
        return tuple(one(own, given) for one in functions)

    return all(
        any(left(source, own, given) == left(target, other, given) for own in OWN)
        for other, given in product(OWN, GIVEN)
    )


@pytest.mark.slow
def test_each_verdict_on_small_functions_of_a_choice_is_that_of_all_choices() -> None:
    random, decided = Random(11), [0, 0]
    for _ in range(60):
        count = random.choice((1, 1, 2))
        source = [function(random) for _ in range(count)]
        target = [function(random) for _ in range(count)]
        if random.random() < 0.5:  # the source's, of what the target computes first
            target = [replace(one, steps=[*first.steps, *one.steps]) for first, one in zip(target, source, strict=True)]
        found, expected = asked(kernel(source), kernel(target)), refines(source, target)
        assert not isinstance(found, Difference if expected else Refines), (source, target, found)
        decided[expected] += isinstance(found, Difference | Refines)
    assert min(decided) > 3, decided
