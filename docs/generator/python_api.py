"""The page on the Python interface: each public name with its signature and its docstring."""

import dataclasses
import inspect
import re
from collections.abc import Iterator
from importlib import import_module

import visaproof

VERDICTS = "analysis.conflicts.verdicts analysis.bounds.verdicts refinement.verdicts refinement.testing.runs"
GROUPS = (
    ("Kernels", "api.kernels api.answers"),
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
        if inspect.isclass(thing) and dataclasses.is_dataclass(thing):
            fields = [one.name for one in dataclasses.fields(thing) if not one.name.startswith("_")]
            yield from (f"Fields: {', '.join(f'`{field}`' for field in fields)}.", "")


def _signature(function: object) -> str:
    """Without the modules of the types."""
    text = str(inspect.signature(function))  # pyright: ignore[reportArgumentType]
    text = re.sub(r"\b(?:visaproof|collections|pathlib|typing|hypothesis)(?:\.\w+)*\.(\w)", r"\1", text)
    return re.sub(r"'([A-Za-z_][^']*)'", r"\1", text)


def _markdown(text: str) -> str:
    return text.replace("<", "&lt;")
