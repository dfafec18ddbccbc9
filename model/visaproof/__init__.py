"""visaproof: a property-based formal model of Intel vISA with SMT checking.

    import visaproof

    kernel = visaproof.read_kernel("blur.visaasm")
    for answer in visaproof.conflicts(kernel):
        print(answer)

A name is imported when it is first used.
"""

from importlib import import_module

__version__ = "0.2.0"

_KERNELS = ("Program", "bounds", "conflicts", "read_kernel", "refines")
_CLAIMS = (
    "Arrays", "BufferArray", "ImageArray", "Instruction", "Proved", "Query", "Refuted", "Step", "Unknown", "Vacuous",
    "Verdict", "claim", "describe", "encode", "for_each", "parse_instruction", "prove",
)  # fmt: skip
_DIFFERENCES = ("ByteDiffers", "Difference", "OutsideBuffers", "RegisterDiffers", "TargetUndefined")
_HOMES = {
    **dict.fromkeys(_KERNELS, "api.kernels"),
    **dict.fromkeys(("Refinement", "compare"), "api.two_kernels"),
    **dict.fromkeys(_CLAIMS, "api.claims"),
    **dict.fromkeys(("Answer", "Answers"), "api.answers"),
    **dict.fromkeys(("Conflict", "Free"), "analysis.conflicts.verdicts"),
    **dict.fromkeys(("Holds", "Meaningless", "Outside", "Unbounded"), "analysis.bounds.verdicts"),
    **dict.fromkeys(("Apart", "Bounded", "Refines", "Resynchronised"), "refinement.verdicts"),
    **dict.fromkeys(_DIFFERENCES, "refinement.verdicts"),
    **dict.fromkeys(("Counterexample", "read_counterexample"), "checking.counterexample"),
    **dict.fromkeys(("IllegalInstruction", "NotModelled", "ReadError"), "isa.errors"),
    "Platform": "isa.platform",
    "Premise": "launch.premises",
    "replay": "checking.replay",
}
"""Each public name, and the module where it is; `__init__.pyi` has the same table for type checkers."""

__all__ = ["__version__", *_HOMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
