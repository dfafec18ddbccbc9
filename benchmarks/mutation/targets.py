"""Which files are mutated, where each of the two writings begins in them, and which instructions rest on them."""

from enum import Enum
from pathlib import Path

from msgspec import Struct

MODEL = Path(__file__).parents[2] / "model"

INSTRUCTIONS = ("scatter4_scaled", "oword_ld", "qw_scatter", "typed_atomic")


class Writing(Enum):
    EXECUTE = "execute"
    FOOTPRINT = "footprint"
    BOTH = "both"
    """What both writings use, so that they do not part on it."""
    RULES = "rules"
    """What brings terms into normal form; `instructions` names the claims about it."""
    ENGINE = "engine"
    """What the engine puts in the place of terms, with claims about that."""


class Target(Struct, frozen=True):
    """A module, and the functions from which each writing starts: what they use in the module belongs to it."""

    module: str
    roots: dict[Writing, tuple[str, ...]]
    instructions: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.module.removeprefix("visaproof.").removeprefix("instructions.").removeprefix("semantics.")

    @property
    def path(self) -> Path:
        return MODEL.joinpath(*self.module.split(".")).with_suffix(".py")


_BOTH = {Writing.EXECUTE: ("execute",), Writing.FOOTPRINT: ("footprint", "undefined_bytes")}

PAGES = tuple(Target(f"visaproof.instructions.{name}", _BOTH, (name,)) for name in INSTRUCTIONS)
"""Both writings of each page."""

_CONCRETE_STATE = ("read_dword", "write_dword", "scalar", "require_aligned", "channel_enabled")
_SYMBOLIC_STATE = ("SymbolicBuffer.contains", "SymbolicImage.contains", "read_dword", "scalar", "lanes_enabled")
_EFFECTS = ("probe_like", "hits", "stored_at", "alone", "returned", "meaningless", "collide", "undefined")

MACHINES = (
    Target(
        "visaproof.semantics.concrete.surface",
        {Writing.EXECUTE: ("read_dword", "Image.contains")},
        INSTRUCTIONS,
    ),
    Target("visaproof.semantics.concrete.state", {Writing.EXECUTE: _CONCRETE_STATE}, INSTRUCTIONS),
    Target("visaproof.semantics.symbolic.state", {Writing.FOOTPRINT: _SYMBOLIC_STATE}, INSTRUCTIONS),
    Target("visaproof.semantics.symbolic.effects", {Writing.FOOTPRINT: _EFFECTS}, INSTRUCTIONS),
)
"""What the pages run on, as far as they use it."""

ALL = (*PAGES, *MACHINES)

_RULES = {
    "arithmetic": (
        "linear_parts", "sum_of", "add", "scale", "negate", "sub", "difference", "bit_not", "mul"
    ),
    "bits": (
        "bit_and", "bit_or", "bit_xor", "shl", "lshr", "ashr", "zero_extend", "sign_extend", "truncate", "extract",
        "concat",
    ),
    "comparison": ("bit", "eq", "ult", "ule", "slt", "sle"),
    "logic": ("neg", "conj", "disj", "implies", "iff", "ite", "ite_bool"),
    "halves.sums": ("recombined",),
    "expanded": ("expanded",),
    "copies": ("one_bit", "widen"),
}  # fmt: skip

RULES = tuple(
    Target(f"visaproof.smt.{name}", {Writing.RULES: roots}, ("normal-form",)) for name, roots in _RULES.items()
)
"""The rules of the normal form, of words in halves, of the second normal form and of one-bit data."""

ENGINE = (
    Target("visaproof.machine.symbolic.private", {Writing.ENGINE: ("offset", "store", "load")}, ("private-memory",)),
    Target("visaproof.queries.kernels.aligned_pointers", {Writing.ENGINE: ("without_small_carry",)}, ("normal-form",)),
)
"""What a load of private memory brings, and addresses behind aligned pointers."""
