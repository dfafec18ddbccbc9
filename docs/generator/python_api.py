"""The page on the Python interface: each public name with its signature and its docstring."""

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from importlib import import_module

from msgspec import Struct

import visaproof

VERDICTS = "analysis.conflicts.verdicts analysis.bounds.verdicts refinement.verdicts"
GROUPS = (
    ("Kernels", "api.kernels api.two_kernels api.answers launch.premises"),
    ("Instructions and claims", "api.claims isa.platform"),
    ("Verdicts about kernels", VERDICTS),
    ("Counterexamples", "checking.counterexample checking.replay"),
    ("Errors", "isa.errors"),
)
TESTING = ("visaproof.testing", "visaproof.testing.strategies")
STRATEGIES = ["dwords", "platforms", "instructions", "states", "buffers", "images", "starts", "kernels"]


def page(notice: str) -> str:
    """Markdown."""
    lines = [
        notice,
        "# Python interface",
        "",
        "`import visaproof` offers these names; each is imported when it is first used. The package has types.",
        "[How to use it](../how-to/python.md).",
    ]
    homes = visaproof._HOMES
    for title, modules in GROUPS:
        names = [name for name, home in homes.items() if home in modules.split()]
        lines += ["", f"## {title}", "", *_entries(names, "visaproof")]
    lines += ["", "## Tests of one's own", "", "From `visaproof.testing`:", ""]
    lines += _entries(import_module(TESTING[0]).__all__, TESTING[0])
    lines += ["", "Hypothesis strategies, from `visaproof.testing.strategies` (extra `visaproof[testing]`):", ""]
    lines += _entries(STRATEGIES, TESTING[1])
    return "\n".join(lines).rstrip() + "\n"


def _entries(names: list[str], module: str) -> Iterator[str]:
    for name in names:
        thing = getattr(import_module(module), name)
        yield f"### `{name}`"
        yield ""
        if inspect.isfunction(thing):
            yield from ("```python", f"{name}{_signature(thing)}", "```", "")
        text = inspect.getdoc(thing) if inspect.isfunction(thing) or inspect.isclass(thing) else None
        if text and not text.startswith(f"{name}("):  # what a dataclass without a docstring has
            yield from (_markdown(text), "")
        if inspect.isclass(thing) and (fields := [name for name in _fields(thing) if not name.startswith("_")]):
            yield from (f"Fields: {', '.join(f'`{field}`' for field in fields)}.", "")


def _fields(kind: type) -> tuple[str, ...]:
    if issubclass(kind, Struct):
        return kind.__struct_fields__
    return tuple(one.name for one in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()


class _Shown:
    """A default as it is written."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        if isinstance(self.value, Enum):
            return f"{type(self.value).__name__}.{self.value.name}"
        plain = self.value is None or isinstance(self.value, bool | int | float | str | tuple)
        return repr(self.value) if plain else "…"  # the set of a frozenset has another order in each process


def _signature(function: Callable[..., object]) -> str:
    """Without the modules of the types."""
    found = inspect.signature(function)
    shown = [
        one if one.default is one.empty else one.replace(default=_Shown(one.default))
        for one in found.parameters.values()
    ]
    text = str(found.replace(parameters=shown))
    text = re.sub(r"\b(?:visaproof|collections|pathlib|typing|hypothesis)(?:\.\w+)*\.(\w)", r"\1", text)
    text = re.sub(r"\*<class '?(?:\w+\.)*(\w+)'?>", r"\1", text)  # of the options that may be named
    return re.sub(r"'([A-Za-z_][^']*)'", r"\1", text)


def _markdown(text: str) -> str:
    return text.replace("<", "&lt;")
