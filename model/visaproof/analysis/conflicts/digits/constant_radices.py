"""Parts of numbers by constants, as digits of a mixed radix: whatever quotients and remainders a sum has of them.

    ⌊n/l⌋ mod r  =  ⌊n/l⌋ − r·⌊n/(l·r)⌋                                  so all are quotients: a₀·n + a₁·⌊n/l₁⌋ + …

Where each l divides the next one, with r_i = l_(i+1)/l_i and d_i = ⌊n/l_i⌋ mod r_i, the last one without mod,

    Σ a_i·⌊n/l_i⌋  =  Σ b_i·d_i             b_0 = a_0,   b_(i+1) = a_(i+1) + r_i·b_i                      (mod 2^w)

A compiler writes k·(n mod r) as k·n − k·r·⌊n/r⌋, and n as its summands: what stands before n is what its id has.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise

from visaproof.analysis.conflicts.digits.parts_of_numbers import piece
from visaproof.analysis.conflicts.digits.records import Digit, Factors, Part, Stride
from visaproof.launch.relations.polynomials import constant_of
from visaproof.smt import BitVec, Op, const, signed_value, value_of

Quotients = dict[int, Stride]
"""What quotients of a number are multiplied by, by what it is divided by."""


def with_constant_radices(
    strides: Mapping[Digit, Stride], bits: int, ids_of: Callable[[BitVec], Mapping[Digit, Stride] | None]
) -> dict[Digit, Stride]:
    """The same sum, but for what all lanes have in common; `ids_of` are the strides of ids where a number is a sum of
    them in so many bits.
    """
    left = dict(strides)
    for number in dict.fromkeys(one.number for one in strides if isinstance(one, Part)):
        parts = {one: left[one] for one in left if isinstance(one, Part) and one.number is number}
        quotients = quotients_of(parts, bits)
        if quotients is None:
            continue
        ids = ids_of(number)
        whole = None if ids is None else _of_whole(ids, left, bits)
        if ids is not None and whole is not None:
            quotients[1] = _sum(quotients[1], whole, 1, bits)
        digits = _digits(number, {low: stride for low, stride in quotients.items() if stride or low == 1}, bits)
        if digits is not None:
            taken = {*parts, *(ids if ids is not None and whole is not None else ())}
            left = {one: stride for one, stride in left.items() if one not in taken} | digits
    return left


def quotients_of(parts: Mapping[Part, Stride], bits: int) -> Quotients | None:
    """The same sum of quotients of one number; None where a part of it is not by constants."""
    quotients: Quotients = {1: {}}
    for part, stride in parts.items():
        found = piece_of(part)
        if found is None:
            return None
        low, radix = found
        quotients[low] = _sum(quotients.get(low, {}), stride, 1, bits)
        if radix is not None:
            quotients[low * radix] = _sum(quotients.get(low * radix, {}), stride, -radix, bits)
    return quotients


def piece_of(part: Part) -> tuple[int, int | None] | None:
    """⌊n/low⌋ mod radix, where both are constants; or without a radix."""
    constants = [(operation, value_of(by)) for operation, by in part.steps]
    found = piece((operation, {(): by}) for operation, by in constants if by)
    if found is None or not all(by for _, by in constants):
        return None
    low, radix = constant_of(found.low), None if found.radix is None else constant_of(found.radix)
    return None if low is None or (found.radix is not None and radix is None) else (low, radix)


def _of_whole(ids: Mapping[Digit, Stride], strides: Mapping[Digit, Stride], bits: int) -> Stride | None:
    """How often a number is in the sum as the sum of its ids; None where these have other strides."""
    first = next((one for one, stride in ids.items() if stride == {(): 1}), None)
    if first is None or first not in strides:
        return None
    times = strides[first]
    constants = {one: stride.get(()) for one, stride in ids.items() if set(stride) == {()}}
    alike = len(constants) == len(ids) and all(
        count is not None and strides.get(one) == _sum({}, times, count, bits) for one, count in constants.items()
    )
    return times if alike else None


def _digits(number: BitVec, quotients: Quotients, bits: int) -> dict[Digit, Stride] | None:
    """Those with a stride; None where one number that is divided by is no multiple of another, or there is none."""
    found: dict[Digit, Stride] = {}
    divisors = sorted(quotients)
    if len(divisors) == 1 or any(high % low for low, high in pairwise(divisors)) or divisors[-1] >> number.width:
        return None
    stride: Stride = {}
    for at, low in enumerate(divisors):
        above = divisors[at + 1] if at + 1 < len(divisors) else None
        stride = _sum(quotients[low], stride, low // divisors[at - 1] if at else 0, bits)
        steps = [(Op.UDIV, const(low, number.width))] * (low > 1)
        if above is not None:
            steps.append((Op.UREM, const(above // low, number.width)))
        if stride:
            found[Part(number, tuple(steps))] = stride
    return found


def _sum(one: Stride, other: Stride, times: int, bits: int) -> dict[Factors, int]:
    """The one and so many times the other."""
    total = {key: signed_value(one.get(key, 0) + times * other.get(key, 0), bits) for key in {**one, **other}}
    return {key: count for key, count in total.items() if count}
