"""Barriers and fences as events, and which is stronger, by their pages."""

from itertools import product

import pytest

from visaproof.decode.cache_options import CACHE_WORDS, are_as_strong, caches_of
from visaproof.decode.synchronisation import Barrier, Fence, event_of
from visaproof.isa.errors import ReadError
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Instruction

HEAD = '.version 4.1\n.kernel "k"\n.decl V v_type=G type=ud num_elts=8 align=GRF\n.kernel_attr SimdSize=8\n_main:\n'
FLUSHES = ("none", "evict", "invalidate", "discard", "clean", "flushl3")
SCOPES = ("group", "local", "tile", "gpu", "gpus", "sysrel", "sysacq")


def first(text: str) -> Instruction:
    return next(iter(read_kernel(f"{HEAD}{text}\nret (M1, 1)\n", "k.visaasm").instructions()))


def event(text: str) -> Barrier | Fence:
    return event_of(first(text))


def fence(text: str) -> Fence:
    found = event(text)
    assert isinstance(found, Fence)
    return found


def test_a_baseline_signal_is_the_general_one() -> None:
    """Page NBARRIER: `<num_threads>` is both numbers of the producer-consumer type."""
    assert event("nbarrier.signal 3 8") == event("nbarrier.signal 3 0 8 8") == event("nbarrier.signal 0x3:ub 0x8:ub")
    assert event("nbarrier.signal 3 8") != event("nbarrier.signal 3 1 8 8")
    assert event("nbarrier.wait 3") != event("nbarrier.wait 4")


FORMS = ["nbarrier 3", "nbarrier.post 3", "nbarrier.wait", "nbarrier.signal 3", "nbarrier.wait 3 8", "sbarrier"]


@pytest.mark.parametrize("text", [*FORMS, "(P1) nbarrier.wait 3"])
def test_a_barrier_of_another_form_is_no_statement(text: str) -> None:
    with pytest.raises(ReadError):
        event(text)


def test_being_at_least_as_strong_is_an_order() -> None:
    """Of all LSC fences of one unit: each is as strong as itself, and two that are as strong as each other are one."""
    fences = [fence(f"lsc_fence.ugm.{flush}.{scope}") for flush, scope in product(FLUSHES, SCOPES)]
    for one, other in product(fences, fences):
        assert one is not other or one.is_at_least(other)
        assert not (one is not other and one.is_at_least(other) and other.is_at_least(one))
        for third in fences:
            if one.is_at_least(other) and other.is_at_least(third):
                assert one.is_at_least(third)


@pytest.mark.parametrize(
    ("stronger", "weaker"),
    [
        ("lsc_fence.ugm.evict.gpu", "lsc_fence.ugm.invalidate.gpu"),
        ("lsc_fence.ugm.evict.gpu", "lsc_fence.ugm.clean.tile"),
        ("lsc_fence.ugm.none.sysrel", "lsc_fence.ugm.none.gpus"),
        ("fence_global.ER", "fence_global.E"),
        ("fence_global.EL1", "fence_global.E"),
        ("fence_global.ESC", "fence_global.S"),
    ],
)
def test_one_fence_is_stronger(stronger: str, weaker: str) -> None:
    assert fence(stronger).is_at_least(fence(weaker))
    assert not fence(weaker).is_at_least(fence(stronger))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lsc_fence.ugm.none.gpu", "lsc_fence.slm.none.gpu"),
        ("lsc_fence.ugm.none.sysrel", "lsc_fence.ugm.none.sysacq"),
        ("lsc_fence.ugm.clean.gpu", "lsc_fence.ugm.invalidate.gpu"),
        ("lsc_fence.ugm.discard.gpu", "lsc_fence.ugm.none.gpu"),
        ("lsc_fence.ugm.evict.tile", "lsc_fence.ugm.none.gpu"),
        ("fence_global.E", "fence_local.E"),
        ("fence_global.E", "lsc_fence.ugm.none.gpu"),
        ("fence_global.EI", "fence_global.ES"),
    ],
)
def test_no_page_says_which_is_stronger(one: str, other: str) -> None:
    assert not fence(one).is_at_least(fence(other))
    assert not fence(other).is_at_least(fence(one))


# ---------------------------------------------------------------- caches


def test_uncached_is_as_strong_as_any_and_nothing_else_is_as_strong_as_it() -> None:
    for word in CACHE_WORDS:
        assert are_as_strong(("uc",) * 3, (word,) * 3, one_device=True)
        assert are_as_strong((word,) * 3, ("uc",) * 3, one_device=True) == (word == "uc")
        assert are_as_strong((word,) * 3, ("uc",) * 3, one_device=False) == (word == "uc")


def test_of_the_default_nothing_is_known() -> None:
    for word in set(CACHE_WORDS) - {"df", "uc"}:
        assert not are_as_strong((word,) * 3, ("df",) * 3, one_device=True)
        assert not are_as_strong(("df",) * 3, (word,) * 3, one_device=True)
        assert are_as_strong(("df",) * 3, (word,) * 3, one_device=False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lsc_load.ugm (M1, 8) V:d32 bti(0x0)[V]:a32", ("df", "df", "df")),
        ("lsc_load.ugm.uc.ca (M1, 8) V:d32 bti(0x0)[V]:a32", ("uc", "ca", "df")),
        ("lsc_load.ugm.ca.ca.uc.ov (M1, 8) V:d32 bti(0x0)[V]:a32", ("ca", "ca", "uc")),
        ("gather4_scaled.R (M1, 8) %slm 0x0:ud V.0 V.0", None),
    ],
)
def test_the_words_of_a_message_stand_for_its_levels(text: str, words: tuple[str, ...] | None) -> None:
    assert caches_of(first(text)) == words
