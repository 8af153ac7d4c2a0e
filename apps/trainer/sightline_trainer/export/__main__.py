"""`python -m sightline_trainer.export RUN_DIR [--checkpoint N]`: exports a checkpoint of an earlier run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sightline_trainer.checkpoints import last_complete
from sightline_trainer.grpo.__main__ import limit_threads
from sightline_trainer.rundir import RunDir
from sightline_trainer.stages import SpecError


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sightline_trainer.export",
        description="Exports the tiny policy of a run to RUN_DIR/export, where the browser finds it.",
    )
    parser.add_argument("run_dir", type=Path, help="the run's directory")
    parser.add_argument("--checkpoint", type=int, help="step of the checkpoint; the newest whole one by default")
    given = parser.parse_args()
    run = RunDir(given.run_dir.resolve())
    step = given.checkpoint if given.checkpoint is not None else last_complete(run)
    if step is None:
        sys.stderr.write(f"{run.path} has no whole checkpoint to export\n")
        return 1
    limit_threads()
    # After the threads are set: torch reads their number when it loads.
    from sightline_trainer.export.policy import ExportError, export_dir, export_policy, find_reference
    from sightline_trainer.grpo.data import DataError

    try:
        reference = find_reference(run)
        if reference is None and not (export_dir(run) / "reference").exists():
            sys.stderr.write("the model that training started from is gone: the policy is exported without a judge\n")
        folder = export_policy(run, step, reference=reference)
    except (ExportError, SpecError, DataError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
