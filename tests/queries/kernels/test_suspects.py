"""What depends on undefined values, looked at once, is what each look by itself finds."""

from pathlib import Path

from visaproof.isa.platform import Platform
from visaproof.machine.symbolic.run import trace
from visaproof.queries.kernels.suspects import tainted
from visaproof.smt import Term, symbols_of
from visaproof.visaasm.reader import read_kernel_file

DATA = Path(__file__).parents[2] / "data" / "visaasm"


def test_open_results_of_what_depends_on_a_value_depend_on_it() -> None:
    ran = trace(read_kernel_file(DATA / "img_rw" / "tgllp-O2-simd8.visaasm"), Platform.TGLLP)
    operands = [source.bits for one in ran.arbitrary for source in one.operands or ()]
    values = dict.fromkeys(symbols_of(*operands))
    assert values
    sizes = set[int]()
    for value in values:
        found: set[Term] = {value}
        for one in ran.arbitrary:
            if not found.isdisjoint(symbols_of(*(source.bits for source in one.operands or ()))):
                found.add(one.symbol)
        assert tainted(ran, frozenset((value,))) == found
        sizes.add(len(found))
    assert len(sizes) > 1
