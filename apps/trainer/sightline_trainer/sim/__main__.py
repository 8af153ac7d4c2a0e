"""Started by the supervisor; `python -m sightline_trainer.sim --faults` lists what can be made to go wrong."""

from __future__ import annotations

import sys

from sightline_trainer.sim.settings import FAULTS


def main() -> int:
    if sys.argv[1:] == ["--faults"]:
        for name, text in FAULTS.items():
            sys.stdout.write(f"{name:16} {text}\n")
        return 0
    from sightline_trainer.sim.run import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
