"""Which opcode was held against what: PoCL, and the native instruction that the finalizer emits for it."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from benchmarks.alu_vectors.measure import FORMS
from benchmarks.opencl_ops.comparison import Found

FILE = Path(__file__).parents[2] / "tests" / "data" / "opcode_evidence.toml"

NATIVE = {
    "plane": "pln", "addr_add": "add", "min": "sel", "max": "sel", "div": "math", "mod": "math", "mulh": "mach",
    "madw": "mach", "bfi": "bfi2", "sad2add": "sada2",
}  # fmt: skip
"""The native instruction that computes the result, where its name is another one."""
MOVED = ("fcvt", "movs", "setp")
"""They become `mov`, as much else does: that says nothing of them."""

OPCODES = tuple(dict.fromkeys(form.removesuffix(".p") for form in FORMS))
_MNEMONIC = re.compile(r"^\s*(?:\([^)]*\)\s*)*([a-z][a-z0-9]*)(?:\.\S+)?\s*\(", re.MULTILINE)


def recorded() -> dict[str, list[str]]:
    """The file."""
    return tomllib.loads(FILE.read_text())


def native_of(opcode: str) -> str:
    return NATIVE.get(opcode, opcode)


def mnemonics(assembly: str) -> set[str]:
    """The native instructions of a listing."""
    return set(_MNEMONIC.findall(assembly))


def held_against_pocl(found: Iterable[Found]) -> set[str]:
    """Opcodes of kernels whose results all equal PoCL's."""
    agreeing = [each for each in found if each.difference is None and each.not_run is None]
    return {opcode.removesuffix(".sat") for each in agreeing for opcode in each.opcodes} & set(OPCODES)


def lines(pocl: set[str], native: dict[str, str]) -> list[str]:
    """The file's lines."""
    evidence = {opcode: ["pocl"] * (opcode in pocl) for opcode in OPCODES}
    for opcode, name in native.items():
        evidence[opcode].append(f"native:{name}")
    quoted = {opcode: ", ".join(f'"{each}"' for each in found) for opcode, found in evidence.items()}
    return [f"{opcode} = [{found}]" for opcode, found in sorted(quoted.items())]
