"""What a launch of two kernels may choose."""

from collections.abc import Iterable, Iterator, Sequence

from visaproof.instructions.svm_gather import FLAT
from visaproof.program.lower import lowered
from visaproof.queries.kernels.surface_names import PRIVATE, itself
from visaproof.refinement.beside.samplers import chosen
from visaproof.refinement.effects.question import Question
from visaproof.refinement.testing.runs import is_conditional
from visaproof.refinement.widths.thread_group import AnyRunner
from visaproof.semantics.symbolic.names import buffer_base, extents_like, surface_size
from visaproof.semantics.symbolic.state import SymbolicBuffer
from visaproof.semantics.symbolic.value_names import is_own
from visaproof.smt import Term, symbols_of


def unknowns(question: Question, runners: Sequence[AnyRunner]) -> list[Term]:
    """The symbols that a launch chooses: inputs, lanes and sizes, and what it leaves in predicates.

    As the kernels have them, so that random launches do not depend on which terms this process made before.
    """
    words: dict[Term, None] = dict.fromkeys((*question.lanes, *_unwritten_predicates(question, runners)))
    for runner in runners:
        words |= dict.fromkeys(runner.start_words())
        for surface in runner.trace.surfaces.values():
            if isinstance(surface, SymbolicBuffer):
                words |= {surface_size(name): None for name in map(itself, question.surfaces) if name != FLAT}
        for name, image in runner.images.items():
            for level, extents in enumerate(image.levels):
                words |= dict.fromkeys(extents_like(extents, name, level))
        words |= dict.fromkeys(chosen(lowered(runner.kernel, runner.platform).samplers, runner.samplers))
        if is_conditional(question) or runner.lost or PRIVATE in runner.pointers.values():
            words |= {buffer_base(buffer): None for buffer in runner.pointers.values()}
        for buffer in question.sharing.alignments:
            words |= {buffer_base(buffer): None, surface_size(buffer): None}
    return list(dict.fromkeys(one for word in words for one in _by_name(symbols_of(word))))


def _by_name(symbols: Iterable[Term]) -> list[Term]:
    return sorted(symbols, key=lambda one: (str(one.payload), one.width))


def _unwritten_predicates(question: Question, runners: Sequence[AnyRunner]) -> Iterator[Term]:
    """The bits of predicates that decide on what a kernel does though they are uninitialised."""
    effects = question.source, question.target
    guards = [store.guard for side in effects for stores in side.stores.values() for store in stores]
    for one in _by_name(symbols_of(*guards, *(condition for side in effects for condition in side.undefined))):
        if one.width == 0 and any(is_own(one, runner.name) for runner in runners):
            yield one
