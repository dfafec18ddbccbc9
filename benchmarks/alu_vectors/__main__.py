"""Prints how the model agrees with the pages, opcode by opcode: `python -m benchmarks.alu_vectors`."""

import argparse

from benchmarks.alu_vectors.measure import FORMS, MACHINES, Count, all_forms

VECTORS = {"concrete": 36_000, "arrays": 4_000, "symbolic": 4_000}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.alu_vectors")
    parser.add_argument("forms", nargs="*", help=f"some of: {' '.join(FORMS)}")
    parser.add_argument("--machine", choices=MACHINES, help="one machine; all of them otherwise")
    parser.add_argument("--vectors", type=int, help="about how many; default for each machine: %(default)s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="differences and reasons to print of each form")
    options = parser.parse_args()
    for machine in [options.machine] if options.machine else MACHINES:
        vectors = options.vectors or VECTORS[machine]
        table(machine, all_forms(vectors, options.seed, options.forms or FORMS, machine), options.show)


def table(machine: str, counts: dict[str, Count], show: int) -> None:
    print(f"{machine:10} {'vectors':>8} {'agree':>8} {'(choice)':>8} {'differ':>8} {'no answer':>10}")
    for form, count in counts.items():
        row(form, count)
        for line in count.differences[:show]:
            print(f"    {line}")
        for reason, times in count.reasons.most_common(show):
            print(f"    {times} x {reason}")
    row("all", total(counts))


def row(name: str, count: Count) -> None:
    print(f"{name:10} {count.vectors:8} {count.agree:8} {count.loose:8} {count.differ:8} {count.no_answer:10}")


def total(counts: dict[str, Count]) -> Count:
    whole = Count()
    for each in counts.values():
        whole.agree, whole.loose = whole.agree + each.agree, whole.loose + each.loose
        whole.differ, whole.no_answer = whole.differ + each.differ, whole.no_answer + each.no_answer
    return whole


if __name__ == "__main__":
    main()
