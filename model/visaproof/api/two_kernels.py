"""The question about two kernels, by one call, with what its answer rests on."""

from html import escape
from typing import Unpack

from msgspec import Struct

from visaproof.api.answers import COLOURS, OTHER_COLOUR, Word
from visaproof.api.kernels import File, Program
from visaproof.launch.premises import Premise
from visaproof.refinement.decision import decide
from visaproof.refinement.refines import Options, compared
from visaproof.refinement.verdicts import Apart, Bounded, Difference, Refines, Resynchronised, Unknown, Vacuous, Verdict
from visaproof.report.two_kernels.answer import basis_lines, header, verdict_lines, with_launch
from visaproof.report.two_kernels.launches import run_commands

__all__ = ["Refinement", "compare"]


class Refinement(Struct, frozen=True):
    """Whether one kernel refines another, and what that rests on."""

    source: str
    """The file."""
    target: str
    verdict: Verdict
    """What `refines` returns; of a difference the run that the text shows."""
    premises: tuple[Premise, ...]
    """What is assumed beside the texts, each with who grants it."""
    text: str
    """As `visaproof refine` shows it."""

    @property
    def word(self) -> Word:
        match self.verdict:
            case Refines():
                return "proved"
            case Bounded():
                return "bounded"
            case Vacuous():
                return "vacuous"
            case Unknown() | Apart(difference=None):
                return "unknown"
            case Difference() | Apart() | Resynchronised():
                return "refuted"

    @property
    def ok(self) -> bool:
        """Whether it is proved."""
        return self.word == "proved"

    def __repr__(self) -> str:
        return f"<{self.word}: {self.target} refines {self.source}>"

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        colour = COLOURS.get(self.word, OTHER_COLOUR)
        head = (
            f'<b style="color: {colour}">{escape(self.word)}</b>: {escape(self.target)} refines {escape(self.source)}'
        )
        return f"<div>{head}<pre>{escape(self.text)}</pre></div>"


def compare(source: Program | File, target: Program | File, **options: Unpack[Options]) -> Refinement:
    """Asks what `refines` asks, with its options, and keeps what the answer rests on.  Raises what `refines` does."""
    comparison, timeout_ms = compared(source, target, **options)
    verdict = decide(comparison, timeout_ms)
    verdict, launch = with_launch(comparison, verdict, run_commands(comparison))
    lines = (*header(comparison), *verdict_lines(comparison, verdict, launch), *basis_lines(comparison, verbose=False))
    one, other = comparison.source.kernel.path, comparison.target.kernel.path
    return Refinement(one, other, verdict, tuple(comparison.assumed), "\n".join(lines))
