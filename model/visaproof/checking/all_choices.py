"""What runs show whatever the results are that no page states: tried under several choices of them.

A run under any choice is one that the pages allow.  It refutes a claim here only if all choices do, so that no verdict
stands on a value that was picked; if only some do, the answer is not known.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

from visaproof.isa.errors import NotModelled
from visaproof.semantics.concrete.choices import POLICIES, Choices

T = TypeVar("T")


def under_each_choice(attempt: Callable[[Choices], T]) -> Iterator[T]:
    """The attempt under the first choice, and if that picked a result, under the others."""
    first = Choices(0)
    yield attempt(first)
    if first.picked:
        yield from (attempt(Choices(policy)) for policy in range(1, POLICIES))


def under_all_choices(attempt: Callable[[Choices], T | None]) -> T | None:
    """What the first choice shows, if all show it.  Raises NotModelled if only some do."""
    noted: list[Choices] = []

    def noting(choices: Choices) -> T | None:
        noted.append(choices)
        return attempt(choices)

    shown = list(under_each_choice(noting))
    if len({one is None for one in shown}) == 1:
        return shown[0]
    picked = next(iter(noted[0].picked.values()))
    raise NotModelled(f"it depends on a result that no page states: {picked.what}", picked.position)
