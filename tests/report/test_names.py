"""Names of files: kebab-case, by what they show."""

import pytest

from visaproof.report.names import counterexample_name


@pytest.mark.parametrize(
    ("query", "variant", "name"),
    [
        ("qw_scatter/other[SIMD8]", "halves-swapped", "qw_scatter-halves-swapped-breaks-other-simd8.json"),
        ("oword_ld/zero[2 owords]", "", "oword_ld-breaks-zero-2-owords.json"),
        ("typed_atomic/at-most-one", "", "typed_atomic-breaks-at-most-one.json"),
        ("a/b[cmpxchg, 2D, predicated]", "Über x", "a-ber-x-breaks-b-cmpxchg-2d-predicated.json"),
        ("../../etc/passwd[/]", "..", "etc-breaks-passwd.json"),
    ],
)
def test_a_name_says_who_breaks_what_in_which_shape(query, variant, name):
    assert counterexample_name(query, variant) == name
