"""Checkpoints with a COMPLETE marker, because the highest number alone may be a half-written one."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path

from sightline_trainer.rundir import RunDir, read_json, write_json

MARKER = "COMPLETE.json"
_NAME = re.compile(r"checkpoint-([0-9]+)")


def checkpoint_dir(run: RunDir, step: int) -> Path:
    """Directory of the checkpoint after `step` steps."""
    return run.checkpoints / f"checkpoint-{step}"


def _files(path: Path) -> dict[str, int]:
    return {
        str(file.relative_to(path)): file.stat().st_size
        for file in sorted(path.rglob("*"))
        if file.is_file() and file.name != MARKER
    }


def mark_complete(path: Path, step: int) -> int:
    """Says that every file of the checkpoint is on disk. Returns their bytes in all."""
    files = _files(path)
    for name in files:
        fd = os.open(path / name, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    write_json(path / MARKER, {"step": step, "time_secs": time.time(), "files": files})
    return sum(files.values())


def is_complete(path: Path) -> bool:
    """True when the marker is there and every file that it names has the size that it says."""
    marker = read_json(path / MARKER)
    if not isinstance(marker, dict) or not isinstance(marker.get("files"), dict):
        return False
    try:
        return all((path / name).stat().st_size == size for name, size in marker["files"].items())
    except OSError:
        return False


def checkpoint_steps(run: RunDir) -> list[int]:
    """Steps of all checkpoint directories, complete or not, ascending."""
    try:
        names = os.listdir(run.checkpoints)
    except FileNotFoundError:
        return []
    return sorted(int(match.group(1)) for name in names if (match := _NAME.fullmatch(name)))


def last_complete(run: RunDir) -> int | None:
    """Step of the newest checkpoint that can be trusted, or None."""
    for step in reversed(checkpoint_steps(run)):
        if is_complete(checkpoint_dir(run, step)):
            return step
    return None


def remove_incomplete(run: RunDir) -> list[int]:
    """Deletes half-written checkpoints. Returns their steps."""
    broken = [step for step in checkpoint_steps(run) if not is_complete(checkpoint_dir(run, step))]
    for step in broken:
        shutil.rmtree(checkpoint_dir(run, step), ignore_errors=True)
    return broken


def prune(run: RunDir, *, keep: int, protect: frozenset[int] = frozenset()) -> list[int]:
    """Deletes the oldest complete checkpoints beyond `keep`, never those in `protect`. Returns their steps."""
    complete = [step for step in checkpoint_steps(run) if is_complete(checkpoint_dir(run, step))]
    gone = [step for step in complete[: max(0, len(complete) - max(1, keep))] if step not in protect]
    for step in gone:
        remove_checkpoint(checkpoint_dir(run, step))
    return gone


def remove_checkpoint(path: Path) -> None:
    """Deletes one, the marker first: a crash in the middle must not leave a checkpoint that looks whole."""
    (path / MARKER).unlink(missing_ok=True)
    shutil.rmtree(path, ignore_errors=True)
