"""Names of surfaces after others may have written them."""

import pickle

from visaproof.queries.kernels.surface_names import (
    AfterAtomicStep,
    AfterCuts,
    AfterImageStores,
    AfterMessage,
    itself,
    like_then,
    moments_of,
    surface_after,
)


def test_the_text_of_a_later_surface_is_for_the_reader() -> None:
    cuts = ("fence", "atomic")
    assert surface_after("bti 1", AfterCuts(("barrier",), 2)) == "bti 1 after barrier 2"
    assert surface_after("bti 1", AfterCuts(cuts, 2, 1)) == "bti 1 after fence or atomic 2 and 1 ends of iterations"
    assert surface_after("bti 1", AfterAtomicStep(3)) == "bti 1 after atomic step 3"
    assert surface_after("bti 1", AfterMessage(4)) == "bti 1 after message 4"


def test_a_later_surface_knows_itself_and_its_moments() -> None:
    later = surface_after(surface_after("T6", AfterAtomicStep(1)), AfterImageStores(2))
    assert later == "T6 after atomic step 1 after 2 stores to images"
    assert itself(later) == "T6"
    assert moments_of(later) == (AfterAtomicStep(1), AfterImageStores(2))
    assert like_then("T7", later) == "T7 after atomic step 1 after 2 stores to images"
    assert itself(like_then("T7", later)) == "T7"
    again = pickle.loads(pickle.dumps(later))
    assert (again, itself(again)) == (later, "T6")


def test_a_name_that_only_reads_like_a_later_surface_is_none() -> None:
    assert itself("what comes after atomic step 1") == "what comes after atomic step 1"
    assert moments_of("bti 1 after atomic step 1") == ()
    assert like_then("bti 1", "bti 2") == "bti 1"
