"""For tests of one's own: assertions, Hypothesis strategies, examples from saved counterexamples, a pytest plugin.

`visaproof.testing.strategies` and `example_from` need Hypothesis (extra `visaproof[testing]`), the plugin pytest.
"""

from visaproof.testing.assertions import (
    assert_free,
    assert_inside,
    assert_mended,
    assert_proved,
    assert_refines,
    assert_refuted,
    assert_replays,
)
from visaproof.testing.saved import Saved, example_from, saved

__all__ = [
    "Saved", "assert_free", "assert_inside", "assert_mended", "assert_proved", "assert_refines", "assert_refuted",
    "assert_replays", "example_from", "saved",
]  # fmt: skip
