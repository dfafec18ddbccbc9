"""Makes a kernel smaller as long as it shows the same: statements dropped, expressions replaced by their parts."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from benchmarks.campaign.syntax import Expression, Kernel, Statement

Body = tuple[Statement, ...]


def reduced(kernel: Kernel, shows: Callable[[Kernel], bool], most: int = 300) -> Kernel:
    """The smallest kernel found with at most so many questions; `shows` is true of the kernel itself."""
    asked = 0
    improved = True
    while improved:
        improved = False
        for smaller in _smaller_bodies(kernel.statements):
            if asked >= most:
                return kernel
            candidate = _tidied(kernel.with_statements(smaller))
            asked += 1
            if shows(candidate):
                kernel, improved = candidate, True
                break
    return kernel


def _tidied(kernel: Kernel) -> Kernel:
    """Without declarations of variables that nothing names."""
    while True:
        text = "\n".join(line for each in kernel.statements for line in each.lines())
        kept = tuple(
            each for k, each in enumerate(kernel.declarations)
            if (name := _declared(each)) is None
            or _names(name, text) or any(_names(name, other) for other in kernel.declarations[k + 1 :])
        )  # fmt: skip
        if kept == kernel.declarations:
            return kernel
        kernel = replace(kernel, declarations=kept)


def _declared(declaration: str) -> str | None:
    """The only variable that it declares."""
    if declaration.count("=") > 1 or declaration.startswith("enum"):
        return None
    left = declaration.partition("=")[0].partition("[")[0].rstrip(" ;")
    return left.split()[-1]


def _names(name: str, text: str) -> bool:
    import re

    return re.search(rf"\b{name}\b", text) is not None


def _smaller_bodies(body: Body) -> Iterator[Body]:
    """Large parts first: halves, single statements, then what is inside of them."""
    step = len(body) // 2
    while step >= 1:
        for start in range(0, len(body), step):
            yield body[:start] + body[start + step :]
        step //= 2
    for k, each in enumerate(body):
        for smaller in _smaller_statements(each):
            yield body[:k] + smaller + body[k + 1 :]


def _smaller_statements(statement: Statement) -> Iterator[Body]:
    for inner in statement.bodies:
        yield inner
    for k, inner in enumerate(statement.bodies):
        for smaller in _smaller_bodies(inner):
            yield (replace(statement, bodies=(*statement.bodies[:k], smaller, *statement.bodies[k + 1 :])),)
    for k, operand in enumerate(statement.operands):
        for expression in _smaller_expressions(operand):
            yield (replace(statement, operands=(*statement.operands[:k], expression, *statement.operands[k + 1 :])),)


def _smaller_expressions(expression: Expression) -> Iterator[Expression]:
    """Parts of its type; else the same with one operand smaller; never one that is as large."""
    for part in expression.parts():
        if part.type == expression.type:
            yield part
    for k, operand in enumerate(expression.operands):
        for smaller in _smaller_expressions(operand):
            yield replace(expression, operands=(*expression.operands[:k], smaller, *expression.operands[k + 1 :]))
    if expression.operands and not expression.type.floating and expression.type.base != "half":
        yield Expression(expression.type, f"({expression.type})1")
