"""Relations between arguments and the launch, as premises of a question (`--where`)."""

from collections.abc import Sequence

from msgspec.structs import replace

from visaproof.isa.errors import ReadError, in_option
from visaproof.launch.assumptions import Start
from visaproof.launch.premises import Premise, premise
from visaproof.launch.relations.element_names import Extreme, is_typedef
from visaproof.launch.relations.exact_terms import TooWide, relation_term
from visaproof.launch.relations.expressions import Relation
from visaproof.launch.relations.launch_names import LAUNCH_NAMES, LaunchNames, Named
from visaproof.launch.relations.stated_relations import NamedValue, StatedRelation
from visaproof.smt import Op

WHERE_OPTION = "--where"


def with_relations(names: LaunchNames, relations: Sequence[Relation]) -> Start:
    """The start of the launches that obey them.  Raises ReadError where one names nothing of the kernel."""
    start = names.start
    stated = tuple(stated_relation(names, one) for one in relations)
    facts = dict.fromkeys(fact for one in stated for fact in (*one.facts, one.term))
    used = {name.text: names.found(name.text) for one in relations for name in one.names()}
    meanings = {
        str(one.word.term.payload): one.what for one in used.values() if one.what and one.word.term.op is Op.SYMBOL
    }
    assumed = tuple(_premise(one, names) for one in relations)
    return replace(
        start,
        group=replace(start.group, facts=(*start.group.facts, *facts)),
        where=(*start.where, *stated),
        meanings={**start.meanings, **meanings},
        assumed=(*start.assumed, *assumed),
    )


def stated_relation(names: LaunchNames, relation: Relation) -> StatedRelation:
    """The relation of this kernel.  Raises ReadError."""
    text = relation.text or str(relation)
    found = {name.text: names.named(name, text, WHERE_OPTION) for name in relation.names()}
    try:
        term = relation_term(relation, {name: one.word for name, one in found.items()})
    except TooWide as error:
        raise ReadError(f"{text}: {error}", in_option(WHERE_OPTION)) from None
    values = {name: NamedValue(one.word.term, one.word.signed, one.places) for name, one in found.items()}
    return StatedRelation(relation, values, term, tuple(fact for one in found.values() for fact in one.facts))


def _premise(relation: Relation, names: LaunchNames) -> Premise:
    said = dict.fromkeys(_read(name.text, names.found(name.text)) for name in relation.names())
    reading = ", ".join(filter(None, said))
    return premise("where", relation=f"{relation}" + (f" ({reading})" if reading else ""))


def _read(name: str, named: Named) -> str:
    """How an argument is read, and what elements of a buffer are bounded by."""
    if isinstance(named.word.term.payload, Extreme):
        return f"{name}: {named.what}"
    if not named.places or name in LAUNCH_NAMES:
        return ""
    if is_typedef(named.type_name):
        return f"{name} is {named.type_name}, read signed"
    if named.type_name:
        return f"{name} is {named.type_name}"
    return f"{name} is read unsigned"
