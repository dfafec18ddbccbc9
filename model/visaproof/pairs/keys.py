"""By what an answer about a pair is found again: the contents of its files, the question, and the model."""

from collections.abc import Iterator
from glob import escape
from hashlib import sha256
from pathlib import Path

from msgspec import Struct, field

from visaproof.checking.claims.model_version import model_version
from visaproof.isa.errors import ReadError
from visaproof.pairs.lists import Pair
from visaproof.visaasm.file_content import LAUNCH_LIMIT, content_of


class PairKeys(Struct, frozen=True):
    """Keys under one set of options; each file is read once."""

    options: str
    _digests: dict[Path, str] = field(default_factory=dict[Path, str])

    def key(self, pair: Pair) -> str | None:
        """None where a file cannot be read: then there is nothing to remember."""
        try:
            parts = [model_version(), self.options, *self._parts(pair)]
        except (OSError, ReadError):
            return None
        return sha256("\n".join(parts).encode(errors="surrogateescape")).hexdigest()[:32]

    def _parts(self, pair: Pair) -> Iterator[str]:
        for path, launch in ((pair.source, pair.launch), (pair.target, pair.launch_target)):
            yield "/".join(path.parts[-2:])  # by which a manifest finds it
            yield self._digest(path)
            yield from (
                self._digest(one) for one in sorted(path.parent.glob(f"{escape(path.stem)}[._]f*{path.suffix}"))
            )
            yield self._digest(launch) if launch else "no launch"

    def _digest(self, path: Path) -> str:
        if path not in self._digests:
            self._digests[path] = sha256(content_of(path, LAUNCH_LIMIT)).hexdigest()
        return self._digests[path]
