"""Names that a dump declares several times: the compiler prints the declarations of inline assembly without its braces.

Seen: IGC 2.x writes `{ .decl DST …  dpas … DST … }` as `.decl DST …` among the declarations of the kernel, once for
each scope and in the order of the scopes, and the statements under the same name.  Which declaration a statement means
follows only where the scopes are copies of one text (reading "repeated-names"); otherwise the name is refused.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

_DECLARED = re.compile(r"[ \t]*\.decl[ \t]+(\w+)", re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)

Choices = Mapping[int, Mapping[str, int]]
"""For each line of a statement, from 1: the repeated names in it, each with the number of its declaration, from 0."""


def choices_in(lines: Iterable[str]) -> Choices:
    """Which declaration each statement means; a name for which that is not clear is left out everywhere."""
    lines = tuple(lines)
    counts = _declared(lines)
    if not counts:
        return {}
    uses = list(_uses(lines, counts))
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for names in _used_together(counts, uses):
        own = [(line, words) for line, words in uses if names & set(words)]
        copies = _copies(names, counts, [words for _, words in own])
        for place, (line, words) in enumerate(own if copies else ()):
            found[line].update(dict.fromkeys(words, place * copies // len(own)))
    return found


def _declared(lines: Iterable[str]) -> dict[str, int]:
    """The names that are declared several times, with how often."""
    counts: dict[str, int] = defaultdict(int)
    for line in lines:
        if (match := _DECLARED.match(line)) is not None:
            counts[match.group(1)] += 1
    return {name: count for name, count in counts.items() if count > 1}


def _uses(lines: Iterable[str], names: Mapping[str, int]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The lines of the statements that use one of these names, each with those names in their order."""
    for number, line in enumerate(lines, 1):
        text = line.partition("//")[0].lstrip()
        if not text or text.startswith("."):
            continue
        words = tuple(word for word in _WORD.findall(text) if word in names)
        if words:
            yield number, words


def _used_together(counts: Mapping[str, int], uses: list[tuple[int, tuple[str, ...]]]) -> Iterator[frozenset[str]]:
    """The repeated names in sets: two that a statement uses together are in one."""
    owner = {name: {name} for name in counts}
    for _, words in uses:
        first, *others = words
        for other in others:
            if owner[other] is not owner[first]:
                merged = owner[first] | owner[other]
                owner.update(dict.fromkeys(merged, merged))
    yield from {frozenset(names) for names in owner.values()}


def _copies(names: frozenset[str], counts: Mapping[str, int], statements: list[tuple[str, ...]]) -> int:
    """How many copies of one scope the statements are; 0 where they are no such copies."""
    (copies, *others) = {counts[name] for name in names}
    if others or len(statements) % copies:
        return 0
    length = len(statements) // copies
    alike = all(words == statements[place % length] for place, words in enumerate(statements))
    all_used = names <= {word for words in statements[:length] for word in words}
    return copies if alike and all_used else 0
