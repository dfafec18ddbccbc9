"""Strings with their quotes, as the reader takes them off again."""


def quoted(text: str) -> str:
    """The text between quotes, with an escape for what cannot stand there."""
    return f'"{"".join(map(_character, text))}"'


def _character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character >= " " and character != "\x7f" else f"\\x{ord(character):02x}"
