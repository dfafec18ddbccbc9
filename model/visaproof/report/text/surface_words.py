"""What surfaces are called where people read of them: by the argument's name, if it has one."""

from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import SLM
from visaproof.launch.input_meaning import Argument

WORDS = {SLM: "shared local memory", FLAT: "memory"}


def surface_words(key: str, argument: Argument | None) -> str:
    """`out`, `argument 1`, or what the kernel calls it."""
    if argument is None:
        return WORDS.get(key, key)
    return argument.name or f"argument {argument.index}"
