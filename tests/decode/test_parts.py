"""Every part of a message is used or refused: what a decoder does not ask for never gets lost."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct, defstruct
from msgspec.structs import replace

from visaproof.decode import parts
from visaproof.decode.message import OPCODES, decode
from visaproof.isa.errors import IllegalInstruction, NotModelled, ReadError
from visaproof.isa.execution import Combine, ExecMask
from visaproof.isa.platform import Platform
from visaproof.isa.types import DataType
from visaproof.visaasm import syntax
from visaproof.visaasm.reader import read_kernel, read_kernel_file

SHARED = Path(__file__).parents[3] / "shared"
CORPORA = ("corpus", "corpus-2026")
REFUSED = (NotModelled, ReadError, IllegalInstruction)
HERE = syntax.Position("f", 1, 1)
BLOCKS = ("oword_ld", "oword_ld_unaligned", "oword_st", "svm_block_ld", "svm_block_st")

CACHES = frozenset(("uc", "ca"))
NO_EFFECT = {
    "cache": "how the caches treat a message changes nothing that it loads or stores",
    "ov": "a load may fetch more than it was asked for, and brings the same",
    "mod": "D17: the word on an oword block is said to mean nothing",
    "aligned": "oword-aligned addresses are what a block message asks for without the word, too",
    "region": "a scalar has one element",
    "mask": "block messages run under no mask",
    "type": "a constant of another type with the same value",
    "letter": "Intel's grammar takes d and u for the same data",
    "null": "the absent operand has no bytes",
    "layout": "of one element, or of one lane, both layouts are the same bytes",
}
"""The parts that have no effect, and why."""


class Form(Struct, frozen=True):
    """A statement of a corpus, one for each form, and its kernel."""

    instruction: syntax.Instruction
    kernel: syntax.Kernel
    platform: Platform


def _platform(text: str) -> Platform:
    return Platform.PVC if re.search(r"//Platform: ?(PVC|XE|NVL)", text) else Platform.DG2


def forms(corpus: str, wanted: re.Pattern[str]) -> list[Form]:
    """One statement of each form whose line is `wanted`: the first kernel that has it is read."""
    if not (SHARED / corpus).is_dir():
        pytest.skip(f"{corpus} is not there")
    seen: set[str] = set()
    found: list[Form] = []
    for path in sorted((SHARED / corpus / "visaasm").glob("*/*.visaasm")):
        text = path.read_text("utf-8")
        new: set[int] = set()
        for number, line in enumerate(text.splitlines(), 1):
            if wanted.match(line):
                form = re.sub(r"\s*///.*|\b0x[0-9a-f]+\b|\d+(?=[.)\]])", "", re.sub(r"[VTP]\d+", "V", line))
                new |= set() if form in seen else {number}
                seen.add(form)
        if not new:
            continue
        platform = _platform(text)
        try:
            kernel = read_kernel_file(path, grf_bytes=platform.grf_bytes)
        except ReadError:
            continue
        found += [Form(each, kernel, platform) for each in kernel.instructions() if each.position.line in new]
    return found


MESSAGE = re.compile(rf"\s*(\(.*?\) )?({'|'.join(sorted(OPCODES, key=len, reverse=True))})\b")


# ---------------------------------------------------------------- alterations


def altered(form: Form) -> Iterator[tuple[str, syntax.Instruction]]:
    """The statement with one part altered or added, and the name of what may have no effect."""
    one = form.instruction
    for place in range(len(one.suffixes) + 1):
        for word in ("foo", "sat", "16", "64", "mod", "aligned", "unaligned", "ov", "uc", "RGBA"):
            suffixes = (*one.suffixes[:place], word, *one.suffixes[place:])
            yield "cache" if word in CACHES else word, replace(one, suffixes=suffixes)
    use = syntax.PredicateUse("P1", one.predicate is None or not one.predicate.inverse, Combine.PLAIN)
    yield "predicate", replace(one, predicate=use)
    if (execution := one.execution) is not None:
        mask = ExecMask.M1 if execution.mask is not ExecMask.M1 else ExecMask.M5
        yield "mask", replace(one, execution=replace(execution, mask=mask))
        yield "size", replace(one, execution=replace(execution, size=execution.size * 2))
    yield "operand", replace(one, operands=(*one.operands, syntax.Number(1, HERE)))
    for place, operand in enumerate(one.operands):
        for name, other in altered_operand(operand, form.kernel):
            yield name, replace(one, operands=(*one.operands[:place], other, *one.operands[place + 1 :]))


def altered_operand(operand: syntax.Operand, kernel: syntax.Kernel) -> Iterator[tuple[str, syntax.Operand]]:
    for field in operand.__struct_fields__:
        value: object = getattr(operand, field)
        for other in others(field, value, kernel):
            is_null = field == "offset" and getattr(operand, "variable", "") == "%null"
            yield "null" if is_null else _named(field, value, other), replace(operand, **{field: other})


def _named(field: str, value: object, other: object) -> str:
    if field != "shape":
        return field
    before, after = str(value), str(other)
    return (
        "letter" if before[1:] == after[1:] else "layout" if before == after + "t" or before + "t" == after else field
    )


def others(field: str, value: object, kernel: syntax.Kernel) -> Iterator[object]:
    """Other values for a field, by its name and what it holds."""
    words = {
        "model": ("flat", "bti", "bss", "ss", "surf", "arg"),
        "size": ("a16", "a32", "a64", "a32u", "a32s"),
        "modifier": ("-", "abs", "~"),
        "shape": (f"u{str(value)[1:]}", f"{str(value).removesuffix('t')}", f"{value}t", "d64x2", "d16u32h", "d32.xy"),
    }
    if field in words:
        yield from (word for word in words[field] if word != value)
    elif field == "base":
        raw = syntax.RawOperand("%r0", 0, HERE)
        yield from (base for base in (None, syntax.Number(7, HERE), raw) if base != value)
    elif isinstance(value, syntax.Region):
        yield replace(value, vertical=value.vertical + 1)
    elif isinstance(value, DataType):
        yield DataType.UW if value is not DataType.UW else DataType.UD
    elif field in ("variable", "name"):
        names = ("%dbg0", "%tsc", "%null") if field == "variable" else ("%bss", "%slm")
        yield from (other for other in names if other != value)
    elif field == "region":
        yield syntax.Region(0, 1, 0)
    elif isinstance(value, int) or field == "horizontal":
        yield 4 + (value if isinstance(value, int) else 0)


def decoded(form: Form, instruction: syntax.Instruction) -> object:
    return decode(instruction, form.kernel, form.platform)


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
def test_every_part_of_a_message_counts_or_is_refused(corpus: str) -> None:
    found = forms(corpus, MESSAGE)
    assert len(found) > 50
    tried = 0
    for form in found:
        try:
            message = decoded(form, form.instruction)
        except REFUSED:
            continue
        for name, other in altered(form):
            tried += 1
            try:
                same = decoded(form, other) == message
            except REFUSED:
                continue
            assert not same or has_no_effect(name, form), (name, other.text, other)
    assert tried > 2000


def has_no_effect(name: str, form: Form) -> bool:
    """Whether the part is one that says nothing in such a message."""
    opcode = form.instruction.opcode
    applies = {
        "cache": opcode.startswith("lsc_"),
        "ov": opcode in ("lsc_load", "lsc_load_quad"),
        "mod": opcode in ("oword_ld", "oword_ld_unaligned"),
        "aligned": opcode in ("svm_block_ld", "svm_block_st"),
        "mask": opcode in BLOCKS,
        "layout": "d32" not in form.instruction.text,
    }
    return name in NO_EFFECT and applies.get(name, True)


# ---------------------------------------------------------------- the check itself

KERNEL = read_kernel(
    """.version 4.1
.kernel "k"
.decl A v_type=G type=uq num_elts=16 align=GRF
.decl D v_type=G type=d num_elts=64 align=GRF
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=2
.function "k"
_main:
    lsc_load.ugm (M1, 8) D:d32 flat[A]:a64
    svm_block_ld (2) A(0,0)<0;1,0> D.0
    gather4_scaled.R (M1, 8) T6 0x0:ud D.0 D.0
    ret (M1, 1)
""",
    "k.visaasm",
)
LOAD, BLOCK, GATHER, _ = KERNEL.instructions()


def test_a_field_that_no_decoder_knows_is_refused() -> None:
    """A field that the syntax gets one day, and that holds something."""
    kinds = [(LOAD, place) for place in (0, 1)] + [(BLOCK, place) for place in (0, 1)] + [(GATHER, 2)]
    for instruction, place in kinds:
        operand = instruction.operands[place]
        extra = defstruct("Extra", [("novel", str, "")], bases=(type(operand),), frozen=True)
        required = operand.__struct_fields__[: -len(operand.__struct_defaults__) or None]
        values = {name: getattr(operand, name) for name in required}
        operands = (*instruction.operands[:place], extra(**values, novel="x"), *instruction.operands[place + 1 :])
        with pytest.raises(NotModelled, match="novel x in an operand of") as raised:
            decode(replace(instruction, operands=operands), KERNEL, Platform.DG2)
        assert raised.value.position == operand.position


def test_a_part_left_over_is_lost_without_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """The net is what refuses: cut, an element of a surface is dropped."""
    surface = syntax.SubscriptedName("T6", 1, None, None, HERE)
    wrong = replace(GATHER, operands=(surface, *GATHER.operands[1:]))
    with pytest.raises(NotModelled, match="element 1 in an operand of gather4_scaled"):
        decode(wrong, KERNEL, Platform.DG2)
    monkeypatch.setattr(parts.Taken, "require_all", lambda *_: None)
    assert decode(wrong, KERNEL, Platform.DG2) == decode(GATHER, KERNEL, Platform.DG2)
