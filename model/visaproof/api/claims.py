"""Claims of one's own about instructions: from a text to a verdict."""

from visaproof.checking.claims.catalogue import for_each
from visaproof.checking.claims.identity_record import IdentityExample
from visaproof.checking.decide import DEFAULT_TIMEOUT_MS, decide
from visaproof.checking.encode import Arrays, BufferArray, ImageArray, Step, encode
from visaproof.checking.steps.own_claim import claim
from visaproof.checking.verdict import Proved, Refuted, Unknown, Vacuous, Verdict
from visaproof.decode.message import decode
from visaproof.instructions import Instruction
from visaproof.isa.errors import ReadError
from visaproof.isa.platform import Platform, platform_named
from visaproof.isa.readings import DEFAULT, Readings
from visaproof.queries.query import Query
from visaproof.report.claims.counterexample import PIPE_WIDTH, counterexample_lines, identity_lines
from visaproof.smt.z3_types import Z3Bool
from visaproof.visaasm.printing.single_statement import read_alone

__all__ = [
    "Arrays", "BufferArray", "ImageArray", "Instruction", "Proved", "Query", "Refuted", "Step", "Unknown", "Vacuous",
    "Verdict", "claim", "describe", "encode", "for_each", "parse_instruction", "prove",
]  # fmt: skip

PATH = "<instruction>"


def parse_instruction(
    text: str, platform: Platform | str = Platform.TGLLP, readings: Readings = DEFAULT
) -> Instruction:
    """A memory message in the spelling of `.visaasm`; what it names is taken as declared, and large enough.

    Raises ReadError, whose position is in the text, IllegalInstruction where it breaks its page, and NotModelled.
    """
    device = platform_named(platform) if isinstance(platform, str) else platform
    alone = read_alone(text.strip(), PATH, device)
    try:
        instruction = decode(alone.instruction, alone.kernel, device, readings)
    except ReadError as error:
        raise ReadError(error.message, alone.place(error.position), error.hint) from None
    instruction.validate(device, readings)
    return instruction


def prove(
    what: Query | Z3Bool | bool,
    *steps: Step,
    even_undefined: bool = False,
    timeout_s: float = DEFAULT_TIMEOUT_MS / 1000,
    seed: int = 0,
) -> Verdict:
    """Decides a query, or a z3 formula about steps, as `claim` takes it.

    The verdict is Proved, Refuted (with a counterexample that `execute` has run), Unknown or Vacuous: none of them is
    true or false.  Raises ValueError for a formula that has no form without arrays.
    """
    if isinstance(what, Query):
        if steps:
            raise TypeError("a query has its steps already")
        query = what
    else:
        query = claim(what, *steps, even_undefined=even_undefined)
    return decide(query, max(1, round(1000 * timeout_s)), seed)


def describe(verdict: Verdict) -> str:
    """The verdict as text: how it was proved, the counterexample, or why it is unknown."""
    match verdict:
        case Proved(by):
            return f"proved by {by}"
        case Refuted(IdentityExample() as example):
            return "\n".join(("refuted:", *identity_lines(example)))
        case Refuted():
            return "\n".join(("refuted:", *counterexample_lines(verdict.execution, PIPE_WIDTH)))
        case Unknown(reason):
            return f"unknown: {reason}"
        case Vacuous(reason):
            return f"vacuous: {reason}"
