"""The local ids of an arbitrary launch: every thread of every group that is laid out somewhere is one of its cases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from visaproof.isa.platform import Platform
from visaproof.launch.assume import INT_IDS
from visaproof.launch.ids.group_shape import GroupShape
from visaproof.launch.ids.launched_ids import launched_ids
from visaproof.launch.ids.launched_start import launched_start
from visaproof.launch.ids.launched_words import ANY_ORDER, THREAD, TILES, LaunchedIds
from visaproof.launch.ids.local_ids import Host, LaidOut, Order, Triple
from visaproof.launch.ids.work_items import GROUP_IDS
from visaproof.launch.launch import NOTHING_KNOWN, Launch, parse_input_option
from visaproof.semantics.symbolic.names import lane_on
from visaproof.smt import BitVec, Bool, Op, Term, bool_symbol, symbol, symbols_of
from visaproof.smt.evaluate import evaluate_all
from visaproof.visaasm.reader import read_kernel
from visaproof.visaasm.syntax import Kernel

HEAD = """.version 4.1
.kernel "k"
.decl X v_type=G type=uw num_elts=32 align=GRF
.decl Y v_type=G type=uw num_elts=32 align=GRF
.decl Z v_type=G type=uw num_elts=32 align=GRF
.decl R v_type=G type=uw num_elts=32 align=GRF
.decl T6 v_type=T num_elts=1
.input X offset=64 size=64
.input Y offset=128 size=64
.input Z offset=192 size=64
.kernel_attr SimdSize={simd}
.function "k"
_main:
"""


def kernel(simd: int, read: str = "XYZ") -> Kernel:
    body = "".join(f"mov (M1, {min(simd, 16)}) R(0,0)<1> {name}(0,0)<1;1,0>\n" for name in read)
    return read_kernel(f"{HEAD.format(simd=simd)}{body}ret (M1, 1)\n", "k.visaasm")


def launch(code: Kernel, simd: int, **known: object) -> Launch:
    options = [parse_input_option(f"{name.upper()}=local_id_{name}") for name in "xyz"]
    return replace(NOTHING_KNOWN.with_inputs(code, options), simd=simd, **known)  # type: ignore[arg-type]


def known_of(way: LaidOut) -> dict[str, object]:
    host = Host.OPENCL if way.tiles else Host.LEVEL_ZERO
    return {
        "platform": way.platform,
        "host": host,
        "walk_order": way.demanded,
        "order_known": True,
        "only_images": True,
    }


def of_thread(way: LaidOut, size: Triple, thread: int, read: tuple[int, ...]) -> dict[Term, int]:
    """The values of all symbols that the words may have."""
    first = way.layout(size)[thread][0]
    assert first is not None
    values: dict[Term, int] = {
        bool_symbol(ANY_ORDER): int(way.by_hardware and not way.demanded),
        bool_symbol(TILES): int(way.tiles),
    }
    for d, name in enumerate("xyz"):
        values |= {symbol(f"local_size_{name}", 16): size[d], symbol(f"first_local_id_{name}", 10): first[d]}
    return values | {symbol(THREAD, 11 - way.simd.bit_length()): thread} if len(read) == 1 else values


def shown(found: LaunchedIds, values: dict[Term, int]) -> list[Triple | None]:
    words = evaluate_all([word for ids in found.ids for word in ids], values)
    on = evaluate_all(found.on, values)
    assert all(evaluate_all(found.facts, values))
    return [(*words[3 * k : 3 * k + 3],) if on[k] else None for k in range(len(found.ids))]  # type: ignore[misc]


@st.composite
def sizes(draw: st.DrawFn) -> Triple:
    x = draw(st.integers(1, 64))
    y = draw(st.sampled_from([k for k in (1, 1, 2, 3, 4, 6, 8, 12, 16, 20, 28, 32) if k <= 1024 // x]))
    z = draw(st.sampled_from([k for k in (1, 1, 1, 2, 3, 4, 5) if k <= 1024 // (x * y)]))
    one, two, three = draw(st.permutations((x, y, z)))
    return one, two, three


ORDERS: list[Order | None] = [None, (0, 1, 2), (1, 0, 2), (2, 1, 0)]
WAYS = st.builds(
    LaidOut, st.sampled_from((Platform.TGLLP, Platform.DG2, Platform.Xe2)), st.sampled_from((8, 16, 32)), st.just(3),
    st.booleans(), st.sampled_from(ORDERS),
)  # fmt: skip


@pytest.mark.slow
@given(WAYS, sizes(), st.integers(0, 127))
def test_every_thread_of_every_launch_is_a_case(way: LaidOut, size: Triple, thread: int) -> None:
    """With the size open, whatever is known of device, host and demanded order."""
    thread %= way.threads(size)
    code, row = kernel(way.simd), list(way.layout(size)[thread])
    for known in (known_of(way), {}, {"only_images": True}, {"platform": way.platform, "only_images": True}):
        if known.get("walk_order", way.demanded) != way.demanded or (not known and way.tiles):
            continue
        if not known.get("order_known") and way.demanded not in (None, (0, 1, 2)):
            continue
        found = launched_ids(GroupShape(code, launch(code, way.simd, **known), way.simd))
        values = of_thread(way, size, thread, (0, 1, 2))
        assert shown(found, values) == row, known
        assert found.exists(values)
        assert thread in found.numbers(values)


@pytest.mark.slow
@given(WAYS, sizes(), st.integers(0, 127))
def test_no_two_lanes_run_one_work_item(way: LaidOut, size: Triple, thread: int) -> None:
    """What refinement takes for granted of lanes that are on, without counting from one to the other."""
    thread %= way.threads(size)
    on, code = way.lanes(size, thread), kernel(way.simd)
    found = launched_ids(GroupShape(code, launch(code, way.simd, **known_of(way)), way.simd))
    pairs = [found.same_item(one, other) for one in range(on) for other in range(one)]
    assert not any(evaluate_all([same for same in pairs if same is not None], of_thread(way, size, thread, (0, 1, 2))))
    assert None not in pairs


@pytest.mark.parametrize(
    ("width", "height", "exists"),
    [(16, 8, True), (0, 8, False), (12, 8, False), (1 << 29, 8, True), (1 << 30, 8, False), (8, 8, False)],
)
def test_the_global_size_is_that_of_a_launch(width: int, height: int, exists: bool) -> None:
    """Two groups of 8x8 side by side, of which this is the second: ids end at the global size, 2^32 items are most."""
    text = HEAD.format(simd=16).replace(".input X", ".input G offset=32 size=12\n.input X")
    text = text.replace(".decl R", ".decl G v_type=G type=ud num_elts=3\n.decl R")
    code = read_kernel(f"{text}mov (M1, 1) R(0,0)<1> G(0,0)<0;1,0>\nret (M1, 1)\n", "k.visaasm")
    known = launch(code, 16, group_size=(8, 8, 1)).with_inputs(code, [parse_input_option("G=global_size")])
    facts = launched_start(code, known, 16).group
    assert facts is not None
    values = {one: 0 for fact in facts.facts for one in symbols_of(fact)}
    values |= {GROUP_IDS[0]: 1, symbol("G.0", 32): width, symbol("G.4", 32): height, symbol("G.8", 32): 1}
    assert all(evaluate_all(facts.facts, values)) == exists


def test_lanes_are_not_told_apart_where_no_id_is_read() -> None:
    code = kernel(16, "")
    assert launched_ids(GroupShape(code, launch(code, 16), 16)).same_item(0, 1) is None


def test_ids_are_compared_under_their_names() -> None:
    """An equation of a case distinction is one of cases, in which no name would be found again."""
    code = kernel(16, "XY")
    found = launched_ids(GroupShape(code, launch(code, 16), 16))
    names: dict[Term, BitVec] = {
        word: symbol(f"name.{word.serial}", 16) for lane in found.ids for word in lane if word.op is Op.ITE
    }
    same = found.same_item(0, 8, names)
    assert same is not None
    assert set(symbols_of(same)) < {*names.values(), *symbols_of(*found.ids[0][:2])}  # and no size


@pytest.mark.slow
@given(WAYS, sizes(), sizes(), st.integers(0, 127))
def test_without_whole_groups_a_smaller_group_is_a_case(way: LaidOut, size: Triple, other: Triple, number: int) -> None:
    """The enqueued size stays the required one."""
    last = min(size[0], other[0]), min(size[1], other[1]), min(size[2], other[2])
    thread, code = number % way.threads(last), kernel(way.simd)
    known = launch(code, way.simd, group_size=size, **known_of(way))
    found = launched_ids(shape := GroupShape(code, known, way.simd, frozenset(("whole-groups",))))
    values = of_thread(way, last, thread, shape.open)
    assert shown(found, values) == list(way.layout(last)[thread])
    assert found.exists(values)
    beyond = [d for d in shape.open if last[d] == size[d]]
    for d in beyond[:1]:
        assert not all(evaluate_all(found.facts, values | {symbol(f"local_size_{'xyz'[d]}", 16): size[d] + 1}))


@pytest.mark.slow
@given(WAYS, sizes(), st.integers(0, 127))
def test_dimensions_that_are_not_read_may_have_any_size_where_that_is_lifted(
    way: LaidOut, size: Triple, thread: int
) -> None:
    code, thread = kernel(way.simd, "X"), thread % way.threads(size)
    known = launch(code, way.simd, **known_of(way))
    found = launched_ids(GroupShape(code, known, way.simd, frozenset(("unread-dimensions",))))
    values = of_thread(way, size, thread, (0, 1, 2))
    assert shown(found, values) == list(way.layout(size)[thread])
    assert found.exists(values)


def test_larger_groups_are_cases_where_their_limit_is_lifted() -> None:
    """The id of a first lane has 16 bits then."""
    code, way, size = kernel(16), LaidOut(Platform.DG2, 16, 3), (1025, 3, 1)
    known = launch(code, 16, **known_of(way))
    found = launched_ids(GroupShape(code, known, 16, frozenset(("local-size",))))
    for thread in (0, 64, 128, way.threads(size) - 1):
        row = way.layout(size)[thread]
        assert row[0] is not None
        values: dict[Term, int] = {bool_symbol(ANY_ORDER): 1}
        for d, name in enumerate("xyz"):
            values |= {symbol(f"local_size_{name}", 16): size[d], symbol(f"first_local_id_{name}", 16): row[0][d]}
        assert shown(found, values) == list(row)
        assert found.exists(values)
    assert launched_ids(GroupShape(code, known, 16)).most == 1024


def test_lanes_run_any_items_where_the_layout_is_lifted() -> None:
    """Below the local size, where they are on; then they are not taken for different ones."""
    code = kernel(8)
    found = launched_ids(GroupShape(code, launch(code, 8), 8, frozenset(("local-ids",))))
    values: dict[Term, int] = {lane_on(0): 1, lane_on(5): 1}
    values |= {symbol(f"local_size_{name}", 16): 2 for name in "xyz"}
    assert all(evaluate_all(found.facts, values))
    assert found.same_item(0, 5) is None
    assert not all(evaluate_all(found.facts, values | {symbol("local_id_y.5", 16): 2}))
    assert all(evaluate_all(found.facts, values | {symbol("local_id_y.4", 16): 2}))


@pytest.mark.slow
@given(WAYS, sizes(), st.integers(0, 127))
def test_a_known_size_leaves_the_number_of_the_thread(way: LaidOut, size: Triple, thread: int) -> None:
    """Sums over the digits of the number, or tables; no thread has other ids."""
    thread %= way.threads(size)
    code = kernel(way.simd)
    found = launched_ids(GroupShape(code, launch(code, way.simd, group_size=size, **known_of(way)), way.simd))
    symbols = symbols_of(*found.facts, *found.on, *(word for ids in found.ids for word in ids))
    digits = sorted(set(symbols), key=lambda one: str(one.payload))
    rows = [list(row) for row in way.layout(size)]
    bits = sum(one.width for one in digits)
    assert all(not isinstance(one, Bool) for one in digits)
    cases = []
    for number in range(1 << bits) if bits < 8 else ():
        values: dict[Term, int] = {}
        for one in digits:
            values[one] = number % (1 << one.width)
            number >>= one.width
        if all(evaluate_all(found.facts, values)):
            cases.append(shown(found, values))
            assert rows[found.numbers(values)[0]] == cases[-1]
    assert not cases or sorted(map(str, cases)) == sorted(map(str, rows))


@pytest.mark.parametrize(("read", "dimension"), [("X", 0), ("Y", 1), ("Z", 2)])
def test_ids_of_one_dimension_follow_each_other(read: str, dimension: int) -> None:
    """The others have size 1, whatever the payload has of them."""
    code, way = kernel(16, read), LaidOut(Platform.DG2, 16, 3)
    found = launched_ids(GroupShape(code, launch(code, 16), 16))
    for extent in (1, 16, 20, 48, 1024):
        whole = [1, 1, 1]
        whole[dimension] = extent
        size = whole[0], whole[1], whole[2]
        for thread in range(way.threads(size)):
            values = of_thread(way, size, thread, (dimension,))
            assert shown(found, values) == list(way.layout(size)[thread])
            assert found.numbers(values) == [thread]


def test_ids_that_no_launch_has_are_told() -> None:
    """A thread of 8 × 8 at 16 lanes begins at y = 0, 2, 4 or 6."""
    code = kernel(16)
    found = launched_ids(GroupShape(code, launch(code, 16, platform=Platform.TGLLP), 16))
    values = of_thread(LaidOut(Platform.TGLLP, 16, 3), (8, 8, 1), 1, (0, 1, 2))
    assert found.exists(values)
    assert not found.exists(values | {symbol("first_local_id_y", 10): 3})
    assert not found.exists(values | {symbol("local_size_z", 16): 64})


@pytest.mark.slow
def test_the_usual_launches_exist() -> None:
    """What refutations are looked for among."""
    for way in (LaidOut(Platform.TGLLP, 8, 3, tiles=True), LaidOut(Platform.DG2, 32, 3)):
        code = kernel(way.simd)
        found = launched_ids(GroupShape(code, launch(code, way.simd, **known_of(way)), way.simd))
        launches = list(found.launches([lane_on(lane) for lane in range(way.simd)]))
        assert len(launches) > 20
        for values in launches:
            assert found.exists(values)
            assert all(evaluate_all([*found.facts, found.is_usual()], values))


def test_threads_of_the_vector_compiler_have_all_lanes() -> None:
    code = kernel(1, "")
    found = launched_ids(GroupShape(code, launch(code, 1), 1))
    assert all(evaluate_all(found.on, {}))


# ---------------------------------------------------------------- global ids


@pytest.mark.parametrize(("lifted", "bits"), [((), 31), ((INT_IDS,), 32)])
@pytest.mark.parametrize("size", [1, 8, 256, 1000, 1024])
def test_global_ids_go_up_to_the_last_that_are_assumed(size: int, lifted: tuple[str, ...], bits: int) -> None:
    """A group whose items end at 2^32 is one that a launch may have, the next one is none: with an open size, too.

    At 2^31 where no id is to be negative.
    """
    code = kernel(8, "X")
    (last, rest), (group, local) = divmod(1 << bits, size), (GROUP_IDS[0], symbol("local_size_x", 16))
    for stated in (None, (size, 1, 1)):
        given = launch(code, 8, platform=Platform.TGLLP, group_size=stated)
        found = launched_start(code, given, 8, frozenset(lifted)).group
        assert found is not None
        for number in (0, last - 1, last):
            if number < 1 << 32:
                values: dict[Term, int] = {symbol(str(group.payload), 32): number, local: size}
                assert all(evaluate_all(found.facts, values)) is (number < last), (number, stated, rest)
