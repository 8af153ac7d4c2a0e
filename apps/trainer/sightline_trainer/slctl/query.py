"""Questions about what lies on the host: states, all runs, logs, files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sightline_trainer.rundir import is_run_id, read_json
from sightline_trainer.slctl.checkpoint import confined_file, describe_checkpoints
from sightline_trainer.slctl.observe import attempt_of, describe, root_of, run_of
from sightline_trainer.slctl.protocol import RequestError
from sightline_trainer.slctl.watch import readable_run

_MAX_BYTES = 8 * 1024 * 1024
_DEFAULT_LOG_BYTES = 256 * 1024


def status(request: dict[str, Any]) -> dict[str, Any]:
    """States of several attempts at once."""
    root = root_of(request)
    wanted = request.get("attempts")
    if not isinstance(wanted, list) or not all(isinstance(item, dict) for item in wanted):
        raise RequestError("bad_request", "attempts must be a list of {run_id, attempt}")
    rows = []
    for item in wanted:
        run = readable_run(root, item)
        rows.append(describe(item["run_id"], attempt_of(run, item.get("attempt"))))
    return {"attempts": rows}


def find(request: dict[str, Any]) -> dict[str, Any]:
    """Every run below the root with all its attempts, so that a lost database can be filled again."""
    root = root_of(request)
    try:
        names = sorted(os.listdir(root))
    except FileNotFoundError:
        names = []
    runs = []
    for name in names:
        if not is_run_id(name) or not (root / name / "spec.json").is_file():
            continue
        run = run_of(root, name)
        runs.append(
            {
                "run_id": name,
                "run_dir": str(run.path),
                "spec": read_json(run.spec),
                "attempts": [describe(name, run.attempt(number)) for number in run.attempt_numbers()],
                "checkpoints": describe_checkpoints(run),
            }
        )
    return {"runs": runs}


def log(request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """A part of the trainer's output: from `offset`, or the last `max_bytes` when there is none."""
    run = readable_run(root_of(request), request)
    attempt = attempt_of(run, request.get("attempt"))
    path = attempt.older_log if request.get("older") is True else attempt.log
    return _part(path, request, _DEFAULT_LOG_BYTES)


def fetch(request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """A part of a file below the run directory."""
    run = readable_run(root_of(request), request)
    return _part(confined_file(run, request.get("path")), {"offset": 0, **request}, _MAX_BYTES)


def _part(path: Path, request: dict[str, Any], default: int) -> tuple[dict[str, Any], bytes]:
    limit = request.get("max_bytes", default)
    offset = request.get("offset")
    if not isinstance(limit, int) or limit < 0 or not (offset is None or (isinstance(offset, int) and offset >= 0)):
        raise RequestError("bad_request", "offset and max_bytes must be whole numbers, 0 or more")
    limit = min(limit, _MAX_BYTES)
    try:
        with path.open("rb") as file:
            stat = os.fstat(file.fileno())
            start = max(0, stat.st_size - limit) if offset is None else min(offset, stat.st_size)
            file.seek(start)
            data = file.read(limit)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise RequestError("not_found", f"{path.name} is not there") from None
    facts = {"offset": start, "bytes": len(data), "size": stat.st_size, "inode": stat.st_ino}
    return {**facts, "more": start + len(data) < stat.st_size}, data
