"""Which lanes a statement covers, and which registers it writes beside messages."""

from visaproof.decode.message import Message
from visaproof.isa.operands import Execution
from visaproof.program.operands import Destination, PredicateTarget
from visaproof.program.statements import (
    BindState,
    Branch,
    ClearAddress,
    CombinePredicates,
    Compare,
    Compute,
    InfoMessage,
    MatrixProduct,
    MemoryMessage,
    MovePredicate,
    ReadState,
    Run,
    SamplerMessage,
    SetAddress,
    SetPredicate,
)


def lanes_of(statement: Run) -> Execution | None:
    """The lanes that a statement covers; None where it has none, as a block message and a barrier."""
    match statement:
        case (
            Compute()
            | Compare()
            | MovePredicate()
            | SetPredicate()
            | CombinePredicates()
            | SetAddress()
            | ClearAddress()
            | BindState()
            | ReadState()
            | Branch()
        ):
            return statement.lanes
        case MemoryMessage():
            return lanes_of_message(statement.message)
        case SamplerMessage():
            return statement.read.execution
        case InfoMessage():
            return statement.info.execution
        case MatrixProduct():
            return statement.product.execution
        case _:
            return None


def lanes_of_message(message: Message) -> Execution | None:
    """The lanes of a memory message; None of a block message."""
    found: object = getattr(message, "execution", None)
    return found if isinstance(found, Execution) else None


def destinations_of(statement: Run) -> tuple[Destination, ...]:
    """Where a statement that is no message writes vectors."""
    match statement:
        case Compute():
            return statement.targets
        case Compare(target=target) if not isinstance(target, PredicateTarget):
            return (target,)
        case MovePredicate() | ReadState():
            return (statement.target,)
        case _:
            return ()


def predicate_of(statement: Run) -> str | None:
    """The predicate that a statement sets."""
    match statement:
        case Compare(target=PredicateTarget(variable)) | SetPredicate(target=PredicateTarget(variable)):
            return variable
        case CombinePredicates():
            return statement.target
        case _:
            return None
