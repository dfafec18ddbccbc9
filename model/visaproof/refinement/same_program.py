"""Two programs that are one text: what the source does on an input, and what the target does, is one set of behaviours.

Refinement says that on every input on which the source is defined, the target is, too, and does only what the source
may do.  That is inclusion of one set in another, so it holds of a set and itself, whatever the program does: in loops
of any length, with uninitialised values (each run may find others, but what the target finds the source may find,
too), in whatever order lanes of an atomic and other threads take their turns, and under every choice of what is
forbidden or allowed.  For this both have to be asked about the same: one device, as the pages differ by device; one
launch, so that inputs are matched with themselves; the same registers observed; and one text for every function called.
It does not say that the source is defined.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from visaproof.decode.texels import WrongSurface
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.predefined import PREDEFINED
from visaproof.launch.launch import Launch
from visaproof.launch.matching import Program
from visaproof.machine.concrete.run import MissingSurface, run
from visaproof.program.kernel import Kernel
from visaproof.refinement.observed import Observed
from visaproof.semantics.concrete.choices import POLICIES, Choices
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Image, Surface
from visaproof.semantics.symbolic.state import FLAT_BITS
from visaproof.visaasm.source import logical_lines

SAME_PROGRAM = "the same program"
DEFINED_BY_A_RUN = "the same program, of which a run on zeros is defined"
"""Where it was not run symbolically: that is not needed but for the question whether it is ever defined."""
LOOKED_AT_S = 10
"""Processor time in which a program that is compared with itself is run symbolically."""


def is_itself(source: Program, target: Program, observed: Iterable[Observed]) -> bool:
    """Whether a program is compared with itself, in the same registers where these are observed."""
    return same_program(source, target) and all(one.source == one.target for one in observed)


def asks_about_itself(source: Program, target: Program, observed: Iterable[tuple[str, str]]) -> bool:
    """Whether a program is compared with itself in the same registers, by their names in both."""
    return same_program(source, target) and all(one == other for one, other in observed)


def same_program(source: Program, target: Program) -> bool:
    """Whether both are the same text, but for blanks and comments, for the same device and launch."""
    device = source.platform is target.platform
    return device and _known(source.launch) == _known(target.launch) and _same_text(source.kernel, target.kernel)


def _known(launch: Launch) -> Launch:
    """Without where it is known from."""
    return replace(launch, source="", file=None)


def _same_text(source: Kernel, target: Kernel) -> bool:
    if source.of_several_files or target.of_several_files:
        return source is target
    return _statements(source) == _statements(target)


def _statements(kernel: Kernel) -> list[str]:
    """Without comments, some of which go on over lines, and with one blank where there are several but in strings."""
    texts = (line.text for line in logical_lines(kernel.source_lines, kernel.path))
    return [text if '"' in text else " ".join(text.split()) for text in texts]


# ---------------------------------------------------------------- a run that is defined

# Found without terms: then the program is not undefined for every input.


MOST_STATEMENTS = 100_000
"""As hashes have that are unrolled, and those with loops of fixed length: it is a second, or two."""
MOST_SURFACES = 64
BUFFER_BYTES = 1 << 20
EXTENT = 64
FILLINGS = (b"\x00", b"\x01")
"""What registers hold that the launch does not fill: a run counts where it is defined with each."""
MASKS = (0x1, 0xFFFF)


def has_defined_run(program: Program) -> bool:
    """Whether some run on inputs of zeros is defined, with whatever is in registers that nothing wrote.

    One thread is run, with its first lane or its first 16 lanes, on memory of zeros.  Where a page allows several
    results, as of `inv`, it is run with each way to pick one.
    """
    return any(all(_is_defined(program, mask, filling) for filling in FILLINGS) for mask in MASKS)


def _is_defined(program: Program, mask: int, filling: bytes) -> bool:
    for policy in range(POLICIES):
        choices = Choices(policy)
        if not _is_defined_with(program, mask, filling, choices):
            return False
        if not choices.picked:
            break
    return True


def _is_defined_with(program: Program, mask: int, filling: bytes, choices: Choices) -> bool:
    surfaces: dict[str, Surface] = {FLAT: Buffer(1 << FLAT_BITS)}
    for _ in range(MOST_SURFACES):
        fresh = {key: _empty(surface) for key, surface in surfaces.items()}
        state = ConcreteState(program.platform, exec_mask=mask, surfaces=fresh, choices=choices)
        inputs = {item.variable for item in program.kernel.inputs}
        for name, one in program.kernel.registers.items():
            if one.owns_storage and name not in inputs and name not in PREDEFINED:
                state.registers[name] = bytearray(filling * one.size)
        try:
            return run(program.kernel, state, most=MOST_STATEMENTS, endless=True).undefined is None
        except MissingSurface as missing:
            surfaces[missing.surface] = Buffer(BUFFER_BYTES)
        except WrongSurface as wrong:
            surfaces[wrong.surface] = Image(((EXTENT, EXTENT, EXTENT),)) if wrong.wants_image else Buffer(BUFFER_BYTES)
        except (NotModelled, ReadError):
            return False
    return False


def _empty(surface: Surface) -> Surface:
    return Image(surface.levels) if isinstance(surface, Image) else Buffer(surface.size)
