"""Random kernels that find a few bits in uninitialised registers: each verdict is held against all choices.

The bits go to values, to bytes of words, to addresses, to conditions, and through memory.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

import pytest

from tests.refinement.test_refinement_choices import atomic, compared, store
from visaproof.checking.stages import Values
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.decision import decide
from visaproof.refinement.testing.memory import Memory
from visaproof.refinement.testing.runs import launch_of
from visaproof.refinement.verdicts import Difference, Refines
from visaproof.semantics.symbolic.names import surface_size
from visaproof.semantics.symbolic.value_names import Own, Owner, PredicateBit, RegisterByte
from visaproof.smt import Term, bool_symbol, symbol

ONE = "(M1_NM, 1)"
OWN = (
    f"and {ONE} Y(0,0)<1> Y(0,0)<0;1,0> 0x103:ud\n"
    f"mov {ONE} Z(0,0)<1> 0x2:ud\nmov {ONE} N(0,0)<1> 0x0:ud\nand {ONE} X(0,0)<1> X(0,0)<0;1,0> 0x3:ud\n"
)
"""Of Y the kernels find three bits, in two bytes; and one of P1."""

KERNELS, LAUNCHES = 24, 2
OPS = ("add", "xor", "and", "or", "mul", "mov")
WORDS = ("Y", "Y", "X", "Z", "N")


def statement(random: Random) -> str:
    on, to = random.choice(("", "", "(P1) ", "(!P1) ")), random.choice(("Z", "N", "Y"))
    one, other = (f"{random.choice(WORDS)}(0,0)<0;1,0>" for _ in range(2))
    match random.randrange(8):
        case 0 | 1:
            op, number = random.choice(OPS), random.choice((other, "0x1:ud", "0x5:ud"))
            return f"{on}{op} {ONE} {to}(0,0)<1> {number if op == 'mov' else f'{one} {number}'}\n"
        case 2:
            return f"shr {ONE} {to}(0,0)<1> {one} 0x8:ud\n" if random.randrange(2) else byte_moved(random)
        case 3:
            return f"cmp.{random.choice(('eq', 'lt'))} {ONE} P1 {one} {other}\n"
        case 4:
            return f"(P1) sel {ONE} {to}(0,0)<1> {one} {other}\n"
        case 5:
            cell, brought = random.choice("DDY"), random.choice(("%null", "Z"))
            return atomic(random.choice(("iadd", "or", "umax")), one[0], cell=cell, brought=brought, lanes=ONE, on=on)
        case 6:
            return f"lsc_load.ugm {ONE} {to}:d32 bti(0x0)[{random.choice('DDY')}]:a32\n"
        case _:
            return on + store(random.choice("DDDYX"), one[0], ONE)


def byte_moved(random: Random) -> str:
    """A word of one byte of another one, twice."""
    word = random.choice("YX")
    return f"and {ONE} N(0,0)<1> {word}(0,0)<0;1,0> 0xff:ud\nmul {ONE} N(0,0)<1> N(0,0)<0;1,0> 0x101:ud\n"


def body(random: Random) -> list[str]:
    return [statement(random) for _ in range(random.randrange(1, 4))] + [store("D", random.choice(WORDS), ONE)]


def changed(lines: Sequence[str], random: Random) -> list[str]:
    """The lines with one more or less, or with a number for uninitialised values."""
    found, place = list(lines), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            found[place : place + 1] = []
        case 1:
            found.insert(place, statement(random))
        case 2:
            found[place] = statement(random)
        case _:
            found.insert(0, f"mov {ONE} Y(0,0)<1> {random.choice(('0x1:ud', '0x4:ud', 'X(0,0)<0;1,0>'))}\n")
    return found


def choices(side: str) -> Iterator[dict[Term, int]]:
    """All that a kernel may find."""
    for low, high, on in product(range(4), range(2), range(2)):
        predicate: Term = bool_symbol(Own(Owner(side), PredicateBit("P1", 0)))
        first, second = (symbol(Own(Owner(side), RegisterByte("Y", byte)), 8) for byte in range(2))
        yield {first: low, second: high, predicate: on}


def left(comparison: Comparison, place: int, memory: Memory, values: Values) -> dict[int, int] | None:
    """What a kernel leaves, without zeros; None where it is undefined."""
    ran = comparison.runners[place].run(memory, comparison.question.lanes, values)
    if ran.outcome.undefined is not None:
        return None
    return {address: value for address, value in ran.memory["argument 0"][1].items() if value}


def is_explained(comparison: Comparison, memory: Memory, values: Values) -> bool:
    """Whether some choice of the source leaves what the target does, or is undefined."""
    observed = left(comparison, 1, memory, values)
    return any(left(comparison, 0, memory, values | own) in (None, observed) for own in choices("source"))


def launched(comparison: Comparison, random: Random) -> Iterator[tuple[Values, Memory]]:
    """A few inputs and contents of memory, with what the target may find."""
    for _ in range(LAUNCHES):
        words: Values = {symbol("X.0", 32): random.randrange(4), surface_size("argument 0"): 1 << 32}
        words |= dict.fromkeys(comparison.question.lanes, 1)
        bits = random.choice((2, 32))

        def content(_surface: str, _address: int, width: int, bits: int = bits) -> int:
            return random.getrandbits(bits) % (1 << 8 * width)

        for own in random.sample(list(choices("target")), 4):
            yield launch_of(comparison, words | own, content)


@pytest.mark.slow
def test_each_verdict_on_a_few_bits_that_nothing_wrote_is_that_of_all_choices() -> None:
    random, decided = Random(3), Counter[str]()
    for _ in range(KERNELS):
        source = body(random)
        target = changed(source, random) if random.random() < 0.8 else body(random)
        comparison = compared(OWN + "".join(source), OWN + "".join(target))
        found = decide(comparison, 50)
        decided[type(found).__name__] += 1
        if isinstance(found, Refines):
            for values, memory in launched(comparison, random):
                assert is_explained(comparison, memory, values), (source, target, found, values)
        elif isinstance(found, Difference):
            assert not is_explained(comparison, found.memory, found.values), (source, target, found)
    assert min(decided["Refines"], decided["Difference"]) > 2, decided
