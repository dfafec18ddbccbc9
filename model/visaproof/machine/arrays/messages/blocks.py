"""Where threads and lanes may come together or part: the statements at which a run of a batch ends."""

from visaproof.decode import message as decode
from visaproof.visaasm.opcode_kinds import Kind, kind_of
from visaproof.visaasm.syntax import Kernel, Label

WAITING = frozenset(("barrier", "sbarrier"))


def leaders(kernel: Kernel) -> frozenset[int]:
    """The places of labels, and those behind branches and barriers."""
    found: set[int] = set()
    for place, statement in enumerate(kernel.statements):
        if isinstance(statement, Label):
            found.add(place)
        elif kind_of(statement, decode.OPCODES) is Kind.BRANCH or statement.opcode in WAITING:
            found.add(place + 1)
    return frozenset(found)
