"""What a model leaves without a value or a meaning: other readings may do so where the default ones do not."""

from collections.abc import Iterable

from visaproof.queries.subject import Subject
from visaproof.semantics.symbolic.accesses import Access, Store
from visaproof.semantics.symbolic.effects import meaningless
from visaproof.smt import Bool, conj, disj, false, neg


def left_undefined(subject: Subject, accesses: Iterable[Access]) -> Bool:
    """Whether a byte into which one of these accesses brings something back has no value afterwards."""
    results = [access.destination for access in accesses if not isinstance(access, Store)]
    return disj(
        *(
            guard
            for guard, place in subject.leaves_undefined
            for result in results
            if result is not None
            and place.variable == result.variable
            and place.start < result.start + result.width
            and result.start < place.start + place.width
        )
    )


def keeps_its_meaning(subject: Subject) -> Bool:
    """Whether no access loses its meaning where the default readings give one to the whole instruction."""
    known = {access.defined for access in subject.own_accesses}
    lost = [access for access in subject.accesses if access.defined not in known]
    if not lost:
        return neg(false())
    return neg(conj(meaningless(lost), neg(meaningless(subject.own_accesses))))
