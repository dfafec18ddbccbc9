"""Runs both kernels of a saved difference again, on numbers alone.  No solver."""

from collections.abc import Iterator
from dataclasses import dataclass

from visaproof.engine.refinement_memory import FLAT_SIZE, FlatContents
from visaproof.engine.refinement_record import RefinementExample, Side
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.platform import Platform, platform_named
from visaproof.kernel.concrete_run import Undefined, run
from visaproof.kernel.linking import linked
from visaproof.kernel.reader import read_kernel
from visaproof.kernel.syntax import Kernel
from visaproof.semantics.concrete.state import ConcreteState, PredicateBits
from visaproof.semantics.concrete.surface import Buffer, Image, Miss


@dataclass(frozen=True, slots=True)
class _Ran:
    """What a run left."""

    undefined: Undefined | None
    memory: dict[str, Buffer]
    left: bool
    """Whether an access was not wholly inside its buffer."""


def replay_refinement(example: RefinementExample, path: str) -> tuple[str, ...]:
    """What is not as recorded, in words; empty where it replays.  Raises ReadError for a malformed file."""
    try:
        return tuple(_differences(example, path))
    except NotModelled as error:
        return (f"a kernel does not run any more: {error}",)
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        message = f"its launch does not fit its kernels: {type(error).__name__}: {error}"
        raise ReadError(
            message, Position(path, 1, 1), "the format is described in counterexamples/README.md"
        ) from error


def _differences(example: RefinementExample, path: str) -> Iterator[str]:
    source = _run(example, example.source, f"{path}, source")
    target = _run(example, example.target, f"{path}, target")
    if source.undefined is not None:
        yield f"the source has no meaning: line {source.undefined.position.line}: {source.undefined.message}"
    for name, ran in (("source", source), ("target", target)):
        if example.inside and ran.left:
            yield f"the {name} leaves its buffers"
    recorded, undefined = example.differs, target.undefined
    if recorded.undefined or undefined is not None:
        line = None if undefined is None else undefined.position.line
        if line != (recorded.line if recorded.undefined else None):
            yield f"the target ends without a meaning at line {line}, recorded: {recorded.line or None}"
        return
    address = int(recorded.address, 16)
    bytes_now = [ran.memory[recorded.buffer].contents.get(address, 0) for ran in (source, target)]
    for name, now, was in zip(("source", "target"), bytes_now, (recorded.source, recorded.target), strict=True):
        if now != int(was, 16):
            yield f"{recorded.buffer}[{address:#x}] after the {name}: recorded {was}, now {now:#x}"
    if bytes_now[0] == bytes_now[1]:
        yield "both kernels leave the same byte there"


def _run(example: RefinementExample, side: Side, path: str) -> _Ran:
    platform = _platform(side, path)
    misses: list[Miss] = []
    memory = {
        name: Buffer(
            int(buffer.size, 16), {int(at, 16): int(byte, 16) for at, byte in buffer.contents.items()}, misses=misses
        )
        for name, buffer in example.memory.items()
    }
    state = ConcreteState(platform, exec_mask=int(example.exec_mask, 16))
    state.registers = {name: bytearray.fromhex(content) for name, content in side.registers.items()}
    state.predicates = {name: PredicateBits(one.count, int(one.bits, 16)) for name, one in side.predicates.items()}
    state.surfaces = {key: memory[name] if name else Image(((1, 1, 1),)) for key, name in side.surfaces.items()}
    flat = FlatContents(
        [
            (int(one.at, 16), int(one.size, 16), memory[one.buffer].contents if one.buffer else {})
            for one in side.addresses
        ]
    )
    if side.addresses:
        state.surfaces[FLAT] = Buffer(FLAT_SIZE, flat)
    outcome = run(_kernel(side, platform, path), state)
    return _Ran(outcome.undefined, memory, bool(misses) or flat.left is not None)


def _platform(side: Side, path: str) -> Platform:
    try:
        return platform_named(side.platform)
    except KeyError:
        raise ReadError(f"no platform {side.platform!r}", Position(path, 1, 1)) from None


def _kernel(side: Side, platform: Platform, path: str) -> Kernel:
    texts = [side.program, *side.functions]
    kernel, *functions = (read_kernel("\n".join(text), path, grf_bytes=platform.grf_bytes) for text in texts)
    return linked(kernel, {function.name: function for function in functions})
