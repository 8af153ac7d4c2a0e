"""A full disk: the last words are written, and nothing half-done is taken for whole."""

from __future__ import annotations

import errno
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Host, Session, spec, whole_lines

from sightline_trainer.checkpoints import checkpoint_dir, is_complete, last_complete, mark_complete, prune
from sightline_trainer.rundir import RunDir, make_ballast, write_json
from sightline_trainer.slctl import environment
from sightline_trainer.wire.log import DiskFullError, EventLog


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB; only root can mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)], capture_output=True, text=True, check=False
    ) if os.geteuid() == 0 else None  # fmt: skip
    if mount is None or mount.returncode != 0:
        pytest.skip("NOT TESTED HERE: a full disk needs a tmpfs, and this user may not mount one")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=False)


@pytest.fixture
def small(small_disk: Path, session: Session) -> Host:
    return Host(small_disk, session)


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while file.write(b"\0" * size):
                    pass
            except OSError as error:
                assert error.errno == errno.ENOSPC


def test_a_run_that_fills_the_disk_says_so_and_can_be_resumed(small: Host) -> None:
    run_spec = spec(steps_per_epoch=1000, save_steps=20, keep_checkpoints=1)
    small.launch(run_spec)
    ending = small.finished()
    assert ending["code"] == 74 and ending["class"] == "disk" and ending["reason"] == "failed"
    error, end = small.events()[-2:]
    assert error["type"] == "error" and error["code"] == "disk" and error["retryable"]
    assert end["type"] == "attempt.end" and end["exit_code"] == 74
    seqs = [line["seq"] for line in small.events()]
    assert seqs == list(range(1, len(seqs) + 1))
    assert not small.run().ballast.exists()
    step = last_complete(small.run())
    assert step is not None
    for path in small.attempt().path.glob("completions-*.jsonl"):
        path.unlink()
    small.launch(run_spec, attempt=2)
    assert small.events(attempt=2)[0]["resume_from"] == {"step": step, "path": f"checkpoints/checkpoint-{step}"}
    small.ask("control", run_id="run", attempt=2, command="kill")
    small.finished(attempt=2)


def test_a_checkpoint_that_does_not_fit_is_not_left_behind(small: Host) -> None:
    small.launch(spec(steps_per_epoch=100, save_steps=5, checkpoint_bytes=2_000_000, keep_checkpoints=2))
    assert small.finished()["class"] == "disk"
    assert [path.name for path in small.run().checkpoints.iterdir()] == ["checkpoint-5"]
    assert is_complete(checkpoint_dir(small.run(), 5))
    assert small.events()[-1]["checkpoint"] == "checkpoints/checkpoint-5"


def test_a_launch_on_a_full_disk_is_refused_in_words(small: Host, small_disk: Path) -> None:
    fill(small_disk)
    assert small.refusal("launch", spec=spec(), attempt=1)["code"] == "disk_full"


def test_the_ballast_gives_the_last_words_their_room(small_disk: Path) -> None:
    run = RunDir(small_disk / "run")
    run.attempt(1).path.mkdir(parents=True)
    make_ballast(run, 256 * 1024)
    log = EventLog(run, run.attempt(1), run_id="run")
    log.phase("train")
    fill(small_disk)
    with pytest.raises(DiskFullError):
        for _ in range(10_000):
            log.warn("w", "x" * 1000)
    assert not run.ballast.exists()
    log.error("disk", "full")
    log.attempt_end(reason="failed", exit_code=74, step=1, checkpoint=None)
    lines = whole_lines(run.attempt(1).events)
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert lines[-1]["type"] == "attempt.end" and run.attempt(1).events.read_bytes().count(b"\n") == len(lines)


def test_a_line_torn_by_a_full_disk_is_ended_when_there_is_room_again(small_disk: Path) -> None:
    run = RunDir(small_disk / "run")
    run.attempt(1).path.mkdir(parents=True)
    log = EventLog(run, run.attempt(1), run_id="run")
    log.phase("train")
    fill(small_disk)
    with pytest.raises(DiskFullError):
        for _ in range(100):
            log.warn("w", "x" * 1900)
    (small_disk / "filler").unlink()
    log.phase("finish")
    lines = whole_lines(run.attempt(1).events)
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert lines[-1]["name"] == "finish"


def make_checkpoint(run: RunDir, step: int, **files: bytes) -> None:
    path = checkpoint_dir(run, step)
    path.mkdir(parents=True)
    for name, content in (files or {"a": b"x" * step}).items():
        (path / name).write_bytes(content)
    mark_complete(path, step)


def test_only_whole_checkpoints_count(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    for step in (2, 4, 6, 10):
        make_checkpoint(run, step)
    assert last_complete(run) == 10
    (checkpoint_dir(run, 10) / "a").write_bytes(b"x")
    assert last_complete(run) == 6
    (checkpoint_dir(run, 6) / "a").unlink()
    assert last_complete(run) == 4
    (checkpoint_dir(run, 4) / "COMPLETE.json").write_text("{")
    assert last_complete(run) == 2
    checkpoint_dir(run, 12).mkdir()
    assert last_complete(run) == 2


def test_pruning_keeps_the_newest_and_the_protected(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    for step in (2, 4, 6, 8):
        make_checkpoint(run, step)
    assert prune(run, keep=2, protect=frozenset({2})) == [4]
    assert sorted(path.name for path in run.checkpoints.iterdir()) == ["checkpoint-2", "checkpoint-6", "checkpoint-8"]


def test_no_ballast_where_there_is_no_room(small_disk: Path) -> None:
    run = RunDir(small_disk)
    make_ballast(run, 64 * 1024 * 1024)
    assert not run.ballast.exists()
    options: dict[str, Any] = {"run_id": "run"}
    run.attempt(1).path.mkdir(parents=True)
    EventLog(run, run.attempt(1), **options).phase("train")


def prepare(disk: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """How a preparation on this disk ends."""
    monkeypatch.setenv("SIGHTLINE_CACHE", str(disk))
    monkeypatch.setenv("TMPDIR", str(disk))
    request = {"profile": "cpu", "requirements": "nothing-of-this-name\n", "constraints": ""}
    state = environment.prepare(request)["environment"]
    deadline = time.monotonic() + 600
    while state["state"] == "preparing" and time.monotonic() < deadline:
        time.sleep(0.1)
        state = environment.environment(request)["environment"]
    return state


def test_a_disk_that_fills_while_an_environment_is_prepared_is_named(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = prepare(small_disk, monkeypatch)
    assert first["state"] == "failed" and "The disk is full" in first["problem"]
    # Where not even the last words could be written, they are known all the same.
    (state,) = small_disk.glob("environments/*/prepare.json")
    write_json(state, {"state": "preparing", "done": 0, "total": 1, "pid": 1, "start_ticks": 1})
    request = {"profile": "cpu", "requirements": "nothing-of-this-name\n", "constraints": ""}
    assert "ended from outside" in environment.environment(request)["environment"]["problem"]
    fill(small_disk)
    assert "The disk is full" in environment.environment(request)["environment"]["problem"]
