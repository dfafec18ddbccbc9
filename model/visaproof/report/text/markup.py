"""Text inside of XML and HTML: file names and kernels may hold anything."""

import re
from xml.sax.saxutils import escape

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_characters(text: str) -> str:
    """Characters that no XML document may have are shown by their numbers."""
    return _NO_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def xml_text(text: str) -> str:
    """As content or as a quoted attribute."""
    return escape(xml_characters(text), {'"': "&quot;", "'": "&#39;"})


def json_in_html(text: str) -> str:
    """JSON inside of a script element: nothing in it ends the element or begins a comment."""
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text
