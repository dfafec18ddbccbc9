"""The symbolic register file: every byte of every root variable."""

from collections.abc import Callable, Mapping

from visaproof.smt import BitVec, Bool, concat, extract, ite

Byte = tuple[BitVec, int]
"""Byte `index` of a term, counted from the low end."""


class RegisterFile:
    """Bytes by variable; an uninitialised byte is asked from `initial` when it is read."""

    def __init__(self, sizes: Mapping[str, int], initial: Callable[[str, int], Byte]) -> None:
        self.sizes = sizes
        self._initial = initial
        self._bytes: dict[tuple[str, int], Byte] = {}

    def holds(self, variable: str, start: int, width: int) -> bool:
        """Whether the variable has all these bytes."""
        return start >= 0 and start + width <= self.sizes[variable]

    def read(self, variable: str, start: int, width: int) -> BitVec:
        """`width` bytes from byte `start` on, little endian."""
        pieces: list[tuple[BitVec, int, int]] = []
        for position in range(start, start + width):
            term, index = self._byte(variable, position)
            if pieces and pieces[-1][0] is term and pieces[-1][2] == index - 1:
                pieces[-1] = (term, pieces[-1][1], index)
            else:
                pieces.append((term, index, index))
        slices = [extract(term, 8 * last + 7, 8 * first) for term, first, last in pieces]
        return concat(*reversed(slices))

    def write(self, variable: str, start: int, value: BitVec, guard: Bool) -> None:
        """Writes `value` from byte `start` on where the guard holds."""
        width = value.width // 8
        kept = ite(guard, value, self.read(variable, start, width))
        for index in range(width):
            self._bytes[variable, start + index] = (kept, index)

    def _byte(self, variable: str, position: int) -> Byte:
        known = self._bytes.get((variable, position))
        return known if known is not None else self._initial(variable, position)
