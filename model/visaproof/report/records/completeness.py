"""What a run did not come to: without it, silence would look like an answer."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

ENDED = "the run was ended before its last file"


def not_done(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A sentence for each thing that was not asked of a file: its record says so in one of several places."""
    for record in records:
        file = record.get("file", "")
        for reason in filter(None, map(record.get, ("error", "not_modelled", "limit", "undefined_not_asked"))):
            if isinstance(reason, str):  # `check` counts there what is not modelled, which it does not ask about
                yield f"{file}: {reason}"
        if record.get("legal", True) is None:
            yield from record.get("errors", ())
