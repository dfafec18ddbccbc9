"""The README's table of proved claims, measured now: `python -m benchmarks.claims`."""

from collections import defaultdict
from pathlib import Path

from visaproof.engine.catalogue import Obligation, discharge, load_claims
from visaproof.engine.verdict import Proved
from visaproof.isa.readings import READINGS
from visaproof.queries import private_loads

TIMEOUT_MS = 20_000


def main() -> None:
    proved: dict[str, list[Obligation]] = defaultdict(list)
    refuted: dict[str, int] = defaultdict(int)
    for claim in load_claims(Path("proofs")):
        obligation = discharge(claim, TIMEOUT_MS)
        if not obligation.as_expected:
            raise SystemExit(f"{claim.id} is not as expected: {obligation.verdict}")
        if isinstance(obligation.verdict, Proved):
            proved[obligation.query.claim].append(obligation)
        else:
            refuted[obligation.query.claim] += 1
    print("| obligation | proved for | refutations | readings | ms |")
    print("|---|---|---|---|---|")
    for name, obligations in proved.items():
        scopes = _scopes(name, [obligation.query.scope for obligation in obligations])
        readings = ", ".join(READINGS[reading].decision for reading in obligations[0].query.readings)
        milliseconds = 1000 * sum(obligation.seconds for obligation in obligations)
        print(f"| `{name}` | {scopes} | {refuted.get(name) or ''} | {readings} | {milliseconds:.0f} |")


def _scopes(name: str, scopes: list[str]) -> str:
    """The shapes in one phrase: each position of the scopes with the values that occur there."""
    if scopes == [""]:
        return "any number of lanes"
    if name.startswith("normal-form/"):
        return _rules(scopes)
    if name == private_loads.CLAIM:
        return f"{len(scopes)} loads"
    parts = [scope.split(", ") for scope in scopes]
    words = dict.fromkeys(word for part in parts for word in part if word != "predicated")
    predicated = sum("predicated" in part for part in parts)
    predicates = (
        "" if not predicated else ", predicated" if predicated == len(parts) else ", with and without predicate"
    )
    count = f"{len(scopes)} shapes: " if len(scopes) > 1 else ""
    return f"{count}{', '.join(words) if len(words) <= 6 else 'each operation'}{predicates}"


def _rules(scopes: list[str]) -> str:
    """Rules of the normal form: "14 rules at 8, 16, 32, 64 bits"."""
    of_words = [scope.rpartition(", ")[2].split()[:-1] for scope in scopes if scope.endswith(" bits")]
    widths = sorted({int(width) for each in of_words for width in each})
    at = f" at {', '.join(map(str, widths))} bits" if widths else ""
    return f"{len(scopes)} rules{at}"


if __name__ == "__main__":
    main()
