"""Functions that generated kernels call, each written for the types that a source names.

None has undefined behaviour: signed sums and products are those of the unsigned type, divisors are never 0, indices and
amounts are masked.
"""

import re
from collections.abc import Callable, Iterator

from benchmarks.campaign.types import Type

_BASES = "u?(?:char|short|int|long)|float|double"
_CALL = re.compile(rf"\b([a-z]+)_({_BASES})(2|3|4|8|16)?\b")
_SUB_GROUP = re.compile(r"\bSG_(\w+?)_(u?int|u?long|float)\b")


def prelude(source: str, *, reference: bool) -> str:
    """What the source needs; for PoCL (`reference`) sub-groups and half are made of what it has."""
    lines = dict.fromkeys(_needed(source, reference=reference))
    sub_groups = dict.fromkeys(_SUB_GROUP.findall(source))
    for operation, base in sub_groups:
        lines[(_sub_group_reference if reference else _sub_group)(operation, base)] = None
    half = (_HALF_REFERENCE if reference else _HALF) if "HALF" in source or "half" in source else ()
    inlined = (line if line.startswith("#") else f"{_INLINE} {line}" for line in (*half, *lines))
    return "\n".join([*_EXTENSIONS, *inlined]) + "\n"


_INLINE = "__attribute__((always_inline))"
"""Without it, kernels that are not optimised call functions by addresses that a linker fills in."""
_EXTENSIONS = [
    "#pragma OPENCL FP_CONTRACT OFF",
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable",
    "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable",
]


def _needed(source: str, *, reference: bool) -> Iterator[str]:
    functions = _FUNCTIONS | (_INSTEAD if reference else _CALLED)
    for name, base, lanes in _CALL.findall(source):
        if name in functions:
            yield from functions[name](Type(base, int(lanes or 1)))


def _function(name: str, kind: Type, count: int, result: str) -> str:
    taken = ", ".join(f"{kind} {letter}" for letter in "abc"[:count])
    return f"{kind} {name}_{kind}({taken}) {{ return {result}; }}"


def _wide(kind: Type) -> Type:
    """The unsigned type in which scalars that are promoted to int cannot overflow."""
    return Type("uint") if kind.lanes == 1 and kind.size < 4 else kind.unsigned


def _cast(kind: Type, text: str) -> str:
    """A conversion that keeps the low bits."""
    return f"({kind})({text})" if kind.lanes == 1 else f"convert_{kind}({text})"


def _sum(name: str, operator: str) -> Callable[[Type], Iterator[str]]:
    def written(kind: Type) -> Iterator[str]:
        wide = _wide(kind)
        yield _function(name, kind, 2, _cast(kind, f"{_cast(wide, 'a')} {operator} {_cast(wide, 'b')}"))

    return written


def _negated(kind: Type) -> Iterator[str]:
    wide = _wide(kind)
    yield _function("neg", kind, 1, _cast(kind, f"({wide})0 - {_cast(wide, 'a')}"))


def _product_and_sum(kind: Type) -> Iterator[str]:
    wide = _wide(kind)
    yield _function("mad", kind, 3, _cast(kind, f"{_cast(wide, 'a')} * {_cast(wide, 'b')} + {_cast(wide, 'c')}"))


def _division(name: str, operator: str) -> Callable[[Type], Iterator[str]]:
    """The divisor is 1 where it would be 0 or, of signed numbers, -1."""

    def written(kind: Type) -> Iterator[str]:
        if kind.lanes == 1:
            divisor = f"(b == 0{' || b == -1' if kind.signed else ''} ? ({kind})1 : b)"
        else:
            bad = f"b == ({kind})0" + f" | b == ({kind})-1" * kind.signed
            divisor = f"select(b, ({kind})1, {bad})"
        yield _function(name, kind, 2, f"({kind})(a {operator} {divisor})")

    return written


def _field(kind: Type) -> Iterator[str]:
    """A field of `c` bits from bit `b` on, each below half of the width."""
    unsigned, below = kind.unsigned, kind.bits // 2 - 1
    mask = f"(({unsigned})1 << ({unsigned})(c & ({kind}){below})) - ({unsigned})1"
    if kind.lanes > 1:
        mask = f"(({unsigned})1 << as_{unsigned}(c & ({kind}){below})) - ({unsigned})1"
    shifted = f"as_{unsigned}(a) >> as_{unsigned}(({kind})(b & ({kind}){below}))"
    yield _function("field", kind, 3, f"as_{kind}(({unsigned})(({shifted}) & ({mask})))")


def _reversed(kind: Type) -> Iterator[str]:
    """The bits in the other order."""
    unsigned = kind.unsigned
    bit = f"as_{unsigned}(a) >> ({unsigned})k & ({unsigned})1"
    yield (f"{kind} rev_{kind}({kind} a) {{ {unsigned} r = 0; for (uint k = 0; k < {kind.bits}; ++k) "
           f"r |= ({unsigned})(({bit}) << ({unsigned})({kind.bits - 1} - k)); return as_{kind}(r); }}")  # fmt: skip


def _plain(kind: Type) -> Iterator[str]:
    """NaN and both zeros as +0, so that the bits are those that IEEE 754 states."""
    if kind.lanes == 1:
        yield _function("plain", kind, 1, f"isnan(a) || a == 0 ? ({kind})0 : a")
    else:
        yield _function("plain", kind, 1, f"select(a, ({kind})0, isnan(a) | (a == ({kind})0))")


def _moderate(kind: Type) -> Iterator[str]:
    """A number that any integer type holds."""
    yield from _plain(kind)
    yield _function("mid", kind, 1, f"clamp(plain_{kind}(a), ({kind})0, ({kind})100)")


_FUNCTIONS: dict[str, Callable[[Type], Iterator[str]]] = {
    "add": _sum("add", "+"), "sub": _sum("sub", "-"), "mul": _sum("mul", "*"), "neg": _negated,
    "mad": _product_and_sum, "div": _division("div", "/"), "rem": _division("rem", "%"),
    "field": _field, "rev": _reversed, "plain": _plain, "mid": _moderate,
}  # fmt: skip

# ---------------------------------------------------------------- what PoCL gets wrong, in plain C


def _distance(kind: Type) -> Iterator[str]:
    yield f"{kind.unsigned} dist_{kind}({kind} a, {kind} b) {{ return abs_diff(a, b); }}"


def _plain_distance(kind: Type) -> Iterator[str]:
    """PoCL 3.1 folds abs_diff of signed numbers whose difference overflows to 0."""
    unsigned = kind.unsigned
    one, other = (f"({unsigned})(as_{unsigned}({a}) - as_{unsigned}({b}))" for a, b in ("ab", "ba"))
    if kind.lanes == 1:
        yield f"{unsigned} dist_{kind}({kind} a, {kind} b) {{ return a > b ? {one} : {other}; }}"
    else:
        yield f"{unsigned} dist_{kind}({kind} a, {kind} b) {{ return select({other}, {one}, a > b); }}"


_CALLED: dict[str, Callable[[Type], Iterator[str]]] = {"dist": _distance}
_INSTEAD: dict[str, Callable[[Type], Iterator[str]]] = {"dist": _plain_distance}

# ---------------------------------------------------------------- half: PoCL computes it in float, rounded each time

_HALF = (
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable",
    "#define HALF half",
    "half hget(ushort a) { return as_half(a); }",
    "ushort hput(half a) { return as_ushort(a); }",
    "half hof(float a) { return convert_half_rte(a); }",
    "float hto(half a) { return convert_float(a); }",
    "half hadd(half a, half b) { return a + b; }",
    "half hsub(half a, half b) { return a - b; }",
    "half hmul(half a, half b) { return a * b; }",
    "half hneg(half a) { return -a; }",
    "half habs(half a) { return fabs(a); }",
)
_HALF_REFERENCE = (
    "#define HALF float",
    "float hget(ushort a) { return vload_half(0, (const half *)&a); }",
    "ushort hput(float a) { ushort r; vstore_half_rte(a, 0, (half *)&r); return r; }",
    "float hof(float a) { ushort r = hput(a); return hget(r); }",
    "float hto(float a) { return a; }",
    "float hadd(float a, float b) { return hof(a + b); }",
    "float hsub(float a, float b) { return hof(a - b); }",
    "float hmul(float a, float b) { return hof(a * b); }",
    "float hneg(float a) { return -a; }",
    "float habs(float a) { return fabs(a); }",
)

# ---------------------------------------------------------------- sub-groups: PoCL gets them by local memory

_SUB_GROUP_CALLS = {
    "add": "sub_group_reduce_add(a)",
    "min": "sub_group_reduce_min(a)",
    "max": "sub_group_reduce_max(a)",
    "scanadd": "sub_group_scan_inclusive_add(a)",
    "exadd": "sub_group_scan_exclusive_add(a)",
    "scanmax": "sub_group_scan_inclusive_max(a)",
    "first": "sub_group_broadcast(a, 0)",
    "third": "sub_group_broadcast(a, 3)",
    "shuffle": "intel_sub_group_shuffle(a, b & (SG - 1))",
    "xor": "intel_sub_group_shuffle_xor(a, b)",
}
_SUB_GROUP_LOOPS = {
    "add": "r = t[s]; for (uint k = 1; k < SG; ++k) r += t[s + k];",
    "min": "r = t[s]; for (uint k = 1; k < SG; ++k) r = min(r, t[s + k]);",
    "max": "r = t[s]; for (uint k = 1; k < SG; ++k) r = max(r, t[s + k]);",
    "scanadd": "r = t[s]; for (uint k = 1; k <= l - s; ++k) r += t[s + k];",
    "exadd": "r = 0; for (uint k = 0; k < l - s; ++k) r += t[s + k];",
    "scanmax": "r = t[s]; for (uint k = 1; k <= l - s; ++k) r = max(r, t[s + k]);",
    "first": "r = t[s];",
    "third": "r = t[s + 3];",
    "shuffle": "r = t[s + (b & (SG - 1))];",
    "xor": "r = t[s + ((l - s) ^ (b))];",
}
SUB_GROUP_OPERATIONS = tuple(_SUB_GROUP_CALLS)
WITH_AMOUNT = ("shuffle", "xor")


def _sub_group(operation: str, base: str) -> str:
    return f"#define SG_{operation}_{base}(r, a, b) r = {_SUB_GROUP_CALLS[operation]}"


def _sub_group_reference(operation: str, base: str) -> str:
    """All work items of the group come here: it is at the top of a kernel."""
    loop = _SUB_GROUP_LOOPS[operation]
    return (f"#define SG_{operation}_{base}(r, a, b) do {{ local {base} *t = (local {base} *)scratch; uint l = lid, "
            f"s = l / SG * SG; {base} v_ = a; t[l] = v_; barrier(CLK_LOCAL_MEM_FENCE); {loop} "
            f"barrier(CLK_LOCAL_MEM_FENCE); }} while (0)")  # fmt: skip
