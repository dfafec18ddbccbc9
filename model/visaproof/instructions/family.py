"""The memory instructions beside the four pages of `instructions.ALL`.  Source: docs/pages/family.md §1."""

from visaproof.instructions.dword_atomic import DwordAtomic
from visaproof.instructions.gather4_scaled import Gather4Scaled
from visaproof.instructions.gather4_typed import Gather4Typed
from visaproof.instructions.gather_scaled import GatherScaled
from visaproof.instructions.instruction import Instruction
from visaproof.instructions.lsc.atomic import LscAtomic
from visaproof.instructions.lsc.load import LscLoad
from visaproof.instructions.lsc.load_block2d import LscLoadBlock2d
from visaproof.instructions.lsc.load_typed import LscLoadTyped
from visaproof.instructions.lsc.store import LscStore
from visaproof.instructions.lsc.store_block2d import LscStoreBlock2d
from visaproof.instructions.lsc.store_typed import LscStoreTyped
from visaproof.instructions.oword_ld_unaligned import OwordLdUnaligned
from visaproof.instructions.oword_st import OwordSt
from visaproof.instructions.qw_gather import QwGather
from visaproof.instructions.scatter4_typed import Scatter4Typed
from visaproof.instructions.scatter_scaled import ScatterScaled
from visaproof.instructions.svm_atomic import SvmAtomic
from visaproof.instructions.svm_block_ld import SvmBlockLd
from visaproof.instructions.svm_block_st import SvmBlockSt
from visaproof.instructions.svm_gather import SvmGather
from visaproof.instructions.svm_gather4_scaled import SvmGather4Scaled
from visaproof.instructions.svm_scatter import SvmScatter
from visaproof.instructions.svm_scatter4_scaled import SvmScatter4Scaled

FAMILY: tuple[type[Instruction], ...] = (
    Gather4Scaled,
    GatherScaled,
    ScatterScaled,
    Gather4Typed,
    Scatter4Typed,
    OwordLdUnaligned,
    OwordSt,
    QwGather,
    DwordAtomic,
    LscAtomic,
    LscLoad,
    LscLoadBlock2d,
    LscLoadTyped,
    LscStore,
    LscStoreBlock2d,
    LscStoreTyped,
    SvmAtomic,
    SvmBlockLd,
    SvmBlockSt,
    SvmGather,
    SvmGather4Scaled,
    SvmScatter,
    SvmScatter4Scaled,
)

__all__ = [
    "FAMILY",
    "DwordAtomic",
    "Gather4Scaled",
    "Gather4Typed",
    "GatherScaled",
    "LscAtomic",
    "LscLoad",
    "LscLoadBlock2d",
    "LscLoadTyped",
    "LscStore",
    "LscStoreBlock2d",
    "LscStoreTyped",
    "OwordLdUnaligned",
    "OwordSt",
    "QwGather",
    "Scatter4Typed",
    "ScatterScaled",
    "SvmAtomic",
    "SvmBlockLd",
    "SvmBlockSt",
    "SvmGather",
    "SvmGather4Scaled",
    "SvmScatter",
    "SvmScatter4Scaled",
]
