"""The list of mutants that nothing can notice, each with the reason: `equivalent.toml`."""

import tomllib
from pathlib import Path

FILE = Path(__file__).with_name("equivalent.toml")


def equivalent() -> dict[str, str]:
    """For the id of each mutant that means the same as the model, the reason why."""
    listed = tomllib.loads(FILE.read_text(encoding="utf-8"))
    reasons: dict[str, str] = {}
    for group in listed.get("equivalent", []):
        for each in group["mutants"]:
            if each in reasons:
                raise ValueError(f"{FILE.name} has two reasons for {each}")
            reasons[each] = group["reason"]
    return reasons
