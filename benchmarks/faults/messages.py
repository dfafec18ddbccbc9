"""Faults in what a message stores, where, and in which surface."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from benchmarks.faults.kinds import Fault, Kind, Site, Words, at, sites_of
from visaproof.visaasm.syntax import GeneralVariable, Kernel

STORES = (
    "scatter4_scaled", "scatter_scaled", "scatter4_typed", "svm_scatter", "svm_scatter4scaled", "qw_scatter",
    "oword_st", "svm_block_st", "lsc_store",
)  # fmt: skip
ATOMICS = ("dword_atomic", "svm_atomic", "typed_atomic", "lsc_atomic")
WITH_GLOBAL_OFFSET = ("gather4_scaled", "scatter4_scaled", "gather_scaled", "scatter_scaled")
OTHER_CHANNELS = {
    "R": ("G", "B"), "G": ("R",), "RG": ("RB", "GB"), "RGB": ("RGA", "GBA"), "RGBA": ("RGB",),
}  # fmt: skip
GLOBAL_OFFSET = re.compile(r"0x[0-9a-f]+:ud")
LSC_ADDRESS = re.compile(r"(?P<model>\w+(?:\(\w+\))?)\[(?P<name>V\w+)(?P<plus>[+-]0x[0-9a-fA-F]+)?\](?P<size>:a\d+)")
BTI = re.compile(r"bti\((?P<index>0x[0-9a-f]+)\)(?P<rest>.*)")


def is_store(site: Site) -> bool:
    return site.instruction.opcode in STORES


def channels(site: Site) -> Iterator[Fault]:
    """Other channels of as many, or one less of four; or the dword behind the one meant."""
    opcode, _, chosen = site.words.mnemonic.partition(".")
    for other in OTHER_CHANNELS.get(chosen, ()):
        yield at(Kind.CHANNEL, site, replace(site.words, mnemonic=f"{opcode}.{other}"))
    yield from (at(Kind.CHANNEL, site, words) for words in _one_dword_on(site))


def _one_dword_on(site: Site) -> Iterator[Words]:
    """The message at 4 bytes behind."""
    for place, text in enumerate(site.words.operands):
        found = LSC_ADDRESS.fullmatch(text)
        if found:
            plus = int(found["plus"] or "0", 0) + 4
            moved = f"{found['model']}[{found['name']}{'-' if plus < 0 else '+'}{abs(plus):#x}]{found['size']}"
            yield site.words.with_operand(place, moved)
        elif site.instruction.opcode in WITH_GLOBAL_OFFSET and GLOBAL_OFFSET.fullmatch(text):
            yield site.words.with_operand(place, f"{int(text[:-3], 0) + 4:#x}:ud")


def dropped_store(site: Site) -> Iterator[Fault]:
    if is_store(site):
        yield at(Kind.DROPPED_STORE, site)


def duplicated_store(site: Site) -> Iterator[Fault]:
    """An atomic twice, or a store again where another belongs."""
    if site.instruction.opcode.startswith(ATOMICS):
        yield at(Kind.DUPLICATED_STORE, site, site.words, site.words)
    if is_store(site):
        yield from (at(Kind.DUPLICATED_STORE, site, site.words, again) for again in _one_dword_on(site))
        yield from (at(Kind.DUPLICATED_STORE, site, site.words, again) for again in _to_other_surface(site))


def _to_other_surface(site: Site) -> Iterator[Words]:
    for place, text in enumerate(site.words.operands):
        found = BTI.fullmatch(text)
        for index in _binding_table(site.kernel) if found else ():
            if found and index != found["index"]:
                yield site.words.with_operand(place, f"bti({index}){found['rest']}")


def _binding_table(kernel: Kernel) -> tuple[str, ...]:
    """The indices in use."""
    found: dict[str, None] = {}
    for site in sites_of(kernel):
        for text in site.words.operands:
            lsc = BTI.fullmatch(text)
            if lsc or (site.instruction.opcode == "movs" and GLOBAL_OFFSET.fullmatch(text)):
                found[lsc["index"] if lsc else text[:-3]] = None
    return tuple(found)


def surfaces(site: Site) -> Iterator[Fault]:
    """Another entry of the binding table, for one message or for a surface variable."""
    yield from (at(Kind.SURFACES, site, words) for words in _to_other_surface(site))
    if site.instruction.opcode == "movs" and GLOBAL_OFFSET.fullmatch(site.words.operands[1]):
        typed, meant = _typed_entries(site.kernel), site.words.operands[1][:-3]
        for index in _binding_table(site.kernel):
            if index != meant and (index in typed) == (meant in typed):
                yield at(Kind.SURFACES, site, site.words.with_operand(1, f"{index}:ud"))


def _typed_entries(kernel: Kernel) -> set[str]:
    """The entries of the binding table that hold texels: a message for bytes in the place of one for texels is none."""
    bound: dict[str, str] = {}
    typed: set[str] = set()
    for site in sites_of(kernel):
        names = [operand.partition("(")[0] for operand in site.words.operands]
        if site.instruction.opcode == "movs":
            bound[names[0]] = site.words.operands[1].partition(":")[0]
        elif "typed" in site.instruction.opcode or site.instruction.opcode.startswith(("sample", "load")):
            typed |= {bound[name] for name in names if name in bound}
    return typed


def swapped_arguments(kernel: Kernel) -> Iterator[Fault]:
    """An input of 8 bytes for another, wherever one name for it is used: addresses and bindless surfaces."""
    inputs = {item.variable for item in kernel.inputs if item.size == 8}
    views: dict[str, tuple[str, tuple[object, ...]]] = {}
    for variable in kernel.variables.values():
        if isinstance(variable, GeneralVariable):
            root, offset = kernel.root_of(variable)
            if root.name in inputs:
                views[variable.name] = (root.name, (variable.type, variable.num_elts, offset))
    for name, (root, shape) in views.items():
        other = next((each for each in sorted(inputs) if each != root), None)
        for substitute, (owner, its_shape) in views.items():
            if owner == other and its_shape == shape:
                yield from _renamed(kernel, name, substitute)
                break


def _renamed(kernel: Kernel, name: str, other: str) -> Iterator[Fault]:
    lines: dict[int, tuple[str, ...]] = {}
    for site in sites_of(kernel):
        text = re.sub(rf"\b{name}\b", other, str(site.words))
        if text != str(site.words):
            lines[site.line] = (text,)
    if lines:
        yield Fault(Kind.SURFACES, f"{other} for {name} in line {', '.join(map(str, lines))}", lines)
