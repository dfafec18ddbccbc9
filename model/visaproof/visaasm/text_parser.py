"""A parser of one grammar file, and its syntax errors in words.

Imported only when something is read: lark and its tables take a fifth of a second to make, and less to load again.
"""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Protocol, cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken

from visaproof.visaasm.fragment_records import UnknownForm
from visaproof.visaasm.naming import listed, shown

SHOWN_EXPECTATIONS = 6


class _Parser(Protocol):
    def parse(self, text: str, start: str) -> object: ...


class TextParser:
    """Reads text as one of the start symbols of a grammar."""

    def __init__(
        self,
        package: str,
        grammar: str,
        starts: Sequence[str],
        rules: Transformer[Token, object],
        words: Mapping[str, str],
        operators: Collection[str],
    ) -> None:
        """`grammar` is a file of `package`.  `words` name terminals without a fixed spelling; `operators` are expected
        only where nothing else is."""
        source = files(package).joinpath(grammar)
        lark = Lark(
            source.read_text("utf-8"), parser="lalr", start=list(starts), transformer=rules, maybe_placeholders=True,
            cache=_tables_of(source),
        )  # fmt: skip
        self._parser: _Parser = lark
        self._operators = operators
        self._spelling = {
            terminal.name: words.get(terminal.name, f"'{terminal.pattern.value}'") for terminal in lark.terminals
        }

    def parse(self, start: str, text: str) -> object:
        """The value of `text` as the rule `start`.  Raises FragmentError; UnknownForm if there is none."""
        try:
            return self._parser.parse(text, start)
        except UnexpectedToken as error:
            token = cast(Token, getattr(error, "token", None))
            if token.type == "$END":
                raise self._stopped("", len(text.rstrip()), error.accepts) from None
            raise self._stopped(str(token), token.start_pos or 0, error.accepts) from None
        except UnexpectedCharacters as error:
            offset = cast(int, error.pos_in_stream)
            raise self._stopped(text[offset:].partition(" ")[0], offset, error.allowed) from None

    def _stopped(self, word: str, offset: int, allowed: Collection[str] | None) -> UnknownForm:
        found = f"unexpected {shown(word)}" if word else "something is missing at the end"
        spelled = sorted(self._spelling[name] for name in allowed or () if name in self._spelling)
        expected = [word for word in spelled if word not in self._operators] or spelled
        hint = f"expected {listed(expected)}" if 0 < len(expected) <= SHOWN_EXPECTATIONS else ""
        return UnknownForm(found, offset, hint)


def _tables_of(source: Traversable) -> str | bool:
    """Where lark keeps the tables of a grammar; False where it is not to.

    Beside the compiled modules: whoever can write there can change these, too.  Lark makes them anew where the grammar,
    lark or Python has another version, and where what it finds cannot be read.
    """
    folder = Path(str(source)).parent / "__pycache__"
    if not isinstance(source, Path) or sys.dont_write_bytecode or not folder.is_dir():
        return False
    return str(folder / f"{source.name}.{sys.implementation.cache_tag}.tables")


def rules_in(rules: object) -> Transformer[Token, object]:
    """The public methods of an object in the form that lark calls them in, each with a list of its parts."""
    transformer = Transformer[Token, object]()
    for name in (name for name in dir(rules) if not name.startswith("_")):
        setattr(transformer, name, spread(getattr(rules, name)))
    return transformer


def spread(rule: Callable[..., object]) -> Callable[[list[object]], object]:
    return lambda parts: rule(*parts)
