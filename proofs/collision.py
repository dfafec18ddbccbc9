"""Pages: "The behavior is undefined if more than one channel writes to the same address." """

from visaproof.checking.claims.catalogue import for_each
from visaproof.isa.answers import Collision
from visaproof.isa.readings import Readings
from visaproof.queries import collision
from visaproof.queries.query import Query

from . import variants
from .shapes import COLLIDING, PLAIN, PLAIN_QW, SCATTERS, Shape

WRONG_ON = (PLAIN, PLAIN_QW)
LAST = (PLAIN, PLAIN_QW)


@for_each(COLLIDING)
def prove_colliding_lanes_are_undefined(shape: Shape) -> Query:
    return collision.colliding_lanes_are_undefined(shape())


@for_each(WRONG_ON)
def refute_colliding_lanes_are_undefined_if_lanes_never_collide(shape: Shape) -> Query:
    return collision.colliding_lanes_are_undefined(variants.lanes_never_collide(shape()))


@for_each(SCATTERS)
def prove_a_misaligned_lane_is_undefined(shape: Shape) -> Query:
    return collision.misaligned_lane_is_undefined(shape())


@for_each(WRONG_ON)
def refute_a_misaligned_lane_is_undefined_if_it_is_allowed(shape: Shape) -> Query:
    return collision.misaligned_lane_is_undefined(variants.misalignment_allowed(shape()))


@for_each(COLLIDING)
def prove_nothing_else_is_undefined(shape: Shape) -> Query:
    return collision.nothing_else_is_undefined(shape())


@for_each(WRONG_ON)
def refute_nothing_else_is_undefined_if_dropped_writes_collide(shape: Shape) -> Query:
    return collision.nothing_else_is_undefined(variants.without_bounds(shape()))


def refute_nothing_else_is_undefined_if_no_lane_has_a_meaning() -> Query:
    return collision.nothing_else_is_undefined(variants.nothing_is_defined(PLAIN()))


@for_each(LAST)
def prove_the_last_lane_wins_where_lanes_on_one_cell_have_a_meaning(shape: Shape) -> Query:
    return collision.the_last_lane_wins(shape())


@for_each(LAST)
def refute_the_last_lane_wins_if_any_lane_may(shape: Shape) -> Query:
    return collision.the_last_lane_wins(shape.build(Readings(collision=Collision.ANY_WINS)))
