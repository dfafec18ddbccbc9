"""What stands in a file, in its order: one item for each directive, declaration, input, statement and brace."""

from enum import Enum

from msgspec import Struct

from visaproof.visaasm.fragment_records import DeclarationBody, Directive, Placement
from visaproof.visaasm.syntax import Statement


class Declared(Struct, frozen=True):
    """`.decl NAME …`; the name and the alias base are those of the text."""

    name: str
    body: DeclarationBody


class Placed(Struct, frozen=True):
    """`.input NAME …`, or `.implicit_X NAME …`."""

    name: str
    implicit: str | None
    placement: Placement


class Brace(Enum):
    """Where a scope begins or ends."""

    OPEN = "{"
    CLOSE = "}"


Item = Directive | Declared | Placed | Brace | Statement


class ReadItem(Struct, frozen=True):
    """An item and its lines in the file, from 1; several where a backslash continues a line."""

    item: Item
    first_line: int
    last_line: int
