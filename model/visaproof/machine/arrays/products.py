"""`dpas` on arrays: the sums of many threads at once.  Source: docs/pages/current-compiler.md §7."""

import numpy as np

from visaproof.decode.dpas import DWORD_BITS, Dpas, Element
from visaproof.isa.operands import NULL
from visaproof.machine.arrays.arrays import Array, Bools
from visaproof.machine.arrays.batch import Batch, Enabled
from visaproof.machine.arrays.messages import raw
from visaproof.machine.arrays.step import Step
from visaproof.machine.arrays.threads import Threads
from visaproof.machine.concrete.matrices import NOT_A_NUMBER

WORD_BITS = 16


def dpas_step(dpas: Dpas, threads: Threads) -> Step:
    """Raises NotVectorised for an operand that reaches beyond its variable.

    Floats are added in the order of k, each sum rounded to float32, as on one thread.
    """
    lanes, rows = dpas.execution.size, dpas.rows
    whole = rows * dpas.a_bits // WORD_BITS
    a_words = raw.words(threads, dpas.a, 0, 2, 2, whole)
    b_words = raw.words(threads, dpas.b, 0, 4, 4, dpas.b_dwords * lanes)
    acc_words = None if dpas.acc == NULL else raw.words(threads, dpas.acc, 0, 4, 4, rows * lanes)
    target = raw.words(threads, dpas.dst, 0, 4, 4, rows * lanes)

    def run(batch: Batch, enabled: Enabled) -> Bools | None:
        a = _elements(batch.pick(a_words).reshape(batch.count, rows, -1), WORD_BITS, dpas.a_type, dpas.inner)
        columns = batch.pick(b_words).reshape(batch.count, dpas.b_dwords, lanes).transpose(0, 2, 1)
        b = _elements(columns, DWORD_BITS, dpas.b_type, dpas.inner)
        start = np.zeros((batch.count, rows * lanes), np.uint32) if acc_words is None else batch.pick(acc_words)
        found = _sums(np.ascontiguousarray(start).reshape(batch.count, rows, lanes), a, b, dpas)
        on = np.tile(enabled.lanes, rows)
        picked = batch.indices
        target[picked] = np.where(on, found.reshape(batch.count, -1), target[picked])
        return None

    return Step(dpas.execution, run)


def _elements(words: Array, word_bits: int, kind: Element, count: int) -> Array:
    """The elements (threads, lines, k) of packed words (threads, lines, words), as int64 or float64."""
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little")
    fields = bits[..., : count * kind.bits].reshape(*words.shape[:2], count, kind.bits).astype(np.int64)
    numbers = fields @ (np.int64(1) << np.arange(kind.bits, dtype=np.int64))
    match kind:
        case Element.HF:
            return numbers.astype(np.uint16).view(np.float16).astype(np.float64)
        case Element.BF:
            return (numbers.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
        case Element.TF32:
            return (numbers.astype(np.uint32) & np.uint32(0xFFFF_E000)).view(np.float32).astype(np.float64)
        case _ if kind.signed:
            return numbers - (numbers >> (kind.bits - 1) << kind.bits)
        case _:
            return numbers


def _sums(start: Array, a: Array, b: Array, dpas: Dpas) -> Array:
    """The bits (threads, rows, lanes) of acc + A × B."""
    if not dpas.floating:
        total = start.astype(np.int64) + np.einsum("trk,tik->tri", a, b)
        return (total & 0xFFFF_FFFF).astype(np.uint32)
    sums = start.view(np.float32)
    with np.errstate(all="ignore"):
        for k in range(dpas.inner):
            product = a[:, :, None, k] * b[:, None, :, k]
            sums = (sums.astype(np.float64) + product).astype(np.float32)
    return np.where(np.isnan(sums), np.uint32(NOT_A_NUMBER), sums.view(np.uint32))
