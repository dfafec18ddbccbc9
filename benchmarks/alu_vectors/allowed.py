"""The results that a page allows for one element."""

from collections.abc import Iterable

from msgspec import Struct

from benchmarks.alu_vectors.types import FloatFormat


class Allowed(Struct, frozen=True):
    """One of `bits`, where the bits of `free` may be anything; any NaN of `nan_of`, too."""

    bits: frozenset[int]
    free: int = 0
    nan_of: FloatFormat | None = None

    def permits(self, observed: int) -> bool:
        if self.nan_of is not None and self.nan_of.is_nan(observed):
            return True
        return observed & ~self.free in self.bits

    @property
    def single(self) -> bool:
        """Whether the page allows one result alone."""
        return len(self.bits) == 1 and not self.free and self.nan_of is None

    def __str__(self) -> str:
        if self.free and self.bits == {0} and (self.free + 1).bit_count() == 1:
            return "any bits"
        texts = [f"{each:#x}" for each in sorted(self.bits)] + ["any NaN"] * (self.nan_of is not None)
        return " or ".join(texts) + (f" (bits {self.free:#x} free)" if self.free else "")


def exactly(*bits: int) -> Allowed:
    return Allowed(frozenset(bits))


def any_bits(width: int) -> Allowed:
    return Allowed(frozenset({0}), (1 << width) - 1)


def any_nan(form: FloatFormat) -> Allowed:
    return Allowed(frozenset(), nan_of=form)


def either(choices: Iterable[Allowed]) -> Allowed:
    """What one of the choices permits; some bits free in one of them makes the whole free."""
    each = list(choices)
    loose = [one for one in each if one.free]
    if loose:
        return loose[0]
    forms = [one.nan_of for one in each if one.nan_of is not None]
    return Allowed(frozenset().union(*(one.bits for one in each)), nan_of=forms[0] if forms else None)
