"""Lanes that collide only since an index wraps are told from those that collide as integers, too."""

import pytest

from tests.support.rows import ROWS, asked
from visaproof.analysis.conflicts.verdicts import Conflict
from visaproof.report.one_kernel import wrapping
from visaproof.report.one_kernel.conflict_records import finding_record
from visaproof.report.one_kernel.conflicts import finding_lines
from visaproof.report.records import conflicts as records


def report(relation: str) -> tuple[bool, str]:
    """What the record and the text say of a kernel that writes dst[y * n + x]."""
    answers = asked(ROWS, relation)
    (finding,) = answers.answers()
    assert isinstance(finding.answer, Conflict)
    record = finding_record(answers, finding)
    assert isinstance(record, records.Refuted)
    return record.wraps, "\n".join(finding_lines(answers, finding, record))


def test_rows_that_only_wrap_into_each_other_are_named() -> None:
    wraps, text = report("n >= 1000000")
    assert wraps
    assert "only since an index wraps: without that, the addresses are lane " in text


def test_rows_that_overlap_as_integers_are_not() -> None:
    wraps, text = report("n == 1")
    assert not wraps
    assert "wraps" not in text


def test_addresses_that_are_not_those_of_the_example_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrapping, "evaluate", lambda *_: -1)
    assert not report("n >= 1000000")[0]
