"""One file of the corpus: whether it is read, printed, executed symbolically and concretely, and what is decided."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

from msgspec import Struct, field

from benchmarks.coverage.launches import launches
from benchmarks.pocl.comparison import Answer, Result
from visaproof.analysis.bounds.ask import ask_bounds
from visaproof.analysis.bounds.kernel import BoundsFinding
from visaproof.analysis.bounds.stated_launch import StatedLaunch
from visaproof.analysis.bounds.verdicts import Holds, Meaningless, Outside, Unbounded
from visaproof.analysis.conflicts.ask import ask_kernel
from visaproof.analysis.conflicts.kernel import Finding, KernelAnswers
from visaproof.analysis.conflicts.verdicts import Conflict, Free
from visaproof.analysis.surface_sizes import parse_size_option
from visaproof.isa.errors import NotModelled, ReadError
from visaproof.isa.platform import Platform
from visaproof.launch.assumptions import Assume
from visaproof.launch.launch import Launch, read_launch
from visaproof.report.one_kernel.conflicts import data_dependence
from visaproof.visaasm.bytecode.messages import indices_of
from visaproof.visaasm.bytecode.tables import FORMATS
from visaproof.visaasm.linking.names import read_program
from visaproof.visaasm.printing.printer import print_statement
from visaproof.visaasm.syntax import Kernel

ASKED = ("none", "ids", "bounded", "launch")
"""The sets of premises under which conflicts are asked about; of the first three each allows fewer launches."""

ALIGN = 4
"""Of the addresses in the payload, as `visaproof bounds` has it by default."""


ELEMENTS = {
    "oob_offbyone": ("src=4*n", "dst=4*n"),
    "oob_offbyone_fixed": ("src=4*n", "dst=4*n"),
    "saxpy_guard": ("x=4*n", "y=4*n"),
}
"""What the sources of kernels with a guard mean by n."""


MORE_TIME = 6
"""For questions about products of arguments, which only a solver can answer."""


class Row(Struct, frozen=True):
    """What was found of one file; every field can be written as JSON."""

    file: str
    kernel: str
    variant: str
    flow: str
    tags: list[str]
    timeout: float
    read: bool = False
    pages: int = 0
    """Instructions of the pages that have byte code here."""
    printed: int = 0
    """Of these, how many come back from their byte code as they were written, up to white space."""
    executed: bool = False
    missing: str = ""
    """The opcode or form that stopped it."""
    failed: str = ""
    """An error of visaproof itself."""
    scatters: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    """For each write instruction its line, and the answer by set of assumptions."""
    on_data: list[str] = field(default_factory=list[str])
    """Lines whose conflict under `ids` depends on data."""
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """Of processor time, by set of assumptions, and of bounds."""
    bounds: dict[str, int] = field(default_factory=dict[str, int])
    """Messages by answer."""
    in_arrays: dict[str, int] = field(default_factory=dict[str, int])
    """Messages by answer where buffers have as many elements as the source means, for bounded scalars."""
    launches: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Runs concretely: whether it `ran`, its `answer` beside PoCL, and the reason where that is no answer."""


def measured(corpus: Path, entry: dict[str, Any], tags: list[str], timeout: float, runs: bool = True) -> Row:
    """The row of one entry of the manifest; `runs` says whether to run it concretely."""
    flow = "loops" if entry["loops"] else "straight" if entry["straight_line"] else "branches"
    known: dict[str, Any] = {"file": entry["file"], "kernel": entry["kernel"], "variant": entry["variant"],
                             "flow": flow, "tags": tags, "timeout": timeout}  # fmt: skip
    try:
        kernel = read_program(corpus / entry["file"])
        launch = read_launch(corpus / "manifest.json", kernel)
        known |= {"read": True}
        assert launch.platform is not None
        known |= _asked(kernel, launch, launch.platform, round(1000 * timeout), entry["kernel"])
        known |= {"launches": [_launch(one) for one in launches(corpus, entry)] if runs else []}
    except ReadError as error:
        known |= {"missing": error.message}
    except Exception as error:  # a figure of the table, and no reason to lose the others
        known |= {"failed": f"{type(error).__name__}: {error}"}
    return Row(**known)


def _launch(result: Result) -> dict[str, Any]:
    reason = result.detail if result.answer is Answer.NOT_COMPARABLE else ""
    return {"ran": result.ran, "answer": result.answer.value, "reason": reason}


def _asked(kernel: Kernel, launch: Launch, platform: Platform, timeout_ms: int, kernel_name: str) -> dict[str, Any]:
    found: dict[str, Any] = _printed(kernel, platform)
    seconds: dict[str, float] = {}
    by_line: dict[str, dict[str, str]] = {}
    for assume in map(Assume.of, ASKED):
        start = process_time()
        answers = ask_kernel(kernel, platform, launch, assume, timeout_ms)
        for finding in answers.answers():
            position = finding.question.instruction.position
            line = f"{Path(position.path).name}:{position.line}:{position.column}"
            by_line.setdefault(line, {"line": line})[assume.value] = _conflict_answer(finding)
            if assume is Assume.IDS and _on_data(answers, finding):
                found.setdefault("on_data", []).append(line)
        seconds[assume.value] = process_time() - start
        found |= {"executed": answers.stopped is None, "missing": answers.stopped.what if answers.stopped else ""}
    start = process_time()
    bounds = ask_bounds(kernel, platform, launch, Assume.IDS, StatedLaunch(align=ALIGN), timeout_ms)
    counts = Counter(answer for finding in bounds.answers() for answer in _bounds_answers(finding))
    seconds["bounds"] = process_time() - start
    found |= {"scatters": list(by_line.values()), "seconds": seconds, "bounds": dict(counts)}
    return found | {"in_arrays": _in_arrays(kernel, launch, platform, timeout_ms, kernel_name)}


def _in_arrays(kernel: Kernel, launch: Launch, platform: Platform, timeout_ms: int, name: str) -> dict[str, int]:
    if name not in ELEMENTS:
        return {}
    stated = StatedLaunch(tuple(map(parse_size_option, ELEMENTS[name])), align=ALIGN)
    answers = ask_bounds(kernel, platform, launch, Assume.BOUNDED, stated, MORE_TIME * timeout_ms)
    return dict(Counter(answer for finding in answers.answers() for answer in _bounds_answers(finding)))


def _conflict_answer(finding: Finding) -> str:
    match finding.answer:
        case Free() as free if free.vacuous:
            return "vacuous"
        case Free(bounded=()):
            return "free"
        case Free():
            return "bounded"
        case Conflict():
            return "conflict"
        case _:
            return "unknown"


def _on_data(answers: KernelAnswers, finding: Finding) -> bool:
    return isinstance(finding.answer, Conflict) and bool(data_dependence(answers, finding.answer))


def _bounds_answers(finding: BoundsFinding) -> Iterator[str]:
    """One word for a message: whether it can leave its surface or buffer, or is at an address of no known buffer."""
    match finding.bounds:
        case Unbounded():
            yield "flat"
        case Holds(bounded=()):
            yield "inside"
        case Outside():
            yield "outside"
        case Holds():
            yield "bounded"
        case _:
            yield "unknown"
    match finding.meaning:
        case Meaningless():
            yield "undefined"
        case Holds(bounded=()):
            yield "meaningful"
        case Holds():
            yield "meaning bounded"
        case _:
            yield "meaning unknown"


def _printed(kernel: Kernel, platform: Platform) -> dict[str, int]:
    """The instructions of the pages with byte code, and how many of them print as they were written."""
    indices = indices_of(kernel.variables, platform.grf_bytes)
    own = [each for each in kernel.instructions() if each.opcode in FORMATS and each.position.path == kernel.path]
    same = 0
    for instruction in own:
        try:
            same += print_statement(instruction, indices).split() == instruction.text.split()
        except (NotModelled, ReadError):
            continue
    return {"pages": len(own), "printed": same}
