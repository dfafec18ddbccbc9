"""A run of a program that is defined, found without terms: then the program is not undefined for every input."""

from visaproof.decode.texels import WrongSurface
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.predefined import PREDEFINED
from visaproof.launch.matching import Program
from visaproof.machine.concrete.run import MissingSurface, run
from visaproof.semantics.concrete.choices import POLICIES, Choices
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Image, Surface
from visaproof.semantics.symbolic.state import FLAT_BITS

MOST_STATEMENTS = 20_000
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
