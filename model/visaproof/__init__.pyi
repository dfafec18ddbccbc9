"""The public names for type checkers: the table of `__init__.py`."""

from typing import Final

from visaproof.analysis.bounds.verdicts import Holds as Holds
from visaproof.analysis.bounds.verdicts import Meaningless as Meaningless
from visaproof.analysis.bounds.verdicts import Outside as Outside
from visaproof.analysis.bounds.verdicts import Unbounded as Unbounded
from visaproof.analysis.conflicts.verdicts import Conflict as Conflict
from visaproof.analysis.conflicts.verdicts import Free as Free
from visaproof.api.answers import Answer as Answer
from visaproof.api.answers import Answers as Answers
from visaproof.api.claims import Arrays as Arrays
from visaproof.api.claims import BufferArray as BufferArray
from visaproof.api.claims import ImageArray as ImageArray
from visaproof.api.claims import Instruction as Instruction
from visaproof.api.claims import Proved as Proved
from visaproof.api.claims import Query as Query
from visaproof.api.claims import Refuted as Refuted
from visaproof.api.claims import Step as Step
from visaproof.api.claims import Unknown as Unknown
from visaproof.api.claims import Vacuous as Vacuous
from visaproof.api.claims import Verdict as Verdict
from visaproof.api.claims import claim as claim
from visaproof.api.claims import describe as describe
from visaproof.api.claims import encode as encode
from visaproof.api.claims import for_each as for_each
from visaproof.api.claims import parse_instruction as parse_instruction
from visaproof.api.claims import prove as prove
from visaproof.api.kernels import Program as Program
from visaproof.api.kernels import bounds as bounds
from visaproof.api.kernels import conflicts as conflicts
from visaproof.api.kernels import read_kernel as read_kernel
from visaproof.api.kernels import refines as refines
from visaproof.api.two_kernels import Refinement as Refinement
from visaproof.api.two_kernels import compare as compare
from visaproof.checking.counterexample import Counterexample as Counterexample
from visaproof.checking.counterexample import read_counterexample as read_counterexample
from visaproof.checking.replay import replay as replay
from visaproof.isa.errors import IllegalInstruction as IllegalInstruction
from visaproof.isa.errors import NotModelled as NotModelled
from visaproof.isa.errors import ReadError as ReadError
from visaproof.isa.platform import Platform as Platform
from visaproof.launch.premises import Premise as Premise
from visaproof.refinement.verdicts import Apart as Apart
from visaproof.refinement.verdicts import Bounded as Bounded
from visaproof.refinement.verdicts import ByteDiffers as ByteDiffers
from visaproof.refinement.verdicts import Difference as Difference
from visaproof.refinement.verdicts import OutsideBuffers as OutsideBuffers
from visaproof.refinement.verdicts import Refines as Refines
from visaproof.refinement.verdicts import RegisterDiffers as RegisterDiffers
from visaproof.refinement.verdicts import Resynchronised as Resynchronised
from visaproof.refinement.verdicts import TargetUndefined as TargetUndefined

__version__: Final[str]
__all__: list[str]
_HOMES: dict[str, str]
