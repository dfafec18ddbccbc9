"""What another thread tells two kernels apart by, as people and programs read it: where it came and what it got."""

from collections.abc import Iterator
from typing import Any

from visaproof.refinement.environment.environment_steps import Came, Interference, Writer
from visaproof.report.two_kernels.writers import Naming, written


def interference_lines(found: Interference, name: Naming) -> Iterator[str]:
    """The exchange, what it comes to in the target, and what wherever it is made in the source."""
    exchange, bits = found.exchange, 8 * found.exchange.width
    place = f"the {bits} bits at {exchange.address:#x} of {name(exchange.surface)}"
    yield f"meanwhile another thread exchanges {place} for {exchange.value:#x}, in one atomic"
    yield f"  in the target {_where(found.target)}"
    yield f"    and before {written(found.ahead)}"
    yield f"    it gets {found.target.brought:#x}, and at the end {found.target.left:#x} is there"
    yield "  in the source this happens nowhere:"
    for came in found.source:
        yield f"    {_where(came)}"
        yield f"      it gets {came.brought:#x}, and at the end {came.left:#x} is there{_elsewhere(came, name)}"


def _where(came: Came) -> str:
    return f"behind {written(came.behind)}" if came.behind else "before every atomic there"


def _elsewhere(came: Came, name: Naming) -> str:
    if came.elsewhere is None:
        return ""
    surface, address = came.elsewhere
    return f", but byte {address:#x} of {name(surface)} differs"


def interference_text(found: Interference, name: Naming) -> str:
    """What differs, in one line."""
    place = f"{found.exchange.address:#x} of {name(found.exchange.surface)}"
    seen = f"gets {found.target.brought:#x}, and {found.target.left:#x} is left"
    return f"another thread that exchanges what is at {place} for {found.exchange.value:#x} {seen}: never in the source"


def interference_json(found: Interference, name: Naming) -> dict[str, Any]:
    """The same as a record."""
    exchange = found.exchange
    return {
        "surface": name(exchange.surface),
        "address": exchange.address,
        "bytes": exchange.width,
        "exchanged_for": f"{exchange.value:#x}",
        "in_target": _came_json(found.target, name) | {"before": _writer_json(found.ahead)},
        "in_source": [_came_json(one, name) for one in found.source],
    }


def _came_json(came: Came, name: Naming) -> dict[str, Any]:
    where = None if came.behind is None else _writer_json(came.behind)
    record: dict[str, Any] = {"behind": where, "gets": f"{came.brought:#x}", "leaves": f"{came.left:#x}"}
    if came.elsewhere is not None:
        surface, address = came.elsewhere
        record["but"] = {"surface": name(surface), "address": address}
    return record


def _writer_json(writer: Writer) -> dict[str, Any]:
    return {"line": writer.instruction.position.line, "lane": writer.lane}
