"""The run of a kernel with all that decides no place, mask or branch, beside the one that is asked first without.

What is proved of lanes without such loads holds with them: all that they add is that they were defined, as that their
addresses were aligned.  What a concrete run has shown was shown with them.  So only what stays open is asked again.
"""

from collections.abc import Callable

from msgspec import Struct, field

from visaproof.isa.errors import LimitReached
from visaproof.machine.symbolic.trace import Trace
from visaproof.program.places_alone import PlacesAlone
from visaproof.semantics.symbolic.effects import meaningless
from visaproof.smt import is_false
from visaproof.smt.limit import Attempts


class WholeRun(Struct):
    """Made when it is first needed; one that the limit has ended is made anew."""

    run: Callable[[], Trace]
    alone: PlacesAlone
    _found: Trace | None = None
    _attempts: Attempts = field(default_factory=Attempts)

    def trace(self) -> Trace:
        if self._found is not None:
            return self._found
        with self._attempts.one_more():
            ran = self.run()
        if not isinstance(ran.stopped, LimitReached):
            self._found = ran
        return ran

    @property
    def is_too_long(self) -> bool:
        """Whether it would not end here either: each scatter that stays open asks for it, with a share of the time."""
        return self._found is None and self._attempts.have_no_time

    def says_more(self, ran: Trace) -> bool:
        """Whether a load that was left out may be undefined, or something beyond a variable is used."""
        left_out = {one.it.position for one in self.alone.loads}
        some = (one for one in ran.performed if one.instruction.position in left_out)
        return bool(ran.beyond) or any(not is_false(meaningless(one.accesses)) for one in some)
