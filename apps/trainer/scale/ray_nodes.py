"""Several nodes by Ray Train: python ray_nodes.py RUN_DIR ATTEMPT WORKERS [RESUME_STEP]

RUN_DIR (with its spec.json and data) must lie on storage that all nodes see. Ray sets the torch variables of each
worker; the first one writes the events. Start it by itself on the head node, or as the entrypoint of a Ray job.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any


def work(config: dict[str, Any]) -> None:
    """One worker: the trainer, in this process."""
    import ray.train

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
        raise RuntimeError(f"the trainer ended with code {code}; attempt.end in events.jsonl says why")


def launch(run_dir: Path, attempt: int, workers: int, resume_step: str) -> None:
    """Starts the workers, one a GPU, and waits for their end."""
    from ray.train import RunConfig, ScalingConfig
    from ray.train.torch import TorchTrainer

    attempt_dir = run_dir / "attempts" / f"{attempt:03d}"
    for folder in (attempt_dir, run_dir / "checkpoints", run_dir / "control"):
        folder.mkdir(parents=True, exist_ok=True)
    TorchTrainer(
        work,
        train_loop_config={"attempt_dir": str(attempt_dir), "resume_step": resume_step},
        scaling_config=ScalingConfig(num_workers=workers, use_gpu=True),
        run_config=RunConfig(storage_path=str(run_dir / "ray"), name=f"attempt-{attempt:03d}"),
    ).fit()


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    launch(Path(sys.argv[1]).resolve(), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] if len(sys.argv) == 5 else "")
