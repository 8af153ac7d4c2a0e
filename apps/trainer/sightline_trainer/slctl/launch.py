"""Starts an attempt: idempotent, fenced, and detached from whoever asked for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import uuid
from pathlib import Path
from typing import Any

from sightline_trainer.rundir import (
    NO_SPACE,
    AttemptDir,
    RunDir,
    canonical_json,
    is_run_id,
    read_json,
    spec_hash,
    write_atomic,
)
from sightline_trainer.slctl import host
from sightline_trainer.slctl.checkpoint import ensure_fork
from sightline_trainer.slctl.observe import attempt_of, describe, judge, root_of, run_of
from sightline_trainer.slctl.protocol import RequestError

_START_SECS = 30.0
_ENGINES = {
    "simulator": "sightline_trainer.sim",
    "grpo": "sightline_trainer.grpo",
    "sft": "sightline_trainer.sft",
    "evaluate": "sightline_trainer.evaluate",
}


def launch(request: dict[str, Any]) -> dict[str, Any]:
    """Starts (run, attempt), or returns the one that is there already.

    Raises RequestError: `bad_request`, `conflict` (another spec under this name), `fenced` (a newer attempt exists),
    `alive` (an older attempt is not proven dead), `disk_full`, `not_started` (with what the supervisor said).
    """
    spec = request.get("spec")
    if not isinstance(spec, dict) or not is_run_id(spec.get("run_id")):
        raise RequestError("bad_request", "spec must be an object with a run_id of letters, digits, '.', '_' and '-'")
    run = run_of(root_of(request), spec["run_id"])
    attempt = attempt_of(run, request.get("attempt"))
    argv = _argv(request, spec)
    if not isinstance(request.get("overrides", {}), dict):
        raise RequestError("bad_request", "overrides must be an object of settings")
    try:
        if not attempt.path.exists():
            ensure_fork(run.path.parent, run, spec)
        _write_spec(run, spec)
        _write_data(run, request.get("data"))
        is_new = _claim(run, attempt)
        if is_new:
            _supervise(request, run, attempt, argv, spec_hash(spec))
        else:
            _await_id(attempt)
    except OSError as error:
        if error.errno in NO_SPACE:
            raise RequestError("disk_full", f"The disk under {run.path} is full: free some space.") from error
        raise RequestError("io", f"Can't write under {run.path}: {error.strerror}.") from error
    return {"created": is_new, "ref": _ref(run, attempt), "status": describe(spec["run_id"], attempt)}


def _argv(request: dict[str, Any], spec: dict[str, Any]) -> list[str]:
    argv = request.get("argv")
    if argv is not None:
        if not (isinstance(argv, list) and argv and all(isinstance(word, str) and "\0" not in word for word in argv)):
            raise RequestError("bad_request", "argv must be a list of words")
        return argv
    module = _ENGINES.get(str(spec.get("engine")))
    if module is None:
        raise RequestError("bad_request", f"unknown engine {spec.get('engine')!r:.100} and no argv")
    python = request.get("python") or os.environ.get("SLCTL_PYTHON") or host.sys.executable
    return [str(python), "-m", module]


def _write_spec(run: RunDir, spec: dict[str, Any]) -> None:
    for folder in (run.path, run.data, run.checkpoints, run.control, run.attempts):
        folder.mkdir(parents=True, exist_ok=True)
    content = canonical_json(spec)
    if not run.spec.exists():
        draft = run.path / f".spec.{uuid.uuid4().hex}"
        write_atomic(draft, content)
        try:
            os.link(draft, run.spec)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    if run.spec.read_bytes() != content:
        raise RequestError("conflict", f"Another run lies under the name {spec['run_id']}: its spec differs.")


def _write_data(run: RunDir, data: Any) -> None:
    if data is None:
        return
    if not isinstance(data, dict):
        raise RequestError("bad_request", "data must map file names to texts")
    for name, text in data.items():
        if not is_run_id(name) or not isinstance(text, str):
            raise RequestError("bad_request", f"not a data file: {name!r:.200}")
        path = run.data / name
        if not path.exists():
            write_atomic(path, text.encode("utf-8", "replace"))


def _claim(run: RunDir, attempt: AttemptDir) -> bool:
    """Makes the attempt's directory. False when it is there already."""
    if attempt.path.exists():
        return False
    _check_fence(run, attempt)
    try:
        attempt.path.mkdir()
    except FileExistsError:
        return False
    try:
        # Looked at once more now that the directory stands: a slow supervisor takes its lock and then looks for us.
        _check_fence(run, attempt)
    except RequestError:
        attempt.path.rmdir()
        raise
    return True


def _check_fence(run: RunDir, attempt: AttemptDir) -> None:
    for number in run.attempt_numbers():
        if number > attempt.number:
            raise RequestError("fenced", f"Attempt {number} exists; attempt {attempt.number} must not start.")
        if number < attempt.number:
            seen = judge(run.attempt(number))
            if not seen.is_dead:
                raise RequestError(
                    "alive",
                    f"Attempt {number} is {seen.state} ({seen.why}): stop it before a new attempt starts.",
                    state=seen.state,
                )


def _supervise(request: dict[str, Any], run: RunDir, attempt: AttemptDir, argv: list[str], digest: str) -> None:
    config = {
        "run_dir": str(run.path),
        "attempt": attempt.number,
        "argv": argv,
        "spec_hash": digest,
        **{
            name: request[name]
            for name in (
                "executor",
                "env",
                "overrides",
                "note",
                "versions",
                "ballast_bytes",
                "log_bytes",
                "heartbeat_secs",
            )
            if request.get(name) is not None
        },
    }
    process = subprocess.Popen(
        host.self_command("supervise"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env=host.self_environment(),
    )
    answer, _ = process.communicate(json.dumps(config).encode())
    try:
        started = json.loads(answer)
    except ValueError:
        started = {"code": "not_started", "message": "The supervisor ended before it said anything."}
    if not started.get("ok"):
        raise RequestError(
            started.get("code", "not_started"),
            started.get("message", "The supervisor did not start."),
            run_dir=str(run.path),
        )


def _await_id(attempt: AttemptDir) -> None:
    """Waits for the attempt that another caller is starting at this moment."""
    deadline = time.monotonic() + _START_SECS
    while time.monotonic() < deadline:
        identity = read_json(attempt.id)
        if (identity and identity.get("pid")) or attempt.exit.exists():
            return
        time.sleep(0.02)
    raise RequestError("not_started", f"Attempt {attempt.number} has a directory and never started: launch the next.")


def _ref(run: RunDir, attempt: AttemptDir) -> dict[str, Any]:
    identity = read_json(attempt.id) or {}
    return {
        "run_id": run.path.name,
        "attempt": attempt.number,
        "run_dir": str(run.path),
        **{key: identity.get(key) for key in ("spec_hash", "pid", "pgid", "boot_id", "host", "resume_from")},
    }


def collect_garbage(request: dict[str, Any]) -> dict[str, Any]:
    """Deletes parts of a run that has ended: `keep` is all, checkpoints (nothing else big) or nothing."""
    run = run_of(root_of(request), request.get("run_id"))
    keep = request.get("keep")
    if keep not in ("all", "checkpoints", "nothing"):
        raise RequestError("bad_request", "keep must be all, checkpoints or nothing")
    for number in run.attempt_numbers():
        seen = judge(run.attempt(number))
        if not seen.is_dead:
            raise RequestError("alive", f"Attempt {number} is {seen.state}: stop it first.", state=seen.state)
    before = _bytes_below(run.path)
    run.ballast.unlink(missing_ok=True)
    if keep == "nothing" and run.path.exists():
        # Renamed first, so that a half-deleted run is never found again as one.
        doomed = run.path.with_name(f".gone-{uuid.uuid4().hex}")
        os.replace(run.path, doomed)
        shutil.rmtree(doomed, ignore_errors=True)
    elif keep == "checkpoints":
        for number in run.attempt_numbers():
            for path in run.attempt(number).path.glob("completions-*.jsonl"):
                path.unlink()
            run.attempt(number).older_log.unlink(missing_ok=True)
    return {"freed_bytes": before - _bytes_below(run.path)}


def _bytes_below(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) if path.exists() else 0
