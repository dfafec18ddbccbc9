"""Messages that are one for the reader: a wide kernel has a message of a source line in two halves, or in four."""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from visaproof.program.statements import Origin
from visaproof.report.one_kernel.statements import statement_lines
from visaproof.visaasm.source_places import source_place
from visaproof.visaasm.syntax import Kernel

INDENT = " " * 8


@dataclass(frozen=True, slots=True)
class Part:
    """A message as it was shown."""

    instruction: Origin
    surface: str
    verdict: Hashable
    first: int
    """The line of the first part in the dump."""
    has_launch: bool


@dataclass(slots=True)
class Parts:
    """Shows messages one after another; of a further part only its statement and its verdict."""

    kernel: Kernel
    verbose: bool = False
    before: Part | None = field(default=None)

    def lines(
        self, instruction: Origin, surface: str, verdict: Hashable, own: Sequence[str], has_launch: bool
    ) -> Iterator[str]:
        """`own` are the lines below the statement.  A verdict unlike that of the part before is shown in full."""
        first = self._continued(instruction, surface)
        before, line = self.before, instruction.position.line
        self.before = Part(instruction, surface, verdict, line if first is None else first, has_launch)
        if first is None:
            yield ""
            yield from statement_lines(self.kernel, instruction)
            yield from own
            return
        *_, statement = statement_lines(self.kernel, instruction)
        yield statement
        assert before is not None
        if self.verbose or verdict != before.verdict or (has_launch and not before.has_launch):
            yield from own
            return
        self.before = replace(self.before, has_launch=before.has_launch)
        verdicts, left_out = _verdicts(own)
        yield from verdicts
        if left_out:
            yield f"{INDENT}(a further part of line {first}: -v shows its lanes and inputs)"

    def _continued(self, instruction: Origin, surface: str) -> int | None:
        """The line of the first part where this is the next one: the same for later lanes, of one line of source."""
        if self.before is None:
            return None
        last = self.before.instruction
        same = (last.opcode, last.suffixes, self.before.surface) == (instruction.opcode, instruction.suffixes, surface)
        places = [source_place(self.kernel, one.position) for one in (last, instruction)]
        is_next = same and last.first_lane < instruction.first_lane and places[0] == places[1]
        return self.before.first if is_next else None


def _verdicts(own: Sequence[str]) -> tuple[list[str], bool]:
    """The lines of verdicts, and whether anything else is left out."""
    kept = [line for line in own if VERDICT.match(line)]
    return [line.removesuffix(ELSE) for line in kept], len(kept) < len([line for line in own if line])


ELSE = "; else:"
WORDS = "CONFLICT|OUTSIDE|UNDEFINED|UNKNOWN|BOUNDED|VACUOUS|free|in bounds|inside if|defined|not modelled|the branch"
VERDICT = re.compile(rf"{INDENT}(?:{WORDS})")
