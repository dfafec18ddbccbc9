"""`addr_add` on arrays.  Page: ADDR_ADD.md."""

import numpy as np

from visaproof.machine.arrays.arrays import Bools
from visaproof.machine.arrays.batch import Batch, Enabled, NotVectorised, require_bits
from visaproof.machine.arrays.operands import Operands
from visaproof.machine.arrays.step import Step
from visaproof.machine.arrays.threads import Threads
from visaproof.program.operands import AddressedElements, StorageAddress
from visaproof.program.statements import SetAddress


def address_step(statement: SetAddress, threads: Threads, operands: Operands) -> Step:
    """The byte address of a variable, plus an offset per lane.  Raises NotVectorised for other addresses."""
    execution, target, base, offset = statement.lanes, statement.target, statement.base, statement.offset
    require_bits(execution, threads)
    if not isinstance(base, StorageAddress) or isinstance(offset, AddressedElements):
        raise NotVectorised("an address of this form")  # one lane may read what the lane before it wrote
    source = operands.source(offset, execution.size)
    if source.type.floating:
        raise NotVectorised("a float as an offset")
    elements = target.first + target.stride * np.arange(execution.size)
    if elements[-1] >= threads.address_bytes[target.variable].shape[1]:
        raise NotVectorised("address registers without room")
    number = threads.roots.index(base.storage)

    def run(batch: Batch, enabled: Enabled) -> Bools | None:
        offsets, missing = source.read(batch)
        if missing is not None:
            return np.ones(batch.count, np.bool_)
        places = np.broadcast_to(offsets.astype(np.int64) + base.byte, enabled.lanes.shape)
        picked, lanes = np.nonzero(enabled.lanes)
        rows, columns = batch.indices[picked], elements[lanes]
        threads.address_roots[target.variable][rows, columns] = number
        threads.address_bytes[target.variable][rows, columns] = places[picked, lanes]
        return None

    return Step(execution, run)
