"""A limit interrupts whatever runs within it, once, and leaves everything else as it was."""

import ctypes
import gc
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import monotonic, process_time

import pytest
import z3

from visaproof.isa.errors import LimitReached
from visaproof.smt import add, const, mul, symbol
from visaproof.smt.limit import NO_LIMIT, Limit, at_least
from visaproof.smt.terms import Term

SLACK_S = 3.0
"""Of processor time, on a machine with other work."""


def spend(seconds: float) -> None:
    end = process_time() + seconds
    while process_time() < end:
        pass


def ended(limit: Limit, work: Callable[[], None]) -> None:
    """The limit ends the work."""
    with pytest.raises(LimitReached), limit.within():
        work()


@pytest.fixture(autouse=True)
def nothing_stays_armed():
    before = signal.getsignal(signal.SIGPROF)
    yield
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) is before


def test_a_limit_ends_a_loop() -> None:
    start = process_time()
    with pytest.raises(LimitReached, match=r"limit of 0\.1 s reached"), Limit(0.1).within():
        spend(60)
    assert process_time() - start < SLACK_S


def test_what_ends_in_time_is_not_interrupted() -> None:
    with Limit(0.2).within():
        spend(0.01)
    spend(0.3)


def test_what_has_a_time_of_its_own_is_not_ended_before_but_the_rest_is() -> None:
    found: list[str] = []

    def work() -> None:
        with at_least(0.3):
            spend(0.2)
            found.append("whole")
        spend(60)

    start = process_time()
    ended(Limit(0.05), work)
    assert found == ["whole"]
    assert process_time() - start < SLACK_S


def test_a_time_of_its_own_ends_as_well() -> None:
    start = process_time()
    with pytest.raises(LimitReached), Limit(0.05).within(), at_least(0.2):
        spend(60)
    assert 0.15 < process_time() - start < SLACK_S


def test_a_longer_limit_is_not_made_shorter() -> None:
    with Limit(0.3).within(), at_least(0.05):
        spend(0.15)
    with at_least(0.05):
        spend(0.1)


def test_no_limit_never_ends_anything() -> None:
    with NO_LIMIT.within():
        spend(0.05)


def test_a_used_up_limit_starts_nothing() -> None:
    limit = Limit(0.02)
    spend(0.05)
    with pytest.raises(LimitReached), limit.within():
        raise AssertionError("started")


def test_a_share_ends_before_the_whole() -> None:
    limit = Limit(1.0)
    with limit.within():
        with pytest.raises(LimitReached), limit.within(0.1):
            spend(60)
        assert limit.left > 0.2
        spend(0.05)


def test_a_share_of_the_whole_can_be_left() -> None:
    limit = Limit(0.4)
    with limit.all_but(0.25):
        spend(0.02)
    with pytest.raises(LimitReached), limit.all_but(0.5):
        spend(60)
    assert limit.left > 0.1
    with pytest.raises(LimitReached), limit.all_but(0.75):
        spend(60)
    assert limit.left > 0.1
    with NO_LIMIT.all_but(0.5):
        spend(0.02)


@pytest.mark.slow
def test_the_whole_ends_after_its_shares() -> None:
    limit, reached = Limit(0.2), list[LimitReached]()

    def shares() -> None:
        while True:
            try:
                with limit.within(0.5):
                    spend(60)
            except LimitReached as one:
                reached.append(one)

    ended(limit, shares)
    assert reached


def test_no_handler_of_failures_swallows_it() -> None:
    def handles_failures() -> None:
        try:
            spend(60)
        except Exception:
            spend(60)

    ended(Limit(0.05), handles_failures)


class Finalised:
    """The interpreter drops what its finaliser raises."""

    def __del__(self) -> None:
        spend(0.3)


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What the interpreter could raise nowhere."""
    found: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", found.append)
    return found


def test_an_exception_is_not_lost_in_a_finaliser(lost: list[object]) -> None:
    def finalises() -> None:
        Finalised()
        spend(60)

    start = process_time()
    ended(Limit(0.1), finalises)
    assert process_time() - start < SLACK_S
    assert not lost


def test_an_object_of_the_solver_is_not_left_half_made(lost: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    made = z3.main_ctx()

    def slowly(_context: z3.Context | None = None) -> z3.Context:
        spend(0.3)
        return made

    def makes() -> None:
        z3.AstRef(z3.Z3_mk_true(made.ref()))
        spend(60)

    monkeypatch.setattr("z3.z3._get_ctx", slowly)
    ended(Limit(0.1), makes)
    assert not lost


class Converted(ctypes.c_int):
    """An argument as ctypes hands it to a solver: what its conversion raises becomes an error of ctypes."""

    @classmethod
    def from_param(cls, value: int) -> "Converted":
        spend(0.3)
        return cls(value)


def test_an_exception_stays_itself_while_a_solvers_argument_is_converted() -> None:
    absolute = ctypes.CDLL(None).abs
    absolute.argtypes = [Converted]

    def converts() -> None:
        absolute(-1)
        spend(60)

    ended(Limit(0.1), converts)


def test_a_module_is_loaded_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_to_load.py").write_text(
        "from time import process_time\nend = process_time() + 0.3\n"
        "while process_time() < end:\n    pass\ndone = True\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    def loads() -> None:
        import_module("slow_to_load")
        spend(60)

    ended(Limit(0.1), loads)
    assert sys.modules.pop("slow_to_load").done


def _hard() -> Term:
    """Factors of a prime number: there are none, and no solver sees it at once."""
    from visaproof.smt import conj, eq, ult, zero_extend

    one, other = (zero_extend(symbol(name, 64), to=128) for name in ("p", "q"))
    return conj(ult(const(1, 128), one), ult(one, other), eq(mul(one, other), const(2**127 - 1, 128)))


@pytest.mark.parametrize("number", [signal.SIGPROF, signal.SIGTERM])
def test_a_signal_interrupts_z3(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is deep in its own code: the handler runs although z3 has not returned."""
    from threading import Timer

    from visaproof.checking.termination import interrupted_by_signals
    from visaproof.smt import z3_backend

    start = monotonic()
    if number == signal.SIGPROF:
        with pytest.raises(LimitReached), Limit(0.5).within():
            z3_backend.ask([_hard()], 120_000, 0)  # type: ignore[list-item]
    else:
        timer = Timer(0.5, signal.raise_signal, [number])
        timer.start()
        try:
            with pytest.raises(KeyboardInterrupt), interrupted_by_signals():
                z3_backend.ask([_hard()], 120_000, 0)  # type: ignore[list-item]
        finally:
            timer.cancel()  # behind this test the signal would end the process
    assert monotonic() - start < 30


@pytest.mark.slow
def test_equal_terms_stay_one_object_after_interruptions() -> None:
    """Wherever the construction of terms is interrupted."""
    x = symbol("x", 32)
    for k in range(40):
        try:
            with Limit(0.01 + 0.0005 * k).within():
                n = 0
                while True:
                    n += 1
                    add(mul(x, const(n, 32)), symbol(f"y{n % 97}", 32))
        except LimitReached:
            pass
        for n in range(1, 200):
            built = [add(mul(x, const(n, 32)), symbol(f"y{n % 97}", 32)) for _ in range(2)]
            assert built[0] is built[1]


def test_an_exception_is_not_lost_in_a_callback_of_the_garbage_collector(lost: list[object]) -> None:
    def heard(phase: str, info: dict[str, int]) -> None:
        spend(0.1)

    def collects() -> None:
        gc.collect()
        spend(60)

    gc.collect()  # what other tests left takes seconds
    gc.callbacks.append(heard)
    start = process_time()
    try:
        ended(Limit(0.05), collects)
    finally:
        gc.callbacks.remove(heard)
    assert process_time() - start < SLACK_S
    assert not lost


def test_what_interrupts_bitwuzla_holds_nothing_of_it() -> None:
    """Freed by the garbage collector, in an order of its own, solvers and their terms end the process."""
    bitwuzla_backend = pytest.importorskip("visaproof.smt.bitwuzla_backend")
    with pytest.raises(LimitReached) as raised, Limit(0.1).within():
        bitwuzla_backend.ask([_hard()], 120_000, 0)
    gc.collect()
    kept = [one for one in gc.get_objects() if type(one).__module__ == "bitwuzla" and not isinstance(one, type)]
    assert raised.value.__traceback__ is not None
    assert not [one for one in kept if type(one).__name__ in ("Bitwuzla", "Term")]
