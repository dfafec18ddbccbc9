"""What a solver says to a question, and by which solver it was said."""

from msgspec import Struct

from visaproof.smt.terms import Term


class Satisfiable(Struct, frozen=True):
    """The formula holds for these values; symbols that are not named may have any value."""

    values: dict[Term, int]
    solver: str


class Unsatisfiable(Struct, frozen=True):
    """The formula holds for no values."""

    solver: str


class Undecided(Struct, frozen=True):
    """No solver found out."""

    reason: str


Answer = Satisfiable | Unsatisfiable | Undecided
