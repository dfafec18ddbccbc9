"""The cache of verdicts: two writers, a killed one, a full disk, damage and forgery: never a wrong answer."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from visaproof.checking.kept import cache_care
from visaproof.checking.kept.verdict_cache import SECRET, Mode, VerdictCache
from visaproof.isa.errors import ReadError

WRITER = """
import sys
from pathlib import Path
from visaproof.checking.kept.verdict_cache import VerdictCache
with VerdictCache(Path(sys.argv[1]), "test", say=lambda text: sys.exit(text)) as cache:
    for number in range(int(sys.argv[3])):
        cache.add(f"{sys.argv[2]} {number}", {"number": number, "text": "x" * 500})
        print(number, flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


def kept(path: Path, *answers: str) -> None:
    with VerdictCache(path, "test") as cache:
        for answer in answers:
            cache.add(answer, {"answer": answer})


def got(path: Path, key: str, mode: Mode = Mode.READ_WRITE) -> tuple[object, list[str]]:
    """The answer, and what was said."""
    said: list[str] = []
    with VerdictCache(path, "test", mode, said.append) as cache:
        return cache.get(key), said


def test_an_answer_is_found_again_under_its_key_and_kind_alone(path):
    kept(path, "a")
    assert got(path, "a") == ({"answer": "a"}, [])
    assert got(path, "b") == (None, [])
    with VerdictCache(path, "other") as cache:
        assert cache.get("a") is None


def test_two_writers_at_once_lose_nothing(path):
    runs = [subprocess.Popen([sys.executable, "-c", WRITER, path, name, "200"], stdout=-3) for name in "ab"]
    assert [run.wait(timeout=120) for run in runs] == [0, 0]
    assert cache_care.stats(path).kinds[0][:2] == ("test", 400)


def test_what_a_killed_writer_has_answered_stays(path):
    run = subprocess.Popen([sys.executable, "-c", WRITER, path, "a", "100000"], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    lines = [run.stdout.readline() for _ in range(50)]
    run.send_signal(signal.SIGKILL)
    run.wait()
    run.stdout.close()
    assert got(path, f"a {lines[-1].strip()}")[0] == {"number": 49, "text": "x" * 500}
    assert cache_care.stats(path).damaged == 0


@pytest.mark.parametrize("what", ["content", "code", "key"])
def test_a_row_that_somebody_changed_does_not_count(path, what):
    """Not even one that was moved under another key: an answer is signed with its question."""
    kept(path, "a", "b")
    base = sqlite3.connect(path)
    if what == "key":
        base.execute("DELETE FROM answers WHERE key = 'a'")
        base.execute("UPDATE answers SET key = 'a' WHERE key = 'b'")
    else:
        other = base.execute(f"SELECT {what} FROM answers WHERE key = 'b'").fetchone()[0]
        base.execute(f"UPDATE answers SET {what} = ? WHERE key = 'a'", (other,))
    base.commit()
    base.close()
    answer, said = got(path, "a")
    assert answer is None
    assert "a damaged row is not used" in said[0]
    assert cache_care.stats(path).damaged == 1


def test_who_does_not_know_the_secret_cannot_make_answers(path, tmp_path, monkeypatch):
    kept(path, "forged")
    monkeypatch.setenv(SECRET, "ours")
    assert got(path, "forged")[0] is None
    mine = tmp_path / "mine.sqlite"
    kept(mine, "own")
    assert cache_care.take_in(mine, path) == (0, 1)
    assert got(mine, "own")[0] == {"answer": "own"}


@pytest.mark.parametrize("place", [0.3, 0.6, 0.95])
def test_a_damaged_file_is_put_aside_and_the_run_goes_on(path, place):
    kept(path, *(f"key {number}" for number in range(400)))
    sqlite3.connect(path).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
    content = bytearray(path.read_bytes())
    at = int(len(content) * place)
    content[at : at + 9000] = os.urandom(9000)
    path.write_bytes(content)
    with VerdictCache(path, "test") as cache:
        found = [cache.get(f"key {number}") for number in range(400)]
        cache.add("new", "answer")
    assert all(one in (None, {"answer": f"key {number}"}) for number, one in enumerate(found))
    kept(path, "after")
    assert got(path, "after")[0] == {"answer": "after"}


def test_a_file_that_is_cut_off_is_no_wrong_answer(path):
    kept(path, *(f"key {number}" for number in range(200)))
    sqlite3.connect(path).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert got(path, "key 150")[0] in (None, {"answer": "key 150"})


def test_a_full_disk_loses_no_run(path, monkeypatch):
    """As SQLite says it: its own limit on pages is the disk here."""
    kept(path, "a")
    said: list[str] = []
    with VerdictCache(path, "test", Mode.READ_WRITE, said.append) as cache:
        assert cache._base is not None
        cache._base.execute("PRAGMA max_page_count = 4")
        for number in range(50):
            cache.add(f"big {number}", os.urandom(3000).hex())
        assert cache.get("a") in (None, {"answer": "a"})
    assert len(said) == 1
    assert "full" in said[0]
    assert got(path, "a")[0] == {"answer": "a"}


@pytest.mark.parametrize("mode", [Mode.READ_ONLY, Mode.ENFORCE])
def test_one_that_is_only_read_is_never_written(path, mode):
    kept(path, "a")
    before = path.read_bytes()
    with VerdictCache(path, "test", mode) as cache:
        cache.add("b", 1)
        assert cache.get("a") == {"answer": "a"}
        assert cache.get("b") is None
    assert path.read_bytes() == before


def test_one_on_a_file_system_that_is_read_only_is_read(path):
    kept(path, "a")
    sqlite3.connect(path).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        assert got(path, "a", Mode.READ_ONLY)[0] == {"answer": "a"}
    finally:
        path.parent.chmod(0o700)


@pytest.mark.parametrize("content", [b"precious\n", b"SQLite format 3\0" + b"\1" * 84])
def test_another_file_is_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(ReadError, match="not a cache"):
        VerdictCache(path, "test")
    assert path.read_bytes() == content


def test_room_is_made_of_what_was_not_used_for_longest(path):
    kept(path, *"abcdef")
    base = sqlite3.connect(path)
    base.execute("UPDATE answers SET used = unicode(key)")
    base.execute("UPDATE answers SET version = 'old' WHERE key = 'f'")
    base.commit()
    size = base.execute("SELECT length(content) FROM answers LIMIT 1").fetchone()[0]
    base.close()
    assert cache_care.collect(path, older_than_days=None, most_bytes=3 * size) == 3
    assert [bool(got(path, key)[0]) for key in "abcdef"] == [False, False, True, True, True, False]


def test_answers_are_taken_elsewhere(path, tmp_path):
    kept(path, "a", "b")
    file, other = tmp_path / "shared.sqlite", tmp_path / "other.sqlite"
    kept(other, "b", "c")
    assert cache_care.export(path, file) == 2
    assert cache_care.take_in(other, file) == (1, 0)
    assert [got(other, key)[0] for key in "abc"] == [{"answer": key} for key in "abc"]


def test_a_file_that_another_process_is_making_is_empty(path):
    """SQLite writes its first page before there is a table."""
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA journal_mode = WAL")
        assert path.stat().st_size
        assert cache_care.stats(path).kinds == ()
    with VerdictCache(path, "check", Mode.READ_ONLY) as cache:
        assert cache.get("key") is None
