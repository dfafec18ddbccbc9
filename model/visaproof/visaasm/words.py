"""Where the words of a statement begin and end: blanks separate them, except inside brackets and strings.

A blank may also stand inside an operand, as in `V1 (0,0) <1>` or `- 1 :d`; the parts are put together again.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from visaproof.visaasm.fragment_records import FragmentError
from visaproof.visaasm.naming import shown
from visaproof.visaasm.source import BLANKS

_NOTABLE = re.compile(
    r'("(?:[^"\\]|\\.)*"|\([^()\[\]"]*\)|<[^<>()\[\]"]*>|\[[^()\[\]"]*\])'  # a string, or brackets with none inside
    r"|[ \t\r]+|[()\[\]<>]"
)
STATEMENT_ENDS = "the statement ends first"
_CLOSES = {")": "(", "]": "["}

_EXECUTION = re.compile(r"\(\s*[A-Za-z_]\w*\s*,[^()<>]*\)(\.\w+)?|\([^(),<>]*\)(\.\w+)?", re.ASCII)
_ORIGIN = re.compile(r"\([^():]*,[^():]*\)(<.*)?", re.DOTALL)
_SIGN = re.compile(r"(\([ \t]*(-[ \t]*abs|abs|-|~)[ \t]*\)|[-~!&])+")
_BEFORE_BRACKET = re.compile(r"flat|arg|r|(bti|ss|bss)[ \t]*\(.*\)|&[ \t]*%?\w+", re.ASCII)
_NAME = re.compile(r"(\([-a-z~ \t]*\)[ \t]*)?%?[A-Za-z_]\w*", re.ASCII)


class Word(NamedTuple):
    """A part of a statement; `offset` counts characters from the start of the statement."""

    offset: int
    text: str


def split(text: str, start: int = 0) -> list[Word]:
    """The words of `text` from `start` on.  Raises FragmentError where brackets do not match."""
    words: list[Word] = []
    for blank, end in _separators(text, start):
        if blank > start:
            words.append(Word(start, text[start:blank]))
        start = end
    if start < len(text):
        words.append(Word(start, text[start:]))
    return words


def _separators(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Where the blanks outside all brackets start and end."""
    opened: list[tuple[str, int]] = []
    for match in _NOTABLE.finditer(text, start):
        if match.lastindex:
            continue
        offset = match.start()
        mark = text[offset]
        if mark in BLANKS:
            if not opened:
                yield match.span()
        elif mark in "([" or (mark == "<" and not opened):
            opened.append((mark, offset))
        elif mark in ")]":
            if not opened or opened[-1][0] != _CLOSES[mark]:
                raise FragmentError(f"this {shown(mark)} closes nothing", offset)
            opened.pop()
        elif mark == ">" and opened and opened[-1][0] == "<":
            opened.pop()
    if opened:
        mark, offset = opened[-1]
        raise FragmentError(f"this {shown(mark)} is not closed", offset, STATEMENT_ENDS)


def head_length(words: list[Word]) -> int:
    """How many of the words are the predicate, the mnemonic and the execution field."""
    count = 2 if words[0].text[0] == "(" else 1
    while count < len(words) and words[count].text[0] == ".":  # a suffix behind a blank
        count += 1
    if count < len(words) and _EXECUTION.fullmatch(words[count].text) and not _SIGN.fullmatch(words[count].text):
        count += 1
    while count < len(words) and words[count].text[0] == ".":
        count += 1
    return count


def operands(text: str, words: list[Word]) -> list[Word]:
    """The words again, with the parts of one operand put together."""
    joined: list[Word] = []
    for word in words:
        if joined and (word.text[0] in "<:." or _continues(joined[-1].text, word.text)):
            offset = joined.pop().offset
            joined.append(Word(offset, text[offset : word.offset + len(word.text)]))
        else:
            joined.append(word)
    return joined


def _continues(before: str, word: str) -> bool:
    if before[-1] in ":.":
        return True
    if before[-1] in "-~!&)" and _SIGN.fullmatch(before):
        return True
    if word[0] == "[":
        return _BEFORE_BRACKET.fullmatch(before) is not None
    return word[0] == "(" and _NAME.fullmatch(before) is not None and _ORIGIN.fullmatch(word) is not None
