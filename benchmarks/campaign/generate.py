"""Kernels from seeds: the same seed gives the same kernel."""

from random import Random

from benchmarks.campaign.expressions import Scope
from benchmarks.campaign.prelude import SUB_GROUP_OPERATIONS, WITH_AMOUNT
from benchmarks.campaign.syntax import Expression, Kernel, Parameter, Statement
from benchmarks.campaign.types import INT, INTEGERS, UINT, WIDTHS, Type

LAUNCHES = (
    ((48, 1, 1), (24, 1, 1)), ((64, 1, 1), (32, 1, 1)), ((40, 1, 1), (20, 1, 1)), ((16, 4, 1), (8, 2, 1)),
    ((8, 6, 1), (8, 3, 1)), ((64, 1, 1), (64, 1, 1)), ((4, 4, 4), (4, 2, 2)), ((33, 1, 1), (11, 1, 1)),
)  # fmt: skip
"""Global and local sizes; some local sizes leave lanes of the last thread without a work item."""
SUB_GROUP_LAUNCH = (64, 1, 1), (32, 1, 1)

BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"
COMMUTING = {
    "sum": ("atomic_add({0}, $1)", "atomic_sub({0}, $1)", "atomic_inc({0})", "atomic_dec({0})"),
    "and": ("atomic_and({0}, $1)",), "or": ("atomic_or({0}, $1)",), "xor": ("atomic_xor({0}, $1)",),
    "min": ("atomic_min({0}, $1)",), "max": ("atomic_max({0}, $1)",),
}  # fmt: skip
"""Operations after which the order of work items does not show."""

APPROXIMATE = {
    "sqrt($0)": 4, "rsqrt($0)": 3, "($0 / $1)": 4, "exp(-$0)": 4, "exp2($0)": 4, "log($0)": 4, "log2($0)": 4,
    "log10($0)": 4, "exp10(-$0)": 4, "sin($0)": 5, "cos($0)": 5, "pow($0, 1.0f + $1 * 0.03125f)": 17, "cbrt($0)": 3,
    "atan($0)": 6, "tanh($0)": 6, "fmod($0, $1)": 0, "hypot($0, $1)": 5,
    "native_sin($0)": 5, "native_cos($0)": 5, "native_powr($0, 1.0f + $1 * 0.03125f)": 17,
}  # fmt: skip
"""Functions of positive numbers, with the error in ulps that OpenCL C 3.0, 7.4 allows, and one more for PoCL's own.
Of `native_` functions it states none: PoCL computes the others, and a run here takes the float that is nearest."""


class _Maker:
    """Makes one kernel."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = Random(f"kernel {seed}")
        random = self.random
        self.features = {name for name, share in _SHARES.items() if random.random() < share}
        doubles, halves = "double" in self.features, "half" in self.features
        self.scope = Scope(
            random, doubles=doubles, halves=halves, divides="division" in self.features,
            wide_products="wide product" in self.features,
        )  # fmt: skip
        self.grid, self.group = SUB_GROUP_LAUNCH if "sub-group" in self.features else random.choice(LAUNCHES)
        self.items = self.grid[0] * self.grid[1] * self.grid[2]
        self.in_group = self.group[0] * self.group[1] * self.group[2]
        self.parameters: list[Parameter] = []
        self.declarations: list[str] = []
        self.assigned: list[tuple[str, Type]] = []
        self.counters = 0
        self.exchanged_in_a_loop = False
        self.prologue: list[Statement] = []
        self.epilogue: list[Statement] = []
        self.atomics: list[tuple[str, Type, str]] = []

    def kernel(self) -> Kernel:
        self._ids()
        self._variables()
        self._memory()
        random = self.random
        count = random.choice([1, 2, 2, 3, 3, 4, 5, 6, 8])
        body = [self._statement(top=True, depth=2) for _ in range(count)]
        if "ticket" in self.features:
            body.append(Statement("if ($0) tickets[atomic_inc(counter)] = i;", (self.scope.expression(INT, 1),)))
        stores = [self._store(name, kind) for name, kind in self.assigned]
        several = random.randrange(1, 3) if "approximate" in self.features else 0
        approximations = [self._approximation() for _ in range(several)]
        return Kernel(
            f"k{self.seed}", self.seed, tuple(self.parameters), tuple(self.declarations),
            (*self.prologue, *body, *stores, *approximations, *self.epilogue), self.grid, self.group,
            self.sub_group, frozenset(self.features),
        )  # fmt: skip

    # ------------------------------------------------------------ declarations

    def _ids(self) -> None:
        self.sub_group = self.random.choice([16, 16, 32]) if "sub-group" in self.features else 0
        sizes = [self.grid[0], self.grid[0] * self.grid[1]]
        if self.grid[1:] == (1, 1):
            self.declarations += ["uint i = get_global_id(0), lid = get_local_id(0), grp = get_group_id(0);"]
        else:
            local = self.group
            groups = [whole // part for whole, part in zip(self.grid, self.group, strict=True)]
            self.declarations += [
                f"uint i = get_global_id(0) + {sizes[0]} * get_global_id(1) + {sizes[1]} * get_global_id(2);",
                f"uint lid = get_local_id(0) + {local[0]} * get_local_id(1) + {local[0] * local[1]} * get_local_id(2);",
                f"uint grp = get_group_id(0) + {groups[0]} * (get_group_id(1) + {groups[1]} * get_group_id(2));",
            ]
        self.scope.variables += [("i", UINT), ("lid", UINT)]

    def _types(self) -> list[Type]:
        random = self.random
        lanes = random.sample(WIDTHS[1:5], random.randrange(1, 3)) if "vector" in self.features else []
        found = [Type(random.choice(INTEGERS)) for _ in range(2)] + [UINT]
        found += [Type(random.choice(INTEGERS), each) for each in lanes]
        if "float" in self.features:
            found += [Type("float"), *[Type("float", each) for each in lanes[:1]]]
        if "double" in self.features:
            found += [Type("double")]
        if "half" in self.features:
            found += [Type("half")]
        return found

    def _variables(self) -> None:
        for k, kind in enumerate(self._types()):
            name = f"v{k}"
            parameter = Parameter(f"p{k}", kind, self.items, "in")
            self.parameters.append(parameter)
            self.declarations.append(f"{kind} {name} = {_loaded(parameter)};")
            self.scope.variables.append((name, kind))
            self.assigned.append((name, kind))
        kind = self.random.choice([each for _, each in self.assigned])
        self.declarations.append(f"{kind} w = {self.scope.literal(kind)};")
        self.scope.variables.append(("w", kind))
        self.assigned.append(("w", kind))

    def _memory(self) -> None:
        random = self.random
        if "private array" in self.features:
            kind, size = (
                random.choice([each for _, each in self.assigned if each.base != "half"]),
                random.choice([4, 8, 16]),
            )
            self.declarations.append(f"{kind} arr[{size}];")
            self.scope.arrays.append(("arr", kind, size))
            self.prologue.append(Statement(f"for (uint k = 0; k < {size}; ++k) arr[k] = $0;", (self.scope.leaf(kind),)))
        if "local memory" in self.features or "sub-group" in self.features:
            self.declarations.append(f"local ulong scratch[{self.in_group}];")
        if "sub-group" in self.features:
            self.declarations.append(f"enum {{ SG = {self.sub_group} }};")
        if "local memory" in self.features:
            self.tile_type = random.choice(
                [each for _, each in self.assigned if each.lanes == 1 and each.base != "half"]
            )
            self.declarations.append(f"local {self.tile_type} tile[{self.in_group}];")
        if "atomic" in self.features:
            kind, operation = random.choice([UINT, INT]), random.choice([*COMMUTING])
            self.parameters.append(Parameter("acc", kind, 8))
            self.atomics.append(("acc", kind, operation))
        if "local atomic" in self.features:
            kind, operation = random.choice([UINT, INT]), random.choice([*COMMUTING])
            self.declarations.append(f"local {kind} lacc[8];")
            self.parameters.append(Parameter("lout", kind, 8 * (self.items // self.in_group)))
            self.prologue.append(Statement(f"if (lid < 8) lacc[lid] = 0;\n{BARRIER}"))
            self.epilogue.append(Statement(f"{BARRIER}\nif (lid < 8) lout[grp * 8 + lid] = lacc[lid];"))
            self.atomics.append(("lacc", kind, operation))
        if "ticket" in self.features:
            self.parameters += [Parameter("counter", UINT, 1), Parameter("tickets", UINT, self.items, "any")]

    # ------------------------------------------------------------ statements

    def _statement(self, *, top: bool, depth: int) -> Statement:
        random = self.random
        ways = [(8, self._assignment)]
        if depth:
            ways += [(2, self._branch), (2, self._loop), (0.7, self._switch)]
        if self.scope.arrays:
            ways += [(3, self._put)]
        if self.atomics:
            ways += [(2, self._atomic)]
        if top and "local memory" in self.features:
            ways += [(3, self._exchange)]
        if top and "sub-group" in self.features:
            ways += [(4, self._sub_group)]
        weights, makers = zip(*ways, strict=True)
        return random.choices(makers, weights)[0](depth)

    def _assignment(self, depth: int) -> Statement:
        name, kind = self.random.choice(self.assigned)
        return Statement(f"{name} = $0;", (self.scope.expression(kind, self.random.randrange(1, 4)),))

    def _body(self, depth: int) -> tuple[Statement, ...]:
        return tuple(self._statement(top=False, depth=depth - 1) for _ in range(self.random.randrange(1, 4)))

    def _branch(self, depth: int) -> Statement:
        condition = self.scope.expression(INT, 2)
        if self.random.random() < 0.5:
            return Statement("if ($0) {\n$A\n}", (condition,), (self._body(depth),))
        return Statement("if ($0) {\n$A\n} else {\n$B\n}", (condition,), (self._body(depth), self._body(depth)))

    def _loop(self, depth: int) -> Statement:
        name = f"n{self.counters}"
        self.counters += 1
        self.declarations.append(f"uint {name} = 0;")
        bound, leaves = self.scope.expression(UINT, 1), self.scope.expression(INT, 1)
        self.scope.variables.append((name, UINT))
        body = self._body(depth)
        head = f"for ({name} = 0; {name} < ($0 & {self.random.choice([3, 7, 15])}u); ++{name}) {{\n$A\n"
        if self.random.random() < 0.4:
            leave = self.random.choice(["break", "continue"])
            # Not of a constant: faults.toml.
            return Statement(
                f"{head}if ($1 ^ (int){name}) {leave};\n$B\n}}", (bound, leaves), (body, self._body(depth))
            )
        return Statement(f"{head}}}", (bound,), (body,))

    def _switch(self, depth: int) -> Statement:
        subject = self.scope.expression(UINT, 2)
        text = "switch ($0 & 3) {\ncase 0: {\n$A\nbreak; }\ncase 1: {\n$B\n}\ncase 2: {\n$C\nbreak; }\ndefault: ;\n}"
        return Statement(text, (subject,), tuple(self._body(depth) for _ in range(3)))

    def _put(self, depth: int) -> Statement:
        name, kind, size = self.random.choice(self.scope.arrays)
        return Statement(
            f"{name}[$0 & {size - 1}] = $1;", (self.scope.expression(UINT, 1), self.scope.expression(kind, 2))
        )

    def _atomic(self, depth: int) -> Statement:
        name, kind, operation = self.random.choice(self.atomics)
        call = self.random.choice(COMMUTING[operation]).format(f"&{name}[$0 & 7]")
        operands = self.scope.expression(UINT, 1), self.scope.expression(kind, 1)
        return Statement(f"{call};", operands)

    def _exchange(self, depth: int) -> Statement:
        """Values of one work item for another, once or in a loop that all enter alike; one such loop: faults.toml."""
        name = self.random.choice([name for name, kind in self.assigned if kind == self.tile_type])
        by, factor = self.random.randrange(self.in_group), self.random.choice([1, 1, 3, 5, 7])
        text = f"tile[lid] = $0;\n{BARRIER}\n{name} = tile[(lid * {factor} + {by}) % {self.in_group}];\n{BARRIER}"
        if self.random.random() < 0.3 and not self.exchanged_in_a_loop:
            self.exchanged_in_a_loop = True
            counter = f"n{self.counters}"
            self.counters += 1
            self.declarations.append(f"uint {counter} = 0;")
            text = f"for ({counter} = 0; {counter} < 3; ++{counter}) {{\n{text}\n}}"
        return Statement(text, (self.scope.expression(self.tile_type, 2),))

    def _sub_group(self, depth: int) -> Statement:
        fitting = [each for each in self.assigned if each[1].base in ("int", "uint") and each[1].lanes == 1]
        name, kind = self.random.choice(fitting)
        operation = self.random.choice(SUB_GROUP_OPERATIONS)
        amount = {"shuffle": "$1", "xor": str(self.random.choice([1, 2, 4, 8, 15]))}.get(operation, "0")
        assert operation in WITH_AMOUNT or amount == "0"
        operands = self.scope.expression(kind, 1), self.scope.expression(UINT, 1)
        return Statement(f"SG_{operation}_{kind}({name}, $0, {amount});", operands)

    # ------------------------------------------------------------ results

    def _store(self, name: str, kind: Type) -> Statement:
        parameter = Parameter(f"o{name}", kind, self.items)
        self.parameters.append(parameter)
        return Statement(_stored(parameter, Expression(kind, name)))

    def _approximation(self) -> Statement:
        text, ulps = self.random.choice([*APPROXIMATE.items()])
        parameter = Parameter(f"a{len(self.parameters)}", Type("float"), self.items, ulps=ulps)
        self.parameters.append(parameter)
        positive = "(convert_float({0} & 0xffffu) * 0.0009765625f + 0.015625f)"
        for k in range(2):
            text = text.replace(f"${k}", positive.format(f"${k}"))
        return Statement(f"{parameter.name}[i] = {text};", (self.scope.leaf(UINT), self.scope.leaf(UINT)))


_SHARES = {
    "vector": 0.5, "float": 0.45, "double": 0.2, "half": 0.15, "private array": 0.25, "local memory": 0.25,
    "sub-group": 0.12, "wide product": 0.15, "atomic": 0.2, "local atomic": 0.12, "ticket": 0.1, "approximate": 0.12,
    "division": 0.25,
}  # fmt: skip
"""How many kernels have what."""


def _loaded(parameter: Parameter) -> str:
    kind, name = parameter.type, parameter.name
    if kind.base == "half":
        return f"hget({name}[i])"
    return f"{name}[i]" if kind.lanes == 1 else f"vload{kind.lanes}(i, {name})"


def _stored(parameter: Parameter, value: Expression) -> str:
    kind, name = parameter.type, parameter.name
    if kind.base == "half":
        return f"{name}[i] = hput({value});"
    return f"{name}[i] = {value};" if kind.lanes == 1 else f"vstore{kind.lanes}({value}, i, {name});"


def generated(seed: int) -> Kernel:
    """The kernel of a seed."""
    return _Maker(seed).kernel()
