"""A size that was proved to be enough, and the relations with which it is."""

from dataclasses import dataclass

from visaproof.launch.relations.expressions import Expression, Relation


@dataclass(frozen=True, slots=True)
class EnoughBytes:
    """A size with which every access lies inside, for all launches that obey the relations."""

    surface: str
    """As `--size` takes it."""
    amount: Expression
    relations: tuple[Relation, ...]
    rung: str
    is_known: bool = False
    """Whether the size is that of the program, or stated."""
    of_image: bool = False
    """Of which the relations alone say how large it is, and no bytes."""

    @property
    def options(self) -> str:
        """What states it on the command line."""
        size = () if self.is_known else (f"--size '{self.surface}={self.amount}'",)
        return " ".join((*size, *(f"--where '{one}'" for one in self.relations)))
