"""What Intel's tool and the rules of visaproof say on the same files."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.genx.generator import Case
from tests.genx.tool import Run, run_tool
from visaproof.isa.errors import ReadError
from visaproof.visaasm.validity import Mode, check_text, judged_by_igc
from visaproof.visaasm.validity.hazards import HAZARDS
from visaproof.visaasm.validity.rule import broken

WORKERS = 2


def run_all(generated: list[Case], directory: Path) -> list[Run]:
    """What the tool does with each file."""

    def run(numbered: tuple[int, Case]) -> Run:
        number, case = numbered
        return run_tool(case.text, case.platform, directory / str(number))

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(run, enumerate(generated)))


def rejection(case: Case) -> str:
    """What the rules say against a file, "" for nothing."""
    try:
        verdict = check_text(case.text, "t.visaasm", case.platform, Mode.IGC)
    except ReadError as error:
        return str(error)
    return "; ".join(map(str, verdict.findings))


def broken_hazards(case: Case) -> set[str]:
    """The hazards of a file, whether it is accepted or not."""
    judged = judged_by_igc(case.text, "t.visaasm", case.platform)
    return {hazard.id for message, _ in judged.statements if message for hazard in broken(HAZARDS, message)}
