"""What a proofs folder claims, and how its claims are found, named and selected."""

from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from msgspec import Struct

from visaproof.checking.claims.catalogue import (
    Claim,
    claims_in,
    claims_of,
    discharge,
    for_each,
    load_claims,
    proofs_folder,
    selected,
)
from visaproof.checking.verdict import Proved, Refuted
from visaproof.isa.atomics import AtomicOp
from visaproof.queries import atomics
from visaproof.queries.query import Query

FOLDER = Path(__file__).parents[3] / "proofs"


def module(**functions: object) -> ModuleType:
    made = ModuleType("made")
    vars(made).update(functions)
    return made


def true_of_add() -> Query:
    return atomics.final_value_is_order_independent(AtomicOp.ADD)


@for_each((AtomicOp.ADD, AtomicOp.XCHG))
def order_does_not_matter(op: AtomicOp) -> Query:
    return atomics.final_value_is_order_independent(op)


def claims(made: ModuleType) -> dict[str, Claim]:
    return {claim.id: claim for claim in claims_in(made)}


def test_functions_called_prove_and_refute_are_claims() -> None:
    found = claims(module(prove_it=true_of_add, refute_it=true_of_add, proved=true_of_add, prove_number=3, helper=len))
    assert {name: claim.expected for name, claim in found.items()} == {"prove_it": Proved, "refute_it": Refuted}


def test_a_claim_is_asked_once_for_each_case() -> None:
    found = claims(module(prove_order=order_does_not_matter))
    assert len(found) == 2
    add, exchange = (discharge(claim, 5_000) for claim in found.values())
    assert (add.query.scope, exchange.query.scope) == ("add", "xchg")
    assert add.as_expected
    assert not exchange.as_expected
    assert isinstance(exchange.verdict, Refuted)


def test_a_refutation_that_is_proved_is_not_as_expected() -> None:
    (claim,) = claims_in(module(refute_it=true_of_add))
    assert not discharge(claim, 5_000).as_expected


@pytest.fixture(scope="module")
def catalogue() -> list[Claim]:
    return load_claims(FOLDER)


def test_every_claim_has_an_id_of_its_own(catalogue: list[Claim]) -> None:
    """In one order, so that every worker of a test run sees the same list."""
    ids = [claim.id for claim in catalogue]
    assert len(ids) == len(set(ids)) > 200
    assert ids == [claim.id for claim in load_claims(FOLDER)]
    assert not any(" at 0x" in claim_id for claim_id in ids), "an id with an address differs in every run"


def test_every_theorem_has_a_refutation_of_the_same_property(catalogue: list[Claim]) -> None:
    """A property that no wrong variant breaks might be true of everything."""
    first_case = {claim.name: claim for claim in reversed(catalogue)}.values()
    proved, refuted = (
        {claim.ask().claim.partition("/")[2] for claim in first_case if claim.expected is kind}
        for kind in (Proved, Refuted)
    )
    assert proved - refuted == set()


def test_claims_are_selected_by_part_or_by_pattern(catalogue: list[Claim]) -> None:
    assert selected(catalogue, []) == catalogue
    some = selected(catalogue, ["prove_an_out_of_bounds_write_is_dropped"])
    assert some
    assert {claim.name for claim in some} == {"prove_an_out_of_bounds_write_is_dropped"}
    assert selected(catalogue, ["prove_an_out_of_*dropped?*"]) == some
    assert selected(catalogue, ["no such claim"]) == []


def test_a_pattern_with_a_slash_names_obligations(catalogue: list[Claim]) -> None:
    reads = [claim for claim in catalogue if "out_of_bounds_read" in claim.name]
    some = selected(reads, ["oword_ld/out-of-bounds-read-gives-zero"])
    assert some
    assert {claim.ask().claim for claim in some} == {"oword_ld/out-of-bounds-read-gives-zero"}


def test_a_folder_without_proofs_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no proofs in"):
        proofs_folder(tmp_path)
    assert proofs_folder(FOLDER) == FOLDER


def test_the_folder_is_looked_for_here_and_beside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert proofs_folder().resolve() == FOLDER.resolve()
    here = tmp_path / "proofs"
    here.mkdir()
    (here / "__init__.py").write_text("")
    assert proofs_folder() == Path("proofs")


class Colour(Enum):
    RED = 1


class Case(Struct, frozen=True):
    """Python's own text of it is long, and changes with its fields."""

    name: str
    facts: tuple[int, ...] = tuple(range(40))


@pytest.mark.parametrize(
    ("cases", "labels"),
    [
        ((1, 2), ["1", "2"]),
        ((Colour.RED,), ["red"]),
        ((Case("one"), Case("two")), ["one", "two"]),
        ((("add", Colour.RED), ("sub", Colour.RED)), ["add, red", "sub, red"]),
        ((object(), object()), ["object", "object-2"]),
        ((len,), ["len"]),
        (("x" * 80, "x" * 80), ["x" * 60, "x" * 60 + "-2"]),
    ],
)
def test_a_case_has_a_short_name_without_words_of_python(cases: tuple[Any, ...], labels: list[str]) -> None:
    def prove_it(_: object) -> Query:
        raise AssertionError

    claims = list(claims_of("prove_it", for_each(cases)(prove_it)))  # pyright: ignore[reportArgumentType]
    assert [claim.case for claim in claims] == labels


def test_ids_are_short_and_hold_no_words_of_python(catalogue: list[Claim]) -> None:
    ids = [claim.id for claim in catalogue]
    assert len(set(ids)) == len(ids)
    assert max(map(len, ids)) <= 120
    assert not [each for each in ids if "<" in each or "=" in each or "Op." in each]


def test_a_module_names_its_claims(catalogue: list[Claim]) -> None:
    found = selected(catalogue, ["atomics"])
    assert found
    assert {claim.module for claim in found} >= {"atomics"}
    of_module = {claim.id for claim in catalogue if claim.module == "atomics"}
    assert of_module <= {claim.id for claim in found}
