"""What `visaproof explain KERNEL.visaasm` says: what the kernel is given, and its memory messages."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

import msgspec

from visaproof.analysis.surface_sizes import argument_of
from visaproof.decode.surfaces import StateElement, SurfaceBindings
from visaproof.isa.errors import Position
from visaproof.isa.platform import Platform
from visaproof.launch.launch import Launch
from visaproof.program.source_places import source_place
from visaproof.report.kernels.explain_document import address_entries, held_at_first
from visaproof.report.kernels.explain_records import AddressEntry, BeginEntry
from visaproof.report.one_kernel.statements import source_text
from visaproof.report.text.documents import Document, shown_path
from visaproof.report.text.excerpt import printable
from visaproof.report.text.kernel_name import readable_name
from visaproof.report.text.surface_words import surface_words
from visaproof.visaasm.opcode_kinds import BRANCHES
from visaproof.visaasm.syntax import Instruction, Kernel, Name


class MessageEntry(msgspec.Struct, kw_only=True):
    """A memory message; `source` is FILE:LINE where the dump says it."""

    line: int
    text: str
    source: str | None
    source_text: str
    surface: str | None
    """Which argument its surface is, or what the kernel calls it; None where the statements around do not say it."""
    address: AddressEntry


class ExplainKernelDocument(Document, kw_only=True):
    """`visaproof explain` of a whole kernel."""

    file: str
    kernel: str
    platform: str
    launch: str
    instructions: int
    inputs: list[BeginEntry]
    """What the payload brings, in its order."""
    messages: list[MessageEntry]


def kernel_document(
    kernel: Kernel, messages: Sequence[Instruction], launch: Launch, platform: Platform
) -> ExplainKernelDocument:
    """`messages` are those to be listed, in the order of the text."""
    return ExplainKernelDocument(
        command="explain",
        exit_code=0,
        file=shown_path(kernel.path),
        kernel=kernel.name,
        platform=platform.name,
        launch=shown_path(launch.source),
        instructions=sum(1 for _ in kernel.instructions()),
        inputs=[BeginEntry(variable=one.variable, holds=held_at_first(one.variable, launch)) for one in kernel.inputs],
        messages=[
            _message(one, kernel, surface, address)
            for one, surface, address in zip(
                messages,
                _surfaces(kernel, messages, launch, platform),
                address_entries(messages, kernel, launch, platform),
                strict=True,
            )
        ],
    )


def _surfaces(
    kernel: Kernel, messages: Sequence[Instruction], launch: Launch, platform: Platform
) -> Iterator[str | None]:
    """The surface of each message, where a `movs` binds it between the last label or branch and the message."""
    bindings, found = SurfaceBindings(kernel, platform), dict[Position, str]()
    wanted = {one.position for one in messages}
    for one in kernel.statements:
        if not isinstance(one, Instruction) or one.opcode in BRANCHES:
            bindings.restore({})
        elif one.opcode == "movs":
            bindings.bind(one)
        elif one.position in wanted:
            names = [each.name for each in one.operands if isinstance(each, Name)]
            for name in names:
                if StateElement(name, 0) in bindings.contents():
                    key = bindings.key(name)
                    found[one.position] = surface_words(key, argument_of(kernel, launch, key))
    return (found.get(one.position) for one in messages)


def _message(message: Instruction, kernel: Kernel, surface: str | None, address: AddressEntry) -> MessageEntry:
    place = source_place(kernel, message.position)
    return MessageEntry(
        line=message.position.line,
        text=message.text,
        source=None if place is None else str(place),
        source_text="" if place is None else source_text(kernel, place),
        surface=surface,
        address=address,
    )


def kernel_lines(document: ExplainKernelDocument, width: int) -> Iterator[str]:
    """The same for people, in `width` columns."""
    name, path = readable_name(document.kernel), document.file
    yield printable(f"{path}: kernel {name}, {document.instructions} instructions, {document.platform}")
    yield printable(f"  launch: {document.launch}")
    yield ""
    known = [one for one in document.inputs if one.holds]
    if known:
        yield "what it is given:"
    longest = max((len(one.variable) for one in known), default=0)
    for one in known:
        yield from _hanging(f"  {one.variable:<{longest}}  {', '.join(one.holds)}", longest + 4, width)
    if rest := [one.variable for one in document.inputs if not one.holds]:
        yield from _hanging(f"  no launch file says what these hold: {', '.join(rest)}", 4, width)
    yield ""
    if not document.messages:
        yield "it has no memory messages"
        return
    yield "its memory messages, and what their addresses are computed from:"
    before: str | None = None
    for one in document.messages:
        if one.source is not None and one.source != before:
            yield printable(f"  {one.source.rpartition('/')[2]} | {one.source_text}")
        before = one.source
        yield printable(f"  {one.line:>6} | {one.text}")
        if one.address.unknown is not None:
            said = f"not followed: {one.address.unknown}"
        else:
            begins = [f"surface of {one.surface}"] if one.surface else []
            begins += [held for each in one.address.begins for held in (each.holds or [each.variable])]
            count = len(one.address.statements)
            said = f"{'; '.join(dict.fromkeys(begins)) or 'constants'}; by {count} statement{'s' * (count != 1)}"
        yield from _hanging(f"           {said}", 13, width)
    yield ""
    yield printable(f"visaproof explain {path}:{document.messages[-1].line} shows one of them, lane by lane.")


def _hanging(text: str, indent: int, width: int) -> list[str]:
    return [printable(line) for line in wrap(text, width, subsequent_indent=" " * indent)]
