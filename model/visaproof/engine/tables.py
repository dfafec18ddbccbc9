"""The tables of a program whose contents its launch information has."""

from collections.abc import Iterator, Mapping, Sequence

from visaproof.isa.errors import NotModelled
from visaproof.kernel.assumptions import TABLE_BASES, Start, table_names
from visaproof.kernel.constants import known
from visaproof.kernel.launch import Launch
from visaproof.kernel.matching import Program, is_linked, linked_address
from visaproof.kernel.premises import Premise, premise
from visaproof.kernel.syntax import Kernel
from visaproof.queries.constant_data import Tables
from visaproof.semantics.symbolic.state import ADDRESS_BITS
from visaproof.smt import BitVec, const


def tables_of(kernel: Kernel, launch: Launch, start: Start) -> Tables:
    """The tables of one kernel."""
    found = contents_of(kernel, launch)
    words = {linked_address(name): name for name in kernel.variables if is_linked(name)}
    words |= {word: base.value for word, base in start.pointers.items() if base in TABLE_BASES}
    return Tables(found, {word: name for word, name in words.items() if name in found})


def contents_of(kernel: Kernel, launch: Launch) -> dict[str, bytes]:
    """What is known of the tables, by their names."""
    held = {name: known(launch.constants, name) for name in table_names(kernel, launch)}
    return {name: content for name, content in held.items() if content is not None}


def sizes_of_tables(kernel: Kernel, launch: Launch) -> dict[str, BitVec]:
    """How many bytes each table has, whether its contents are known or not."""
    found = {name: launch.constants.get(name) for name in table_names(kernel, launch)}
    return {name: const(len(one.content), ADDRESS_BITS) for name, one in found.items() if one is not None}


def common_tables(programs: Sequence[Program], pointers: Sequence[Mapping[BitVec, str]]) -> Tables:
    """The tables of which each program that has them knows the contents; `pointers` are the addresses of buffers.

    Raises NotModelled where one holds something else in the other program.
    """
    by_name: dict[str, set[bytes | None]] = {}
    for program in programs:
        contents = contents_of(program.kernel, program.launch)
        for name in table_names(program.kernel, program.launch):
            by_name.setdefault(name, set()).add(contents.get(name))
    for name, held in by_name.items():
        if len(held - {None}) > 1:
            raise NotModelled(f"{name.removeprefix('&')}, which holds something else in the target")
    found = {name: one for name, held in by_name.items() for one in held if len(held) == 1 and one is not None}
    return Tables(found, {word: name for each in pointers for word, name in each.items() if name in found})


def taken_as_one(programs: Sequence[Program], tables: Tables) -> Iterator[Premise]:
    """One for each table that both programs have, and of which not both say what it holds."""
    source, target = (set(table_names(program.kernel, program.launch)) for program in programs)
    for name in sorted((source & target) - set(tables.contents)):
        yield premise("constants-equal", table=name.removeprefix("&"))
