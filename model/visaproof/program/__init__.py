"""One representation of a program between its text and the machines.

A front end lowers once; the machines, and what asks them, know this program and no text.  `lower.py` is the front end
of `.visaasm`.  A reader of another form builds the same records.

- A **program** is its statements in order, and the storage that they use: register variables that own their bytes (no
  aliases), predicates, address registers, and variables of surfaces and samplers.  It also says what a host and an
  analysis need of a kernel (`kernel.py`): inputs, sizes, lanes, names.
- A **statement** is a record of a closed union (`statements.py`).  A machine dispatches on its class, never on a
  mnemonic; of a computation it has the row of `isa/opcodes.py`.  A memory message is the instruction of its page, a
  barrier or a fence an event, a branch names the place that it goes to.
- An **operand** is bytes of storage (`operands.py`): the first byte, the region as it is written, the element type and
  the modifier.  The *formula* of a region is not here: each machine writes it for itself, so that two can disagree.
- The **lanes** of a statement (`isa.operands.Execution`) are the execution size, the mask with its lane offset and
  NoMask, and the predicate that guards them.
- What cannot be lowered is an operand or a statement of its own (`Unlowered`, `Refused`) that says why and at which
  place.  A machine raises that when it comes to it, so that all before it still runs.
- **Blocks** and their edges are derived (`flow.py`).
- The **origin** of a statement is the front end's own record.  A machine reads no more of it than its place and how it
  is spelled, for messages to the reader.
"""
