"""Expressions of a type, over the variables of a kernel.  Each has exactly that type in C and is always defined."""

from collections.abc import Callable, Sequence
from random import Random

from msgspec import Struct, field

from benchmarks.campaign.syntax import Expression
from benchmarks.campaign.types import INT, INTEGERS, UINT, Type

MODES = ("", "_rte", "_rtz", "_rtp", "_rtn")
TESTS = ("isnan($0)", "isinf($0)", "isfinite($0)", "isnormal($0)", "isless($0, $1)", "isgreaterequal($0, $1)",
         "islessgreater($0, $1)", "isunordered($0, $1)")  # fmt: skip
OF_HALF = (("hadd($0, $1)", 2), ("hsub($0, $1)", 2), ("hmul($0, $1)", 2), ("hneg($0)", 1), ("habs($0)", 1))
RELATIONS = ("==", "!=", "<", "<=", ">", ">=")
_EDGES = (0, 1, 2, 3, 7, 8, 15, 31, 32, 63, 127, 128, 255, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000)


Way = Callable[[Type], tuple[str, Sequence[Type]]]
"""The text of an expression of a type, and the types of its operands."""


class Scope(Struct):
    """What an expression may name."""

    random: Random
    variables: list[tuple[str, Type]] = field(default_factory=list[tuple[str, Type]])
    arrays: list[tuple[str, Type, int]] = field(default_factory=list[tuple[str, Type, int]])
    doubles: bool = False
    halves: bool = False
    divides: bool = True
    wide_products: bool = False
    """Whether the upper half of a product of 64-bit numbers is taken."""

    def named(self, kind: Type) -> list[Expression]:
        return [Expression(kind, name) for name, each in self.variables if each == kind]

    # ------------------------------------------------------------ leaves

    def leaf(self, kind: Type) -> Expression:
        """A variable, if there is one of the type."""
        named = self.named(kind)
        if named and self.random.random() < 0.85:
            return self.random.choice(named)
        others = [(name, each) for name, each in self.variables if each.lanes == kind.lanes and not each.floating]
        if others and not kind.floating and self.random.random() < 0.7:
            name, each = self.random.choice(others)
            return Expression(kind, f"convert_{kind}($0)", (Expression(each, name),))
        return self.literal(kind)

    def literal(self, kind: Type) -> Expression:
        if kind.base == "half":
            return Expression(kind, f"hof({self.random.randrange(-64, 64) / 4!r}f)")
        if kind.floating:
            value = self.random.randrange(-64, 64) / 8
            return Expression(kind, f"({kind})({value!r}{'f' * (kind.base == 'float')})")
        value = self.random.choice([*_EDGES, self.random.getrandbits(kind.bits)]) & ((1 << kind.bits) - 1)
        suffix = "ul" if kind.size == 8 else "u"
        if kind.lanes == 1:
            return Expression(kind, f"({kind}){value:#x}{suffix}")
        return Expression(kind, f"as_{kind}(({kind.unsigned})({kind.unsigned.base}){value:#x}{suffix})")

    # ------------------------------------------------------------ expressions

    def expression(self, kind: Type, depth: int) -> Expression:
        if depth <= 0 or self.random.random() < 0.15:
            return self.leaf(kind)
        if kind.base == "half":
            make = self._half
        elif kind.floating:
            make = self._float
        else:
            make = self._integer
        text, kinds = make(kind)
        return Expression(kind, text, tuple(self.expression(each, depth - 1) for each in kinds))

    def _choose(self, ways: Sequence[tuple[float, Way]], kind: Type) -> tuple[str, Sequence[Type]]:
        weights, makers = zip(*ways, strict=True)
        return self.random.choices(makers, weights)[0](kind)

    def _integer(self, kind: Type) -> tuple[str, Sequence[Type]]:
        ways: list[tuple[float, Way]] = [
            (5, self._arithmetic), (3, self._bitwise), (3, self._shift), (5, self._built_in), (2, self._chosen),
            (3, self._converted), (2, self._from_float), (2, self._rearranged),
        ]  # fmt: skip
        if kind == kind.condition:
            ways.append((3, self._compared))
        if self.arrays:
            ways.append((1.5, self._element))
        return self._choose(ways, kind)

    def _arithmetic(self, kind: Type) -> tuple[str, Sequence[Type]]:
        names = ["add", "sub", "mul", "add", "sub", *(["div", "rem"] if self.divides else [])]
        name = self.random.choice([*names, "neg", "mad"])
        count = {"neg": 1, "mad": 3}.get(name, 2)
        return f"{name}_{kind}({', '.join(f'${k}' for k in range(count))})", (kind,) * count

    def _bitwise(self, kind: Type) -> tuple[str, Sequence[Type]]:
        if self.random.random() < 0.15:
            return f"({kind})(~$0)", (kind,)
        if self.random.random() < 0.15:
            return f"({kind})(($0 & $1) | (~$0 & $2))", (kind,) * 3
        return f"({kind})($0 {self.random.choice('&|^')} $1)", (kind, kind)

    def _shift(self, kind: Type) -> tuple[str, Sequence[Type]]:
        unsigned, most = kind.unsigned, kind.bits - 1
        amount = self.random.choice([f"($1 & ({kind}){most})", f"({kind}){self.random.randrange(kind.bits)}"])
        if self.random.random() < 0.1 and (kind.size >= 4 or kind.lanes > 1):
            amount = "$1"  # OpenCL C takes the low bits
        match self.random.randrange(4):
            case 0:
                return f"as_{kind}(({unsigned})(as_{unsigned}($0) << as_{unsigned}(({kind}){amount})))", (kind, kind)
            case 1:
                return f"({kind})($0 >> {amount})", (kind, kind)
            case 2:
                return f"as_{kind}(({unsigned})(as_{unsigned}($0) >> as_{unsigned}(({kind}){amount})))", (kind, kind)
            case _:
                return "rotate($0, $1)", (kind, kind)

    def _built_in(self, kind: Type) -> tuple[str, Sequence[Type]]:
        """Without what the compiler is known to get wrong: faults.toml."""
        ways = [("add_sat($0, $1)", 2), ("sub_sat($0, $1)", 2), ("hadd($0, $1)", 2), ("rhadd($0, $1)", 2),
                ("mul_hi($0, $1)", 2), ("mad_hi($0, $1, $2)", 3), ("mad_sat($0, $1, $2)", 3), ("min($0, $1)", 2),
                ("max($0, $1)", 2), ("clz($0)", 1), ("ctz($0)", 1), ("popcount($0)", 1),
                ("clamp($0, min($1, $2), max($1, $2))", 3), (f"field_{kind}($0, $1, $2)", 3)]  # fmt: skip
        if kind.lanes == 1:
            ways.append((f"rev_{kind}($0)", 1))
        if not kind.signed:
            signed = Type(kind.base[1:], kind.lanes)
            ways += [("abs_diff($0, $1)", 2)]
            if self.random.random() < 0.2:
                return self.random.choice([("abs($0)", (signed,)), (f"dist_{signed}($0, $1)", (signed, signed))])
        if kind.base in ("int", "uint") and self.random.random() < 0.2:
            a, b = ("($0 >> 17)", "($1 >> 17)") if kind.signed else ("($0 & 0xffffu)", "($1 & 0x7fffu)")
            return self.random.choice([(f"mul24({a}, {b})", (kind,) * 2), (f"mad24({a}, {b}, $2 >> 2)", (kind,) * 3)])
        if kind.size > 1 and self.random.random() < 0.1:
            half = {"short": "char", "int": "short", "long": "int"}[kind.base.removeprefix("u")]
            return "upsample($0, $1)", (kind.based("u" * (not kind.signed) + half), kind.based("u" + half))
        if kind.size == 8:
            known = ("rhadd", "mad_sat") if self.wide_products else ("rhadd", "mad_sat", "mul_hi", "mad_hi")
            ways = [each for each in ways if not each[0].startswith(known)]
        if kind.base == "ushort":  # sum-of-words-is-not-truncated
            ways = [each for each in ways if not each[0].startswith(("mul_hi", "mad_hi"))]
        text, count = self.random.choice(ways)
        return text, (kind,) * count

    def _chosen(self, kind: Type) -> tuple[str, Sequence[Type]]:
        if kind.lanes == 1:
            return f"({kind})($0 ? $1 : $2)", (INT, kind, kind)
        return "select($1, $2, $0)", (kind.condition, kind, kind)

    def _compared(self, kind: Type) -> tuple[str, Sequence[Type]]:
        bases = [each for each in INTEGERS if kind.lanes == 1 or Type(each).size == kind.size]
        bases += ["float"] * 3 if kind.lanes == 1 or kind.size == 4 else []
        bases += ["double"] * (3 * self.doubles) if kind.lanes == 1 or kind.size == 8 else []
        operand = kind.based(self.random.choice(bases))
        if operand.floating and self.random.random() < 0.3:
            return self.random.choice(TESTS), (operand, operand)
        if kind.lanes > 1 or self.random.random() < 0.8:
            return f"({kind})($0 {self.random.choice(RELATIONS)} $1)", (operand, operand)
        vector = Type(self.random.choice(["char", "short", "int"]), self.random.choice([2, 4]))
        return self.random.choice(["any($0)", "all($0)"]), (vector,)

    def _converted(self, kind: Type) -> tuple[str, Sequence[Type]]:
        source = kind.based(self.random.choice(INTEGERS))
        saturated = self.random.choice(["", "_sat", f"_sat{self.random.choice(MODES)}"])
        if self.random.random() < 0.25 and kind.lanes != 3:
            same = [Type(base, kind.bytes // Type(base).size) for base in INTEGERS
                    if kind.bytes // Type(base).size in (1, 2, 4, 8, 16)]  # fmt: skip
            return f"as_{kind}($0)", (self.random.choice(same),)
        return f"convert_{kind}{saturated}($0)", (source,)

    def _from_float(self, kind: Type) -> tuple[str, Sequence[Type]]:
        if self.halves and kind.lanes == 1 and self.random.random() < 0.3:
            return f"convert_{kind}_sat{self.random.choice(MODES)}(plain_float(hto($0)))", (Type("half"),)
        source = kind.based(self.random.choice(["float", "double"]) if self.doubles else "float")
        if source.bytes == kind.bytes and self.random.random() < 0.4:
            return f"as_{kind}(plain_{source}($0))", (source,)
        if self.random.random() < 0.7:
            return f"convert_{kind}_sat{self.random.choice(MODES)}(plain_{source}($0))", (source,)
        return f"convert_{kind}{self.random.choice(MODES)}(mid_{source}($0))", (source,)

    def _rearranged(self, kind: Type) -> tuple[str, Sequence[Type]]:
        """Elements of vectors."""
        letters = "0123456789abcdef"
        if kind.lanes == 1:
            lanes = self.random.choice([2, 3, 4, 8])
            return f"($0).s{letters[self.random.randrange(lanes)]}", (kind.of(lanes),)
        if kind.lanes in (2, 4) and self.random.random() < 0.3:
            part = self.random.choice(["lo", "hi", "even", "odd"])
            return f"($0).{part}", (kind.of(2 * kind.lanes),)
        if kind.lanes in (2, 4) and self.random.random() < 0.3:
            return f"({kind})({', '.join(f'${k}' for k in range(kind.lanes))})", (kind.of(1),) * kind.lanes
        if kind.lanes in (2, 4, 8) and self.random.random() < 0.5:
            mask = Type({1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[kind.size], kind.lanes)
            return self.random.choice([("shuffle($0, $1)", (kind, mask)), ("shuffle2($0, $2, $1)", (kind, mask, kind))])
        picked = "".join(letters[self.random.randrange(kind.lanes)] for _ in range(kind.lanes))
        return f"($0).s{picked}", (kind,)

    def _element(self, kind: Type) -> tuple[str, Sequence[Type]]:
        fitting = [each for each in self.arrays if each[1] == kind]
        if not fitting:
            return self._arithmetic(kind)
        name, _, size = self.random.choice(fitting)
        return f"{name}[$0 & {size - 1}]", (UINT,)

    # ------------------------------------------------------------ floats

    def _float(self, kind: Type) -> tuple[str, Sequence[Type]]:
        ways = [
            (6, self._exact),
            (2, self._rounded),
            (2, self._chosen_float),
            (3, self._to_float),
            (1, self._rearranged),
        ]
        return self._choose(ways, kind)

    def _exact(self, kind: Type) -> tuple[str, Sequence[Type]]:
        text, count = self.random.choice([
            ("($0 + $1)", 2), ("($0 - $1)", 2), ("($0 * $1)", 2), ("fma($0, $1, $2)", 3), ("(-$0)", 1), ("fabs($0)", 1),
            (f"fmin(plain_{kind}($0), plain_{kind}($1))", 2), (f"fmax(plain_{kind}($0), plain_{kind}($1))", 2),
            (f"copysign($0, plain_{kind}($1))", 2), ("fdim($0, $1)", 2), ("nextafter($0, $1)", 2),
            (f"clamp(plain_{kind}($0), ({kind})-2, ({kind})3)", 1), ("step($0, $1)", 2), ("sign($0)", 1),
        ])  # fmt: skip
        return text, (kind,) * count

    def _rounded(self, kind: Type) -> tuple[str, Sequence[Type]]:
        if kind.lanes == 1 and self.random.random() < 0.2:
            return "ldexp($0, ($1 & 63) - 32)", (kind, INT)
        name = self.random.choice(["floor", "ceil", "rint", "trunc", "round", "floor", "logb"])
        return f"{name}($0)", (kind,)

    def _chosen_float(self, kind: Type) -> tuple[str, Sequence[Type]]:
        if kind.lanes == 1:
            return "($0 ? $1 : $2)", (INT, kind, kind)
        return "select($1, $2, $0)", (kind.condition, kind, kind)

    def _to_float(self, kind: Type) -> tuple[str, Sequence[Type]]:
        if self.halves and kind == Type("float") and self.random.random() < 0.3:
            return "hto($0)", (Type("half"),)
        if self.doubles and self.random.random() < 0.4:
            return f"convert_{kind}{self.random.choice(MODES)}($0)", (kind.based("double"),)
        if self.random.random() < 0.2 and kind.lanes != 3:
            return f"as_{kind}($0)", (Type("uint" if kind.size == 4 else "ulong", kind.lanes),)
        return f"convert_{kind}{self.random.choice(MODES)}($0)", (kind.based(self.random.choice(INTEGERS)),)

    def _half(self, kind: Type) -> tuple[str, Sequence[Type]]:
        if self.random.random() < 0.3:
            return "hof($0)", (Type("float"),)
        text, count = self.random.choice(OF_HALF)
        return text, (kind,) * count
