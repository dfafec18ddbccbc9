"""What the commands share that look for undefined behaviour: `--undefined`, and exit codes."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from visaproof.cli.options.exit_codes import ExitCode

if TYPE_CHECKING:
    from visaproof.analysis.findings.kernel import Uses
    from visaproof.analysis.findings.verdicts import UndefinedUse
    from visaproof.queries.kernels.undefined import UndefinedKind

KINDS_OF_ONE_KERNEL = """--undefined KIND=allow or KIND=forbid says whether a kind of undefined behaviour is a finding:
  collision        lanes of one message write one byte                             default: forbid
  misaligned       an address not aligned as the page demands                      default: forbid
  beyond-variable  registers or predicate bits that a variable does not have       default: forbid with an effect
  slm-outside      an access outside of shared local memory                        default: forbid
  uninitialised    registers, predicates, address registers before they are set    default: forbid with an effect
  race             of several threads, one writes what another accesses            not looked for here
  outside          an access outside of a buffer                                   what `visaproof bounds` asks
An effect: an address, a branch, an execution mask or what is stored depends on the value, shown by two runs that differ
in it alone; or a write beyond a variable changes other registers.  Without one it is a note, and where neither is shown
it is unknown (exit 3).  forbid makes every such use a finding."""


def add_undefined(parser: ArgumentParser) -> None:
    """`--undefined`."""
    parser.add_argument(
        "--undefined", type=undefined, action="append", default=[], metavar="KIND=allow|forbid",
        help="whether something undefined is a finding (repeatable); the kinds are listed below",
    )  # fmt: skip


def undefined(text: str) -> "tuple[UndefinedKind, bool]":
    """A kind of undefined behaviour, and whether it is forbidden."""
    from visaproof.queries.kernels.undefined import UndefinedKind

    name, _, answer = text.partition("=")
    known = [kind.value for kind in UndefinedKind]
    if name not in known or answer not in ("allow", "forbid"):
        raise ArgumentTypeError(f"{text!r} is not KIND=allow or KIND=forbid; the kinds are {', '.join(known)}")
    return UndefinedKind(name), answer == "forbid"


def allows(arguments: Namespace, kind: "UndefinedKind") -> bool:
    """Whether the user has allowed a kind; of one that is named twice the last counts."""
    return dict(arguments.undefined).get(kind) is False


def codes_of_uses(uses: "Uses", arguments: Namespace) -> list[ExitCode]:
    """The exit codes of uses of undefined values."""
    codes = [_code(one, dict(arguments.undefined).get(one.suspect.kind)) for one in uses.undefined]
    return codes if uses.stopped is None else [*codes, ExitCode.UNKNOWN]


def _code(use: "UndefinedUse", forbidden: bool | None) -> ExitCode:
    from visaproof.analysis.findings.verdicts import Allowed, MayDepend, Shown

    match use.answer:
        case Shown():
            return ExitCode.REFUTED
        case Allowed():
            return ExitCode.OK
        case _ if forbidden:
            return ExitCode.REFUTED
        case MayDepend() if not use.suspect.partly:  # what some path initialises is no finding until it is shown
            return ExitCode.UNKNOWN
        case _:
            return ExitCode.OK
