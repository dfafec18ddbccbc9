"""File names of counterexamples: kebab-case, by what they show, the same in every run."""

import re

_SEPARATORS = re.compile(r"[^a-z0-9_]+")


def counterexample_name(query_id: str, variant: str) -> str:
    """`qw_scatter-halves-swapped-breaks-written-dword-is-the-lanes-datum-simd8.json`.

    `query_id` is `instruction/property[scope]`; without a variant it is the instruction itself that breaks it.
    """
    claim, _, scope = query_id.partition("[")
    subject, _, theorem = claim.rpartition("/")
    words = (subject, variant, "breaks", theorem, scope)
    return "-".join(slug for word in words if (slug := _slug(word))) + ".json"


def _slug(text: str) -> str:
    return _SEPARATORS.sub("-", text.lower()).strip("-")
