"""Which faults are planted: the same ones for the same seed, spread over kinds, kernels, devices and addressing."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

from msgspec import Struct

from benchmarks.faults import messages, registers
from benchmarks.faults.kinds import Fault, Kind, Site, sites_of
from benchmarks.faults.store import Record
from benchmarks.pairs import CORPUS
from visaproof.isa.errors import ReadError
from visaproof.launch.launch import read_launch
from visaproof.launch.matching import Program
from visaproof.program.lower import tree_of
from visaproof.visaasm.linking.names import functions_beside, linked, read_program
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

EDITS: tuple[Callable[[Site], Iterator[Fault]], ...] = (
    registers.lane_offset,
    registers.channel,
    registers.mask,
    registers.predicate,
    registers.operand_order,
    registers.bound,
    registers.carry,
    registers.narrow,
    messages.channels,
    messages.dropped_store,
    messages.duplicated_store,
    messages.surfaces,
)
ALONE = ("pvc", "tgllp-O2-simd16", "dg2-O2-lsc-simd16")
"""Beginnings of variants that are asked against themselves as well: few listed pairs have them as the target."""


class Pair(Struct, frozen=True):
    """Two dumps to compare, each by its kernel and variant."""

    source: str
    target: str

    @property
    def id(self) -> str:
        return f"{self.source} ~ {self.target}"

    @property
    def programs(self) -> tuple[Program, Program]:
        """Both, read once."""
        return read(self.source), read(self.target)


@cache
def read(dump: str) -> Program:
    """A dump with its launch."""
    kernel = read_program(path_of(dump), grf_bytes=_grf_bytes(dump))
    launch = read_launch(CORPUS / "manifest.json", kernel)
    assert launch.platform is not None
    return Program(kernel, launch, launch.platform)


def path_of(dump: str) -> Path:
    return CORPUS / "visaasm" / f"{dump}.visaasm"


def _grf_bytes(dump: str) -> int:
    _, _, variant = dump.partition("/")
    return 64 if variant.startswith("pvc") else 32


def listed_pairs(corpus: Path = CORPUS) -> list[Pair]:
    """The pairs of the corpus, and some dumps beside themselves."""
    listed: list[dict[str, Any]] = json.loads((corpus / "pairs.json").read_text(encoding="utf-8"))
    pairs = [
        Pair(f"{pair['kernel']}/{pair['a']}", f"{pair.get('rewrite', pair['kernel'])}/{pair['b']}")
        for pair in listed
        if not pair["loops"] and pair["class"] != "simd-width"
    ]
    for path in sorted(corpus.glob("visaasm/*/*.visaasm")):
        if path.stem.startswith(ALONE) and "." not in path.stem:
            pairs.append(Pair(f"{path.parent.name}/{path.stem}", f"{path.parent.name}/{path.stem}"))
    return list(dict.fromkeys(pairs))


class Planted(Struct, frozen=True):
    """A fault in the target of a pair."""

    pair: Pair
    fault: Fault

    @property
    def id(self) -> str:
        return f"{self.pair.id} | {self.fault.kind.name} | {self.fault.what}"

    @property
    def about(self) -> Record:
        """What is recorded of it whatever the answer is."""
        return {"kind": self.fault.kind.name, "what": self.fault.what, "target": self.pair.target}

    @property
    def target(self) -> Program:
        """The target with the fault.  Raises ReadError."""
        good = read(self.pair.target)
        return Program(_faulty(self.pair.target, self.fault), good.launch, good.platform)


def _faulty(dump: str, fault: Fault) -> Kernel:
    path, grf_bytes = path_of(dump), _grf_bytes(dump)
    text = fault.planted(path.read_text(encoding="utf-8"))
    return linked(read_kernel(text, str(path), grf_bytes=grf_bytes), functions_beside(path, grf_bytes=grf_bytes))


def plan(pairs: Sequence[Pair], count: int, seed: int, counts: Callable[[Planted], bool]) -> list[Planted]:
    """About as many faults of each kind, of each kind one for each variant before a second; only those that count."""
    random = Random(seed)
    by_kind = [iter(list(_spread(pairs, kind, random))) for kind in Kind]
    chosen: dict[str, Planted] = {}
    while by_kind:
        for queue in tuple(by_kind):
            if len(chosen) == count:
                return list(chosen.values())
            one = next((each for each in queue if each.id not in chosen and _is_readable(each) and counts(each)), None)
            if one is None:
                by_kind.remove(queue)
            else:
                chosen[one.id] = one
    return list(chosen.values())


def _spread(pairs: Sequence[Pair], kind: Kind, random: Random) -> Iterator[Planted]:
    """All faults of a kind: by turns one of each variant, and of these by turns one of each pair."""
    by_variant: dict[str, list[list[Planted]]] = {}
    for pair in pairs:
        faults = [Planted(pair, fault) for fault in faults_of(pair.target) if fault.kind is kind]
        random.shuffle(faults)
        by_variant.setdefault(pair.target.partition("/")[2], []).append(faults)
    queues: list[list[Planted]] = []
    for of_pairs in by_variant.values():
        random.shuffle(of_pairs)
        queues.append(_by_turns(of_pairs))
    random.shuffle(queues)
    yield from _by_turns(queues)


def _by_turns(lists: Sequence[Sequence[Planted]]) -> list[Planted]:
    return [one for row in zip_longest(*lists) for one in row if one is not None]


def _is_readable(planted: Planted) -> bool:
    try:
        return planted.target is not None
    except ReadError:
        return False


@cache
def faults_of(dump: str) -> tuple[Fault, ...]:
    """Every fault that may be planted in a dump."""
    kernel, grf_bytes = tree_of(read(dump).kernel), _grf_bytes(dump)
    found = [fault for site in sites_of(kernel, grf_bytes) for edit in EDITS for fault in edit(site)]
    return (*found, *messages.swapped_arguments(kernel))
