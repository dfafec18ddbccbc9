"""The variables that exist without a declaration, as declarations.  Source: docs/pages/operands-and-files.md §4, §5."""

from collections.abc import Mapping
from types import MappingProxyType

from visaproof.isa.predefined import BINDLESS_SAMPLER as BINDLESS_SAMPLER
from visaproof.isa.predefined import GENERAL as GENERAL
from visaproof.isa.predefined import SURFACES as SURFACES
from visaproof.visaasm.syntax import GeneralVariable, SamplerVariable, SurfaceVariable, Variable

PREDEFINED: Mapping[str, Variable] = MappingProxyType(
    {name: GeneralVariable(name, data_type, count, None, None, None) for name, data_type, count in GENERAL}
    | {name: SurfaceVariable(name, 1, None) for name in SURFACES}
    | {BINDLESS_SAMPLER: SamplerVariable(BINDLESS_SAMPLER, 1, None)}
)

SCRATCH_SURFACE = "%scratchloc"
"""The address of the surface state of a thread's private memory, for `surf(…)`."""

NULL = "%null"
"""As a raw operand: absent.  As a destination: the result is dropped."""
