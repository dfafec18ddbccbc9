"""Kernels of different SIMD widths: in rows an item has one pair of ids at any width, in tiles it has not."""

from dataclasses import replace

from visaproof.isa.errors import NotModelled
from visaproof.launch.ids.laid_out import takes_only_images
from visaproof.launch.ids.local_ids import Host
from visaproof.launch.matching import Program
from visaproof.launch.premises import Premise, premise
from visaproof.refinement.scope import Scope


def in_rows(source: Program, target: Program, scope: Scope) -> tuple[Program, Program, tuple[Premise, ...]]:
    """The programs, launched by an API that has no tiles.  Raises NotModelled where it is stated that one has."""
    tiles = any(takes_only_images(program.kernel, program.launch) for program in (source, target))
    if not scope.assume.of_launches or not tiles or source.launch.host is Host.LEVEL_ZERO:
        return source, target, ()
    if source.launch.host is Host.OPENCL:
        raise NotModelled("kernels of different SIMD widths whose local ids are laid out in tiles (--host opencl)")
    if "rows" not in scope.assume:
        raise NotModelled("kernels of different SIMD widths whose local ids may be laid out in tiles (rows is lifted)")
    one, other = (replace(each, launch=replace(each.launch, host=Host.LEVEL_ZERO)) for each in (source, target))
    return one, other, (premise("rows"),)
