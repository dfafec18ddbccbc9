"""What a campaign found: a folder with one line for each run, and a file for each kernel that needs an explanation."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from msgspec import Struct, field

from benchmarks.campaign.batch import Found
from benchmarks.campaign.launches import full_text
from benchmarks.campaign.syntax import Kernel
from benchmarks.campaign.targets import Pair, Target

RESULTS, MADE_BY, FOUND = "results.jsonl", "made-by.json", "found"
_GENERATOR = ("types.py", "syntax.py", "expressions.py", "generate.py", "prelude.py", "targets.py")


class Record(TypedDict):
    """A line."""

    seed: int
    target: str
    answer: str
    detail: str
    size: int
    features: list[str]


class OtherCampaign(Exception):
    """The folder holds a campaign of other kernels."""


class Store(Struct):
    """A folder."""

    folder: Path
    records: dict[tuple[int, str], Record] = field(default_factory=dict[tuple[int, str], Record])

    @staticmethod
    def opened(folder: Path, seed: int) -> "Store":
        """Raises OtherCampaign.  A last line that was cut off is left out: its kernel is run again."""
        folder.mkdir(parents=True, exist_ok=True)
        made_by = json.dumps({"seed": seed, "generator": _generator()})
        stamp = folder / MADE_BY
        if not stamp.exists():
            stamp.write_text(made_by)
        if stamp.read_text() != made_by:
            raise OtherCampaign(f"{folder} was made with another seed or generator; name another folder")
        store = Store(folder)
        for record in _read(folder / RESULTS):
            store.records[record["seed"], record["target"]] = record
        return store

    def done(self, kernel: Kernel, target: Target | Pair) -> bool:
        return (kernel.seed, str(target)) in self.records

    def add(self, found: Found) -> Record:
        """Kept at once."""
        kernel = found.kernel
        record = Record(
            seed=kernel.seed, target=str(found.target), answer=found.outcome.answer.value,
            detail=found.outcome.detail, size=kernel.size, features=sorted(kernel.features),
        )  # fmt: skip
        if found.reduced is not None:
            self._keep(found)
        with (self.folder / RESULTS).open("a") as file:
            file.write(json.dumps(record) + "\n")
        self.records[record["seed"], record["target"]] = record
        return record

    def _keep(self, found: Found) -> None:
        """The smaller kernel as a source that can be compiled."""
        assert found.reduced is not None
        kernel, folder = found.reduced, self.folder / FOUND
        folder.mkdir(exist_ok=True)
        name = f"{kernel.name}-{str(found.target).replace(' ', '_').replace(',', '')}.cl"
        heading = f"// {found.target}: {found.outcome.answer.value}: {found.outcome.detail}\n"
        launch = f"// global size {kernel.grid}, local size {kernel.group}\n"
        (folder / name).write_text(heading + launch + full_text([kernel], reference=False))


def _generator() -> str:
    """What the same seed gives the same kernels with."""
    here = Path(__file__).parent
    return hashlib.sha256(b"".join((here / name).read_bytes() for name in _GENERATOR)).hexdigest()[:16]


def _read(file: Path) -> Iterator[Record]:
    if not file.exists():
        return
    content = file.read_text()
    whole, _, rest = content.rpartition("\n")
    if rest:
        file.write_text(whole + "\n" * bool(whole))
    for line in whole.splitlines():
        yield json.loads(line)
