"""What today's compiler makes of a kernel with and without `restrict`: it relies on it, and `refine` sees where."""

from pathlib import Path

import pytest

from tests.current_compiler import compiled
from visaproof.refinement.refines import refines
from visaproof.refinement.verdicts import Apart, Refines

INTS = "global int *{0} a, global int *{0} b, global int *{0} c"

RELIES = {
    "a load again": (INTS, "int x = b[i]; a[i] = x + 1; c[i] = b[i] * 3;"),
    "a dead store": (INTS, "a[i] = 5; int x = b[i]; a[i] = x; c[i] = x + 1;"),
}
"""Kernels of which the compiler makes something else with `restrict`."""


def compiled_twice(what: str, device: str, folder: Path) -> tuple[Path, Path, Path, Path]:
    """The dumps without and with it, and their zebins."""
    arguments, body = RELIES[what]
    plain, restrict = (
        compiled(
            f"kernel void k({arguments.format(word)}) {{ int i = get_global_id(0); {body} }}", device, folder / name
        )
        for name, word in (("plain", ""), ("restrict", "restrict"))
    )
    return plain.dump, restrict.dump, plain.zebin, restrict.zebin


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "device"),
    [("a load again", "dg2"), ("a dead store", "dg2"), ("a load again", "tgllp"), ("a load again", "bmg")],
)
def test_code_that_relies_on_restrict_refines_only_a_source_that_has_it(what: str, device: str, tmp_path: Path) -> None:
    """Without it there is a run on buffers that overlap; with it, the language grants what is needed."""
    plain, restrict, without, with_it = compiled_twice(what, device, tmp_path)
    relies = refines(plain, restrict, launch=without, launch_target=with_it)
    assert isinstance(relies, Apart), relies
    assert relies.difference is not None
    granted = refines(restrict, plain, launch=with_it, launch_target=without)
    assert isinstance(granted, Refines), granted
    assert isinstance(refines(plain, restrict, launch=without, launch_target=with_it, alias="none"), Refines)
