"""Several nodes by Ray Train: python ray_nodes.py RUN_DIR ATTEMPT WORKERS

RUN_DIR (with its spec.json and data) must lie on storage that all nodes see, and sightline_trainer be found on each.
A worker has a GPU where the cluster has some. The first one writes the events. It goes on from the last checkpoint, and
ends with the trainer's code. Start it by itself on the head node, or as the entrypoint of a Ray job.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any


def work(config: dict[str, Any]) -> None:
    """One worker: the trainer, in this process."""
    import ray.train  # pyright: ignore[reportMissingImports]

    context = ray.train.get_context()
    os.environ |= {
        "RANK": str(context.get_world_rank()),
        "LOCAL_RANK": str(context.get_local_rank()),
        "WORLD_SIZE": str(context.get_world_size()),
        "SIGHTLINE_ATTEMPT_DIR": config["attempt_dir"],
        "SIGHTLINE_BEGAN_MONO_SECS": str(time.monotonic()),
        "SIGHTLINE_RESUME_STEP": config["resume_step"],
    }
    from sightline_trainer.grpo.__main__ import main

    code = main()
    if code != 0:
        # So that Ray ends the other workers.
        raise RuntimeError(f"the trainer ended with code {code}; attempt.end in events.jsonl says why")


def launch(run_dir: Path, attempt: int, workers: int) -> int:
    """Starts the workers and waits for their end. Returns the trainer's exit code."""
    import ray  # pyright: ignore[reportMissingImports]
    from ray.train import RunConfig, ScalingConfig, TrainingFailedError  # pyright: ignore[reportMissingImports]
    from ray.train.torch import TorchTrainer  # pyright: ignore[reportMissingImports]

    from sightline_trainer.checkpoints import last_complete
    from sightline_trainer.rundir import RunDir

    attempt_dir = run_dir / "attempts" / f"{attempt:03d}"
    for folder in (attempt_dir, run_dir / "checkpoints", run_dir / "control"):
        folder.mkdir(parents=True, exist_ok=True)
    resume = last_complete(RunDir(run_dir))
    ray.init()
    trainer = TorchTrainer(
        work,
        train_loop_config={"attempt_dir": str(attempt_dir), "resume_step": "" if resume is None else str(resume)},
        scaling_config=ScalingConfig(num_workers=workers, use_gpu=ray.cluster_resources().get("GPU", 0) > 0),
        run_config=RunConfig(storage_path=str(run_dir / "ray"), name=f"attempt-{attempt:03d}"),
    )
    try:
        trainer.fit()
    except TrainingFailedError as error:
        print(error, file=sys.stderr)
    return said(attempt_dir)


def said(attempt_dir: Path) -> int:
    """The exit code in the attempt's last line; 70 where none was written."""
    events = attempt_dir / "events.jsonl"
    lines = events.read_bytes().splitlines() if events.exists() else []
    return int(json.loads(lines[-1]).get("exit_code", 70)) if lines else 70


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(launch(Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3])))
