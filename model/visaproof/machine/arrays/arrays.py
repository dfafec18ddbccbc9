"""The kinds of arrays; each docstring of this package gives their shapes in parentheses."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Bytes = NDArray[np.uint8]
Bools = NDArray[np.bool_]
Addresses = NDArray[np.uint64]
Indices = NDArray[np.intp]

UNSIGNED: dict[int, np.dtype[Any]] = {width: np.dtype(f"<u{width}") for width in (1, 2, 4, 8)}
"""Little-endian unsigned numbers by their bytes."""


def any_lane(condition: Bools, enabled: Bools) -> Bools:
    """The threads (threads,) with an enabled lane for which the condition holds; both (threads, lanes) or broadcast."""
    return np.any(condition & enabled, axis=1)
