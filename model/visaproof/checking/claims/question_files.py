"""The question of a claim as an SMT-LIB file, for a solver that visaproof does not have."""

import re
from pathlib import Path

from visaproof.checking.claims.catalogue import Claim
from visaproof.checking.verdict import Proved
from visaproof.smt import neg

MOST_OF_A_NAME = 150


def write_question(claim: Claim, folder: Path) -> Path:
    """Writes assumptions ∧ ¬goal: unsat is a proof, a model refutes.  Raises OSError and ClaimError."""
    from visaproof.smt.z3_backend import printed

    query = claim.query()
    expected = "unsat" if claim.expected is Proved else "sat"
    path = folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', claim.id)[:MOST_OF_A_NAME].strip('-')}.smt2"
    head = f"; {query.id}\n; claim {claim.id}: expected {expected}\n"
    path.write_text(head + printed([*query.assumptions, neg(query.goal)]), "utf-8")
    return path
