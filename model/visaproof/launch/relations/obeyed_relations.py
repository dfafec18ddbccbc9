"""The relations that a counterexample obeys (`--where`), and whether its state still does, in integers alone."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from visaproof.launch.relations.expression_reader import parse_relation
from visaproof.launch.relations.expressions import Relation
from visaproof.launch.relations.stated_relations import StatedRelation
from visaproof.smt import Term, signed_value


class HeldName(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """What a name of a relation is: the bytes of variables, `V34.0`, lowest first; else a number of the launch."""

    value: int
    places: list[str] = []
    signed: bool = False


class ObeyedRelation(msgspec.Struct, forbid_unknown_fields=True):
    """`n >= local_size_x`, with what its names are."""

    relation: str
    names: dict[str, HeldName]


def obeyed(where: Sequence[StatedRelation], values: Mapping[Term, int]) -> list[ObeyedRelation]:
    """The relations as a file keeps them, for the launch that these values describe."""
    return [
        ObeyedRelation(
            str(one.relation),
            {
                name: HeldName(
                    named.number(values), [f"{variable}.{byte}" for variable, byte in named.places], named.signed
                )
                for name, named in one.names.items()
            },
        )
        for one in where
    ]


def broken(where: Sequence[ObeyedRelation], registers: Mapping[str, str]) -> Iterator[str]:
    """In words, each relation that the registers of a state do not obey, and each number that they do not hold.

    `registers` are hexadecimal bytes, lowest first; one that is not named is 0.  Raises ReadError and ValueError where
    the file is malformed.
    """
    for one in where:
        relation = parse_relation(one.relation, "where")
        if not isinstance(relation, Relation):
            raise ValueError(f"{one.relation} is no relation between numbers")
        values = {name: _number(held, registers) for name, held in one.names.items()}
        shown = ", ".join(f"{name} = {value}" for name, value in values.items())
        if not relation.holds(values):
            yield f"the state does not obey {relation}: {shown}"
        elif any(values[name] != held.value for name, held in one.names.items()):
            yield f"the state holds other numbers than recorded for {relation}: {shown}"


def _number(held: HeldName, registers: Mapping[str, str]) -> int:
    if not held.places:
        return held.value
    found = int.from_bytes(bytes(_byte(place, registers) for place in held.places), "little")
    return signed_value(found, 8 * len(held.places)) if held.signed else found


def _byte(place: str, registers: Mapping[str, str]) -> int:
    variable, _, byte = place.rpartition(".")
    content = bytes.fromhex(registers.get(variable, ""))
    at = int(byte)
    return content[at] if at < len(content) else 0
