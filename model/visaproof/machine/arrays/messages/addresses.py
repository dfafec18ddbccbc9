"""`addr_add` on arrays.  Page: ADDR_ADD.md."""

import numpy as np

from visaproof.decode.statement import execution_of
from visaproof.machine.arrays.arrays import Bools
from visaproof.machine.arrays.batch import Batch, Enabled, Irregular, require_bits
from visaproof.machine.arrays.operands import Operands
from visaproof.machine.arrays.step import Step
from visaproof.machine.arrays.threads import Threads
from visaproof.visaasm.syntax import AddressOf, GeneralVariable, IndirectOperand, Instruction, Kernel, SubscriptedName


def address_step(instruction: Instruction, kernel: Kernel, threads: Threads, operands: Operands) -> Step:
    """The byte address of a variable, plus an offset per lane.  Raises Irregular for other addresses."""
    execution, (target, base, offset) = execution_of(instruction), instruction.operands
    require_bits(execution, threads)
    if (
        not isinstance(target, SubscriptedName)
        or not isinstance(base, AddressOf)
        or isinstance(offset, IndirectOperand)
    ):
        raise Irregular("an address of this form")  # one lane may read what the lane before it wrote
    variable = kernel.variables[base.variable]
    if not isinstance(variable, GeneralVariable):
        raise Irregular("an address of this form")
    root, start = kernel.root_of(variable)
    source, stride = operands.source(offset, execution.size), target.horizontal or 1
    if source.type.floating:
        raise Irregular("a float as an offset")
    elements = target.element + stride * np.arange(execution.size)
    if elements[-1] >= threads.address_bytes[target.name].shape[1]:
        raise Irregular("address registers without room")
    number = threads.roots.index(root.name)

    def run(batch: Batch, enabled: Enabled) -> Bools | None:
        offsets, missing = source.read(batch)
        if missing is not None:
            return np.ones(batch.count, np.bool_)
        places = np.broadcast_to(offsets.astype(np.int64) + start + base.byte_offset, enabled.lanes.shape)
        picked, lanes = np.nonzero(enabled.lanes)
        rows, columns = batch.indices[picked], elements[lanes]
        threads.address_roots[target.name][rows, columns] = number
        threads.address_bytes[target.name][rows, columns] = places[picked, lanes]
        return None

    return Step(execution, run)
