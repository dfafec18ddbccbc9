"""From directives, declarations, inputs and statements to their text, as Intel's compiler spells them.

Source: docs/pages/operands-and-files.md §2, §3.
"""

from visaproof.visaasm.fragment_records import Attribute, DeclarationBody, Directive
from visaproof.visaasm.items import Brace, Declared, Item, Placed
from visaproof.visaasm.printing.instruction_text import instruction_text
from visaproof.visaasm.printing.quoting import quoted
from visaproof.visaasm.syntax import Instruction, Label

KEPT = ("funcdecl", "file")
"""Directives with a string that is kept with its escapes."""


def item_text(item: Item) -> str:
    """The text that reads as `item`, without indentation."""
    match item:
        case Instruction():
            return instruction_text(item)
        case Label(name):
            return f"{name}:"
        case Brace():
            return item.value
        case Directive():
            return _directive(item)
        case Declared(name, body):
            return f".decl {name} {_declaration(body)}{_attributes(body.attributes)}"
        case Placed(name, implicit, placement):
            keyword = ".input" if implicit is None else f".implicit_{implicit}"
            size = "" if placement.size is None else f" size={placement.size}"
            return f"{keyword} {name} offset={placement.offset}{size}{_attributes(placement.attributes)}"


def _directive(directive: Directive) -> str:
    match directive.rule, directive.values:
        case "version", (major, minor):
            return f".version {major}.{minor}"
        case "source_file", (text,):
            return f'FILE "{text}"'
        case "source_line", (line,):
            return f"LOC {line}"
        case "attribute", (name, None):
            return f".kernel_attr {name}"
        case "attribute", (name, str(value)):
            return f".kernel_attr {name}={quoted(value)}"
        case "attribute", (name, value):
            return f".kernel_attr {name}={value}"
        case rule, (int(value),):
            return f".{rule} {value}"
        case rule, (text,):
            return f'.{rule} "{text}"' if rule in KEPT else f".{rule} {quoted(str(text))}"
        case _:
            raise AssertionError(directive)


def _declaration(body: DeclarationBody) -> str:
    parts = [f"v_type={body.kind}"]
    if body.type is not None:
        parts.append(f"type={body.type.spelling}")
    parts.append(f"num_elts={body.num_elts}")
    if body.align is not None:
        parts.append(f"align={body.align}")
    if body.base is not None:
        parts.append(f"alias=<{body.base}, {body.alias_bytes}>")
    if body.v_name is not None:
        parts.append(f"v_name={body.v_name}")
    return " ".join(parts)


def _attributes(attributes: tuple[Attribute, ...]) -> str:
    return f" attrs={{{', '.join(map(_attribute, attributes))}}}" if attributes else ""


def _attribute(attribute: Attribute) -> str:
    match attribute:
        case name, None:
            return name
        case name, str(text):
            return f'{name}="{text}"'
        case name, value:
            return f"{name}={value}"
