"""The loads and stores of the pages as transfers: which address each lane has, and where its words lie."""

import numpy as np
from msgspec.structs import replace

from visaproof.decode.message import Message
from visaproof.instructions import OwordLd, QwScatter, Scatter4Scaled
from visaproof.instructions.family import (
    Gather4Scaled,
    GatherScaled,
    LscAtomic,
    LscLoad,
    LscStore,
    OwordLdUnaligned,
    OwordSt,
    QwGather,
    ScatterScaled,
    SvmBlockLd,
    SvmBlockSt,
    SvmGather,
    SvmGather4Scaled,
    SvmScatter,
    SvmScatter4Scaled,
)
from visaproof.instructions.lsc.untyped import MOST_MOVED, Extension
from visaproof.instructions.svm_gather import FLAT
from visaproof.isa.operands import Channels, ImmediateUD, RawOperand, Scalar
from visaproof.machine.arrays.arrays import Addresses
from visaproof.machine.arrays.batch import Batch, NotVectorised
from visaproof.machine.arrays.messages import raw
from visaproof.machine.arrays.messages.raw import Numbers
from visaproof.machine.arrays.messages.transfers import Transfer, Word
from visaproof.machine.arrays.threads import Threads

OWORD = 16
"""Bytes."""

DWORDS = (Word(0, 4, 0, 4, 4),)
"""One dword per lane, one behind the other."""


STORES = (Scatter4Scaled, ScatterScaled, QwScatter, OwordSt, SvmScatter, SvmScatter4Scaled, SvmBlockSt, LscStore)


def transfer_of(message: Message, threads: Threads) -> Transfer:
    """Raises NotVectorised for a message that is neither a load nor a store here."""
    match message:
        case Gather4Scaled() | Scatter4Scaled():
            return _four_channels(message, threads)
        case GatherScaled(execution, blocks, surface, offset, element, data) | ScatterScaled(
            execution, blocks, surface, offset, element, data
        ):
            address = _offsets(threads, offset, element, execution.size)
            return Transfer(execution, surface, address, 1, data, (Word(0, blocks, 0, 4, 4),))
        case QwGather(execution, surface, offset, data) | QwScatter(execution, surface, offset, data):
            address = raw.numbers(threads, offset, 4, execution.size)
            halves = tuple(Word(4 * half, 4, 4 * half, 8, 4) for half in (0, 1))
            return Transfer(execution, surface, address, 8, data, halves)
        case OwordLd() | OwordLdUnaligned() | OwordSt() | SvmBlockLd() | SvmBlockSt():
            return _block(message, threads)
        case SvmGather() | SvmScatter() | SvmGather4Scaled() | SvmScatter4Scaled():
            return _flat(message, threads)
        case LscLoad() | LscStore():
            return _lsc(message, threads)
        case _:
            raise NotVectorised("a message of another kind")


def _offsets(threads: Threads, offset: Scalar, element: RawOperand, lanes: int) -> Numbers:
    """The sum of a scalar and a dword per lane, modulo 2^32 (D10)."""
    first, second = raw.scalar(threads, offset), raw.numbers(threads, element, 4, lanes)
    return lambda batch: first(batch) + second(batch) & np.uint64(0xFFFF_FFFF)


def _channel_words(channels: Channels, lanes: int, grf_bytes: int) -> list[Word]:
    """Each enabled channel in registers of its own; channel c of a lane is the dword c behind its first."""
    enabled = [c for c in range(4) if channels.mask >> c & 1]
    slot_bytes = max(4 * lanes, grf_bytes)
    return [Word(4 * c, 4, slot * slot_bytes, 4, 4) for slot, c in enumerate(enabled)]


def _four_channels(message: Gather4Scaled | Scatter4Scaled, threads: Threads) -> Transfer:
    lanes, grf = message.execution.size, threads.platform.grf_bytes
    assert isinstance(message.channels, Channels)
    words = tuple(_channel_words(message.channels, lanes, grf))
    address = _offsets(threads, message.offset, message.element_offset, lanes)
    stores = isinstance(message, Scatter4Scaled)
    data = message.src if isinstance(message, Scatter4Scaled) else message.dst
    rests = () if stores else _rests(words, lanes, grf)
    return Transfer(message.execution, message.surface, address, 4, data, words, cleared=rests)


def _rests(words: tuple[Word, ...], lanes: int, grf_bytes: int) -> tuple[tuple[int, int], ...]:
    """Page: "the remaining part of the register has undefined values": here 0."""
    return tuple((word.start + 4 * lanes, word.start + grf_bytes) for word in words if 4 * lanes < grf_bytes)


def _block(message: OwordLd | OwordLdUnaligned | OwordSt | SvmBlockLd | SvmBlockSt, threads: Threads) -> Transfer:
    distances = tuple(range(0, OWORD * message.size, 4))
    data = message.src if isinstance(message, OwordSt | SvmBlockSt) else message.dst
    if isinstance(message, SvmBlockLd | SvmBlockSt):
        address = raw.numbers(threads, message.address, 8, 1)
        unit = 4 if message.unaligned else OWORD
    elif isinstance(message, OwordLdUnaligned):
        address, unit = raw.scalar(threads, message.offset), 4
    else:
        owords, unit = raw.scalar(threads, message.offset), 1
        address = _in_owords(owords)

    return Transfer(None, message.surface, address, unit, data, DWORDS, distances)


def _in_owords(offset: Numbers) -> Numbers:
    return lambda batch: offset(batch) * np.uint64(OWORD)


def _flat(message: SvmGather | SvmScatter | SvmGather4Scaled | SvmScatter4Scaled, threads: Threads) -> Transfer:
    execution, lanes, grf = message.execution, message.execution.size, threads.platform.grf_bytes
    if isinstance(message, SvmGather | SvmScatter):
        address = raw.numbers(threads, message.addresses, 8, lanes)
        data = message.src if isinstance(message, SvmScatter) else message.dst
        words = tuple(_block_words(message.block_size, message.num_blocks, lanes, isinstance(message, SvmScatter)))
        return Transfer(execution, message.surface, address, message.block_size, data, words)
    base, element = message.address, raw.numbers(threads, message.element_offset, 8, lanes)
    first = raw.scalar(threads, base) if isinstance(base, ImmediateUD) else raw.numbers(threads, base, 8, 1)
    words = tuple(_channel_words(message.channels, lanes, grf))
    stores = isinstance(message, SvmScatter4Scaled)
    data = message.src if isinstance(message, SvmScatter4Scaled) else message.dst
    transfer = Transfer(execution, message.surface, lambda b: first(b) + element(b), 4, data, words)
    return transfer if stores else replace(transfer, cleared=_rests(words, lanes, grf))


def _block_words(size: int, count: int, lanes: int, store: bool) -> list[Word]:
    """Blocks of bytes lie together, lane after lane; of larger ones, those of all lanes do, block after block."""
    if size == 1:
        distance = max(4, count)
        return [Word(j, min(4, count), j, distance, 4) for j in range(0, distance, 4)]
    width = 4 if store else size
    return [
        Word(j * size + part, width, j * lanes * size + part, size, width)
        for j in range(count)
        for part in range(0, size, width)
    ]


def _lsc(message: LscLoad | LscStore, threads: Threads) -> Transfer:
    execution, shape, size = message.execution, message.shape, message.shape.size
    lanes = execution.size
    if shape.transposed and lanes > 1:
        raise NotVectorised("a transposed message of several lanes")
    data = message.src if isinstance(message, LscStore) else message.dst
    row = -(-lanes * size.in_register // threads.platform.grf_bytes) * threads.platform.grf_bytes
    distance = size.in_register if shape.transposed else row
    words = tuple(
        Word(shape.behind(v) + part, min(4, size.in_memory), v * distance + part, size.in_register, 4)
        for v in range(shape.elements)
        for part in range(0, size.in_memory, 4)
    )
    return Transfer(execution, message.surface, lsc_address(message, threads), 1, data, words)


def lsc_address(message: LscLoad | LscStore | LscAtomic, threads: Threads) -> Numbers:
    """base + `scale`·element + `immediate`, modulo 2^32 or 2^64; a negative one in a surface lies far outside."""
    addresses = message.addresses
    element = raw.numbers(threads, addresses.operand, addresses.element_bytes, message.execution.size)
    signed = addresses.extension is Extension.SIGN
    scale, immediate = np.uint64(addresses.scale % 2**64), np.uint64(addresses.immediate % 2**64)
    last = np.uint64(2**addresses.bits - 1)
    base, constant = None, np.uint64(0)
    if isinstance(addresses.base, RawOperand):
        base = raw.numbers(threads, addresses.base, addresses.bits // 8, 1)
    else:
        constant = np.uint64(addresses.base or 0)

    def address(batch: Batch) -> Addresses:
        found = element(batch)
        if signed:
            found = (found.astype(np.int64) << 32 >> 32).astype(np.uint64)
        first = (base(batch) if base else constant) + found * scale + immediate & last
        return first if message.surface == FLAT else np.minimum(first, np.uint64(MOST_MOVED))

    return address
