"""Prints how each compiled expression compares with PoCL: `python -m benchmarks.opencl_ops [--evidence]`."""

import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from benchmarks.opencl_ops.comparison import Found, compared, compile_rows, expected, groups, targets
from benchmarks.opencl_ops.evidence import held_against_pocl, lines, recorded
from benchmarks.pocl.oracle import NoOracle, oracle


def main(argv: Sequence[str]) -> int:
    parser = ArgumentParser("benchmarks.opencl_ops", description="Compares compiled expressions with PoCL.")
    parser.add_argument("--evidence", action="store_true", help="print the file of evidence with what was found")
    arguments = parser.parse_args(argv)
    try:
        device = oracle()
    except NoOracle as error:
        print(error, file=sys.stderr)
        return 2
    every: list[Found] = []
    for target in targets():
        chosen = groups(target.rows)
        with tempfile.TemporaryDirectory() as folder:
            compiled = compile_rows(str(target.compiler), target.device, chosen, Path(folder))
            found = list(compared(compiled, expected(device, chosen), chosen))
        every += found
        differ, not_run = [f for f in found if f.difference], [f for f in found if f.not_run]
        agree = len(found) - len(differ) - len(not_run)
        print(f"# {target.name}: {len(target.rows)} expressions in {len(found)} kernels: "
              f"{agree} agree, {len(differ)} differ, {len(not_run)} are not run")  # fmt: skip
        for each in (*differ, *not_run):
            print(f"#   {each.group.name}: {each.difference or each.not_run}")
    if arguments.evidence:
        native = {opcode: kind.removeprefix("native:") for opcode, kinds in recorded().items()
                  for kind in kinds if kind.startswith("native:")}  # fmt: skip
        print("\n".join(lines(held_against_pocl(every), native)))
    return int(any(each.difference for each in every))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
