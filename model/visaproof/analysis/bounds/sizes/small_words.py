"""Words of which only is known between which small numbers they are, as the size of a sub-group is.

if the sub-group is none but the last: 32, else local_size & 31          is at most 32
"""

from collections.abc import Mapping

from visaproof.analysis.bounds.sizes.integers import Integers
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.polynomials import Polynomial
from visaproof.smt import BitVec, Op, Term, subterms

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
