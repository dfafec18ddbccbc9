"""What a part of a program is given, as the source of a rewrite rule is by its conditions."""

from collections.abc import Mapping

from msgspec import Struct, field

from visaproof.smt import BitVec, Bool, Term, conj, evaluate, substitute, symbols_of, zero_extend
from visaproof.smt.compiled import compiled


class Premises(Struct, frozen=True):
    """What holds before two parts of programs, between which no other thread comes: a rewrite rule's conditions.

    Their end is no end of a thread: what they leave in shared local memory is read by what comes after them.
    """

    inputs: tuple[Bool, ...] = ()
    contents: tuple[tuple[str, BitVec, Bool], ...] = ()
    """A surface, a symbol for each of its dwords, and what holds of these."""
    known: Mapping[Term, Term] = field(default_factory=dict[Term, Term])
    """What may stand for what, as these say."""

    def said_of(self, surface: str, word: BitVec) -> Bool:
        """What holds of a word of a surface."""
        wide = zero_extend(word, 32) if word.width < 32 else word
        return conj(*(substitute(said, {every: wide}) for name, every, said in self.contents if name == surface))

    def hold(self, values: Mapping[Term, int]) -> bool:
        """Whether inputs are as the conditions say; those of which nothing is said are 0."""
        symbols = symbols_of(*self.inputs)
        return all(compiled(self.inputs, symbols)([values.get(one, 0) for one in symbols]))

    def admit(self, memory: Mapping[str, tuple[int, Mapping[int, int]]], image_size: int) -> bool:
        """Whether each dword of memory is as the conditions say, also one of 0."""
        for surface, every, said in self.contents:
            size, contents = memory.get(surface, (0, {}))
            words: dict[int, int] = {}
            for at, part in contents.items():
                place, shift = (at, 0) if size == image_size else (at // 4, 8 * (at % 4))
                words[place] = words.get(place, 0) | part << shift
            if not all(evaluate(said, {every: word}) for word in {*words.values(), 0}):
                return False
        return True
