"""Which opcodes there are, to tell one that is misspelt from one that has no semantics here.

Source: docs/pages/family.md §1, §2.
"""

from difflib import get_close_matches

from visaproof.decode.message import OPCODES
from visaproof.isa.opcodes import ROWS
from visaproof.visaasm.opcode_kinds import RUN

_WITHOUT_SEMANTICS = (
    "add3o", "bfi", "call", "divm", "dpasw", "faddr", "fcall", "fcvt", "fret", "ifcall", "invm", "label",
    "lsc_atomic_fadd", "lsc_atomic_fsub", "lsc_atomic_load", "lsc_atomic_store", "lsc_load_strided", "madw",
    "mulh", "raw_send", "raw_sendc", "raw_sends", "raw_sendsc", "rsqtm", "rt_write", "sad2", "sad2add", "sampleinfo",
    "sqrtm", "srnd", "subroutine", "switchjmp", "urb_write",
)  # fmt: skip
KNOWN = frozenset((*OPCODES, *RUN, *ROWS, *_WITHOUT_SEMANTICS))
_FAMILIES = ("3d_", "avs", "gather", "info_", "lsc_", "media_", "raw_", "sample", "scatter", "svm_", "vme_")
"""With more members than are known by name."""
LEAST_ALIKE = 0.75
MOST_CHARACTERS = 64


def meant(opcode: str) -> str:
    """The opcode that was probably meant by a name that none has, or ""."""
    if opcode in KNOWN or len(opcode) > MOST_CHARACTERS:
        return ""
    close = get_close_matches(opcode, sorted(KNOWN), n=1, cutoff=LEAST_ALIKE)
    if not close or (opcode.startswith(_FAMILIES) and abs(len(opcode) - len(close[0])) > 1):
        return ""
    return close[0]


def not_modelled(opcode: str) -> str:
    """Why a statement of this opcode has no semantics."""
    found = meant(opcode)
    return f"opcode {opcode}, which the pages do not have: did you mean {found}?" if found else f"opcode {opcode}"
