"""The options that an assertion passes on are those of the question that it asks."""

import inspect
from collections.abc import Callable

import pytest

from visaproof.api.kernels import BoundsOptions, KernelOptions, bounds, conflicts


@pytest.mark.parametrize(("ask", "options"), [(conflicts, KernelOptions), (bounds, BoundsOptions)])
def test_typed_options_are_the_keywords_of_the_call(ask: Callable[..., object], options: type) -> None:
    named = inspect.signature(ask).parameters.values()
    assert set(options.__annotations__) == {one.name for one in named if one.kind is inspect.Parameter.KEYWORD_ONLY}
