"""Words of which only is known between which numbers they are, as the size of a sub-group is, or the smaller of two.

if the sub-group is none but the last: 32, else local_size & 31          is at most 32
"""

from collections.abc import Mapping
from typing import cast

from visaproof.analysis.bounds.sizes.integers import Integers
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.smt import BitVec, Bool, Op, Term, neg, subterms, ult

SMALL = 1 << 10
"""No sub-group has more work items, nor has a group more on Intel's devices."""


def small_words(address: BitVec, reader: Integers) -> tuple[dict[Term, Polynomial], Mapping[str, Polynomial]]:
    """The choices in it that are no integers otherwise, each with a name, and what these are at most."""
    words, most = dict[Term, Polynomial](), dict[str, Polynomial]()
    alone = Integers(reader.atoms, reader.halves, reader.modular)
    for word in subterms(address):
        if isinstance(word, BitVec) and word.op is Op.ITE and word.high < SMALL and alone.read(word) is None:
            name = InnerName(Kind.SMALL, len(words))
            words[word], most[name] = {(name,): 1}, {(): word.high}
    return words, most


def smaller_words(
    address: BitVec, reader: Integers
) -> tuple[dict[Term, Polynomial], dict[str, Polynomial], tuple[Bool, ...]]:
    """The smaller of two words, of which one is no other integer, in an address: what each is, and is at most.

    if a < b: a, else b  is at most a, and at most b
    """
    words, most, said = dict[Term, Polynomial](), dict[str, Polynomial](), list[Bool]()
    for word in subterms(address):
        if not isinstance(word, BitVec) or word.op is not Op.ITE or cast(Bool, word.args[0]).op is not Op.ULT:
            continue
        both = cast(tuple[BitVec, BitVec], word.args[1:])
        if word.args[0].args == both and any(reader.read(one) is None for one in both):
            name = InnerName(Kind.SMALLER, len(words))
            words[word], most[name] = {(name,): 1}, {(): (1 << word.width) - 1}
            said += (neg(ult(one, word)) for one in both)
    return words, most, tuple(said)
