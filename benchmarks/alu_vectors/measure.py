"""Runs vectors of every form on one of the model's machines, and counts how it agrees with the pages."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct, field

from benchmarks.alu_vectors.generator import instructions, states
from benchmarks.alu_vectors.machines import Answer, NoAnswer, concretely, described, difference, kernel_of
from benchmarks.alu_vectors.oracle import Expected, expected
from benchmarks.alu_vectors.other_machines import on_arrays, symbolically
from benchmarks.alu_vectors.pages import ROWS, SPECIAL
from benchmarks.alu_vectors.vector import State, Vector
from visaproof.visaasm.syntax import Kernel

PLACE = re.compile(r"k\.visaasm:\d+:\d+: ")
FORMS = (*ROWS, *SPECIAL)
HEAVY = {"mov": 6, "cmp": 3, "add": 2, "mul": 2, "mad": 3, "sel": 2, "min": 2, "max": 2}
"""Opcodes whose pages have many combinations of types get more vectors than the others."""

Machine = Callable[[Kernel, Vector, Sequence[State], Sequence[Expected]], list[Answer]]

MACHINES: dict[str, Machine] = {
    "concrete": lambda kernel, vector, starts, _: [concretely(kernel, vector, start) for start in starts],
    "arrays": lambda kernel, vector, starts, _: on_arrays(kernel, vector, starts),
    "symbolic": lambda kernel, vector, starts, wanted: [
        symbolically(kernel, vector, start, one) for start, one in zip(starts, wanted, strict=True)
    ],
}


class Count(Struct):
    """How the vectors of one form came out."""

    agree: int = 0
    loose: int = 0
    """Of those that agree: at least one element has more than one allowed result."""
    differ: int = 0
    no_answer: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    differences: list[str] = field(default_factory=list[str])

    @property
    def vectors(self) -> int:
        return self.agree + self.differ + self.no_answer

    def add(self, vector: Vector, state: State, wanted: Expected, answer: Answer) -> None:
        """Counts one answer."""
        if isinstance(answer, NoAnswer):
            self.no_answer += 1
            self.reasons[PLACE.sub("", answer.reason)] += 1
        elif (found := difference(state, wanted, answer)) is not None:
            self.differ += 1
            self.differences.append(f"{found}  {described(vector, state)}")
        else:
            self.agree += 1
            self.loose += wanted.loose > 0


def measured(form: str, count: int, seed: int, machine: str = "concrete") -> Count:
    """`count` instructions of a form, each on several states."""
    result = Count()
    for vector in instructions(form, count, seed):
        kernel, starts = kernel_of(vector), list(states(vector, seed))
        wanted = [expected(vector, start) for start in starts]
        if isinstance(kernel, NoAnswer):
            answers: list[Answer] = [kernel] * len(starts)
        else:
            answers = MACHINES[machine](kernel, vector, starts, wanted)
        for each in zip(starts, wanted, answers, strict=True):
            result.add(vector, *each)
    return result


def all_forms(total: int, seed: int, forms: Iterable[str] = FORMS, machine: str = "concrete") -> dict[str, Count]:
    """About `total` vectors, spread over the forms."""
    chosen = list(forms)
    share = total / 3 / sum(HEAVY.get(form, 1) for form in chosen)
    return {form: measured(form, max(1, round(share * HEAVY.get(form, 1))), seed, machine) for form in chosen}
