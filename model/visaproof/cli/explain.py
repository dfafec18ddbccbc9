"""`visaproof explain`: a page, or one instruction, as a person needs it."""

import os
import re
import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from visaproof.cli.many.files import one_kernel
from visaproof.cli.options.arguments import Subparsers, add_format, platform
from visaproof.cli.options.errors import UsageError, proposal, show_read_error
from visaproof.cli.options.exit_codes import ExitCode
from visaproof.cli.options.launch_files import add_launch
from visaproof.isa.errors import NotModelled, Position, ReadError
from visaproof.isa.platform import Platform

if TYPE_CHECKING:
    from visaproof.analysis.explain import Explanation
    from visaproof.isa.spec import Spec
    from visaproof.launch.launch import Launch
    from visaproof.report.kernels.explain_records import AddressEntry
    from visaproof.visaasm.syntax import Instruction, Kernel

DEFAULT_PLATFORM = Platform.DG2
"""As for `visaproof check`."""
PATH = "<instruction>"
MOST_CHARACTERS = 1 << 14
DUMP = re.compile(r"(.+\.visaasm)(?::(\d+)(?::\d+)?)?")
MOST_LINES = 8
"""Of a dump that are named."""

EPILOG = """examples:
  visaproof explain scatter4_scaled
  visaproof explain 'scatter4_scaled.RA (M3_NM, 8) T6 0x10:ud V1.0 V2.0' --platform TGLLP
  visaproof explain '(!P1.any) qw_scatter.1 (M5, 16) %slm V1.0 V2.0' --format json
  visaproof explain dump/blur.visaasm          what the kernel is given, and its memory messages
  visaproof explain dump/blur.visaasm:158
  visaproof explain --bytes '35 01 00 06 05 00 01000000 20000000 0000'
  echo 35 01 00 06 05 00 01000000 20000000 0000 | visaproof explain --bytes -

A table shows for each lane which bits of the execution mask and of the predicate it listens to, and which register
goes to which address; it is the footprint that the proofs are about, with names in the place of values.  A statement
stands alone: variables are taken as declared and large enough, with the types of the page.  The pages' spelling is
read, too.  Of a line of a dump the statements are shown that compute its address, back to arguments and ids.

exit codes:
  0  explained
  1  explained, and not legal by its page on the platform
  2  no such instruction, or it cannot be read
  4  an instruction without semantics in visaproof
"""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "explain",
        help="show what a page or an instruction means",
        description="Shows a page (syntax, fields, readings), what one instruction does, lane by lane, or "
        "what a kernel is given and reaches.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "instruction", nargs="?", metavar="NAME|STATEMENT|FILE[:LINE]",
        help="a page's name, one instruction, a dump, or the line of a dump with one",
    )  # fmt: skip
    parser.add_argument("--bytes", metavar="HEX", help="byte code of one of the four pages; - reads it from stdin")
    parser.add_argument(
        "--platform", type=platform, metavar="NAME",
        help=f"the device (default: that of the launch file beside a dump, else {DEFAULT_PLATFORM.name})",
    )  # fmt: skip
    add_launch(parser)
    add_format(parser)


def run(arguments: Namespace) -> int:
    if (arguments.instruction is None) == (arguments.bytes is None):
        raise UsageError("one thing to explain, please", "a page's name, an instruction, or --bytes HEX")
    device: Platform = arguments.platform or DEFAULT_PLATFORM
    if arguments.bytes is not None:
        return _bytes(sys.stdin.read(MOST_CHARACTERS) if arguments.bytes == "-" else arguments.bytes, arguments)
    text = arguments.instruction.strip()
    if os.path.isdir(text) and not _is_known(text):  # unlike Path's it takes any text: a statement may be long
        text = str(one_kernel(Path(text)))
    if arguments.launch is not None and not DUMP.fullmatch(text):
        raise UsageError("--launch: it is about a dump", "explain FILE.visaasm or FILE.visaasm:LINE")
    if re.fullmatch(r"\w+", text):
        return _page(text, device, arguments.format)
    address, declared = None, None
    if (place := DUMP.fullmatch(text)) is not None:
        dump = _dump(Path(place[1]), arguments.launch, arguments.platform)
        if place[2] is None:
            return _whole(dump, arguments.format)
        text, address, declared, device = _statement_of(dump, int(place[2]))
    found = _explained(text, device, declared)
    if found is None:
        return ExitCode.USAGE
    return _show(found.spec, device, found, arguments.format, is_example=False, address=address)


@dataclass(frozen=True)
class _Dump:
    """A kernel of a dump, with what a launch file says of it."""

    path: Path
    kernel: "Kernel"
    launch: "Launch"
    device: Platform

    @property
    def messages(self) -> "dict[int, Instruction]":
        """Its memory messages, by their lines."""
        from visaproof.decode.message import OPCODES
        from visaproof.decode.raw_send import OPCODE

        return {one.position.line: one for one in self.kernel.instructions() if one.opcode in (*OPCODES, OPCODE)}


def _dump(path: Path, stated: Path | None, device: Platform | None) -> _Dump:
    """The device is the one that is asked for, that of the launch file or of the text, or the usual one.

    Raises ReadError.
    """
    from visaproof.launch.beside import launch_for
    from visaproof.launch.launch import NOTHING_KNOWN, launch_of
    from visaproof.visaasm.device import decided, said_in
    from visaproof.visaasm.reader import read_kernel_file

    kernel = read_kernel_file(path)
    launch, file = NOTHING_KNOWN, launch_for(stated, path)
    if file is not None:
        launch, said = launch_of(file, kernel, None)
        device = device or said
    device = device or decided(said_in(kernel.source_lines, kernel.path)) or DEFAULT_PLATFORM
    return _Dump(path, kernel, launch, device)


def _whole(dump: _Dump, output: str) -> int:
    """What the kernel is given, and its messages."""
    from visaproof.report.kernels.explain import width_of
    from visaproof.report.kernels.explain_kernel import kernel_document, kernel_lines
    from visaproof.report.text.documents import encode

    document = kernel_document(dump.kernel, list(dump.messages.values()), dump.launch, dump.device)
    if output == "json":
        print(encode(document))
    else:
        for line in kernel_lines(document, width_of(sys.stdout)):
            print(line)
    return ExitCode.OK


def _statement_of(dump: _Dump, line: int) -> "tuple[str, AddressEntry, tuple[str, ...], Platform]":
    """The memory message on a line, where its address comes from, the declarations, and the device.

    Of a `raw_sends` the message that it stands for.  Raises UsageError, NotModelled.
    """
    from visaproof.decode.raw_send import resolved
    from visaproof.report.kernels.explain_document import address_entries
    from visaproof.visaasm.printing.single_statement import declared_in

    messages = dump.messages
    if line not in messages:
        lines = ", ".join(map(str, list(messages)[:MOST_LINES])) + (", …" if len(messages) > MOST_LINES else "")
        hint = f"its memory messages are on the lines {lines}" if messages else "it has no memory messages"
        raise UsageError(f"no memory message on line {line} of {dump.path}", hint)
    message = resolved(messages[line], dump.kernel, dump.device)
    (address,) = address_entries([message], dump.kernel, dump.launch, dump.device)
    return message.text, address, declared_in(dump.kernel), dump.device


def _page(name: str, device: Platform, output: str) -> int:
    """A page with the picture of its first example that the platform has."""
    from visaproof.analysis.explain import SPECS, page_of

    _require_known(name)
    spec = SPECS[page_of(name.lower())]
    if not spec.fields:
        raise NotModelled(f"the field table of {spec.mnemonic}; give a whole instruction to see what it does")
    examples = (_explained(example, device) for example in spec.examples)
    found = next((each for each in examples if each is not None and each.picture is not None), None)
    return _show(spec, device, found, output, is_example=True)


def _is_known(name: str) -> bool:
    """Whether it can be explained."""
    from visaproof.analysis.explain import SPECS
    from visaproof.decode.message import OPCODES

    return name.lower() in SPECS or name.lower() in OPCODES


def _require_known(name: str) -> None:
    from visaproof.analysis.explain import NOT_MODELLED, SPECS
    from visaproof.visaasm.opcode_kinds import is_known

    lower = name.lower()
    if _is_known(name):
        return
    if lower in NOT_MODELLED or is_known(lower):
        raise NotModelled(f"{lower}: only memory messages with semantics here can be explained")
    raise UsageError(f"no instruction {name!r}", proposal(lower, sorted(SPECS)) or f"one of {', '.join(sorted(SPECS))}")


def _explained(text: str, device: Platform, declared: "tuple[str, ...] | None" = None) -> "Explanation | None":
    """None where the text cannot be read; why is shown with a caret."""
    from visaproof.analysis.explain import explain
    from visaproof.visaasm.printing.single_statement import mnemonic_of, read_alone

    mnemonic = mnemonic_of(text)
    if mnemonic:
        _require_known(mnemonic)
    try:
        return explain(read_alone(text, PATH, device, declared), device)
    except ReadError as error:
        show_read_error(error, (text,))
        return None


def _bytes(digits: str, arguments: Namespace) -> int:
    """Explains byte code; one that cannot be read is shown with a caret under the byte."""
    from visaproof.visaasm.bytecode.instructions import decode_bytes
    from visaproof.visaasm.printing.single_statement import text_of

    device: Platform = arguments.platform or DEFAULT_PLATFORM
    try:
        data = bytes.fromhex(re.sub(r"[\s|,]|0[xX]", "", digits))
    except ValueError:
        raise UsageError("these are no bytes in hexadecimal", "pairs of digits, as in '35 01 00 06'") from None
    try:
        encoded = decode_bytes(data)
        text = text_of(encoded, device)
    except ReadError as error:
        place = Position("<bytes>", 1, 3 * error.position.column - 2)
        show_read_error(ReadError(error.message, place, error.hint), (data.hex(" "),))
        return ExitCode.USAGE
    found = _explained(text, device)
    if found is None:
        return ExitCode.USAGE
    return _show(found.spec, device, replace(found, encoded=encoded), arguments.format, is_example=False)


def _show(
    spec: "Spec",
    device: Platform,
    found: "Explanation | None",
    output: str,
    *,
    is_example: bool,
    address: "AddressEntry | None" = None,
) -> int:
    from visaproof.report.kernels.explain import explained, width_of
    from visaproof.report.kernels.explain_document import document_of
    from visaproof.report.text.documents import encode

    illegal = found is not None and found.findings and not is_example
    code = ExitCode.REFUTED if illegal else ExitCode.OK
    document = document_of(spec, device, found, code, is_example, address)
    if output == "json":
        print(encode(document))
    else:
        for line in explained(document, width_of(sys.stdout)):
            print(line)
    return code
