"""Transcripts in Markdown pages: executed, compared with what is written there, and written anew.

A transcript is a fenced block of the language `console`.  A line that begins with `$ ` is a command of bash; what
follows up to the next one is its output.  The blocks of one page run in order, in a scratch folder that shows the files
of the repository and of docs/examples by name, so that a page reads like the session of a user.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

FENCE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = re.compile(r"\b\d+\.\d+ s\b")
LIMIT_SECONDS = 120


class Step(Struct, frozen=True):
    """One command and its output, which ends with a newline or is empty."""

    command: str
    output: str

    def __str__(self) -> str:
        return f"$ {self.command}\n{self.output}"

    def agrees(self, other: "Step") -> bool:
        """Whether both have the same output, apart from measured times."""
        return self.command == other.command and _timeless(self.output) == _timeless(other.output)


def pages(root: Path) -> list[Path]:
    """The pages with at least one transcript."""
    candidates = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    return [page for page in candidates if "_build" not in page.parts and FENCE.search(page.read_text())]


def steps_of(block: str) -> list[Step]:
    """The commands of a block with their outputs.  Raises ValueError for a block that does not begin with `$ `."""
    if not block.startswith("$ "):
        raise ValueError(f"a transcript begins with '$ ': {block[:60]!r}")
    steps: list[Step] = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command = f"{command}\n{more}"
        steps.append(Step(command, output))
    return steps


def transcripts_in(text: str) -> list[list[Step]]:
    """The blocks of a page, in order."""
    return [steps_of(match[1]) for match in FENCE.finditer(text)]


def executed(blocks: list[list[Step]], root: Path) -> list[list[Step]]:
    """The same commands with the output that they have now; all blocks of a page share one folder."""
    with TemporaryDirectory() as folder:
        for entry in _visible(root):
            (Path(folder) / entry.name).symlink_to(entry)
        return [_run(block, Path(folder)) for block in blocks]


def rewritten(text: str, root: Path) -> str:
    """The page with current output.  A block that differs in times alone stays as it is."""
    old = transcripts_in(text)
    new = executed(old, root)
    blocks = iter([[_chosen(*pair) for pair in zip(*each, strict=True)] for each in zip(old, new, strict=True)])
    return FENCE.sub(lambda _: f"```console\n{''.join(map(str, next(blocks)))}```", text)


def differences(text: str, root: Path) -> Iterator[tuple[Step, Step]]:
    """Each step that is written otherwise than it runs, as written and as run."""
    old = transcripts_in(text)
    for before, after in zip(old, executed(old, root), strict=True):
        yield from ((one, other) for one, other in zip(before, after, strict=True) if not one.agrees(other))


def _chosen(old: Step, new: Step) -> Step:
    return old if old.agrees(new) else new


def _visible(root: Path) -> Iterator[Path]:
    for folder in (root, root / "docs" / "examples"):
        yield from (entry for entry in folder.iterdir() if not entry.name.startswith("."))


def _run(block: list[Step], folder: Path) -> list[Step]:
    script = "exec 2>&1\n" + "".join(f"{step.command}\n_code=$?; printf '\\0'; (exit $_code)\n" for step in block)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("VISAPROOF", "LC_"))}
    environment |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
    }
    command = ["bash", "-c", script]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=LIMIT_SECONDS, check=False)
    outputs = done.stdout.decode().replace(f"{folder.resolve()}/", "").replace(f"{folder}/", "").split("\0")
    return [Step(step.command, _tidy(output)) for step, output in zip(block, outputs, strict=False)]


def _tidy(output: str) -> str:
    """Without blanks at the ends of lines, and with a newline at the end."""
    lines = [line.rstrip() for line in output.splitlines()]
    return "".join(f"{line}\n" for line in lines)


def _timeless(output: str) -> str:
    return SECONDS.sub("… s", output)
