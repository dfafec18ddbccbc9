"""Witnesses of the premises on launches: a kernel or a pair that is right with each, and wrong or not decided without.

Lifted as the user lifts them: by another value of `--assume`.
"""

from msgspec.structs import replace

from tests.premises.kernels import AT_X, ROWS, STORE, WRITE, program
from tests.premises.witness import Answer, Witness, conflicts, refinement
from visaproof.isa.errors import NotModelled
from visaproof.launch.matching import Program

FAR_TEXEL = """mov (M1, 8) U(0,0)<1> 0x4000:ud
mov (M1, 8) V(0,0)<1> N(0,0)<0;1,0>
mov (M1, 8) DATA(0,0)<1> 0x0:d
scatter4_typed.R (M1, 8) T6 U.0 V.0 DATA.0 %null.0 DATA.0
"""
GUARDED = """mov (M1, 8) V(0,0)<1> X(0,0)<1;1,0>
cmp.lt (M1, 8) P1 V(0,0)<1;1,0> SIZE(0,0)<0;1,0>
(P1) scatter4_scaled.R (M1, 8) T6 0x0:ud U.0 DATA.0
"""
AT_GLOBAL_ID = """mul (M1, 8) U(0,0)<1> GROUP(0,1)<0;1,0> 0x8:ud
mov (M1, 8) V(0,0)<1> X(0,0)<1;1,0>
add (M1, 8) U(0,0)<1> U(0,0)<1;1,0> V(0,0)<1;1,0>
{offset}shl (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x2:ud
"""
OFFSET = "add (M1, 8) U(0,0)<1> U(0,0)<1;1,0> OFFSET(0,0)<0;1,0>\n"
NEGATIVE_ID = """mul (M1, 8) U(0,0)<1> GROUP(0,1)<0;1,0> 0x8:ud
mov (M1, 8) V(0,0)<1> X(0,0)<1;1,0>
add (M1, 8) DATA(0,0)<1> U(0,0)<1;1,0> V(0,0)<1;1,0>
cmp.lt (M1, 8) P1 DATA(0,0)<1;1,0> 0x0:d
mov (M1, 8) U(0,0)<1> 0x0:ud
(P1) scatter4_scaled.R (M1, 8) T6 0x0:ud U.0 DATA.0
"""
"""Lanes meet whose global ids are negative as `int`."""
ROW_OF_1024 = """mov (M1, 8) U(0,0)<1> X(0,0)<1;1,0>
mov (M1, 8) V(0,0)<1> Y(0,0)<1;1,0>
shl (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 0xa:ud
add (M1, 8) U(0,0)<1> U(0,0)<1;1,0> V(0,0)<1;1,0>
shl (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x2:ud
"""
TIMES_N = """mov (M1, 8) U(0,0)<1> X(0,0)<1;1,0>
mul (M1, 8) U(0,0)<1> U(0,0)<1;1,0> N(0,0)<0;1,0>
shl (M1, 8) U(0,0)<1> U(0,0)<1;1,0> 0x2:ud
"""
ONE_LANE = "mov (M1_NM, 8) U(0,0)<1> 0x0:ud\nmov (M1_NM, 8) DATA(0,0)<1> 0x7:d\n"
STORE_OF_ONE = "scatter4_scaled.R ({mask}, 1) T6 0x0:ud U.0 DATA.0\n"
CM = '.kernel_attr Target="cm"\n'


def two_widths(assume: str) -> Answer:
    """Kernels of 8 and 16 lanes that write a texel at both of their ids."""
    from tests.refinement.widths.test_items_apart import written

    def images(simd: int) -> Program:
        one = written(simd)
        return replace(one, launch=replace(one.launch, only_images=True))

    try:
        return refinement(images(16), images(8), assume)
    except NotModelled:
        return Answer("not modelled", frozenset())


def global_offset(assume: str) -> Answer:
    source, target = (program(AT_GLOBAL_ID.format(offset=one) + WRITE) for one in (OFFSET, ""))
    return refinement(source, target, assume)


def one_lane(assume: str, attributes: str = ".kernel_attr SimdSize=8\n", lane: str = "M1") -> Answer:
    """A store of one lane whether it is on or not, and the same of that lane."""
    source, target = (program(ONE_LANE + STORE_OF_ONE.format(mask=mask), attributes) for mask in (f"{lane}_NM", lane))
    return refinement(source, target, assume)


def guarded(assume: str) -> Answer:
    """A store guarded by a comparison of the local id with the local size, and one that is not."""
    source, target = (program(AT_X + "mov (M1, 8) DATA(0,0)<1> 0x7:d\n" + body) for body in (GUARDED, STORE))
    return refinement(source, target, assume)


LAUNCHES = {
    "ids": Witness(lambda assume: conflicts(program(AT_X + WRITE), assume), "ids", "none"),
    "ids-below-size": Witness(guarded, "ids", "ids,-ids-below-size"),
    "local-ids": Witness(lambda assume: conflicts(program(AT_X + WRITE), assume), "launch", "launch,-local-ids"),
    "local-size": Witness(
        lambda assume: conflicts(program(ROW_OF_1024 + WRITE), assume), "launch", "launch,-local-size"
    ),
    "rows": Witness(two_widths, "launch", "launch,-rows"),
    "whole-groups": Witness(
        lambda assume: conflicts(program(AT_X + ROWS + WRITE, group_size=(8, 4, 1)), assume),
        "launch",
        "launch,-whole-groups",
    ),
    "unread-dimensions": Witness(
        lambda assume: conflicts(program(AT_X + WRITE), assume), "launch", "launch,-unread-dimensions"
    ),
    "global-ids": Witness(global_offset, "launch", "launch,-global-ids"),
    "int-ids": Witness(
        lambda assume: conflicts(program(NEGATIVE_ID, group_size=(8, 1, 1)), assume), "launch", "launch,-int-ids"
    ),
    "all-lanes": Witness(lambda assume: one_lane(assume, CM), "launch", "launch,-all-lanes"),
    "image-extents": Witness(lambda assume: conflicts(program(FAR_TEXEL), assume), "launch", "launch,-image-extents"),
    "first-lanes": Witness(one_lane, "launch", "launch,-first-lanes"),
    "bounded": Witness(lambda assume: conflicts(program(TIMES_N + WRITE), assume), "bounded", "ids"),
}
"""By the name of the premise."""
