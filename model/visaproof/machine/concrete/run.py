"""Runs a kernel concretely: the machine that confirms what the symbolic one found.  No terms, no solver."""

from collections.abc import Callable
from dataclasses import InitVar, dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from visaproof.decode.statement import lane_offset, without_mask
from visaproof.decode.texels import require_reached, texel_image
from visaproof.isa.errors import NotModelled, Position, TooLong, UndefinedBehavior, WritesCollide
from visaproof.isa.execution import THREAD_LANES
from visaproof.isa.platform import Platform
from visaproof.machine.concrete.arithmetic import ConcreteArithmetic
from visaproof.machine.concrete.endless import Repetition
from visaproof.machine.concrete.image_info import write_info
from visaproof.machine.concrete.matrices import run_dpas
from visaproof.machine.concrete.operands import ConcreteOperands, add_zeros
from visaproof.machine.concrete.sampler import read_raw, read_texels
from visaproof.machine.concrete.state_moves import ConcreteStateMoves
from visaproof.program.lower import Runnable, lowered
from visaproof.program.program import Program
from visaproof.program.statements import (
    BindState,
    Branch,
    End,
    InfoMessage,
    Landing,
    MatrixProduct,
    MemoryMessage,
    Message,
    Nothing,
    Origin,
    ReadState,
    Refused,
    Run,
    SamplerMessage,
    Synchronise,
)
from visaproof.semantics.concrete.state import ConcreteState
from visaproof.semantics.concrete.surface import Miss, Write


class PerformedMessage(Struct, frozen=True):
    """A memory message that ran, and the writes that it asked for: enabled lanes, inside or outside the surface."""

    instruction: Origin
    decoded: Message
    """Its surface is the variable of the text; `surface` is what that stood for."""
    surface: str
    writes: tuple[Write, ...]
    misses: tuple[Miss, ...] = ()
    """The accesses of its enabled lanes that were not wholly inside the surface."""
    changed: tuple[Write, ...] = ()
    """What the lanes of an atomic left, in the order in which they came."""


class Undefined(Struct, frozen=True):
    """Where the run is undefined; nothing behind it was run."""

    position: Position
    message: str
    cause: type[UndefinedBehavior] = UndefinedBehavior
    place: tuple[int, int] | None = None
    """The first byte of an access in no buffer, and how many."""


class Outcome(Struct, frozen=True):
    """How a run ended.  Where it is undefined, the message at fault is the last one performed, if it is a message."""

    performed: tuple[PerformedMessage, ...]
    undefined: Undefined | None
    collided: tuple[int, ...] = ()
    """The places in `performed` of scatters whose lanes collided, where the run was to go on."""


class AtBarrier(Struct, frozen=True):
    """The thread waits for the others of its group, behind a barrier."""

    barrier: Synchronise
    divergent: bool
    """Whether some lanes of the thread wait elsewhere.  Page BARRIER: undefined in divergent control flow."""


MAX_STATEMENTS = 200_000
"""A run that takes more steps than this is given up."""

Observer = Callable[[Run, ConcreteState], None]
"""Called after each statement that ran."""


class MissingSurface(ValueError):
    """A message reaches a surface that the state does not have."""

    def __init__(self, position: Position, surface: str) -> None:
        super().__init__(f"{position}: the state has no surface {surface!r}")
        self.position = position
        self.surface = surface


@dataclass
class Code:
    """What all threads that run a kernel share: it is found once."""

    source: InitVar[Runnable]
    platform: Platform
    program: Program = field(init=False)
    on_surface: dict[tuple[int, str], Message] = field(init=False)
    """Messages by the place of their statement, on the surface that their variable stood for."""

    def __post_init__(self, source: Runnable) -> None:
        self.program = lowered(source, self.platform)
        self.on_surface = {}

    def message_on(self, place: int, message: Message, surface: str) -> Message:
        """The message of the statement at `place` on the surface that its variable stands for."""
        if (place, surface) not in self.on_surface:
            self.on_surface[place, surface] = replace(message, surface=surface)
        return self.on_surface[place, surface]


def run(
    code: Runnable,
    state: ConcreteState,
    observer: Observer | None = None,
    enough: Callable[[PerformedMessage], bool] | None = None,
    most: int = MAX_STATEMENTS,
    endless: bool = False,
    past_collisions: bool = False,
) -> Outcome:
    """Runs a kernel or a program as if no other thread were there; `state` is changed in place.

    Variables and predicates that `state` lacks hold 0; surfaces must be there under their keys (`bti 0`, `%slm`, …,
    see `SurfaceBindings`).  At least one lane must be on.  The run ends behind a message that is `enough`.  Raises
    NotModelled for what has no semantics here, and for a run of more than `most` statements.  Where `endless` is
    asked for, a loop that is seen never to end is undefined.  With `past_collisions` the run goes on after a scatter
    whose lanes collide, as if that stored nothing.
    """
    shared = Code(code, state.platform)
    thread = Thread(shared, state, observer, enough, most, endless=endless, past_collisions=past_collisions)
    while isinstance(stop := thread.resume(), AtBarrier):
        pass
    return stop


class Thread:
    """A thread that stops behind each barrier, and goes on when it is resumed."""

    def __init__(
        self,
        code: Code,
        state: ConcreteState,
        observer: Observer | None = None,
        enough: Callable[[PerformedMessage], bool] | None = None,
        most: int = MAX_STATEMENTS,
        *,
        remember: bool = True,
        known_images: bool = False,
        endless: bool = False,
        past_collisions: bool = False,
    ) -> None:
        """Without `remember` the outcome has no more than the last message, and not what it wrote; without
        `known_images` the sampler reads zeros, and with it the texels that the state holds."""
        if not state.exec_mask:
            raise ValueError("a thread runs at least one lane")
        state.tags = code.program.tags
        self.state = state
        self._code = code
        self._program = code.program
        self._observer = observer
        self._remember = remember
        self._known_images = known_images
        self._repetition = Repetition(code.program, state.exec_mask) if endless else None
        self._enough = enough
        self._most = most
        self._operands = ConcreteOperands(state)
        self._arithmetic = ConcreteArithmetic(state, self._operands)
        self._moves = ConcreteStateMoves(state, self._operands)
        self._performed: list[PerformedMessage] = []
        self._collided: list[int] | None = [] if past_collisions else None
        self._parked: dict[int, int] = {}
        """The lanes that wait at each statement, by its index."""
        self.message: Message | None = None
        """The message that ran last, if that was the last statement, with the surface that it reached."""
        self._place = 0
        self._steps = 0
        self._launched = state.exec_mask
        add_zeros(code.program, state)

    @property
    def steps(self) -> int:
        """The statements so far."""
        return self._steps

    @property
    def performed(self) -> list[PerformedMessage]:
        """The messages so far."""
        return self._performed

    def position(self) -> Position | None:
        """Of the statement that runs or ran last."""
        return self._program.statements[self._place - 1].position if self._place else None

    def resume(self) -> AtBarrier | Outcome:
        """Runs to behind the next barrier, or to the end.  Raises NotModelled."""
        undefined: Undefined | None = None
        statements = self._program.statements
        while True:
            self.state.exec_mask |= self._parked.pop(self._place, 0)
            if self._place == len(statements):
                break
            statement = statements[self._place]
            if self._steps == self._most:
                raise TooLong(f"a run of more than {self._most} statements", statement.position)
            self._steps += 1
            self._place += 1
            if isinstance(statement, Landing) or not self.state.exec_mask:
                continue
            if self._repetition and self._repetition.never_ends(self._place, self._steps, self._held):
                undefined = Undefined(self._repetition.position or statement.position, self._repetition.why)
                break
            try:
                if not self._step(statement):
                    break
            except UndefinedBehavior as reason:
                undefined = Undefined(statement.position, str(reason), type(reason), reason.place)
                break
            except NotModelled as reason:
                raise NotModelled(reason.what, reason.position or statement.position) from None
            if self._observer is not None:
                self._observer(statement, self.state)
            if isinstance(statement, Synchronise) and statement.waits:
                return AtBarrier(statement, any(self._parked.values()))
        self.state.exec_mask = self._launched
        return Outcome(tuple(self._performed), undefined, tuple(self._collided or ()))

    def _held(self) -> object:
        """What the thread holds beside memory."""
        state = self.state
        registers = {name: bytes(content) for name, content in state.registers.items()}
        predicates = {name: one.bits for name, one in state.predicates.items()}
        bound = self._moves.contents(), self._operands.addresses()
        return state.exec_mask, dict(self._parked), registers, predicates, bound

    def _step(self, statement: Run) -> bool:
        """Runs one statement; False ends the kernel."""
        self.message = None
        match statement:
            case MemoryMessage():
                self._message(statement)
                return self._enough is None or not self._enough(self._performed[-1])
            case Nothing() | Synchronise(of_some=False):
                pass
            case Synchronise():
                raise NotModelled(f"opcode {statement.origin.opcode}", statement.position)
            case BindState() | ReadState():
                self._moves.step(statement)
            case Branch():
                self._branch(statement)
            case End():
                if statement.predicated or any(self._parked.values()):
                    what = f"opcode {statement.origin.opcode} in divergent control flow"
                    raise NotModelled(what, statement.position)
                return False
            case SamplerMessage():
                self._sample(statement)
            case InfoMessage():
                self._info(statement)
            case MatrixProduct():
                run_dpas(statement.product, self.state)
            case Refused():
                statement.refuse()
            case _:
                self._arithmetic.step(statement)
        return True

    def _message(self, statement: MemoryMessage) -> None:
        decoded, position = statement.message, statement.position
        surface = self._surface(decoded.surface, position)
        memory = self.state.surfaces[surface]
        require_reached(decoded, memory, surface, position)
        self.state.choices.message(position)
        log: list[Write] = []
        misses: list[Miss] = []
        changed: list[Write] = []
        if self._remember:
            memory.log, memory.misses, memory.changed = log, misses, changed
        else:
            self._performed.clear()
        try:
            self.message = self._code.message_on(self._place - 1, decoded, surface)
            self.message.execute(self.state)
        except WritesCollide:
            if self._collided is None:
                raise
            self._collided.append(len(self._performed))
        finally:
            memory.log = memory.misses = memory.changed = None
            done = PerformedMessage(statement.origin, decoded, surface, tuple(log), tuple(misses), tuple(changed))
            self._performed.append(done)
        if self._repetition:
            self._repetition.stored(surface, log, statement.is_atomic)

    def _surface(self, variable: str, position: Position) -> str:
        """The key of the surface that a variable stands for; by its handle where it has no other name."""
        if (found := self._moves.known(variable, self.state.surfaces)) is None:
            raise MissingSurface(position, self._moves.keys(variable)[0])
        return found

    def _sample(self, statement: SamplerMessage) -> None:
        read, opcode = statement.read, statement.opcode
        if not self._known_images:
            key = self._moves.known(read.surface, self.state.surfaces)
            surface = None if key is None else self.state.surfaces[key]
            read_raw(read, opcode, surface, self._moves.sampler_number(read.variable), self.state)
            return
        surface = self._surface(read.surface, statement.position)
        image = texel_image(self.state.surfaces[surface], surface, statement.position)
        read_texels(read, opcode, image, self.state)

    def _info(self, statement: InfoMessage) -> None:
        image = self.state.surfaces[self._surface(statement.info.surface, statement.position)]
        write_info(statement.info, image, statement.position, self.state)

    def _branch(self, branch: Branch) -> None:
        execution, target = branch.lanes, branch.target
        active = self.state.exec_mask
        jumping = 0
        if execution.size == 1:  # Page GOTO: "all channels would either branch or not"
            if self.state.channel_enabled(without_mask(execution), 0):
                jumping = active
        else:
            for lane in range(execution.size):
                place = lane + lane_offset(execution)
                if place < THREAD_LANES and self.state.channel_enabled(execution, lane):
                    jumping |= 1 << place & active
        self.state.choices.note(branch.position, jumping)
        waiting = active & ~jumping
        if target >= self._place:
            self._park(target, jumping)
            self.state.exec_mask = waiting
        elif jumping:  # backwards: who stays waits behind the branch until the others are there
            if self._repetition:
                self._repetition.went_back(branch)
            self._park(self._place, waiting)
            self.state.exec_mask = jumping
            self._place = target

    def _park(self, place: int, lanes: int) -> None:
        self._parked[place] = self._parked.get(place, 0) | lanes
