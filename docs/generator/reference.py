"""Reference pages and drawings that follow from the code, by their place below docs/."""

import ast
import json
import re
import tomllib
from argparse import SUPPRESS, Action, ArgumentParser, _SubParsersAction
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from docs.generator import drawings, json_shapes, python_api
from visaproof.checking.claims.catalogue import load_claims
from visaproof.checking.verdict import Proved
from visaproof.cli import COMMANDS
from visaproof.cli.options.exit_codes import TABLE
from visaproof.cli.parser import GROUPS
from visaproof.isa.readings import READINGS
from visaproof.launch.premise_table import PREMISES
from visaproof.queries.query import Query
from visaproof.refinement.strategies.table import (
    IN_ONE_MEMORY,
    ONLY_RUNS,
    SIMPLE_IN_ONE_MEMORY,
    SOLVED_IN_ONE_MEMORY,
    STRATEGIES,
)
from visaproof.refinement.verdicts import Difference, Refines, Vacuous
from visaproof.report.claims.opcodes import document, evidence_in
from visaproof.report.kernels.premises import GRANTED
from visaproof.report.records.schema import schemas

ROOT = Path(__file__).parents[2]
NOTICE = "<!-- Made by `make pages` from the code; changes by hand are lost. -->\n"

TABLES = (
    ("Where buffers may overlap, first", IN_ONE_MEMORY),
    ("Where buffers are apart", STRATEGIES),
    ("What refines there, where buffers may overlap, after them", SIMPLE_IN_ONE_MEMORY + SOLVED_IN_ONE_MEMORY),
    ("Where the target has what no proof models", ONLY_RUNS),
)
VERDICTS = {Refines: "refines", Difference: "does not refine, by a run", Vacuous: "vacuous"}


def commands() -> str:
    """Each command with its options, from its parser."""
    listed = sorted(name for _, names in GROUPS for name in names)
    assert listed == sorted(COMMANDS), "every command belongs to a group of GROUPS"
    lines = [
        NOTICE,
        "# Commands",
        "",
        "`visaproof COMMAND --help` shows the same in a terminal.  Every command takes `--color auto|always|never`.",
        "",
    ]
    for purpose, names in GROUPS:
        lines += [f"## {purpose}", "", "| command | question |", "|---|---|"]
        lines += [f"| [`{name}`](#{name}) | {_cell(_command(name)[0])} |" for name in names]
        lines.append("")
    for _, names in GROUPS:
        for name in names:
            lines += _section(name)
    return "\n".join(lines).rstrip() + "\n"


def _section(name: str) -> Iterator[str]:
    _, parser = _command(name)
    yield from (f"## {name}", "", _prose(parser.description or ""), "")
    rows = [row for action in parser._actions if (row := _row(parser, action))]
    yield from ("| argument | meaning |", "|---|---|", *rows, "")
    yield from ("```text", (parser.epilog or "").rstrip(), "```", "")


def _command(name: str) -> tuple[str, ArgumentParser]:
    """What the list of commands says of it, and its parser."""
    subparsers = ArgumentParser(prog="visaproof").add_subparsers()
    import_module(f"visaproof.cli.{name}").add_parser(subparsers)
    known = cast("_SubParsersAction[ArgumentParser]", subparsers)
    (choice,) = known._choices_actions
    return choice.help or "", known.choices[name]


def _row(parser: ArgumentParser, action: Action) -> str:
    """One line of a table; empty for `--help` and for what is not shown."""
    if action.help == SUPPRESS or "--help" in action.option_strings:
        return ""
    formatter = parser.formatter_class(prog=parser.prog)
    text = formatter._expand_help(action) if action.help else ""
    value = formatter._format_args(action, _value(action)) if action.nargs != 0 else ""
    names = ", ".join(f"{option} {value}".strip() for option in action.option_strings)
    return f"| `{_cell(names or value)}` | {_cell(_prose(text))} |"


def _value(action: Action) -> str:
    if action.metavar is None and action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper()


def exit_codes() -> str:
    """The table that every command shows."""
    _, *rows, last = TABLE.splitlines()
    cells = (row.strip().split("  ", 1) for row in rows)
    table = (f"| {code.strip()} | {_prose(meaning)} |" for code, meaning in cells)
    return "\n".join((NOTICE, "# Exit codes", "", "| code | meaning |", "|---|---|", *table, "", last, ""))


def readings() -> str:
    """Every open question with its answers."""
    lines = [
        NOTICE,
        "# Readings",
        "",
        "Where a page is silent or contradicts other evidence, a *reading* says what the model does. The first answer",
        "is the default. `visaproof prove --reading NAME=VALUE` asks the proofs under another one. Those without a",
        "decision are of visaproof: neither the pages nor the evidence of the [decisions](../decisions.md) speak.",
        "",
        "| reading | decision | question | answers |",
        "|---|---|---|---|",
    ]
    for name, reading in READINGS.items():
        decision = reading.decision
        link = f"[{decision}](../decisions.md#{decision.lower()})" if decision != "ours" else "–"
        answers = (
            [reading.answers]
            if isinstance(reading.answers, str)
            else [f"`{each.value}`: {each.effect}" for each in reading.answers]
        )
        lines.append(f"| `{name}` | {link} | {_cell(_prose(reading.question))} | {'<br>'.join(map(_cell, answers))} |")
    return "\n".join(lines) + "\n"


def premises() -> str:
    """The table of what answers rest on."""
    lines = [
        NOTICE,
        "# Premises",
        "",
        "Every answer about a kernel names what it assumes; a name below `assumed:` in the output is a row here. A",
        "field in braces differs from kernel to kernel. [Assumptions](../explanation/assumptions.md) explains them.",
        "",
        "| premise | sentence | who grants it | commands | option that lifts it |",
        "|---|---|---|---|---|",
    ]
    for name, row in PREMISES.items():
        granted = f"{GRANTED[row.granted]}: {row.source}"
        cells = (f"`{name}`", row.sentence, granted, ", ".join(row.commands), f"`{row.lifted}`" if row.lifted else "–")
        lines.append(f"| {' | '.join(map(_cell, map(_prose, cells)))} |")
    return "\n".join(lines) + "\n"


def strategies() -> str:
    """The tables of `refinement.strategies.table`, in order."""
    lines = [
        NOTICE,
        "# Strategies of `refine`",
        "",
        "Tried in this order; the first that answers decides, and `--stats` shows which did. A strategy cannot say",
        "what it is not sound for. A proof *as unrolled* holds for runs of no more iterations than were unrolled.",
    ]
    for title, rows in TABLES:
        lines += ["", f"## {title}", "", "| strategy | shows | loops | spends |", "|---|---|---|---|"]
        for row in rows:
            shows = ", ".join(VERDICTS[one] for one in row.gives)
            length = "any length" if row.any_length else "as unrolled" if Refines in row.gives else "–"
            lines.append(f"| {' | '.join(map(_cell, (row.name, shows, length, row.spends)))} |")
    return "\n".join(lines) + "\n"


def claims() -> str:
    """The obligations of the proofs folder.  `visaproof prove` decides them; here they are only counted."""
    proved: dict[str, list[Query]] = defaultdict(list)
    refuted: dict[str, int] = defaultdict(int)
    for claim in load_claims(ROOT / "proofs"):
        query = claim.ask()
        if claim.expected is Proved:
            proved[query.claim].append(query)
        else:
            refuted[query.claim] += 1
    lines = [
        NOTICE,
        "# Claims",
        "",
        "What `visaproof prove` proves, by obligation, and how many wrong variants the same question refutes. Masks",
        "(all 16, with and without NoMask), predicates, channel sets, offsets, data and surface sizes are arbitrary;",
        "shapes are enumerated. The readings are those that the answer may depend on.",
        "",
        "| obligation | proved for | refutations | readings |",
        "|---|--:|--:|---|",
    ]
    for name, queries in proved.items():
        decisions = dict.fromkeys(READINGS[reading].decision for reading in queries[0].readings)
        lines.append(f"| `{name}` | {len(queries)} | {refuted.get(name, 0)} | {', '.join(decisions)} |")
    total = f"| **all** | {sum(map(len, proved.values()))} | {sum(refuted.values())} | |"
    return "\n".join([*lines, total]) + "\n"


def opcodes() -> str:
    """The rows of the ALU pages, with what outside sources confirm each."""
    return document(evidence_in((ROOT / "tests" / "data" / "opcode_evidence.toml").read_text()))


def layers() -> list[tuple[str, str]]:
    """The rooms of the package from the top down, as the import contract has them, each with its first sentence."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts: list[dict[str, Any]] = project["tool"]["importlinter"]["contracts"]
    (found,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [(name.removeprefix("visaproof."), _first_sentence(name)) for name in found]


def _first_sentence(package: str) -> str:
    """Of its docstring."""
    module = ROOT / "model" / package.replace(".", "/")
    path = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    return re.split(r"\.(?: |$)| \(", _prose(text).replace("`", ""))[0]


def _prose(text: str) -> str:
    """One line: without breaks and double blanks."""
    return " ".join(text.split())


def _cell(text: str) -> str:
    """A text that may stand in a cell of a table."""
    return text.replace("|", "\\|").replace("<", "\\<").replace("\\<br>", "<br>")


PAGES: dict[str, Callable[[], str]] = {
    "reference/commands.md": commands,
    "reference/exit-codes.md": exit_codes,
    "reference/python.md": lambda: python_api.page(NOTICE),
    "reference/readings.md": readings,
    "reference/premises.md": premises,
    "reference/strategies.md": strategies,
    "reference/claims.md": claims,
    "reference/json-by-example.md": json_shapes.page,
    "reference/schemas.json": lambda: json.dumps(schemas(), indent=1) + "\n",
    "opcodes.md": opcodes,
    "picture.svg": drawings.picture,
    "question.svg": drawings.question,
    "rooms.svg": lambda: drawings.rooms(layers()),
}
"""Every generated file below docs/, with what makes its text."""
