"""Every recorded row of the official tools compared, and our export scored by them.

    CALLBOARD_CORPORA=… python -m tests.parity

Exits with 1 if anything differs, and with 2 if there is nothing to compare with.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.parity import multi_turn, official, single_turn


def main() -> int:
    named = os.environ.get("CALLBOARD_CORPORA", "")
    bfcl = Path(named) / "bfcl"
    if not named or not bfcl.is_dir():
        sys.stderr.write(
            "Set CALLBOARD_CORPORA to the folder with the recorded corpora; its bfcl/ is needed.\n"
        )
        return 2
    found = single_turn.main(bfcl) + multi_turn.main(bfcl) + official.main()
    sys.stdout.write(f"{found} differences in all\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
