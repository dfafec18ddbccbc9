"""Inputs of which a launch does not say what they hold: a run that reads one is not modelled."""

from visaproof.execution.payload import Payloads, Program
from visaproof.launch.unmodelled_inputs import first_named
from visaproof.program.def_use import spans_read
from visaproof.program.lower import lowered


def require_known(program: Program, payloads: Payloads) -> None:
    """Raises NotModelled where the kernel reads an input of which nothing is known."""
    code = lowered(program.kernel, program.platform)
    spans = (span for one in code.run_statements() for span in spans_read(one))
    if (found := first_named(payloads.unknown(), spans)) is not None:
        raise found
