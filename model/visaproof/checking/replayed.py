"""Words of a replay, as they come: what is not as recorded, and at the end what the run shows."""

from collections.abc import Generator


def collected(words: Generator[str, None, str]) -> tuple[str, tuple[str, ...]]:
    """What the run shows, and what is not as recorded."""
    differences: list[str] = []
    while True:
        try:
            differences.append(next(words))
        except StopIteration as end:
            return str(end.value), tuple(differences)
