"""The files: what is written is read back, and whatever is no counterexample is a ReadError."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.strategies import Start, starts
from tests.two_writings import executed
from visaproof.checking.counterexample import (
    FORMAT,
    MAX_FILE_BYTES,
    READABLE,
    Counterexample,
    Outcome,
    Run,
    encoded,
    read_counterexample,
    write_counterexample,
)
from visaproof.checking.states import changes, program, state_from, state_record
from visaproof.isa.atomics import AtomicOp
from visaproof.isa.errors import ReadError
from visaproof.isa.platform import Platform
from visaproof.isa.surfaces import SurfaceKind
from visaproof.queries.subject import Subject, oword_ld, qw_scatter, typed_atomic
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Buffer, Image

SUBJECTS = (
    qw_scatter(4, Platform.DG2, True),
    oword_ld(16, Platform.DG2),
    typed_atomic(AtomicOp.CMPXCHG, SurfaceKind.PLANE, Platform.TGLLP, True),
)


def record(start: Start, subject: Subject) -> Counterexample:
    outcome = executed(start.instruction, start.before)
    return Counterexample(
        claim="test/claim[é, ⇒]",
        shows="what the test shows",
        violation="claim-differs",
        variant="a-variant",
        platform=subject.platform.name,
        readings=["D14 collision: undefined"],
        program=program([start.instruction], start.before),
        state=state_record(start.before),
        runs=[Run(steps=[f"{start.before.exec_mask:#x}"], outcome=outcome)],
        claimed=Outcome(undefined="an undefined access"),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


def without_zeros(state: ConcreteState) -> ConcreteState:
    """The state as a file has it: of a typed surface the extents in U, V and R."""
    state = state.copy()
    for name, surface in state.surfaces.items():
        if isinstance(surface, Buffer):
            surface.contents = {place: byte for place, byte in surface.contents.items() if byte}
        else:
            texels = {texel: value for texel, value in surface.texels.items() if value}
            state.surfaces[name] = Image(tuple(map(surface.extents, range(len(surface.levels)))), texels)
    return state


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.instruction.spec.name)
def test_what_is_written_is_read_back(subject: Subject, folder: Path) -> None:
    """The record and the state that it stands for; a place that is not named is zero."""

    @settings(max_examples=20)
    @given(starts(subject))
    def same(start: Start) -> None:
        written = record(start, subject)
        path = folder / "below" / "file.json"
        write_counterexample(written, path)
        found = read_counterexample(path)
        assert found == written
        assert encoded(found) == encoded(written)
        assert without_zeros(state_from(found.state, found.platform)) == without_zeros(start.before)

    same()


def example() -> dict[str, Any]:
    start_state = ConcreteState(Platform.DG2, surfaces={"T6": Buffer(4)}, registers={"VD": bytearray(4)})
    return json.loads(
        encoded(
            Counterexample(
                claim="c",
                shows="s",
                violation="claim-differs",
                platform="DG2",
                program=["x"],
                state=state_record(start_state),
                runs=[Run(steps=["0x1"], outcome=Outcome())],
            )
        )
    )


def changed(**changes_to: Any) -> bytes:
    return json.dumps(example() | changes_to).encode()


def without(field: str) -> bytes:
    return json.dumps({name: value for name, value in example().items() if name != field}).encode()


MALFORMED: dict[str, bytes] = {
    "empty": b"",
    "not JSON": b"violation: claim-differs",
    "truncated": json.dumps(example()).encode()[:-20],
    "two documents": json.dumps(example()).encode() * 2,
    "a list": b"[]",
    "a number": b"17",
    "not UTF-8": changed().replace(b'"c"', b'"\xff\xfe"'),
    "binary": bytes(range(256)),
    "an older format": changed(format=FORMAT - 1),
    "a newer format": changed(format=max(READABLE) + 1),
    "a format in words": changed(format="1"),
    "no program": without("program"),
    "no state": without("state"),
    "no runs": without("runs"),
    "an unknown field": changed(solution=42),
    "an unknown violation": changed(violation="everything"),
    "a program in one line": changed(program="ret (M1, 1)"),
    "a state of the wrong type": changed(state=[]),
    "runs of the wrong type": changed(runs={"steps": []}),
    "an outcome without its type": changed(claimed={"changes": {"T6[0x0]": 5}}),
    "a surface with an unknown field": changed(state=example()["state"] | {"surfaces": {"T6": {"width": 3}}}),
    "levels of two extents": changed(state=example()["state"] | {"surfaces": {"T6": {"levels": [[1, 2]]}}}),
    "nested beyond reason": b"[" * 100_000,
    "nested where a state should be": b'{"state": ' + b'{"a":' * 50_000,
    "a number too large": changed(format=10**400),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_what_is_no_counterexample_is_a_read_error(case: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(MALFORMED[case])
    with pytest.raises(ReadError) as caught:
        read_counterexample(path)
    assert str(path) in str(caught.value)


def test_the_example_itself_is_one(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(changed())
    assert read_counterexample(path).format == FORMAT


def test_another_format_is_named(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(changed(format=max(READABLE) + 1))
    with pytest.raises(ReadError, match=f"format {max(READABLE) + 1}, but this visaproof reads format 1 and 2"):
        read_counterexample(path)


@pytest.mark.parametrize(
    "make",
    [
        lambda path: None,
        lambda path: path.mkdir(),
        lambda path: path.symlink_to(path),
    ],
    ids=["missing", "a folder", "a link to itself"],
)
def test_what_cannot_be_opened_is_a_read_error(make: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    make(path)
    with pytest.raises(ReadError):
        read_counterexample(path)


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(ReadError, match="larger than"):
        read_counterexample(path)


@pytest.mark.slow
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200) | st.text(max_size=60).map(str.encode), st.randoms(use_true_random=False))
def test_any_bytes_are_read_or_refused(folder: Path, noise: bytes, pick: Random) -> None:
    """Alone, and in place of a part of a good file: never anything but a record or a ReadError."""
    good = changed()
    start = pick.randrange(len(good))
    for number, data in enumerate((noise, good[:start] + noise + good[start + pick.randrange(1, 40) :])):
        path = folder / f"fuzz{number}.json"
        path.write_bytes(data)
        with suppress(ReadError):
            assert read_counterexample(path).format == FORMAT


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("exec_mask", "all"),
        ("registers", {"VD": "0g"}),
        ("registers", {"VD": "123"}),
        ("surfaces", {"T6": {"size": 4, "contents": {"zero": "00"}}}),
        ("surfaces", {"T6": {"levels": [[1, 1, 1]], "contents": {"0,0": "0x1"}}}),
        ("predicates", {"P1": {"count": 4, "bits": "yes"}}),
    ],
)
def test_a_state_whose_numbers_are_none_is_a_value_error(field: str, bad: Any, tmp_path: Path) -> None:
    """The record is well-formed JSON, but stands for no state."""
    path = tmp_path / "file.json"
    path.write_bytes(changed(state=example()["state"] | {field: bad}))
    found = read_counterexample(path)
    with pytest.raises(ValueError):  # noqa: PT011 (the message is Python's)
        state_from(found.state, found.platform)


def test_an_unknown_platform_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        state_from(state_record(ConcreteState(Platform.DG2)), "GEN99")


def test_changes_name_every_dword_byte_and_texel_that_differs() -> None:
    before = ConcreteState(
        Platform.DG2,
        registers={"V": bytearray(b"\x01\x00\x00\x00\x02\x00\x00\x00\x03")},
        surfaces={"T6": Buffer(64, {3: 5, 4: 0}), "T7": Image(((2, 1, 1),), {(0, 0, 0, 0): 9})},
    )
    after = before.copy()
    after.registers["V"][5] = 1
    after.registers["V"][8] = 0
    after.surfaces["T6"] = Buffer(64, {3: 0, 9: 7})
    after.surfaces["T7"] = Image(((2, 1, 1),), {(1, 0, 0, 0): 8})
    assert changes(before, after) == Outcome(
        changes={
            "V.4": "0x102",
            "V.8": "0x0",
            "T6[0x3]": "0x00",
            "T6[0x9]": "0x07",
            "T7[0,0,0,0]": "0x0",
            "T7[1,0,0,0]": "0x8",
        }
    )
    assert changes(before, before.copy()) == Outcome()
