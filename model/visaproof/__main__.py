"""``python -m visaproof``: the command line."""

from visaproof.cli import entry

if __name__ == "__main__":
    entry()
