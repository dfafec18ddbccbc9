"""What a solver says to a question, and by which solver it was said."""

from dataclasses import dataclass

from visaproof.smt.terms import Term


@dataclass(frozen=True, slots=True)
class Satisfiable:
    """The formula holds for these values; symbols that are not named may have any value."""

    values: dict[Term, int]
    solver: str


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """The formula holds for no values."""

    solver: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """No solver found out."""

    reason: str


Answer = Satisfiable | Unsatisfiable | Undecided
