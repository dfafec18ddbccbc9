"""Values for which a rule of the normal form fails, as a small JSON file that replays by numbers, without a solver.

Format: counterexamples/README.md.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from visaproof.checking.counterexample import FORMAT, decoded
from visaproof.isa.errors import Position, ReadError
from visaproof.queries.query import Equation, Identity, Query
from visaproof.smt import Term, bool_symbol, evaluate, symbol, symbols_of
from visaproof.smt.smtlib import literal, term_of, text_of, value_of_literal

SIDES_DIFFER: Literal["sides-differ"] = "sides-differ"
"""The violation of a file with two terms."""


class Side(msgspec.Struct, forbid_unknown_fields=True):
    """A term in the words of SMT-LIB, and its value."""

    term: str
    value: str


class IdentityExample(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Two terms that a rule calls equal, and values for which they are not."""

    format: int = msgspec.field(default_factory=lambda: FORMAT)
    claim: str
    """The id of the query that failed."""
    shows: str
    violation: Literal["sides-differ"] = msgspec.field(default_factory=lambda: SIDES_DIFFER)
    variant: str = ""
    """The wrong rule that `other` is from."""
    solver: str = ""
    values: dict[str, str]
    """Of the symbols, as numbers of SMT-LIB, which say their width."""
    written: Side
    other: Side

    def __repr__(self) -> str:
        return f"<Counterexample: {self.shows}>"


def identity_example(
    query: Query, shown: Identity, equation: Equation, values: Mapping[Term, int], solver: str
) -> IdentityExample:
    """The counterexample that values make of an equation."""
    symbols = symbols_of(equation.written, equation.other)
    return IdentityExample(
        claim=query.id,
        shows=f"{shown.rule} is not {equation.other_is}",
        variant=shown.variant,
        solver=solver,
        values={str(each.payload): literal(values.get(each, 0), each.width) for each in symbols},
        written=_side(equation.written, values),
        other=_side(equation.other, values),
    )


def _side(term: Term, values: Mapping[Term, int]) -> Side:
    return Side(text_of(term), literal(evaluate(term, values), term.width))


def read_identity(path: Path) -> IdentityExample:
    """Reads a file.  Raises ReadError where it is none, or of another format version."""
    return decoded(path, IdentityExample)


def replay_identity(example: IdentityExample, path: str) -> tuple[str, ...]:
    """What is not as recorded, in words; empty where it replays.  Raises ReadError where a term cannot be read."""
    try:
        return tuple(_differences(example))
    except (ValueError, TypeError, RecursionError) as error:
        raise ReadError(
            f"its terms cannot be evaluated: {error}",
            Position(path, 1, 1),
            "the format is described in counterexamples/README.md",
        ) from error


def _differences(example: IdentityExample) -> Iterator[str]:
    symbols: dict[str, Term] = {}
    values: dict[Term, int] = {}
    for name, text in example.values.items():
        value, width = value_of_literal(text)
        symbols[name] = symbol(name, width) if width else bool_symbol(name)
        values[symbols[name]] = value
    found: list[str] = []
    for side in (example.written, example.other):
        term = term_of(side.term, symbols)
        found.append(literal(evaluate(term, values), term.width))
        if found[-1] != side.value:
            yield f"{side.term}: recorded {side.value}, it is {found[-1]}"
    if found[0] == found[1]:
        yield "both sides have the same value"
