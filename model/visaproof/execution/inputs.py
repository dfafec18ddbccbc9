"""Inputs of which a launch does not say what they hold: a run that reads one is not modelled."""

from visaproof.execution.payload import Payloads, Program
from visaproof.launch.unmodelled_inputs import input_not_modelled
from visaproof.program.def_use import spans_read
from visaproof.program.lower import lowered


def require_known(program: Program, payloads: Payloads) -> None:
    """Raises NotModelled where the kernel reads an input of which nothing is known."""
    unknown = list(payloads.unknown())
    spans = (
        [span for one in lowered(program.kernel, program.platform).run_statements() for span in spans_read(one)]
        if unknown
        else []
    )
    for item, piece in unknown:
        start, end = piece.offset, piece.offset + piece.size
        if any(root == item.variable and first < end and start < last for root, first, last in spans):
            raise input_not_modelled(item, piece)
