"""The samplers of a launch: each takes the nearest texel, and the launch chooses what it reads outside of an image."""

from collections.abc import Iterator

from visaproof.engine.ladder import Values
from visaproof.kernel.texels import Outside
from visaproof.smt import Bool, Term, bool_symbol

SAMPLER = "sampler number "
"""What the name of such a symbol begins with."""


def sampler_symbol(number: int) -> Bool:
    """Whether the sampler brings 0 outside of an image, and not what is at its edge."""
    return bool_symbol(f"{SAMPLER}{number}")


def is_sampler(term: Term) -> bool:
    """Whether this is such a symbol."""
    return str(term.payload).startswith(SAMPLER)


def samplers_in(values: Values) -> Iterator[tuple[int, Outside]]:
    """The samplers, and what each reads outside of an image."""
    for one, border in values.items():
        if is_sampler(one):
            yield int(str(one.payload).removeprefix(SAMPLER)), Outside.BORDER if border & 1 else Outside.EDGE
