"""Refinement as people read it: what was matched and assumed, the verdict, and the run that shows a difference."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from visaproof.instructions.svm_gather import FLAT
from visaproof.queries.kernels.surface_names import itself
from visaproof.queries.kernels.undefined import OF_THE_SOURCE, UndefinedKind
from visaproof.refinement.comparison import Comparison
from visaproof.refinement.effects.places import ALWAYS
from visaproof.refinement.observed import is_register
from visaproof.refinement.same_program import SAME_PROGRAM
from visaproof.refinement.testing.runner import Runner
from visaproof.refinement.verdicts import Apart, Bounded, Difference, Refines, Resynchronised, Unknown, Vacuous, Verdict
from visaproof.refinement.widths.wide_thread import Split
from visaproof.report.kernels.premises import premise_lines, premises_record
from visaproof.report.records.refine import RefineAnswer
from visaproof.report.text.hints import fitting
from visaproof.report.text.kernel_name import readable_name
from visaproof.report.two_kernels.difference import (
    difference_json,
    difference_lines,
    in_order,
    undefined_hint,
)
from visaproof.report.two_kernels.elements import argument_at, surface_name
from visaproof.report.two_kernels.launches import ShownDifference, shown_difference
from visaproof.report.two_kernels.overlap import pairs_json, pairs_text, stated
from visaproof.report.two_kernels.synchronisation import events_json, events_side_by_side
from visaproof.smt.limit import NO_LIMIT, Limit


def header(comparison: Comparison) -> Iterator[str]:
    """Both kernels, and which threads are compared."""
    for name, program in (("source", comparison.source), ("target", comparison.target)):
        kernel = readable_name(program.kernel.name)
        yield f"{name}: {program.kernel.path}: kernel {kernel}, {program.platform.name}"
    if comparison.split is not None:
        yield from (f"  {line}" for line in _split_lines(comparison.split))


def basis_lines(comparison: Comparison, verbose: bool) -> Iterator[str]:
    """What the answer rests on: which inputs are the same, and what is assumed."""
    yield ""
    matching, surfaces = comparison.matching, list(_surfaces(comparison))
    way = "what the launch puts there" if matching.by_meaning else "payload byte"
    if verbose:
        yield f"  inputs are matched by {way}:"
    else:
        yield f"  {len(matching.rows)} inputs and {len(surfaces)} surfaces are matched by {way} (-v lists them)"
    for row in matching.rows if verbose else ():
        yield f"    {row.target} is {row.source or 'in the target only, and arbitrary'}: {row.what}"
    for surface, one, other in surfaces if verbose else ():
        name = argument_at(comparison, surface) or surface_name(comparison, surface)
        yield f"    {name} is {other or 'not used'} in the target, {one or 'not used'} in the source"
    for one in comparison.runners[0].observed:
        what = f"{one.count} {'bits' if one.source.is_predicate else 'bytes'}"
        yield f"  observed at the end, where the source defines it: {one.both} ({what})"
    yield from premise_lines(comparison.assumed, verbose)
    for hint in filter(None, map(fitting, comparison.start.hints)):
        yield f"  hint: {hint}"


def _split_lines(split: Split) -> Iterator[str]:
    """Which threads run the same work items."""
    wide, narrow = ("source", "target") if split.source_is_wide else ("target", "source")
    last = split.threads - 1
    yield f"a thread of the {wide} has {split.wide} lanes, of the {narrow} {split.narrow}: asked of one thread of the"
    yield f"  {wide} and of threads 0..{last} of the {narrow}, which run the same work items:"
    yield f"  lane L of the {wide} is lane L mod {split.narrow} of thread L div {split.narrow} of the {narrow}"


def _surfaces(comparison: Comparison) -> Iterator[tuple[str, str, str]]:
    """Each surface, and how both kernels reach it."""
    source, target = comparison.runners
    sampled = (name for one in (source, target) for _, name in one.sampled())
    for surface in dict.fromkeys((*map(itself, comparison.question.surfaces), *sampled)):
        if is_register(surface):
            continue
        keys = [", ".join(_ways(one, surface)) for one in (source, target)]
        yield surface, keys[0], keys[1]


def _ways(runner: Runner, surface: str) -> Iterator[str]:
    """How a kernel reaches a surface: by what names it, or by the input that holds its address."""
    surface = itself(surface)
    keys = dict.fromkeys((*runner.trace.surfaces, *(key for key, _ in runner.sampled())))
    yield from (key for key in keys if runner.surface(key) == surface)
    if FLAT in runner.trace.surfaces:
        yield from (f"address {word.payload}" for word, buffer in runner.pointers.items() if buffer == surface)


def verdict_lines(comparison: Comparison, verdict: Verdict, launch: ShownDifference | None = None) -> Iterator[str]:
    """The verdict, with the launch that shows a difference, or why none is shown."""
    yield ""
    yield from _verdict_lines(comparison, verdict, launch)
    if launch is not None:
        yield from (f"  {line}" for line in launch.lines())


def _verdict_lines(comparison: Comparison, verdict: Verdict, launch: ShownDifference | None) -> Iterator[str]:
    match verdict:
        case Refines(by) if by == SAME_PROGRAM:
            yield "  REFINES: both are the same program: nothing was changed"
        case Refines(by, conditions):
            where = ", where" if conditions else ""
            what = "memory and registers" if comparison.runners[0].observed else "memory"
            yield f"  REFINES: the target leaves the same {what}, for all inputs ({by}){where}"
            yield from (f"    {condition.value}" for condition in in_order(conditions))
            yield from (f"    or the source is undefined: {kind.value} ({kind.what})" for kind in _excuses(comparison))
        case Bounded(loops, found):
            yield f"  BOUNDED: no difference in runs of no more iterations than were unrolled ({found.by}): no proof"
            yield from (f"    {condition.value}" for condition in in_order(found.conditions))
            yield from (f"    {position}: a loop whose number of iterations depends on inputs" for position in loops)
            yield "    hint: a larger `--unroll` looks at longer runs"
        case Vacuous(kinds):
            yield "  VACUOUS: the source is undefined for any input, so that anything refines it"
            yield from (f"    in every run: {kind.what}" for kind in kinds)
            yield from map(undefined_hint, kinds)
        case Resynchronised(reason, events):
            yield f"  DOES NOT REFINE: {reason}"
            yield from events_side_by_side(events)
        case Unknown(reason, events):
            yield f"  UNKNOWN: {reason}"
            yield from events_side_by_side(events)
        case Apart():
            yield from _apart_lines(verdict, launch)
        case Difference():
            yield from (f"  {line}".rstrip() for line in difference_lines(comparison, verdict, launch))


def _apart_lines(verdict: Apart, launch: ShownDifference | None) -> Iterator[str]:
    """Which buffers have to be apart, and what happens where they are not."""
    name = partial(surface_name, verdict.overlapping)
    yield "  REFINES ONLY IF these buffers share no byte, which nothing grants:"
    yield from (f"    {pair}" for pair in pairs_text(verdict.pairs, name))
    found = verdict.found.found if isinstance(verdict.found, Bounded) else verdict.found
    yield f"    then the target leaves the same memory ({found.by}){', where' if found.conditions else ''}"
    yield from (f"      {condition.value}" for condition in in_order(found.conditions))
    if isinstance(verdict.found, Bounded):
        yield "      and no loop takes more iterations than were unrolled: no proof"
    options = " ".join(f"--where '{stated(pair, name)}'" for pair in verdict.pairs)
    yield f"    hint: `{options}` states it, and `--alias none` that no two buffers overlap"
    if verdict.difference is None:
        yield "  UNKNOWN: no run was found in which they overlap and both kernels differ"
    else:
        yield from (f"  {line}".rstrip() for line in difference_lines(verdict.overlapping, verdict.difference, launch))


def with_launch(
    comparison: Comparison, verdict: Verdict, commands: tuple[tuple[str, ...], ...], limit: Limit = NO_LIMIT
) -> tuple[Verdict, ShownDifference | None]:
    """The launch that shows a difference, if the verdict has one: then its run is a thread of that, if one shows it."""
    shown = shown_by(comparison, verdict)
    launch = None if shown is None else shown_difference(*shown, commands, limit)
    thread = None if launch is None or not isinstance(verdict, Difference) else launch.thread
    return thread or verdict, launch


def shown_by(comparison: Comparison, verdict: Verdict) -> tuple[Comparison, Difference] | None:
    """The run that a verdict shows, and the question that it answers; None where it shows none."""
    match verdict:
        case Difference():
            return comparison, verdict
        case Apart(difference=Difference() as found):
            return verdict.overlapping, found
        case _:
            return None


def _excuses(comparison: Comparison) -> list[UndefinedKind]:
    """What the source does, and the target not, that excuses the target where it happens."""
    source, target = comparison.question.source, comparison.question.target
    known = target.undefined_alone
    kinds = {kind for condition, kind in source.undefined_alone.items() if condition not in known} - OF_THE_SOURCE
    kinds |= {UndefinedKind.RACE} if source.may_race else set()
    return [kind for kind in UndefinedKind if kind in kinds]


# ---------------------------------------------------------------- for programs


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """What was asked."""
    observed = comparison.runners[0].observed
    widths = {} if comparison.split is None else {"widths": list(comparison.split.widths)}
    matching = comparison.matching
    return (
        {
            "source": comparison.source.kernel.path,
            "target": comparison.target.kernel.path,
            "platforms": [comparison.source.platform.name, comparison.target.platform.name],
            "matched_by": "meaning" if matching.by_meaning else "payload byte",
            "inputs": [{"target": row.target, "source": row.source, "what": row.what} for row in matching.rows],
            "surfaces": [
                {"name": surface_name(comparison, surface), "source": one, "target": other}
                for surface, one, other in _surfaces(comparison)
            ],
        }
        | premises_record(comparison.assumed)
        | widths
        | ({"observed": [one.both for one in observed]} if observed else {})
    )


def answer_record(comparison: Comparison, verdict: Verdict, **more: Any) -> dict[str, Any]:
    """Question and answer; with further fields of `RefineAnswer`."""
    return plain(comparison_json(comparison) | verdict_json(comparison, verdict) | more)


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    """A record of these fields.  Raises msgspec.ValidationError for one that no record has."""
    return msgspec.to_builtins(msgspec.convert(msgspec.to_builtins(fields), RefineAnswer))


def verdict_json(comparison: Comparison, verdict: Verdict) -> dict[str, Any]:
    """The answer."""
    match verdict:
        case Refines(by, conditions):
            excused = [kind.value for kind in _excuses(comparison)]
            found = {"verdict": "refines", "by": by, "conditions": [one.value for one in in_order(conditions)]}
            return found | {"excused": excused}
        case Bounded(loops, found):
            return verdict_json(comparison, found) | {"verdict": "bounded", "loops": [str(one) for one in loops]}
        case Vacuous(kinds):
            return {"verdict": "vacuous", "undefined": [kind.value for kind in kinds]}
        case Resynchronised(reason, events):
            return {"verdict": "does not refine", "replayed": False, "reason": reason} | events_json(events)
        case Unknown(reason, events):
            return {"verdict": "unknown", "reason": reason} | events_json(events)
        case Apart(pairs, under, overlapping, difference):
            name = partial(surface_name, overlapping)
            needed = {"needs_apart": pairs_json(pairs), "if_apart": verdict_json(comparison, under)}
            if difference is None:
                reason = f"not shown unless these share no byte: {'; '.join(pairs_text(pairs, name))}"
                return {"verdict": "unknown", "reason": reason} | needed
            return verdict_json(overlapping, difference) | needed
        case Difference():
            under = [one.value for one in in_order(ALWAYS if comparison.conditional else ())]
            example = difference_json(comparison, verdict)
            return {"verdict": "does not refine", "replayed": True, "conditions": under, "example": example}
