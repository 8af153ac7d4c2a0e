"""`python -m sightline_trainer.slctl rpc | serve | supervise`"""

from __future__ import annotations

import sys

USAGE = """usage: python3 -m sightline_trainer.slctl MODE

  rpc        answer the one JSON request on stdin
  serve      answer JSON requests, one a line, until stdin ends
  version    print the version
"""


def main(arguments: list[str]) -> int:
    mode = arguments[0] if len(arguments) == 1 else ""
    if mode in ("rpc", "serve"):
        from sightline_trainer.slctl.serve import main as answer

        answer(mode)
        return 0
    if mode == "supervise":
        from sightline_trainer.slctl.supervise import main as supervise

        supervise()
        return 0
    if mode == "prepare":
        from sightline_trainer.slctl.environment import main as work

        work()
        return 0
    if mode == "version":
        from sightline_trainer import __version__

        sys.stdout.write(f"{__version__}\n")
        return 0
    sys.stderr.write(USAGE)
    return 64


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
