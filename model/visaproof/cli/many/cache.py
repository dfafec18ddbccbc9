"""`--cache FILE`: answers of earlier runs, and what a run does with them."""

import os
import sys
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from visaproof.checking.kept.verdict_cache import VerdictCache

VARIABLE = "VISAPROOF_CACHE"
"""Names the cache of every run that has no `--cache`."""
MODES = ("off", "read-write", "read-only", "enforce")
"""The values of `checking.kept.verdict_cache.Mode`."""


def add_cache(parser: ArgumentParser, old_name: str | None = None) -> None:
    """Where answers are kept.  An old name is taken, and not shown."""
    kept = parser.add_argument_group("cache")
    kept.add_argument(
        "--cache",
        type=_file,
        metavar="FILE",
        help=f"keep answers there, and do not ask them again (default: ${VARIABLE})",
    )
    kept.add_argument(
        "--cache-mode", choices=MODES, default="read-write",
        help="enforce: what is not there is not asked, and fails the run (default: read-write)",
    )  # fmt: skip
    if old_name is not None:
        kept.add_argument(old_name, dest="cache", type=_file, help=SUPPRESS)


def _file(text: str) -> Path:
    if text in MODES:
        raise ArgumentTypeError(f"a file is meant; --cache-mode {text} says what is done with it (./{text} is a file)")
    return Path(text)


def cache_file(arguments: Namespace) -> Path | None:
    """The file that an option or the environment names."""
    named: Path | None = arguments.cache
    in_environment = os.environ.get(VARIABLE)
    return named or (Path(in_environment) if in_environment else None)


@contextmanager
def cache_of(arguments: Namespace, kind: str) -> Generator["VerdictCache | None"]:
    """The cache of a run, or none.  Raises ReadError for a file that is something else."""
    path = cache_file(arguments)
    if path is None or arguments.cache_mode == "off":
        yield None
        return
    from visaproof.checking.kept.verdict_cache import Mode, VerdictCache

    said: set[str] = set()

    def say(text: str) -> None:
        if text not in said:
            said.add(text)
            print(f"note: {text}", file=sys.stderr, flush=True)

    with VerdictCache(path, kind, Mode(arguments.cache_mode), say) as cache:
        yield cache
