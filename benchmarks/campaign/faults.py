"""The ledger of compiler faults: `python -m benchmarks.campaign.faults [ID]` prints it, or a source that shows one."""

import re
import sys
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from benchmarks.campaign.syntax import Kernel, Parameter, Statement
from benchmarks.campaign.types import Type

FILE = Path(__file__).with_name("faults.toml")
ITEMS, GROUP = 256, 64


class Fault(Struct, frozen=True):
    """A fault of a compiler, with a kernel that shows it."""

    id: str
    compiler: str
    devices: tuple[str, ...]
    """On which it was seen."""
    says: str
    parameters: tuple[Type, ...]
    result: Type
    expression: str
    """Of a, b, c."""
    statements: str = ""
    """Before it."""
    options: str = ""
    seen: str = ""
    """A wrong result in hexadecimal, and the right one."""
    due: str = ""
    detail: str | None = None
    """What a run says of it, as a regular expression."""
    emitted: str | None = None
    """What the dump has that is wrong, as a regular expression, where no run differs."""

    def kernel(self) -> Kernel:
        taken = tuple(Parameter(f"p{k}", kind, ITEMS, "in") for k, kind in enumerate(self.parameters))
        read = (f"{each.type} {name} = {each.name}[i];" for name, each in zip("abc", taken, strict=False))
        declared = ("uint i = get_global_id(0);", *read)
        statements = (*((Statement(self.statements),) * bool(self.statements)), Statement(f"o[i] = {self.expression};"))
        parameters = (*taken, Parameter("o", self.result, ITEMS))
        return Kernel("k", 7, parameters, declared, statements, (ITEMS, 1, 1), (GROUP, 1, 1))


@cache
def faults() -> tuple[Fault, ...]:
    """The ledger."""
    return tuple(_fault(entry) for entry in tomllib.loads(FILE.read_text())["fault"])


def _fault(entry: dict[str, Any]) -> Fault:
    kinds = {"parameters": tuple(map(Type, entry["parameters"])), "result": Type(entry["result"])}
    return Fault(**{**entry, **kinds, "devices": tuple(entry["devices"])})


def known_by(detail: str) -> Fault | None:
    """The fault of which a run says this."""
    return next((each for each in faults() if each.detail and re.search(each.detail, detail)), None)


def main(argv: Sequence[str]) -> int:
    found = [each for each in faults() if not argv or each.id in argv]
    for each in found:
        print(f"{each.id}: {each.compiler}, {', '.join(each.devices) or 'CPU'}\n{each.says}")
        if argv:
            print(f"ocloc compile -file k.cl -device {(each.devices or ('-',))[0]} -options '{each.options}'\n")
            print(each.kernel().text())
    return 0 if found else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
