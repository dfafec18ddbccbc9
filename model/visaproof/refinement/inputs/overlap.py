"""Which buffers of two kernels may overlap: by what the source says of its arguments, and by what the user states."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from visaproof.isa.errors import Position, ReadError
from visaproof.isa.surface_keys import AtPayloadByte, OfArgument, TableEntry, argument_number, surface_key
from visaproof.launch.launch import Launch
from visaproof.launch.matching import Matching, Program
from visaproof.launch.overlap import CONSTANT, NOTHING_SAID, SURFACE_ALIGNMENT, ArgumentInfo, may_overlap
from visaproof.launch.premises import Premise, premise
from visaproof.queries.kernels.surface_names import itself
from visaproof.refinement.effects.question import Question
from visaproof.refinement.effects.sharing import ALIGNMENT, Pair, Sharing
from visaproof.refinement.scope import Alias, Scope
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.widths.thread_group import ThreadGroup
from visaproof.refinement.widths.wide_thread import Split

"""What the names of surfaces begin with of which no launch says whose they are."""


class Overlap(Struct, frozen=True):
    """The buffers that may overlap, and what the others rest on."""

    sharing: Sharing
    assumed: tuple[Premise, ...] = ()


def overlap_of(
    source: Program,
    matching: Matching,
    runners: Sequence[Runner],
    question: Question,
    scope: Scope,
    split: Split | None,
) -> Overlap:
    """The buffers that may overlap.  Raises ReadError where the user names an argument that there is not."""
    stated = [_stated(pair, source, matching.by_meaning) for pair in scope.disjoint]
    images = {name for runner in runners for name in runner.images}
    sampled = (name for runner in runners for _, name in runner.sampled())
    known = [name for name in dict.fromkeys((*map(itself, question.surfaces), *sampled)) if _is_of_an_argument(name)]
    written = set(_written(question))
    pairs = [frozenset(pair) for pair in combinations(known, 2) if written.intersection(pair)]
    if scope.alias is Alias.NONE:
        named = [name for name in known if any(name in pair for pair in pairs)]
        return Overlap(
            Sharing({}, elements=elements_of(source)),
            (premise("buffers-apart", surfaces=", ".join(named)),) if named else (),
        )
    infos = {name: info_of(source.launch, name) for name in known}
    assumed: dict[Premise, None] = {}
    apart: set[Pair] = set()
    for pair in pairs:
        reason = _reason(pair, infos, stated)
        if reason is not None:
            assumed[reason] = None
            apart.add(pair)
    one_object = frozenset(pair for pair in pairs if pair not in apart and not pair.isdisjoint(images))
    apart |= one_object
    shared = [name for name in known if any(name in pair and pair not in apart for pair in pairs)]
    conditional = question.source.reaches or question.target.reaches
    pointed = {name for runner in runners for name in runner.pointers.values()} if conditional else set[str]()
    by_surface = {runner.surface(key) for runner in runners for key in runner.trace.surfaces}
    alignments = {name: _alignment(name, infos[name], pointed, by_surface) for name in shared}
    if shared and split is not None:
        assumed[premise("items-do-not-race")] = None
    own = frozenset(pair for pair in apart if pair <= alignments.keys())
    sharing = Sharing(alignments, own, 0 if split is None else split.narrow, one_object, elements_of(source))
    return Overlap(sharing, tuple(assumed))


def _alignment(name: str, info: ArgumentInfo, pointed: Collection[str], by_surface: Collection[str]) -> int:
    """Of how many bytes the base of a buffer is a multiple."""
    if name in pointed:
        return info.alignment if info.has_element else ALIGNMENT
    return SURFACE_ALIGNMENT if name in by_surface else info.alignment


def elements_of(source: Program) -> dict[str, int]:
    """The bytes of an element of each argument, by the common name of its buffer, where the source says it."""
    infos = source.launch.infos.items()
    return {str(OfArgument(index)): info.alignment for index, info in infos if info.has_element}


def _reason(pair: Pair, infos: Mapping[str, ArgumentInfo], stated: Collection[Pair]) -> Premise | None:
    """Why two surfaces share no byte that is written; None where they may."""
    one, other = sorted(pair)
    if pair in stated:
        return premise("disjoint", one=one, other=other)
    for name in (one, other):
        if infos[name].is_restrict:
            return premise("restrict", argument=name)
        if infos[name].address == CONSTANT:
            return premise("constant-unwritten", argument=name)
    return None if may_overlap(infos[one], infos[other]) else premise("kinds-apart", one=one, other=other)


def info_of(launch: Launch, surface: str) -> ArgumentInfo:
    """What the source says of the argument that a surface shows."""
    index = argument_number(surface)
    return NOTHING_SAID if index is None else launch.info(index)


def _is_of_an_argument(surface: str) -> bool:
    return isinstance(surface_key(surface), OfArgument | TableEntry | AtPayloadByte)


def _written(question: Question) -> Iterator[str]:
    """The surfaces to which a kernel may store."""
    for effects in (question.source, question.target):
        yield from (itself(surface) for surface, stores in effects.stores.items() if stores)


def _stated(pair: tuple[str, str], source: Program, by_meaning: bool) -> Pair:
    names = frozenset(_named(name, source, by_meaning) for name in pair)
    if len(names) < 2:
        raise _no_pair(f"disjoint({', '.join(pair)}): one argument twice", source)
    return names


def _named(name: str, source: Program, by_meaning: bool) -> str:
    """The surface of an argument, by its name or its number; of unknown launches by the number of the surface."""
    if not by_meaning:
        return str(TableEntry(int(name))) if name.isdigit() else name
    launch = source.launch
    found = [index for index, own in launch.arg_names.items() if own == name]
    if not found and name.isascii() and name.isdigit():
        found = [int(name)]
    if not found:
        known = ", ".join(launch.arg_names.values()) or "their numbers"
        raise _no_pair(f"disjoint: the kernel has no argument {name!r}", source, f"arguments: {known}")
    return str(OfArgument(found[0]))


def _no_pair(message: str, source: Program, hint: str = "") -> ReadError:
    return ReadError(message, Position(source.kernel.path, 1, 1), hint)


# ---------------------------------------------------------------- runners that share


def with_sharing(runners: Iterable[Runner], sharing: Sharing) -> tuple[Runner, Runner]:
    """Both kernels where these buffers may overlap."""
    source, target = (_sharing(runner, sharing) for runner in runners)
    return source, target


def _sharing(runner: Runner, sharing: Sharing) -> Runner:
    if isinstance(runner, ThreadGroup):
        members = tuple(replace(one, sharing=sharing) for one in runner.members)
        return replace(runner, members=members, sharing=sharing)
    return replace(runner, sharing=sharing)
