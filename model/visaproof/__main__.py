"""``python -m visaproof``: the command line."""

import sys

from visaproof.cli import main

if __name__ == "__main__":
    sys.exit(main())
