"""Sums with each id and each group at its largest value."""

from collections.abc import Iterator, Mapping
from itertools import permutations

from msgspec import Struct

from visaproof.analysis.bounds.sizes.global_ids import GlobalIds
from visaproof.analysis.bounds.sizes.launch_integers import Counted, LaunchIntegers
from visaproof.analysis.bounds.sizes.sums import has, less, split, upper
from visaproof.launch.input_meaning import DIMENSIONS
from visaproof.launch.relations.inner_names import InnerName, Kind
from visaproof.launch.relations.launch_names import COUNT, GLOBAL
from visaproof.launch.relations.polynomials import Polynomial, plus, times


class IdsAtEnds(Struct):
    """Of one access."""

    ids: GlobalIds
    integers: LaunchIntegers
    steps: Mapping[int, Counted]
    """In which dimensions the id of the lane follows from a word."""

    def differences(self) -> Iterator[Polynomial]:
        """What is at least 0 since ids are below the size of their group, which is at most that of all."""
        for dimension, step in self.steps.items():
            if self.ids.is_in_group(dimension):
                own: Polynomial = {(InnerName(Kind.ID, dimension),): -step.times, (): -1 - step.first}
                size = self.integers.local_size(dimension)
                yield plus(size, own)
                if (most := self.integers.at_sizes(size)) != size:
                    yield plus(most, own)

    def of_tiles(self, one: Polynomial | None) -> Polynomial | None:
        """Without ids that stand beside groups of another dimension, as in a transposition, where guards bound both."""
        for group_of, id_of in permutations(range(len(DIMENSIONS)), 2):
            own, group = InnerName(Kind.ID, id_of), InnerName(Kind.GROUP, group_of)
            if one is None or not has(one, own) or not has(one, group) or any({own, group} <= {*part} for part in one):
                continue
            counted, step = upper(self.counted(upper(one), id_of)), self.integers.step(group_of)
            ids, groups, alone, rest = split(counted, own, group, step)
            is_whole = all(groups.get(part, 0) >= count for part, count in ids.items())
            last = self.ids.last_of_tile(group_of, id_of) if is_whole else None
            if last is not None:
                of_groups = plus(times(less(groups, ids), step), alone)
                one = plus(plus(rest, times(ids, last)), times(of_groups, {(group,): 1}))
        return one

    def of_ids(self, one: Polynomial, dimension: int) -> Polynomial | None:
        own, group = InnerName(Kind.ID, dimension), InnerName(Kind.GROUP, dimension)
        if not has(one, own) and not has(one, group):
            return one
        size = self.integers.local_size(dimension)
        if any(part.count(own) + part.count(group) > 1 for part in one):
            return None
        if has(one, own) and not self.ids.is_in_group(dimension):
            return None
        counted = upper(self.integers.in_strides(self.counted(upper(one), dimension), dimension))
        ids, groups, alone, rest = split(counted, own, group, self.integers.step(dimension))
        both = {part: min(count, groups[part]) for part, count in ids.items() if part in groups}
        last: Polynomial = self.ids.last(dimension) if both else {}
        whole: Polynomial = {(f"{GLOBAL}_{DIMENSIONS[dimension]}",): 1}
        count: Polynomial = {(f"{COUNT}_{DIMENSIONS[dimension]}",): 1}
        total = plus(rest, times(both, last))
        total = plus(total, times(less(ids, both), plus(size, {(): -1})))
        if left := less(groups, both):
            most = self.ids.last_of_groups(dimension)
            total = plus(total, times(left, plus(whole, times(size, {(): -1})) if most is None else most))
        return upper(plus(total, times(alone, plus(count, {(): -1}))))

    def counted(self, one: Polynomial, dimension: int, *, most: bool = True) -> Polynomial:
        """With the id itself where its base was counted: base = (id − first) / times; else at most or least as much."""
        own, step = InnerName(Kind.ID, dimension), self.steps.get(dimension, Counted())
        total: Polynomial = {}
        for part, number in one.items():
            if own not in part:
                total = plus(total, {part: number})
                continue
            less, of_id = tuple(name for name in part if name != own), number // step.times
            if number % step.times:
                of_id = of_id + 1 if most else min(of_id, 0)
            total = plus(total, {part: of_id, less: -of_id * step.first})
        return total

    def is_global_id(self, one: Polynomial) -> bool:
        """Whether it is the id of the lane, or the first one of its group: these have DWORD bits."""
        for dimension in range(len(DIMENSIONS)):
            own: Polynomial = {(InnerName(Kind.ID, dimension),): 1}
            first = times({(InnerName(Kind.GROUP, dimension),): 1}, self.integers.step(dimension))
            counted = {part: count for part, count in self.counted(one, dimension).items() if count}
            if counted == first or (counted == plus(first, own) and self.ids.is_in_group(dimension)):
                return True
        return False
