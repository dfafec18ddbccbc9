"""What a function finds of its launch in memory, as no payload is handed to it: the implicit arguments, and local ids.

    lsc_load.ugm … arg[c]:a32    reads from byte c of the implicit arguments on
    local id of lane l in dimension d    at  table + n·ROW + d·(ROW / 3) + 2·l    in the row of the thread's number n

Sources: `implicit_args_struct.h` and `WIFuncResolution.cpp` of IGC, `implicit_args.h` and `generateLocalIDs` of the
compute runtime.  Seen in the corpus at the bytes 4, 0x30, 0x48 and 0x50.
"""

from msgspec import Struct

IMPLICIT = "implicit argument"
"""What an input is called that holds one of them."""

TABLE, IDS = "%local_id_table", "%local_ids"
"""Variables that no text declares: the address of the local ids, and the row of the thread itself."""


class ImplicitArgument(Struct, frozen=True):
    """Numbers in the implicit arguments, as many as `elements`; of 64 bits, the upper half is 0 where it is no address.

    Of each number the variable has a dword, and of an address all.
    """

    start: int
    element_bytes: int
    elements: int
    variable: str
    holds: str
    """In the word of ze_info."""


IMPLICIT_ARGUMENTS = (
    ImplicitArgument(0x04, 4, 3, "%implicit_local_size", "local_size"),
    ImplicitArgument(0x10, 8, 3, "%implicit_global_size", "global_size"),
    ImplicitArgument(0x30, 8, 3, "%implicit_global_offset", "global_id_offset"),
    ImplicitArgument(0x48, 8, 1, TABLE, "local_id_table"),
    ImplicitArgument(0x50, 4, 3, "%implicit_group_count", "group_count"),
)


def dimension_bytes(simd: int) -> int:
    """Bytes of a row from one dimension of the local ids to the next: words, of 16 lanes at least."""
    return 2 * max(simd, 16)
