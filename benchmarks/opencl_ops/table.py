"""The expressions: what each computes of its arguments a, b, c, on which values, and what PoCL is given instead.

A row says nothing of opcodes: which ones the compilers emit for it is read from their dumps.
"""

from msgspec import Struct

INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")


class Row(Struct, frozen=True):
    """`result = expression` for each item, where `when` holds; 0 elsewhere."""

    name: str
    result: str
    expression: str
    sources: tuple[str, ...]
    when: str = ""
    """A condition in C without which the expression is undefined in OpenCL."""
    reference: str = ""
    """What PoCL computes, in plain C, where it does not know the function."""
    today: bool = False
    """Whether the compiler of 2022 ends without a word where it meets the function."""

    @property
    def needs_double(self) -> bool:
        return "double" in (self.result, *self.sources)

    @property
    def wide(self) -> bool:
        """Whether 64-bit numbers are in it."""
        return bool({"long", "ulong", "double"} & {self.result, *self.sources})

    @property
    def converts_integers(self) -> bool:
        return len(self.sources) == 1 and f"{self.sources[0]}_to_" in self.name and self.result in INTEGERS[:6]

    @property
    def divides(self) -> bool:
        """The compilers divide through INV, which no page states exactly."""
        return self.name.startswith(("div_", "rem_"))


def _each(name: str, expression: str, types: tuple[str, ...], count: int, when: str = "") -> list[Row]:
    """The same expression on operands of each type; T stands for the type."""
    return [Row(f"{name}_{kind}", kind, expression.replace("T", kind), (kind,) * count, when.replace("T", kind))
            for kind in types]  # fmt: skip


SMALL, WORDS, WIDE = INTEGERS[:4], INTEGERS[4:6], INTEGERS[6:]
SIGNED = INTEGERS[::2]
SOME = ("char", "ushort", "int", "uint", "long")
FLOATS = ("float", "double")

INTEGER_ROWS = [
    *_each("add", "a + b", INTEGERS, 2),
    *_each("sub", "a - b", INTEGERS, 2),
    *_each("mul", "a * b", INTEGERS, 2),
    *_each("add3", "a + b + c", WORDS, 3),
    *_each("add_sat", "add_sat(a, b)", INTEGERS[:6], 2),
    *_each("sub_sat", "sub_sat(a, b)", INTEGERS[:6], 2),
    *_each("mul_hi", "mul_hi(a, b)", INTEGERS[:6], 2),
    *_each("mad_hi", "mad_hi(a, b, c)", WORDS, 3),
    *_each("mad", "a * b + c", INTEGERS[:6], 3),
    *_each("mad24", "mad24((T)(a << 8) >> 8, (T)(b << 8) >> 8, c)", ("uint",), 3),
    Row("widening_mul", "long", "(long)a * b", ("int", "int")),
    Row("widening_umul", "ulong", "(ulong)a * b", ("uint", "uint")),
    Row("widening_mad", "ulong", "(ulong)a * b + c", ("uint", "uint", "uint")),
    *_each("div", "a / b", INTEGERS[:6], 2, "b != 0 && !((long)b == -1 && (long)a < 0)"),
    *_each("rem", "a % b", INTEGERS[:6], 2, "b != 0 && !((long)b == -1 && (long)a < 0)"),
    *_each("and", "a & b", INTEGERS, 2),
    *_each("or", "a | b", INTEGERS, 2),
    *_each("xor", "a ^ b", INTEGERS, 2),
    *_each("not", "(T)~a", INTEGERS, 1),
    *_each("select", "(a & c) | (b & ~c)", WORDS, 3),
    *_each("shl", "a << (b & (8 * sizeof(T) - 1))", INTEGERS, 2),
    *_each("shr", "a >> (b & (8 * sizeof(T) - 1))", INTEGERS, 2),
    *_each("rotate", "rotate(a, b)", INTEGERS, 2),
    *_each("rhadd", "rhadd(a, b)", INTEGERS[:6], 2),
    *_each("hadd", "hadd(a, b)", INTEGERS[:6], 2),
    *_each("min", "min(a, b)", INTEGERS, 2),
    *_each("max", "max(a, b)", INTEGERS, 2),
    *_each("clz", "clz(a)", INTEGERS, 1),
    *_each("ctz", "ctz(a)", WORDS, 1, "a != 0"),
    *_each("popcount", "popcount(a)", INTEGERS, 1),
    *_each("neg", "-a", SIGNED, 1),
    *[Row(f"abs_{kind}", f"u{kind}", "abs(a)", (kind,)) for kind in SIGNED],
    *[Row(f"abs_diff_{kind}", f"u{kind}", "abs_diff(a, b)", (kind,) * 2) for kind in SIGNED[:3]],
    *_each("ternary", "a < b ? b : c", INTEGERS, 3),
    Row("field_low", "uint", "(a >> (b & 31)) & ((1u << (c & 15)) - 1)", ("uint", "uint", "uint")),
    Row("field_high", "int", "(a << (b & 31)) >> (b & 31)", ("int", "uint")),
    Row("bit_reverse", "uint", "bit_reverse(a)", ("uint",), reference="reversed(a)"),
    Row("extract", "uint", "bitfield_extract_unsigned(a, b & 15, c & 15)", ("uint", "uint", "uint"),
        reference="((a >> (b & 15)) & ((1u << (c & 15)) - 1))", today=True),
    Row("extract_signed", "int", "bitfield_extract_signed(a, b & 15, c & 15)", ("int", "uint", "uint"),
        reference="((c & 15) == 0 ? 0 : (a << (32 - (b & 15) - (c & 15))) >> (32 - (c & 15)))", today=True),
    Row("insert", "uint", "bitfield_insert(a, b, c & 15, (c >> 4) & 15)", ("uint", "uint", "uint"),
        reference="inserted(a, b, c & 15, (c >> 4) & 15)", today=True),
    Row("dot_signed", "int", "dot_acc_sat_4x8packed_ss_int(a, b, c)", ("uint", "uint", "int"),
        reference="dot_ss(a, b, c)", today=True),
    Row("dot_unsigned", "uint", "dot_acc_sat_4x8packed_uu_uint(a, b, c)", ("uint", "uint", "uint"),
        reference="dot_uu(a, b, c)", today=True),
    Row("dot_plain", "int", "dot_4x8packed_us_int(a, b)", ("uint", "uint"), reference="dot_us(a, b)", today=True),
]  # fmt: skip

NUMBERS = "!isnan(a) && !isnan(b)"
"""OpenCL states no bits of a NaN."""
MODERATE = "fabs(a) < 1e15f && fabs(b) < 1e15f && fabs(c) < 1e15f"
"""No product is out of range, where vISA allows an infinity."""

# Signs of zeros are not compared where a compiler drops them: today's adds +0 to a double that it rounds up, and the
# one of 2022 makes `a >= 0 ? a : -a` of fabs(a) where a >= 0 is asked for, too.
FLOAT_ROWS = [
    *_each("add", "a + b", FLOATS, 2, "!isnan(a + b)"),
    *_each("sub", "a - b", FLOATS, 2, "!isnan(a - b)"),
    *_each("mul", "a * b", FLOATS, 2, "!isnan(a * b)"),
    *_each("fma", "fma(a, b, c)", FLOATS, 3, MODERATE),
    *_each("floor", "floor(a)", FLOATS, 1, "!isnan(a) && floor(a) != 0"),
    *_each("ceil", "ceil(a)", FLOATS, 1, "!isnan(a) && ceil(a) != 0"),
    *_each("rint", "rint(a)", FLOATS, 1, "!isnan(a) && rint(a) != 0"),
    *_each("trunc", "trunc(a)", FLOATS, 1, "!isnan(a) && trunc(a) != 0"),
    *_each("less_fraction", "a - floor(a)", FLOATS, 1, "a >= 0 && !isinf(a)"),
    *_each("fabs", "fabs(a)", FLOATS, 1, "!isnan(a) && a != 0"),
    *_each("negated", "-a", FLOATS, 1, "!isnan(a)"),
    *_each("fmin", "fmin(a, b)", FLOATS, 2, f"{NUMBERS} && a != b"),
    *_each("fmax", "fmax(a, b)", FLOATS, 2, f"{NUMBERS} && a != b"),
    *_each("clamp", "clamp(a, (T)0, (T)1)", FLOATS, 1, "!isnan(a) && a != 0"),
    *_each("choice", "a < b ? a : b", FLOATS, 2, NUMBERS),
    *[Row(f"compare_{name}_{kind}", "int", f"a {sign} b", (kind, kind))
      for name, sign in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="))
      for kind in ("float", "double", "int", "uint", "long", "ulong")],
    Row("interpolated", "float", "fma(a, b, fma(-a, c, c))", ("float",) * 3,
        MODERATE),
]  # fmt: skip

CONVERSION_ROWS = [
    *[Row(f"{source}_to_{target}", target, f"({target})a", (source,))
      for source in SOME for target in SOME if source != target],
    *[Row(f"{source}_to_{target}_sat", target, f"convert_{target}_sat(a)", (source,))
      for source in SOME for target in SOME if source != target],
    *[Row(f"{source}_to_{target}_{mode}", target, f"convert_{target}_{mode}(a)", (source,))
      for source in INTEGERS[4:] for target in FLOATS for mode in ("rte", "rtz", "rtp", "rtn")],
    *[Row(f"{source}_to_{target}_sat", target, f"convert_{target}_sat(a)", (source,), "!isnan(a)")
      for source in FLOATS for target in INTEGERS],
    *[Row(f"{source}_to_{target}_sat_{mode}", target, f"convert_{target}_sat_{mode}(a)", (source,), "!isnan(a)")
      for source in ("float",) for target in ("int", "uint", "uchar") for mode in ("rte", "rtp", "rtn")],
    Row("float_to_double", "double", "(double)a", ("float",), "!isnan(a)"),
    *[Row(f"double_to_float_{mode}", "float", f"convert_float_{mode}(a)", ("double",), "!isnan(a)")
      for mode in ("rte", "rtz", "rtp", "rtn")],
]  # fmt: skip
"""Integers to integers and floats in each rounding mode; floats to integers where OpenCL defines it, by saturation."""

ROWS = {row.name: row for row in (*INTEGER_ROWS, *FLOAT_ROWS, *CONVERSION_ROWS)}

PRELUDE = """
uint reversed(uint a) { uint r = 0; for (int k = 0; k < 32; ++k) r |= ((a >> k) & 1u) << (31 - k); return r; }
uint inserted(uint a, uint b, uint offset, uint count) {
    uint mask = ((1u << count) - 1) << offset;
    return (a & ~mask) | ((b << offset) & mask);
}
int s8(uint a, int k) { return (char)(a >> (8 * k)); }
int u8(uint a, int k) { return (uchar)(a >> (8 * k)); }
int dot_us(uint a, uint b) { int s = 0; for (int k = 0; k < 4; ++k) s += u8(a, k) * s8(b, k); return s; }
int dot_ss(uint a, uint b, int c) {
    int s = 0;
    for (int k = 0; k < 4; ++k) s += s8(a, k) * s8(b, k);
    return add_sat(s, c);
}
uint dot_uu(uint a, uint b, uint c) {
    uint s = 0;
    for (int k = 0; k < 4; ++k) s += u8(a, k) * u8(b, k);
    return add_sat(s, c);
}
"""
"""Plain C for what PoCL does not know."""
