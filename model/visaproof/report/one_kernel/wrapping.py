"""Whether two lanes collide only since an index wraps: nobody means that, and a relation to arguments leaves it out."""

from collections.abc import Iterator

from visaproof.analysis.conflicts.verdicts import Conflict, Finding
from visaproof.semantics.concrete.surface import LaneWrite, Write
from visaproof.smt import evaluate
from visaproof.smt.integers.unwrapped import unwrapped


def places_without_wrapping(finding: Finding, conflict: Conflict) -> tuple[int, int] | None:
    """Where the first two lanes that collide would write if no sum and no product wrapped, in bytes.

    None where they would still share a byte, and where the addresses are not those of the example.
    """
    found = [list(_bytes_of(finding, conflict, write)) for write in (conflict.first, conflict.second)]
    if not all(found):
        return None
    (first, *_), (second, *_) = (sorted(each) for each in found)
    apart = all(one[1] <= other[0] or other[1] <= one[0] for one in found[0] for other in found[1])
    return (first[0], second[0]) if apart else None


def _bytes_of(finding: Finding, conflict: Conflict, write: Write) -> Iterator[tuple[int, int]]:
    """From where to where each write of this lane in the message would reach; nothing where an address is another."""
    if not isinstance(write, LaneWrite):
        return
    performed = finding.question.performed
    written = {one.address for one in conflict.writes if isinstance(one, LaneWrite) and one.lane == write.lane}
    for access in performed.accesses:
        if access.lane == write.lane and len(access.cell) == 1 and evaluate(access.guard, conflict.values):
            (address,) = access.cell
            if evaluate(address, conflict.values) in written:
                start = unwrapped(address, conflict.values)
                yield start, start + access.width
