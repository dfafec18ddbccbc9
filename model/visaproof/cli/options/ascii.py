"""Characters for terminals that have no others: an arrow as `->`, and whatever has no likeness by its number."""

import codecs

LIKE = {
    "►": ">", "→": "->", "←": "<-", "×": "x", "…": "...", "–": "-", "—": "-", "·": "-", "≥": ">=", "≤": "<=", "≠": "!=",
    "✓": "+", "✕": "x", "≈": "~", "“": '"', "”": '"', "’": "'",
}  # fmt: skip
HANDLER = "visaproof.likeness"
"""Under which streams know it."""


def likeness(error: UnicodeError) -> tuple[str | bytes, int]:
    """What stands for the characters that an encoding lacks: the handler of errors."""
    if isinstance(error, UnicodeEncodeError):
        like = LIKE.get(error.object[error.start])
        if like is not None:
            return like, error.start + 1
    return codecs.backslashreplace_errors(error)


def register() -> str:
    """The name of the handler, once it is known."""
    codecs.register_error(HANDLER, likeness)
    return HANDLER
