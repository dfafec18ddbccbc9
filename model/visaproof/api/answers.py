"""Answers about one kernel, as a program and a notebook read them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Generic, Literal, TypeVar, overload

from msgspec import Struct

from visaproof.isa.errors import Position
from visaproof.launch.premises import Premise
from visaproof.report.records.common import LaunchExample

V = TypeVar("V", covariant=True)

Word = Literal["proved", "refuted", "unknown", "bounded", "vacuous", "not modelled"]
"""One word for a verdict of any command."""

COLOURS = {"proved": "#1a7f37", "refuted": "#cf222e"}
OTHER_COLOUR = "#9a6700"


class Answer(Struct, Generic[V], frozen=True):
    """The answer to one question about one statement."""

    question: str
    """What was asked, in words."""
    word: Word
    verdict: V
    """The record with everything that is known: the lanes, the state, how it was proved."""
    position: Position
    text: str
    """As the command line shows it."""
    launch: LaunchExample | None = None
    """A launch that shows what is refuted, with the command that runs it, or why none is shown.

    None also where no launch information says what a launch is.
    """

    def __repr__(self) -> str:
        return f"<{self.word}: {self.question}, {self.position.path}:{self.position.line}>"

    def __str__(self) -> str:
        return self.text

    def html(self) -> str:
        """A part of a page."""
        colour = COLOURS.get(self.word, OTHER_COLOUR)
        head = f'<b style="color: {colour}">{escape(self.word)}</b>: {escape(self.question)}'
        place = f"<code>{escape(self.position.path)}:{self.position.line}</code>"
        return f"<div>{head}, {place}<pre>{escape(self.text)}</pre></div>"

    def _repr_html_(self) -> str:
        return self.html()


@dataclass(frozen=True, slots=True, repr=False)
class Answers(Sequence[Answer[V]], Generic[V]):
    """What was found of a kernel, in the order of the program."""

    kernel: str
    """Its name."""
    found: tuple[Answer[V], ...]
    stopped: str = ""
    """Why statements were not asked about; empty where all were."""
    header: str = ""
    """The device, the launch, and what is assumed of it."""
    premises: tuple[Premise, ...] = ()
    """What the answers rest on beside the kernel's text, each with who grants it."""
    footer: str = ""
    """The same in words, with the readings of the pages, and what was not asked."""

    @property
    def ok(self) -> bool:
        """Whether everything was asked, and everything proved."""
        return not self.stopped and all(one.word == "proved" for one in self.found)

    @property
    def refuted(self) -> tuple[Answer[V], ...]:
        return tuple(one for one in self.found if one.word == "refuted")

    @overload
    def __getitem__(self, index: int) -> Answer[V]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Answer[V]]: ...

    def __getitem__(self, index: int | slice) -> Answer[V] | Sequence[Answer[V]]:
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Answer[V]]:
        return iter(self.found)

    def __repr__(self) -> str:
        words = dict.fromkeys(one.word for one in self.found)
        counted = [f"{sum(one.word == word for one in self.found)} {word}" for word in words]
        return f"<{self.kernel}: {', '.join([*counted, *(['stopped'] if self.stopped else [])]) or 'nothing to ask'}>"

    def __str__(self) -> str:
        texts = dict.fromkeys(one.text for one in self.found)
        return "\n".join(filter(None, [self.header, *texts, self.footer, self.stopped]))

    def _repr_html_(self) -> str:
        stopped = f"<p>{escape(self.stopped)}</p>" if self.stopped else ""
        footer = f"<pre>{escape(self.footer)}</pre>" if self.footer else ""
        return "".join(one.html() for one in self.found) + footer + stopped or f"<p>{escape(repr(self))}</p>"
