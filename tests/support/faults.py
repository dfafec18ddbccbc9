"""One fault at a time in the target of a rewrite rule."""

import re
from collections.abc import Iterator

_MASKS = {"M1": "M2", "M3": "M2", "M5": "M4", "M7": "M6", "M1_NM": "M2_NM", "M2": "M3"}
_OPERATIONS = {"add": "sub", "sub": "add", "iadd": "isub", "xchg": "add", "predec": "inc", "dec": "inc", "or": "and"}


def faults(text: str) -> Iterator[tuple[str, str]]:
    """(kind, the rule with the fault): a wrong lane offset, channel, mask, operation or operand order; a lost line."""
    head, arrow, target = text.partition("\n=>")
    lines = target.split("\n")
    for index, line in enumerate(lines):
        for kind, wrong in _wrong_lines(line):
            yield kind, head + arrow + "\n".join([*lines[:index], *wrong, *lines[index + 1 :]])
    if not target.strip():  # the fault of a target without instructions is an instruction
        template = head.rsplit("\n", 1)[-1]
        kept = re.sub(r"\(!?\w+(\{\w+\})?\) ", "", template)
        yield "kept line", f"{head}{arrow}\n{kept}\n"
        yield "kept line", f"{head}{arrow}\n{kept.replace('src.0', 'off.0')}\n"


def _wrong_lines(line: str) -> Iterator[tuple[str, list[str]]]:
    if not line.strip():
        return
    for found in re.finditer(r"(?<=\w)\.(\d+)(?= |$|\])", line):
        if not line[: found.start()].endswith("%null"):
            yield "lane offset", [line[: found.start(1)] + str(int(found.group(1)) + 4) + line[found.end(1) :]]
    for found in re.finditer(r"\((M\d(?:_NM)?),", line):
        if found.group(1) in _MASKS:
            yield "mask", [line[: found.start(1)] + _MASKS[found.group(1)] + line[found.end(1) :]]
    if "({upper}," in line:
        yield "mask", [line.replace("({upper},", "({mask},")]
    for found in re.finditer(r"scatter4_scaled\.(R|G)(?= )", line):
        yield "channel", [line[: found.start(1)] + ("G" if found.group(1) == "R" else "R") + line[found.end(1) :]]
    for found in re.finditer(r"atomic[._](?:lsc_)?(\w+)", line):
        if found.group(1) in _OPERATIONS:
            yield "operation", [line[: found.start(1)] + _OPERATIONS[found.group(1)] + line[found.end(1) :]]
    operands = re.search(r"(\w+\.\d+) (\w+\.\d+)(?= |$)", line)
    if operands:
        swapped = f"{operands.group(2)} {operands.group(1)}"
        yield "operand order", [line[: operands.start()] + swapped + line[operands.end() :]]
    yield "lost line", []
