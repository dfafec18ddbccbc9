"""Which instructions are valid: by the pages, and by Intel's verifier.

Source: docs/pages/validity.md, docs/decisions.md.
"""

from visaproof.visaasm.validity.check import (
    Judged,
    Mode,
    Verdict,
    check_instruction,
    check_text,
    findings_as_written,
    judged_by_igc,
    judged_by_pages,
)
from visaproof.visaasm.validity.rule import Finding, Rule

__all__ = [
    "Finding",
    "Judged",
    "Mode",
    "Rule",
    "Verdict",
    "check_instruction",
    "check_text",
    "findings_as_written",
    "judged_by_igc",
    "judged_by_pages",
]
