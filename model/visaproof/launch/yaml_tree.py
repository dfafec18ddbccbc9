"""A YAML document as nodes that know their place.  Scalars stay text: no tag, date or float is interpreted."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from visaproof.isa.errors import Position, ReadError

DEPTH_LIMIT = 32
"""ze_info nests 5 deep."""

NODE_LIMIT = 1_000_000
"""ze_info takes about 300 nodes for a kernel."""


class Node(Struct, frozen=True):
    """A scalar, a sequence or a mapping; the accessors raise ReadError where it is something else."""

    value: "str | list[Node] | dict[str, Node]"
    position: Position

    @property
    def text(self) -> str:
        if not isinstance(self.value, str):
            raise ReadError("expected a text or a number", self.position)
        return self.value

    @property
    def integer(self) -> int:
        digits = self.text.removeprefix("-")
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= 10):
            raise ReadError(f"expected a number, not {self.text[:40]!r}", self.position)
        return int(self.text)

    @property
    def natural(self) -> int:
        if self.integer < 0:
            raise ReadError(f"expected a number that is not negative, not {self.integer}", self.position)
        return self.integer

    def items(self) -> "Sequence[Node]":
        """The elements of a sequence; an empty value is an empty sequence."""
        if self.value == "":
            return ()
        if not isinstance(self.value, list):
            raise ReadError("expected a sequence", self.position)
        return self.value

    def get(self, key: str) -> "Node | None":
        if not isinstance(self.value, dict):
            raise ReadError("expected a mapping", self.position)
        return self.value.get(key)

    def __getitem__(self, key: str) -> "Node":
        found = self.get(key)
        if found is None:
            raise ReadError(f"`{key}` is missing here", self.position)
        return found

    def integer_or(self, key: str, default: int) -> int:
        found = self.get(key)
        return default if found is None else found.integer

    def text_or(self, key: str, default: str) -> str:
        found = self.get(key)
        return default if found is None else found.text


def read_tree(text: str, path: str) -> Node:
    """The first document of `text`."""
    import yaml

    try:
        return _tree(_events(yaml, text), path)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Position(path, mark.line + 1, mark.column + 1) if mark else Position(path, 1, 1)
        raise ReadError(f"not YAML: {error.problem or error.context}", place) from error
    except yaml.YAMLError as error:
        raise ReadError(f"not YAML: {str(error).splitlines()[0]}", Position(path, 1, 1)) from error


def _events(yaml: Any, text: str) -> Iterable[Any]:
    """libyaml's events where it is there, else the same ones from Python; `yaml` has no types for them."""
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    # the driver's reader of ze_info takes a tab for a blank, YAML does not
    return yaml.parse(text.replace("\t", " "), Loader=loader)


def _tree(events: Iterable[Any], path: str) -> Node:
    """The nodes of the first document, built without recursion."""
    import yaml

    open_nodes = [_Open([], Position(path, 1, 1))]
    for count, event in enumerate(events):
        place = Position(path, event.start_mark.line + 1, event.start_mark.column + 1)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ReadError("anchors and aliases are not accepted", place)
        if count > NODE_LIMIT or len(open_nodes) > DEPTH_LIMIT:
            raise ReadError("too many or too deeply nested values", place)
        match event:
            case yaml.ScalarEvent():
                open_nodes[-1].children.append(Node(event.value, place))
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                open_nodes.append(_Open([], place))
            case yaml.SequenceEndEvent():
                closed = open_nodes.pop()
                open_nodes[-1].children.append(Node(closed.children, closed.position))
            case yaml.MappingEndEvent():
                closed = open_nodes.pop()
                open_nodes[-1].children.append(Node(_pairs(closed.children), closed.position))
            case yaml.DocumentEndEvent():
                break
            case _:
                pass
    if not open_nodes[0].children:
        raise ReadError("the document is empty", Position(path, 1, 1))
    return open_nodes[0].children[0]


class _Open(Struct, frozen=True):
    """A sequence or mapping whose end has not been read."""

    children: list[Node]
    position: Position


def _pairs(children: list[Node]) -> dict[str, Node]:
    return {key.text: value for key, value in zip(children[::2], children[1::2], strict=True)}
