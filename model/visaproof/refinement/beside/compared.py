"""What two programs have beside their texts: what differs there, and what has to be the same."""

from collections.abc import Iterator, Sequence

from visaproof.analysis.tables import may_be_written
from visaproof.isa.operands import SCRATCH
from visaproof.launch.local_memory import local_memory, passes_local_memory, scratch_bytes
from visaproof.launch.matching import SHARED_LOCAL, Matching, Program
from visaproof.launch.premises import Premise, premise
from visaproof.queries.kernels.surface_names import PRIVATE
from visaproof.refinement.beside.samplers import said_of_samplers
from visaproof.refinement.widths.thread_group import AnyRunner

Programs = tuple[Program, Program]


def unlike(programs: Programs) -> Iterator[str]:
    """Why the target is no refinement whatever its text does, or why that cannot be known."""
    source, target = programs
    if (size := target.launch.group_size) is not None and size != source.launch.group_size:
        yield f"the target requires groups of {_triple(size)}, and the source {_required(source)}"
    for name in may_be_written(source, target):
        yield f"{name.removeprefix('&')}, which kernels may write to, begins with something else in the target"
    both = all(passes_local_memory(one.kernel, one.launch) for one in programs)
    sizes = [one.launch.slm_bytes for one in programs]
    if both and sizes[0] != sizes[1]:
        own = f"{sizes[0]} bytes of the source's own shared memory, and {sizes[1]} of the target's"
        yield f"`local` arguments begin after {own}"


def _required(program: Program) -> str:
    size = program.launch.group_size
    return "none of a certain size" if size is None else f"groups of {_triple(size)}"


def _triple(size: tuple[int, int, int]) -> str:
    return "×".join(map(str, size))


def differences(programs: Programs) -> Iterator[str]:
    """What differs beside the texts and may be why the kernels differ, for the reader."""
    source, target = programs
    for number in sorted(source.samplers.keys() & target.samplers.keys()):
        one, other = source.samplers[number], target.samplers[number]
        if one != other:
            yield f"sampler {number} is {one} in the source and {other} in the target"
    if source.local_bytes is not None and target.local_bytes is not None:
        sizes = f"{source.local_bytes:,} bytes of shared memory in the source, {target.local_bytes:,} in the target"
        yield f"a group has {sizes}"
    yield from (f"{name.removeprefix('&')} holds something else in the target" for name in sorted(target.own_tables))


def beside(programs: Programs, runners: Sequence[AnyRunner], matching: Matching) -> Iterator[Premise]:
    """The premises on what lies beside the texts."""
    if not matching.by_meaning:
        yield premise("launched-alike")
    if any(SHARED_LOCAL in runner.trace.surfaces for runner in runners):
        yield from _on_local_memory(programs)
    private = [one.launch.private_bytes for one in programs]
    if any(PRIVATE in runner.pointers.values() for runner in runners) and private[0] != private[1]:
        source, target = (f"{size:,}" if size else "not known how many" for size in private)
        yield premise("private-sizes", source=source, target=target)
    scratch = [scratch_bytes(one.kernel, one.launch) for one in programs]
    if any(SCRATCH in runner.trace.surfaces for runner in runners) and scratch[0] != scratch[1]:
        source, target = (f"{size:,}" if size else "not known how many" for size in scratch)
        yield premise("scratch-sizes", source=source, target=target)
    if programs[1].launch.uniform and programs[0].launch.uniform is False:
        yield premise("whole-groups", size="of the launch")  # the target refuses others
    used = sorted({number for one in programs for number in one.sampler_numbers})
    if used and not any(said_of_samplers(*programs)):
        yield premise("samplers-alike", numbers=", ".join(map(str, used)))
    registers = [one.launch.registers for one in programs]
    if None not in registers and registers[0] != registers[1]:
        yield premise("groups-fit", source=registers[0], target=registers[1])


def _on_local_memory(programs: Programs) -> Iterator[Premise]:
    said = [local_memory(one.kernel, one.launch) for one in programs]
    own = [one.local_bytes for one in programs]
    if own[0] is not None and own[1] is not None:
        yield premise("slm-sizes", source=f"{own[0]:,}", target=f"{own[1]:,}")
        return
    known = next((one for one in said if one.said), said[0])
    yield premise("slm-size", size=known) if known.said else premise("slm-limit", most=f"{known.most:,}")
    if not all(one.said for one in said):
        yield premise("slm-alike")
