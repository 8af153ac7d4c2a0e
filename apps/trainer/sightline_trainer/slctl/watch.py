"""Looks at run directories that lie anywhere on this host, because somebody else made them.

Nothing here writes. A request names such a directory by `dir`; only questions (status, read, log, checkpoints, fetch,
digest) know that word, so that no order can reach a run that isn't ours.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sightline_trainer.rundir import RunDir, is_run_id, read_json
from sightline_trainer.slctl.observe import describe, root_of, run_of
from sightline_trainer.slctl.protocol import RequestError

_MAX_DEPTH = 6
_MAX_FOLDERS = 20_000
_MAX_FOUND = 200
_MAX_SECS = 8.0
_SKIPPED = {"node_modules", "site-packages", "__pycache__", ".git", ".cache", "proc", "sys", "dev"}


def readable_run(root: Path, item: dict[str, Any]) -> RunDir:
    """The run that a question is about: below the root by its id, or anywhere by `dir`."""
    run_id = item.get("run_id")
    if item.get("dir") is None:
        return run_of(root, run_id)
    if not is_run_id(run_id):
        raise RequestError("bad_request", f"not a run id: {run_id!r:.200}")
    return RunDir(_folder(item["dir"]))


def inspect(request: dict[str, Any]) -> dict[str, Any]:
    """What lies in a run directory, or a refusal that says why it is none."""
    path = _folder(request.get("dir"))
    if not path.is_dir():
        raise RequestError("not_found", f"There is no folder {path} on the host.")
    run = RunDir(path)
    if not run.spec.is_file():
        raise RequestError("no_run", f"{path} is no run directory: it holds no spec.json.")
    spec = read_json(run.spec)
    if not isinstance(spec, dict) or not is_run_id(spec.get("run_id")):
        raise RequestError("no_run", f"{path} is no run directory: its spec.json names no run.")
    numbers = run.attempt_numbers()
    if not numbers:
        raise RequestError("no_run", f"The run in {path} has not begun: it has no attempt yet.")
    run_id = spec["run_id"]
    return {
        "run": {
            "run_id": run_id,
            "run_dir": str(path),
            "spec": spec,
            "attempts": [describe(run_id, run.attempt(number)) for number in numbers],
        }
    }


def search(request: dict[str, Any]) -> dict[str, Any]:
    """Run directories below a folder that aren't below the root; those that wrote last come first.

    The answer is `partial` where there was too much to look at.
    """
    own = root_of(request).resolve()
    top = _folder(request.get("folder", "~"))
    if not top.is_dir():
        raise RequestError("not_found", f"There is no folder {top} on the host.")
    if not os.access(top, os.R_OK | os.X_OK):
        raise RequestError("unreadable", f"Your account on the host may not look into {top}.")
    found: list[dict[str, Any]] = []
    is_partial = False
    deadline = time.monotonic() + _MAX_SECS
    for count, (path, names) in enumerate(_walk(top, own)):
        if count >= _MAX_FOLDERS or len(found) >= _MAX_FOUND or time.monotonic() > deadline:
            is_partial = True
            break
        if "spec.json" not in names or "attempts" not in names:
            continue
        spec = read_json(path / "spec.json")
        numbers = RunDir(path).attempt_numbers()
        if isinstance(spec, dict) and is_run_id(spec.get("run_id")) and numbers:
            found.append(
                {
                    "run_id": spec["run_id"],
                    "run_dir": str(path),
                    "name": str(spec.get("name", "")),
                    "attempts": len(numbers),
                    "written_secs": _written_secs(RunDir(path), numbers[-1]),
                }
            )
    found.sort(key=lambda one: -one["written_secs"])
    return {"folder": str(top), "runs": found, "partial": is_partial}


def _folder(text: Any) -> Path:
    if not isinstance(text, str) or text == "" or "\0" in text:
        raise RequestError("bad_request", "A folder of the host must be named by its path.")
    path = Path(os.path.expanduser(text))
    if not path.is_absolute():
        raise RequestError("bad_request", f"The path must be absolute or start with ~/: {text!r:.200}")
    # Unlike Path.resolve, this takes a link that leads to itself for a folder that isn't there.
    return Path(os.path.realpath(path))


def _walk(top: Path, own: Path) -> Iterator[tuple[Path, set[str]]]:
    """Folders with the names in them, from above to below; no link is followed, and what can't be read is passed by."""
    waiting = [(top, 0)]
    while waiting:
        path, depth = waiting.pop(0)
        try:
            with os.scandir(path) as entries:
                children = list(entries)
        except OSError:
            continue
        names = {entry.name for entry in children}
        yield path, names
        if depth >= _MAX_DEPTH or "spec.json" in names:
            continue
        for entry in sorted(children, key=lambda entry: entry.name):
            if entry.name in _SKIPPED or not entry.is_dir(follow_symlinks=False):
                continue
            if Path(entry.path) != own:
                waiting.append((Path(entry.path), depth + 1))


def _written_secs(run: RunDir, attempt: int) -> float:
    try:
        return run.attempt(attempt).events.stat().st_mtime
    except OSError:
        return 0.0
