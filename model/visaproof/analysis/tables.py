"""The tables of a program whose contents its launch information has."""

from collections.abc import Iterator, Mapping, Sequence

from visaproof.launch.assumptions import TABLE_BASES, Start, table_names, table_surfaces
from visaproof.launch.constants import known
from visaproof.launch.launch import Launch
from visaproof.launch.matching import Program, is_linked, linked_address
from visaproof.launch.premises import Premise, premise
from visaproof.program.kernel import Kernel
from visaproof.queries.kernels.constant_data import Tables
from visaproof.semantics.symbolic.state import ADDRESS_BITS
from visaproof.smt import BitVec, const


def tables_of(kernel: Kernel, launch: Launch, start: Start) -> Tables:
    """The tables of one kernel."""
    found = contents_of(kernel, launch)
    words = {linked_address(name): name for name in kernel.registers if is_linked(name)}
    words |= {word: base.value for word, base in start.pointers.items() if base in TABLE_BASES}
    bound = {key: found[name] for key, name in table_surfaces(kernel, launch).items() if name in found}
    return Tables(found | bound, {word: name for word, name in words.items() if name in found})


def contents_of(kernel: Kernel, launch: Launch) -> dict[str, bytes]:
    """What is known of the tables, by their names."""
    held = {name: known(launch.constants, name) for name in table_names(kernel, launch)}
    return {name: content for name, content in held.items() if content is not None}


def sizes_of_tables(kernel: Kernel, launch: Launch) -> dict[str, BitVec]:
    """How many bytes each table has, whether its contents are known or not."""
    found = {name: launch.constants.get(name) for name in table_names(kernel, launch)}
    found |= {key: found.get(name) for key, name in table_surfaces(kernel, launch).items()}
    return {name: const(len(one.content), ADDRESS_BITS) for name, one in found.items() if one is not None}


def unlike_tables(source: Program, target: Program) -> frozenset[str]:
    """The tables that both programs have, and that hold something else in each."""
    names = set(table_names(source.kernel, source.launch)) & set(table_names(target.kernel, target.launch))
    both = {name: [one.launch.constants.get(name) for one in (source, target)] for name in names}
    return frozenset(
        name for name, (one, other) in both.items() if one is not None and other is not None and one != other
    )


def may_be_written(source: Program, target: Program) -> list[str]:
    """Those of them that kernels may write to, so that memory differs before the kernels run."""
    unlike = unlike_tables(source, target)
    return sorted(name for name in unlike if any(one.launch.constants[name].is_written for one in (source, target)))


def common_tables(programs: Sequence[Program], pointers: Sequence[Mapping[BitVec, str]]) -> Tables:
    """The tables of which each program that has them knows the contents; `pointers` are the addresses of buffers."""
    by_name: dict[str, set[bytes | None]] = {}
    for program in programs:
        contents = contents_of(program.kernel, program.launch)
        for name in table_names(program.kernel, program.launch):
            by_name.setdefault(program.table(name), set()).add(contents.get(name))
    found = {name: one for name, held in by_name.items() for one in held if len(held) == 1 and one is not None}
    return Tables(found, {word: name for each in pointers for word, name in each.items() if name in found})


def taken_as_one(programs: Sequence[Program], tables: Tables) -> Iterator[Premise]:
    """One for each table that both programs have, and of which not both say what it holds."""
    source, target = (
        {program.table(name) for name in table_names(program.kernel, program.launch)} for program in programs
    )
    for name in sorted((source & target) - set(tables.contents)):
        yield premise("constants-equal", table=name.removeprefix("&"))
