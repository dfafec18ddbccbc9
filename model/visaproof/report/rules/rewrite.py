"""Rewrite rules as people read them: a table, and for each wrong rule the two runs side by side."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from msgspec import Struct

from visaproof.queries.kernels.suspects import ranges
from visaproof.refinement.verdicts import Unknown, Vacuous
from visaproof.report.text.columns import beside, width_of_output
from visaproof.report.text.tables import table
from visaproof.rules.decision import is_as_stated
from visaproof.rules.language.syntax import Expect, Rule
from visaproof.rules.suggest import Suggestions
from visaproof.rules.verdicts import (
    Change,
    Counterexample,
    Illegal,
    Proved,
    Refuted,
    Run,
    Step,
    Verdict,
)
from visaproof.semantics.symbolic.names import is_lane, is_of_memory, is_size

MOST_SHOWN = 12
"""Inputs, or changes of one instruction, that are shown."""


class Checked(Struct, frozen=True):
    """A rule, and what was found."""

    rule: Rule
    verdict: Verdict
    when_right: Verdict | None
    """With what `right if` says."""
    seconds: float
    suggestions: Suggestions | None = None

    @property
    def as_stated(self) -> bool:
        return is_as_stated(self.rule, self.verdict, self.when_right)


def rows(checked: Sequence[Checked]) -> Iterator[str]:
    """The table."""
    titles = ("rule", "stated", "found", "seconds", "by")
    said = [(one.rule.name, one.rule.expect.value, found_of(one), f"{one.seconds:.2f}", _by(one)) for one in checked]
    yield from table(titles, said, width_of_output(), wrapped=True)


def found_of(one: Checked) -> str:
    """What was found, in a few words."""
    if one.rule.expect is Expect.REFUTED and isinstance(one.verdict, Refuted | Illegal):
        if one.when_right is None:
            return "refuted"
        return f"refuted, {name_of(one.when_right)} with its condition"
    return name_of(one.verdict)


def name_of(verdict: Verdict) -> str:
    match verdict:
        case Proved():
            return "proved"
        case Refuted():
            return "refuted"
        case Illegal():
            return "illegal target"
        case Unknown():
            return "unknown"
        case Vacuous():
            return "vacuous"


def _by(one: Checked) -> str:
    shown = one.when_right if isinstance(one.verdict, Refuted) and one.when_right is not None else one.verdict
    match shown:
        case Proved(stages, instances, _):
            return f"{' and '.join(stages)}, {instances} instance{'s' * (instances != 1)}"
        case Refuted():
            return "a run of both sides"
        case Illegal(_, reason, _) | Unknown(reason) | Vacuous(reason=reason):
            return reason


def details(one: Checked) -> Iterator[str]:
    """What is worth telling beside the row."""
    for verdict, given in ((one.verdict, ""), (one.when_right, " (with its condition)")):
        match verdict:
            case Refuted(counterexample) if not given or one.rule.expect is Expect.REFUTED:
                yield ""
                yield f"{one.rule.name}: refuted{given}"
                yield from (f"  {line}" for line in counterexample_lines(counterexample))
            case Illegal(instance, reason, position) if not given:
                yield ""
                yield f"{one.rule.name}: the target is not legal ({instance.label})"
                yield f"  {position}: {reason}"
            case Proved(undefined_lanes=lanes) if lanes:
                yield ""
                yield f"{one.rule.name}: nothing is shown of lanes {ranges(lanes)}{given}"
                yield "  where one of them runs, the source is undefined, as where its variables are too short"
            case _:
                pass
    if one.rule.right_if and isinstance(one.verdict, Refuted):
        yield f"  right if {' and '.join(right_if(one.rule))}: {name_of(one.when_right) if one.when_right else ''}"
    if one.suggestions is not None:
        yield from _suggested(one.suggestions)


def right_if(rule: Rule) -> list[str]:
    """The conditions as they are written."""
    return [text for line, text in sorted(rule.texts.items()) if rule.lines[line - 1].startswith("right")]


def _suggested(found: Suggestions) -> Iterator[str]:
    """The weakest conditions, or how what the file says compares with them."""
    idle = ", where the source changes no memory" if found.idle else ""
    for text in found.weaker:
        yield f"  a weaker condition makes it right: {text}{idle}"
    if found.stated:
        for text in found.others:
            yield f"  also right if {text}{idle}"
        yield f"  the {'weaker one' if found.weaker else 'stated condition'}: {_searched(found)}"
        return
    for text in found.weakest:
        yield f"  suggested: {text}{idle}"
    if found.weakest:
        yield f"  proved: {_searched(found)}"
    else:
        yield f"  suggested: nothing; {_searched(found)}"


def _searched(found: Suggestions) -> str:
    """What was tried."""
    undecided = f"; {found.undecided} more are undecided" if found.undecided else ""
    return f"nothing weaker is right among {found.singles} conditions and {found.pairs} pairs of them{undecided}"


# ---------------------------------------------------------------- a counterexample


def counterexample_lines(found: Counterexample) -> Iterator[str]:
    """The inputs, both runs side by side, and where they differ."""
    yield f"instance {found.instance.label}; execution mask {found.difference.exec_mask:#x}"
    for one, other in found.instance.same_surfaces:
        yield f"{one} and {other} are one surface; `pre: apart({one}, {other})` states that they share no byte"
    for surface, size in found.sizes.items():
        if len(size) > 1:
            yield f"{surface}: {' x '.join(map(str, size))} texels"
        elif size < (1 << 64,):
            yield f"{surface}: {', '.join(map(hex, size))} bytes"
    shown = [f"{name} = {value:#x}" for name, value in inputs(found)]
    yield from wrap(", ".join(shown) or "no other input", width_of_output() - 4)
    yield "every other input is 0"
    yield from beside(_run_lines("source", found.source), _run_lines("target", found.target))
    yield difference_line(found)


def inputs(found: Counterexample) -> list[tuple[str, int]]:
    """The inputs that are not 0 and what memory holds."""
    named: list[tuple[str, int]] = []
    for term, value in found.difference.values.items():
        if value and not is_lane(term) and not is_size(term) and not is_of_memory(term):
            named.append((str(term.payload), value))
    named += [(_place(name, where), value) for (name, where), value in sorted(found.contents.items()) if value]
    return named[: 4 * MOST_SHOWN]


def difference_line(found: Counterexample) -> str:
    if found.place is None:
        return f"the source is defined, the target is undefined: {found.target.undefined}"
    name, where = found.place
    values = [
        run.memory.get(found.place, run.observed.get(found.place, found.before)) for run in (found.source, found.target)
    ]
    what = f"byte {where[0]:#x} of {name}" if len(where) == 1 else f"texel {_place(name, where)}"
    return f"{what}: {found.before:#x} before, {values[0]:#x} after the source, {values[1]:#x} after the target"


def _place(name: str, where: tuple[int, ...]) -> str:
    return f"{name}[{where[0]:#x}]" if len(where) == 1 else f"{name}({', '.join(map(str, where))})"


def _run_lines(title: str, run: Run) -> list[str]:
    lines = [title]
    for step in run.steps:
        lines.append(f"{step.position.line}: {' '.join(step.text.split())}")
        changes = list(map(change_text, step.changes))
        lines += [f"    {text}" for text in changes[:MOST_SHOWN]]
        if len(changes) > MOST_SHOWN:
            lines.append(f"    and {len(changes) - MOST_SHOWN} more")
        if not changes and not (run.undefined and step is run.steps[-1]):
            lines.append("    changes nothing")
    if run.undefined:
        lines.append(f"    undefined: {run.undefined}")
    if not run.steps:
        lines.append("(no instruction)")
    return lines


def change_text(change: Change) -> str:
    lane = f"lane {change.lane} " if change.lane is not None else ""
    where = change.where if change.address is None else f"{change.where}[{change.address:#x}]"
    if change.dropped:
        return f"{lane}{where}: outside, dropped"
    return f"{lane}{where} = {change.after or 0:#x}"


# ---------------------------------------------------------------- for programs


def record(one: Checked) -> dict[str, object]:
    """The rule for `--json`."""
    found: dict[str, object] = {
        "rule": one.rule.name,
        "file": one.rule.path,
        "stated": one.rule.expect.value,
        "verdict": name_of(one.verdict),
        "as_stated": one.as_stated,
        "seconds": round(one.seconds, 3),
        "by": list(one.verdict.stages) if isinstance(one.verdict, Proved) else [],
        "instances": one.verdict.instances if isinstance(one.verdict, Proved) else None,
        "undefined_lanes": list(one.verdict.undefined_lanes) if isinstance(one.verdict, Proved) else [],
        "reason": getattr(one.verdict, "reason", ""),
        "right_if": right_if(one.rule),
        "verdict_right_if": None if one.when_right is None else name_of(one.when_right),
        "counterexample": None,
    }
    if isinstance(one.verdict, Refuted):
        found["counterexample"] = _counterexample_record(one.verdict.counterexample)
    if one.suggestions is not None:
        found |= _suggestions_record(one.suggestions)
    return found


def _suggestions_record(found: Suggestions) -> dict[str, object]:
    return {
        "suggestions": list(found.weakest),
        "changes_nothing": found.idle,
        "tried": found.singles + found.pairs,
        "undecided": found.undecided,
        "weaker_than_stated": list(found.weaker),
        "also_right_if": list(found.others),
    }


def _counterexample_record(found: Counterexample) -> dict[str, object]:
    same = [list(pair) for pair in found.instance.same_surfaces]
    return {
        "instance": found.instance.label,
        **({"one_surface": same} if same else {}),
        "execution_mask": f"{found.difference.exec_mask:#x}",
        "sizes": {name: list(size) for name, size in found.sizes.items()},
        "inputs": {name: f"{value:#x}" for name, value in inputs(found)},
        "source": _run_record(found.source),
        "target": _run_record(found.target),
        "differs_at": None if found.place is None else _place(*found.place),
        "difference": difference_line(found),
        "replayed": True,
    }


def _run_record(run: Run) -> dict[str, object]:
    return {"steps": [_step_record(step) for step in run.steps], "undefined": run.undefined}


def _step_record(step: Step) -> dict[str, object]:
    changes = [
        {"lane": one.lane, "where": one.where, "address": one.address, "after": one.after, "dropped": one.dropped}
        for one in step.changes
    ]
    return {"line": step.position.line, "text": step.text, "changes": changes}
