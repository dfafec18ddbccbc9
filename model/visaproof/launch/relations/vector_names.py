"""The components of vectors by value by names, as OpenCL C calls them: `dims.x`, and `dims.s0` of any vector."""

from visaproof.launch.input_meaning import Argument
from visaproof.launch.launch import Launch
from visaproof.launch.relations.named_words import LAUNCH_NAMES

XYZW = "xyzw"


def names_of(argument: Argument, launch: Launch) -> tuple[str, ...]:
    """The names of its numbers: of a vector those of its components, `.x` to `.w` where there are at most four."""
    name, count = argument.name or "", launch.info(argument.index).components
    if not name or name in LAUNCH_NAMES:  # that is the launch's
        name = f"arg{argument.index}"
    letters = XYZW[:count] if count <= len(XYZW) else [f"s{place:x}" for place in range(count)]
    return tuple(f"{name}.{letter}" for letter in letters) or (name,)


def component(letters: str, count: int) -> int | None:
    """Which of so many components these letters name; None where they name none."""
    if letters in (*XYZW[: count if count <= len(XYZW) else 0],):
        return XYZW.index(letters)
    numbered = [f"s{place:x}" for place in range(count)]
    return numbered.index(letters.lower()) if letters.lower() in numbered else None
