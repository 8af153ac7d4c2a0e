"""Checks a host in one go: `scripts/gpu-check.sh`. Prints one JSON line a finding, and ends with 1 where one fails.

The model is made on the spot (preset smoke-gpu): bfloat16 steps, a kill and a resume, running out of memory and going
on with half the micro-batch, and the peak of memory against preflight's estimate. Without a GPU the same in small; what
needs one is then said to be left out.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TRAINER = Path(__file__).resolve().parents[1]
ROOT = TRAINER.parents[1]
sys.path.insert(0, str(TRAINER))

from sightline_trainer.attempt import ATTEMPT_DIR, BEGAN, OVERRIDES, RESUME_STEP  # noqa: E402
from sightline_trainer.checkpoints import last_complete  # noqa: E402
from sightline_trainer.grpo.settings import Settings, read_settings  # noqa: E402
from sightline_trainer.preflight.checks import load_of, look_up_shape  # noqa: E402
from sightline_trainer.preflight.memory import estimate  # noqa: E402
from sightline_trainer.rundir import RunDir, write_json  # noqa: E402

MOST_SECS = 540.0
SMALL = {"group_size": 2, "prompts_per_step": 2, "micro_batch": 4, "save_steps": 1, "max_completion_tokens": 8}
"""On a CPU: four steps of four completions."""
HUGE = {"group_size": 64, "prompts_per_step": 64, "micro_batch": 4096, "max_completion_tokens": 480}
"""More than any GPU of today holds at once; the ladder halves the micro-batch twice."""


def say(check: str, ok: bool | None, **more: Any) -> bool:
    """One finding; `ok` is None for what was left out."""
    print(json.dumps({"check": check, "ok": ok, **more}), flush=True)
    return ok is not False


def find_gpu() -> tuple[str, int] | None:
    """Name and memory of the first GPU; asked in a process of its own, so that none is held here."""
    code = "import torch,json;p=torch.cuda.is_available() and torch.cuda.get_device_properties(0);"
    code += "print(json.dumps(p and [p.name, p.total_memory]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return (found[0], int(found[1])) if found else None


def make_run(folder: Path, name: str, steps: int, settings: dict[str, Any]) -> RunDir:
    run = RunDir(folder / name)
    for path in (run.data, run.checkpoints, run.control, run.attempts):
        path.mkdir(parents=True)
    for source in ("train", "eval"):
        (run.data / f"{source}.jsonl").write_bytes((ROOT / f"fixtures/questions/{source}.jsonl").read_bytes())
    weights = {"format": 1, "accuracy": 7, "consistency": 2}
    stage = {"name": "smoke", "weights": weights, "from_epoch": 0, "to_epoch": 1, "steps": steps}
    write_json(run.spec, {"run_id": name, "engine": "grpo", "seed": 1, "stages": [stage], "settings": settings})
    return run


def start(run: RunDir, number: int, overrides: dict[str, Any] | None = None) -> subprocess.Popen[bytes]:
    attempt = run.attempt(number)
    attempt.path.mkdir()
    resume = last_complete(run)
    environment = os.environ | {
        ATTEMPT_DIR: str(attempt.path),
        BEGAN: str(time.monotonic()),
        RESUME_STEP: "" if resume is None else str(resume),
        OVERRIDES: json.dumps(overrides or {}),
        "PYTHONPATH": str(TRAINER),
    }
    with attempt.log.open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "sightline_trainer.grpo"],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def events(run: RunDir, number: int, type: str) -> list[dict[str, Any]]:
    path = run.attempt(number).events
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [line for line in map(json.loads, lines) if line["type"] == type]


def end(process: subprocess.Popen[bytes], until: float) -> int | None:
    """The exit code; None where it was ended because the time was over."""
    try:
        return process.wait(max(1.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def check_steps(folder: Path, settings: dict[str, Any], steps: int, gpu: tuple[str, int] | None, until: float) -> bool:
    """Trains, is killed once, and goes on; then the peak of memory against the estimate."""
    run = make_run(folder, "steps", steps, settings)
    began = time.monotonic()
    process = start(run, 1)
    while process.poll() is None and last_complete(run) is None and time.monotonic() < until:
        time.sleep(0.05)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    saved = last_complete(run)
    tail = run.attempt(1).log.read_text(errors="replace")[-600:]
    if not say("kill", saved is not None and saved < steps, saved_step=saved, log=None if saved else tail):
        return False
    code = end(start(run, 2), until)
    done = [line["step"] for number in (1, 2) for line in events(run, number, "metrics")]
    losses = [line["values"].get("loss") for line in events(run, 2, "metrics")]
    ok = code == 0 and set(done) == set(range(1, steps + 1)) and all(isinstance(loss, float) for loss in losses)
    tail = None if ok else run.attempt(2).log.read_text(errors="replace")[-600:]
    configs = [line["values"] for line in events(run, 2, "config")]
    bf16 = bool(configs and configs[-1].get("bf16"))
    fine = say("resume", ok, exit_code=code, steps=steps, bf16=bf16, secs=round(time.monotonic() - began, 1), log=tail)
    if gpu is None:
        return say("memory", None, says="left out: no GPU") and fine
    read = read_settings({"settings": settings}, Settings)
    shape = look_up_shape(read)
    assert shape is not None
    guess = estimate(load_of(read, shape, 1, []), gpu[1]).peak
    seen = max((g["memory_bytes"] for line in events(run, 2, "system") for g in line["gpus"]), default=0)
    return say("memory", 0 < seen <= guess * 1.25, estimated_bytes=guess, seen_bytes=seen) and fine


def check_ladder(folder: Path, settings: dict[str, Any], until: float) -> bool:
    """Runs out of memory, and goes on with half the micro-batch, twice at most; the last one may still be too large."""
    run = make_run(folder, "ladder", 1, settings | HUGE)
    micro = HUGE["micro_batch"]
    codes: list[int | None] = []
    for number in (1, 2, 3):
        codes.append(end(start(run, number, {"micro_batch": micro}), until))
        if codes[-1] != 71:
            break
        micro //= 2
    tail = run.attempt(len(codes)).log.read_text(errors="replace")[-600:]
    ok = codes[0] == 71 and set(codes) <= {71, 0}
    return say("ladder", ok, exit_codes=codes, micro_batch=micro, log=None if ok else tail)


def main() -> int:
    until = time.monotonic() + MOST_SECS
    gpu = find_gpu()
    say("host", True, gpu=gpu[0] if gpu else None, memory_bytes=gpu[1] if gpu else None)
    presets = json.loads((ROOT / "fixtures/presets.json").read_text())
    settings = next(item["settings"] for item in presets if item["preset"] == "smoke-gpu")
    if gpu is None:
        settings = settings | SMALL
    with tempfile.TemporaryDirectory(prefix="sightline-gpu-check-") as folder:
        fine = check_steps(Path(folder), settings, 20 if gpu else 4, gpu, until)
        if gpu is None:
            say("ladder", None, says="left out: no GPU")
        else:
            fine = check_ladder(Path(folder), settings, until) and fine
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
