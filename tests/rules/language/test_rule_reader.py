"""Rule files: what they may say, and where their errors are."""

import pytest

from visaproof.isa.errors import ReadError
from visaproof.rules.decision import check_rule
from visaproof.rules.language.instances import instances
from visaproof.rules.language.reader import read_rule
from visaproof.visaasm.syntax import Instruction

SOUND = """# About.
rule: sound
for: mask, upper in (M1, M3) (M5, M7)
for: channels in R RGB
let: slot = max(8, grf / 4)
var: off ud[16], data ud[slot * count(channels)]
surface: S
pre: aligned(off, 4) and (mask within 0xff or not mask == all)
  scatter4_scaled.{channels} ({mask}, 8) S 0x0:ud off.0 data.0
=>
  each k in count(channels): scatter4_scaled.{letter(channels, k)} ({mask}, 8) S 0x0:ud off.0 data.{4 * slot * k}
"""


def test_instances_are_the_product_of_the_choices() -> None:
    """Two platforms, two masks, two channel sets; a line is repeated for each value of its own hole."""
    found = list(instances(read_rule(SOUND, "sound.rule")))
    assert len(found) == 8
    assert [len(one.target.statements) for one in found] == [1, 3] * 4
    texts = [statement.text for statement in found[7].target.statements if isinstance(statement, Instruction)]
    assert texts[2] == "scatter4_scaled.B (M5, 8) S 0x0:ud off.0 data.128"


WRONG = [
    ("rule: sound", "rule: Sound", (2, 7), "no name of a rule"),
    ("rule: sound", "rul: sound", (2, 1), "unknown key"),
    ("(M1, M3) (M5", "(M1, M3, M4) (M5", (3, 21), "3 values for 2 names"),
    ("max(8, grf / 4)", "max(8, grf / 0)", (5, 20), "division by 0"),
    ("max(8, grf / 4)", "most(8, grf)", (5, 13), "no most"),
    ("off ud[16]", "off zz[16]", (6, 10), "unknown type"),
    ("off ud[16]", "off ud[16", (6, 6), "register"),
    ("aligned(off, 4)", "aligned(of, 4)", (8, 14), "no variable"),
    ("aligned(off, 4)", "aligned(off, 3)", (8, 19), "power of two"),
    ("aligned(off, 4)", "aligned(off, 4", (8, 21), "unexpected 'and'"),
    ("aligned(off, 4)", "off within 3", (8, 6), "said of masks"),
    ("{mask}, 8) S 0x0:ud off.0 data.0\n=>", "{msk}, 8) S 0x0:ud off.0 data.0\n=>", (9, 32), "no hole"),
    ("off.0 data.0\n=>", "of.0 data.0\n=>", (9, 51), "not declared"),
    ("\n=>\n", "\n", (11, 1), "no =>"),
    ("surface: S", "surface: S\nobserve: dst", (8, 10), "to observe"),
    ("surface: S", "surface: S\nexpect: maybe", (8, 9), "a rule is not"),
    ("off, 4)", "off[0:17], 4)", (8, 20), "16 elements"),
    ("off, 4)", "off[4:4], 4)", (8, 18), "range without elements"),
    ("off, 4)", "off[up], 4)", (8, 18), "selects no elements"),
    ("off, 4)", "off[!p], 4)", (8, 19), "no predicate"),
    ("off, 4)", "off[M7], 4)", (8, 18), "lanes 24 to 39"),
    ("mask == all", "mask[0:33] == all", (8, 58), "32 elements"),
    ("surface: S", "surface: S bti 999", (7, 10), "no place '999'"),
    ("surface: S", "surface: S\nlet: slot = 3", (8, 6), "declared twice"),
    ("surface: S", "surface: S\nvar: mask ud[8]", (8, 6), "something else in conditions"),
    ("surface: S", "surface: S, T\npre: size(T) > 4", (8, 6), "no message reaches"),
    ("surface: S", "surface: S\nright if: mask == all", (8, 1), "refuted"),
]


@pytest.mark.parametrize(("old", "new", "place", "words"), WRONG)
def test_an_error_names_its_place(old: str, new: str, place: tuple[int, int], words: str) -> None:
    """Line and column are those of the rule file, also for what is wrong in an instance only."""
    assert old in SOUND
    with pytest.raises(ReadError) as error:
        check_rule(read_rule(SOUND.replace(old, new, 1), "sound.rule"))
    assert words in error.value.message
    assert (error.value.position.line, error.value.position.column) == place
