"""What a run rests on."""

from collections.abc import Iterator

from visaproof.execution.choices import Nondeterminism
from visaproof.execution.payload import Program, Values
from visaproof.execution.run import Engine, Memory, Ran
from visaproof.isa.operands import SCRATCH
from visaproof.launch.input_meaning import LocalId
from visaproof.launch.local_memory import scratch_bytes
from visaproof.launch.premises import Premise, premise
from visaproof.semantics.concrete.choices import POLICIES
from visaproof.visaasm.naming import listed


def of_launch(program: Program, values: Values) -> Iterator[Premise]:
    """What is taken of the launch before it runs."""
    launch, size = program.launch, values.shape.local_size
    if launch.other_simd is not None:
        yield premise("width", simd=program.simd, stated=launch.other_simd)
    pieces = (piece for item in program.kernel.inputs for piece in launch.pieces(item.variable))
    if any(isinstance(piece.meaning, LocalId) for piece in pieces):
        yield premise("laid-out", layout=program.laid_out.described(size))
    if launch.slm_bytes:
        yield premise("slm-size", size=launch.slm_bytes)
    if scratch := scratch_bytes(program.kernel, launch):
        yield premise("scratch-size", size=scratch, surface=SCRATCH)
    if any(one.type.floating for one in program.kernel.registers.values()):
        yield premise("kernel-start")
    if values.pad:
        yield premise("padding")


def of_ending(
    program: Program, values: Values, ran: Ran, memory: Memory, unstated: Nondeterminism | None
) -> Iterator[Premise]:
    """What the bytes that a launch left rest on."""
    shape, scalar = values.shape, ran.engine is Engine.SCALAR
    if program.threads(shape) * shape.group_total > 1:
        looked = "races were looked for, but on images" if scalar else "races were not looked for"
        yield premise("one-order", looked=looked)
    if scalar:
        uninitialised = list(dict.fromkeys(one.memory for one in ran.uninitialised))
    else:
        own = {"shared local memory": memory.local.data, "private memory": memory.private.data}
        uninitialised = [name for name, data in own.items() if data]
    if uninitialised:
        yield premise("begins-at-0", memory=listed(uninitialised))
    yield from () if unstated is None else of_choices(unstated)


def of_choices(found: Nondeterminism) -> Iterator[Premise]:
    """What rests on the choices that were tried of results that no page states."""
    beyond, others = ([one for one in found.picked if one.beyond is kind] for kind in (True, False))
    if beyond:
        yield premise("beyond-unseen", what=listed(list(dict.fromkeys(one.what for one in beyond))), choices=POLICIES)
    if others and not found.dependent:
        yield premise("choices-agree", what=listed(list(dict.fromkeys(one.what for one in others))), choices=POLICIES)
