"""What can be done with the checkpoints of a run: list, check, delete, and begin another run from one."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import uuid
from pathlib import Path
from typing import Any

from sightline_trainer.checkpoints import (
    MARKER,
    checkpoint_dir,
    checkpoint_steps,
    is_complete,
    last_complete,
    mark_complete,
    remove_checkpoint,
)
from sightline_trainer.rundir import RunDir, read_json, sync_dir
from sightline_trainer.slctl.observe import judge, root_of, run_of
from sightline_trainer.slctl.protocol import RequestError
from sightline_trainer.slctl.watch import readable_run

_BLOCK_BYTES = 1024 * 1024
_OPTIMISER = ("optimizer.pt", "optimizer.bin", "scheduler.pt", "scaler.pt")
_RANDOM = "rng_state"


def confined_file(run: RunDir, text: Any) -> Path:
    """A file below the run directory that is reached through no symbolic link.

    Raises RequestError: `bad_request` when the path leads out or through a link, `not_found` when nothing is there.
    """
    if not isinstance(text, str) or "\0" in text:
        raise RequestError("bad_request", "path must be a path below the run directory")
    parts = Path(text).parts
    if not parts or Path(text).is_absolute() or ".." in parts:
        raise RequestError("bad_request", f"{text!r:.200} leads out of the run directory")
    path, mode = run.path, 0
    for part in parts:
        path = path / part
        try:
            mode = path.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            raise RequestError("not_found", f"{text!r:.200} is not there") from None
        if stat.S_ISLNK(mode):
            raise RequestError("bad_request", f"{text!r:.200} is or goes through a symbolic link")
    if not stat.S_ISREG(mode):
        raise RequestError("not_found", f"{text!r:.200} is no file")
    return path


def describe_checkpoints(run: RunDir, *, with_files: bool = False) -> list[dict[str, Any]]:
    """All checkpoints of a run, ascending, whole or not; links in them count nothing."""
    rows = []
    for step in checkpoint_steps(run):
        path = checkpoint_dir(run, step)
        if path.is_symlink():
            continue
        files = _sizes(path)
        marker = read_json(path / MARKER)
        rows.append(
            {
                "step": step,
                "path": str(path.relative_to(run.path)),
                "complete": is_complete(path),
                "bytes": sum(files.values()),
                "time_secs": marker.get("time_secs") if isinstance(marker, dict) else None,
                **({"files": [{"path": name, "bytes": size} for name, size in files.items()]} if with_files else {}),
            }
        )
    return rows


def _sizes(path: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for file in sorted(path.rglob("*")):
        try:
            facts = file.lstat()
        except FileNotFoundError:
            # The trainer prunes while we look.
            continue
        if stat.S_ISREG(facts.st_mode):
            found[str(file.relative_to(path))] = facts.st_size
    return found


def checkpoints(request: dict[str, Any]) -> dict[str, Any]:
    """Every checkpoint of a run with its files and their sizes."""
    return {"checkpoints": describe_checkpoints(readable_run(root_of(request), request), with_files=True)}


def digest(request: dict[str, Any]) -> dict[str, Any]:
    """SHA-256 (hex) of a file below the run directory."""
    path = confined_file(readable_run(root_of(request), request), request.get("path"))
    return {"sha256": _digest(path), "bytes": path.stat().st_size}


def _digest(path: Path) -> str:
    state = hashlib.sha256()
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    with os.fdopen(fd, "rb") as file:
        while block := file.read(_BLOCK_BYTES):
            state.update(block)
    return state.hexdigest()


def prune(request: dict[str, Any]) -> dict[str, Any]:
    """Deletes the checkpoints of the given steps.

    The newest whole one stays while the run is not done, whatever was asked: a resume would begin at nothing.
    """
    run = run_of(root_of(request), request.get("run_id"))
    steps = request.get("steps")
    if not isinstance(steps, list) or not all(isinstance(step, int) and not isinstance(step, bool) for step in steps):
        raise RequestError("bad_request", "steps must be a list of whole numbers")
    kept = None if _is_done(run) else last_complete(run)
    removed, freed = [], 0
    for step in checkpoint_steps(run):
        path = checkpoint_dir(run, step)
        if step not in steps or step == kept or path.is_symlink():
            continue
        freed += sum(_sizes(path).values())
        remove_checkpoint(path)
        removed.append(step)
    return {"removed": removed, "kept": [kept] if kept in steps else [], "freed_bytes": freed}


def _is_done(run: RunDir) -> bool:
    numbers = run.attempt_numbers()
    if not numbers:
        return False
    newest = run.attempt(numbers[-1])
    ending = read_json(newest.exit)
    return judge(newest).is_dead and isinstance(ending, dict) and ending.get("reason") == "done"


def fork(request: dict[str, Any]) -> dict[str, Any]:
    """Gives the directory of a run that is still to be launched the checkpoint from which its spec begins."""
    spec = request.get("spec")
    if not isinstance(spec, dict):
        raise RequestError("bad_request", "spec must be an object")
    root = root_of(request)
    return ensure_fork(root, run_of(root, spec.get("run_id")), spec)


def ensure_fork(root: Path, run: RunDir, spec: dict[str, Any]) -> dict[str, Any]:
    """Takes over the checkpoint that the spec is forked from, unless the run has one already.

    Files are linked, so that the run that they come from may prune its own, and copied where the disk can't link. Of
    another seed the state of chance is left out, and the optimiser's where the spec says so.

    Raises RequestError `missing_checkpoint` when there is no whole one to begin from.
    """
    origin = spec.get("forked_from")
    if not isinstance(origin, dict) or last_complete(run) is not None:
        return {"linked": 0, "copied": 0}
    source_run = run_of(root, origin.get("run_id"))
    step = origin.get("step")
    if not isinstance(step, int) or isinstance(step, bool) or step < 1:
        raise RequestError("bad_request", "forked_from.step must be a whole number, 1 or more")
    source = checkpoint_dir(source_run, step)
    if source.is_symlink() or not is_complete(source):
        raise RequestError(
            "missing_checkpoint",
            f"{source_run.path.name} has no whole checkpoint of step {step} on this host any more.",
        )
    files: dict[str, int] = read_json(source / MARKER)["files"]
    source_spec = read_json(source_run.spec) or {}
    left_out = () if origin.get("keeps_optimiser", True) else _OPTIMISER
    is_other_seed = source_spec.get("seed") != spec.get("seed")
    run.checkpoints.mkdir(parents=True, exist_ok=True)
    draft = run.checkpoints / f".fork-{uuid.uuid4().hex}"
    counts = {"linked": 0, "copied": 0}
    try:
        for name, size in files.items():
            is_random = is_other_seed and Path(name).name.startswith(_RANDOM)
            if Path(name).name in left_out or is_random:
                continue
            confined_file(source_run, f"checkpoints/{source.name}/{name}")
            target = draft / name
            target.parent.mkdir(parents=True, exist_ok=True)
            counts[_take(source / name, target)] += 1
            if target.stat().st_size != size:
                raise RequestError("missing_checkpoint", f"{name} is not what the checkpoint's marker says.")
        mark_complete(draft, step)
        try:
            os.rename(draft, checkpoint_dir(run, step))
        except OSError:
            # Another caller was faster; what it took is the same.
            if not is_complete(checkpoint_dir(run, step)):
                raise
        sync_dir(run.checkpoints)
    except FileNotFoundError:
        raise RequestError("missing_checkpoint", f"The checkpoint of step {step} was deleted meanwhile.") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return counts


def _take(source: Path, target: Path) -> str:
    try:
        os.link(source, target, follow_symlinks=False)
        return "linked"
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(source, target, follow_symlinks=False)
    if _digest(source) != _digest(target):
        raise RequestError("io", f"{source.name} could not be copied: the copy differs. Look after the disk.")
    return "copied"
