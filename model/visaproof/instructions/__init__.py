"""The instructions, one file for each page of the manual."""

from visaproof.instructions.instruction import Instruction
from visaproof.instructions.oword_ld import OwordLd
from visaproof.instructions.qw_scatter import QwScatter
from visaproof.instructions.scatter4_scaled import Scatter4Scaled
from visaproof.instructions.typed_atomic import TypedAtomic

ALL: tuple[type[Instruction], ...] = (Scatter4Scaled, OwordLd, QwScatter, TypedAtomic)
"""Every modelled page."""

__all__ = ["ALL", "Instruction", "OwordLd", "QwScatter", "Scatter4Scaled", "TypedAtomic"]
