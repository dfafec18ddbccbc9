"""A run in which two kernels differ, as text and for programs."""

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any

import msgspec

from visaproof.launch.matching import SHARED_LOCAL
from visaproof.queries.kernels.undefined import UndefinedKind
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.places import Condition
from visaproof.refinement.effects.sharing import SHARED
from visaproof.refinement.inputs.samplers import samplers_in
from visaproof.refinement.observed import Observed, is_register, observed_as
from visaproof.refinement.testing.lane_runs import lane_runs, run_outside
from visaproof.refinement.testing.memory import IMAGE_SIZE
from visaproof.refinement.testing.ran import Missed, Writer
from visaproof.refinement.testing.watch import FLAT_SIZE
from visaproof.refinement.verdicts import (
    ByteDiffers,
    Difference,
    OutsideBuffers,
    RegisterDiffers,
    TargetUndefined,
)
from visaproof.report.one_kernel.statements import counted_bytes
from visaproof.report.one_kernel.stored_type import stored_type
from visaproof.report.two_kernels.elements import argument_at, dwords, left, stored_text, surface_name
from visaproof.report.two_kernels.inputs import inputs_of, number_text
from visaproof.report.two_kernels.lane_runs import lane_run_json, lane_run_lines, target_run_lines
from visaproof.report.two_kernels.launches import ShownDifference
from visaproof.report.two_kernels.overlap import buffer_at, layout_json, layout_lines
from visaproof.report.two_kernels.texels import channel_text, extent_names, extents_text, place_of, sampler_lines
from visaproof.report.two_kernels.writers import written

SIDES = "source", "target"
DWORD = 4


MAX_SHOWN = 8
"""Inputs and bytes of memory that are shown of a run."""


WHATEVER_FOUND = (
    "the source reads uninitialised values; whatever it finds there, it leaves something else (shown symbolically)"
)


_OF_TEXELS = "what is read is what the page of the message says, and what is written is lost"
OUTSIDE_HINT = (
    "`--undefined outside=forbid` asks only of launches in which the source stays inside its buffers and images"
)


FLOATS_FOUND = "sums and products of floats are taken to be what IEEE 754 says, whatever their operands are"
"""What that rests on as well where kernels compute with floats."""


def in_order(conditions: Collection[Condition]) -> Iterator[Condition]:
    """The conditions in the order of their list."""
    return (condition for condition in Condition if condition in conditions)


def rests_on(comparison: Comparison, found: Difference) -> Iterator[str]:
    """What holds of the run, and what is shown beside it."""
    if comparison.conditional:
        apart = "" if SHARED in found.memory else ", which lie apart"
        yield f"in this run both stay inside their buffers{apart}"
    yield from (f"in this run {line}" for line in layout_lines(comparison, found, partial(surface_name, comparison)))
    if found.source_missed is not None:
        texel = len(found.source_missed.cell) > 1
        brings = _OF_TEXELS if texel else UndefinedKind.OUTSIDE.allowed
        yield f"{_source_outside(comparison, found.source_missed)}: {brings}"
        yield f"  hint: {OUTSIDE_HINT}"
    if found.whatever_found:
        yield WHATEVER_FOUND
        if comparison.uninterpreted:
            yield FLOATS_FOUND


def _source_outside(comparison: Comparison, missed: Missed) -> str:
    """Where the source accesses something outside of a buffer or an image."""
    surface = surface_name(comparison, comparison.runners[0].surface(missed.surface))
    line = missed.position.line
    address, *more = missed.cell
    place = f"texel ({', '.join(map(str, missed.cell))})" if more else f"{address:#x}"
    return f"in this run line {line} of the source accesses {place} of {surface}, outside of it"


def difference_lines(comparison: Comparison, found: Difference, launch: ShownDifference | None = None) -> Iterator[str]:
    """What differs in a launch, or in a run of one thread; then how it comes about, and on which inputs."""
    if launch is not None and launch.is_found:
        yield from launch.headline()
        yield ""
        yield (
            "one thread of this launch:" if launch.thread is found else "a run of one thread of both, on other inputs:"
        )
    else:
        yield "DOES NOT REFINE (both kernels were run on these inputs)"
    yield from (f"  {line}" for line in rests_on(comparison, found))
    yield from _what_differs_lines(comparison, found)
    yield "  the inputs of this run:"
    yield from (f"    {line}" for line in _input_lines(comparison, found))


def _input_lines(comparison: Comparison, found: Difference) -> Iterator[str]:
    """Registers and memory before the run."""
    yield f"execution mask {found.exec_mask:#x}"
    extents = extent_names(found)
    inputs = [one for one in inputs_of(comparison, found) if one.words not in extents]
    yield from (f"{one.words} = {number_text(one.value)}" for one in inputs)
    yield f"every {'other ' if inputs else ''}input {comparison.start.rest}"
    if found.order:
        yield "the target's threads run one after another, the last one first"
    for surface, (size, contents) in found.memory.items():
        if is_register(surface):
            continue
        typed = size == IMAGE_SIZE
        shown = [
            f"{_content_place(comparison, found, surface, at)} = {value}" for at, value in _values(contents, typed)
        ][:MAX_SHOWN]
        bound = extents_text(found, surface) if typed else _bytes(comparison, surface, size)
        yield f"{surface_name(comparison, surface)}: {', '.join((bound, *shown))}"
    yield from sampler_lines(found)
    if found.backwards:
        yield "the lanes of the target's atomics take their turns from the last to the first, in an order left open"


def _values(contents: Mapping[int, int], typed: bool) -> Iterator[tuple[int, str]]:
    """What memory holds that is not 0: by dwords, or in an image by channels."""
    filled = [(at, value) for at, value in sorted(contents.items()) if value]
    if typed:
        yield from ((at, f"{value:#04x}") for at, value in filled)
        return
    for first in dict.fromkeys(at - at % DWORD for at, _ in filled):
        whole = sum(contents.get(first + k, 0) << 8 * k for k in range(DWORD))
        yield first, f"{whole:#010x}"


def _what_differs_lines(comparison: Comparison, found: Difference) -> Iterator[str]:
    match found.what:
        case TargetUndefined(undefined, kind):
            yield f"  the source is defined; the target is undefined: line {undefined.position.line}"
            yield f"    {undefined.message}" + (f" ({kind.value})" if kind else "")
            if kind:
                yield undefined_hint(kind)
            if kind is UndefinedKind.RACE:
                yield RACE_OF_ITEMS
        case OutsideBuffers(address):
            yield f"  the target accesses address {address:#x}, which is in no buffer"
            yield "    and at no offset from one: where buffers begin elsewhere it does not move as they do"
            if (run := run_outside(comparison, found)) is not None:
                yield from (f"  {line}" for line in target_run_lines(run, partial(stored_text, comparison)))
        case RegisterDiffers() as one:
            register = _register_of(comparison, one)
            yield f"  at the end {_register_place(register, one)} is"
            yield f"    {one.source:#04x} after the source, in {register.source.at(one.address)}"
            yield f"    {one.target:#04x} after the target, in {register.target.at(one.address)}"
            yield from (f"  {line}" for line in _run_lines(comparison, found))
        case ByteDiffers() as one:
            place, (before, source, target) = left(comparison, found, one) or _byte(comparison, found, one)
            yield f"  {place} was {before}, and is then"
            yield f"    {source} after the source: {written(one.source_writer)}"
            yield f"    {target} after the target: {written(one.target_writer)}"
            yield from (f"  {line}" for line in _run_lines(comparison, found))


def _byte(comparison: Comparison, found: Difference, one: ByteDiffers) -> tuple[str, Iterator[str]]:
    """A byte, or a channel of a texel, where it is of no element of a buffer."""
    return _place(comparison, found, one), (f"{value:#04x}" for value in (one.before, one.source, one.target))


def _content_place(comparison: Comparison, found: Difference, surface: str, at: int) -> str:
    """Where something is in a surface; in memory that buffers share, where in one of them."""
    if surface == SHARED:
        buffer, offset = buffer_at(comparison, found, at)
        return f"{surface_name(comparison, buffer)} [{offset:#x}]"
    return channel_text(at) if found.memory[surface][0] == IMAGE_SIZE else f"[{at:#x}]"


def _place(comparison: Comparison, found: Difference, byte: ByteDiffers) -> str:
    """Where the difference is, and in which surface."""
    if byte.surface == SHARED:
        buffer, offset = buffer_at(comparison, found, byte.address)
        return f"byte {offset:#x} of {surface_name(comparison, buffer)}"
    return f"{place_of(found, byte)} of {surface_name(comparison, byte.surface)}"


def _bytes(comparison: Comparison, surface: str, size: int) -> str:
    """How many bytes a surface has, for both kernels or for each."""
    if size == FLAT_SIZE:
        return "all addresses"
    own = comparison.target.local_bytes if surface == SHARED_LOCAL else None
    return counted_bytes(size) if own is None else f"{counted_bytes(size)} for the source and {own} for the target"


def _run_lines(comparison: Comparison, found: Difference) -> Iterator[str]:
    runs = lane_runs(comparison, found)
    return lane_run_lines(runs, partial(stored_text, comparison)) if runs else iter(())


def difference_text(comparison: Comparison, found: Difference) -> str:
    """What differs, in one line, and whether the source leaves a buffer."""
    what = _what_differs(comparison, found)
    return what if found.source_missed is None else f"{what}; {_source_outside(comparison, found.source_missed)}"


def _what_differs(comparison: Comparison, found: Difference) -> str:
    match found.what:
        case TargetUndefined(undefined):
            return f"the target is undefined: line {undefined.position.line}: {undefined.message}"
        case OutsideBuffers(address):
            return f"the target accesses address {address:#x}, which is at no offset from a buffer"
        case RegisterDiffers() as one:
            place = _register_place(_register_of(comparison, one), one)
        case ByteDiffers() as one:
            if (element := left(comparison, found, one)) is not None:
                place, (_, source, target) = element
                return f"{place}: {source} after the source, {target} after the target"
            place = _place(comparison, found, one)
    return f"{place}: {one.source:#04x} after the source, {one.target:#04x} after the target"


RACE_OF_ITEMS = (
    "      where the source has both work items in one thread, its statements order them; if they access the same "
    "bytes there, they race by the language, which leaves the kernel undefined"
)


def undefined_hint(kind: UndefinedKind) -> str:
    return f"    hint: `--undefined {kind.value}=allow` takes it so: {kind.allowed}"


def _register_of(comparison: Comparison, one: RegisterDiffers) -> Observed:
    return observed_as(comparison.runners[0].observed, one.surface)


def _register_place(register: Observed, one: RegisterDiffers) -> str:
    if register.source.is_predicate:
        return f"{register.both}, lane {one.address},"
    element = f"element {one.address // register.element_bytes}"
    return f"byte {one.address:#x} of {register.both}, {element}{_of_lane(one.lanes)},"


def _of_lane(lanes: tuple[int, ...]) -> str:
    return f" (lane {lanes[0]})" if len(lanes) == 1 else ""


def difference_json(comparison: Comparison, found: Difference) -> dict[str, Any]:
    record: dict[str, Any] = {
        "execution_mask": f"{found.exec_mask:#x}",
        "inputs": {one.words: f"{one.value:#x}" for one in inputs_of(comparison, found)},
        "input_values": msgspec.to_builtins(list(inputs_of(comparison, found))),
    }
    if samplers := {name: outside.value for name, outside in samplers_in(found.values)}:
        record["samplers"] = samplers
    if found.whatever_found:
        record["whatever_the_source_finds"] = True
        if comparison.uninterpreted:
            record["taken_for_granted"] = FLOATS_FOUND
    if (missed := found.source_missed) is not None:
        surface = surface_name(comparison, comparison.runners[0].surface(missed.surface))
        address, *more = missed.cell
        where = {"texel": list(missed.cell)} if more else {"address": address}
        place = {"surface": surface, **where, "line": missed.position.line}
        record["source_accesses_outside"] = place
    if found.backwards:
        record["target_atomics_from_the_last_lane"] = True
    return record | _what_differs_json(comparison, found)


def _what_differs_json(comparison: Comparison, found: Difference) -> dict[str, Any]:
    name = partial(surface_name, comparison)
    match found.what:
        case TargetUndefined(undefined, kind):
            of_kind = {} if kind is None else {"kind": kind.value}
            return {"target_undefined": {"line": undefined.position.line, "message": undefined.message} | of_kind}
        case OutsideBuffers(address):
            run = run_outside(comparison, found)
            runs = {"runs": {"target": lane_run_json(run, name)}} if run else {}
            return {"target_accesses_outside": address} | runs
        case RegisterDiffers() as one:
            register = _register_of(comparison, one)
            lane = {"lane": one.lanes[0]} if len(one.lanes) == 1 else {}
            both = {"register": register.name, "target_register": register.target_name, "byte": one.address} | lane
            after = {"after_source": {"byte": one.source}, "after_target": {"byte": one.target}}
            return both | after | _runs_json(comparison, found)
        case ByteDiffers(surface, address) as one:
            if surface == SHARED:
                surface, address = buffer_at(comparison, found, address)
            argument = argument_at(comparison, surface)
            return layout_json(comparison, found) | {
                "surface": name(surface),
                **({} if argument is None else {"argument": argument.index}),
                "address": address,
                "before": one.before,
                "after_source": _left_json(one.source, one.source_writer),
                "after_target": _left_json(one.target, one.target_writer),
            } | _dwords_json(comparison, found, one) | _runs_json(comparison, found)  # fmt: skip


def _dwords_json(comparison: Comparison, found: Difference, one: ByteDiffers) -> dict[str, Any]:
    around = dwords(comparison, found, one)
    kernels = (comparison.source.kernel, comparison.target.kernel)
    types = {
        stored_type(writer.instruction.position, kernel)
        for writer, kernel in zip((one.source_writer, one.target_writer), kernels, strict=True)
        if writer is not None
    }
    floats = {"data_type": "f"} if types == {"f"} else {}
    return {"dwords": msgspec.to_builtins(around)} | floats if around else {}


def _left_json(byte: int, writer: Writer | None) -> dict[str, Any]:
    """What a run left, and what wrote it."""
    by = writer and {"line": writer.instruction.position.line, "lane": writer.lane}
    thread = {} if writer is None or writer.thread is None else {"thread": writer.thread}
    return {"byte": byte} | (by or {"line": None, "lane": None}) | thread


def _runs_json(comparison: Comparison, found: Difference) -> dict[str, Any]:
    runs = lane_runs(comparison, found)
    name = partial(surface_name, comparison)
    return {"runs": dict(zip(SIDES, (lane_run_json(one, name) for one in runs), strict=True))} if runs else {}
