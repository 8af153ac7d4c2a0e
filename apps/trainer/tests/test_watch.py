"""Run directories that somebody else made are looked at, and never touched."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Host, spec

from sightline_trainer.slctl.protocol import RequestError
from sightline_trainer.slctl.watch import search


@pytest.fixture
def foreign(here: Host, tmp_path: Path) -> Path:
    """A finished run that was moved out of the root, to a folder whose name is no run id."""
    here.launch(spec("theirs", total_steps=8))
    here.finished("theirs")
    folder = tmp_path / "elsewhere" / "their $(run) 1"
    folder.parent.mkdir()
    shutil.move(here.root / "theirs", folder)
    return folder


def listing(folder: Path) -> list[tuple[str, int, bytes]]:
    return sorted(
        (str(path.relative_to(folder)), path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    )


def cursor(folder: Path, **fields: Any) -> dict[str, Any]:
    return {
        "run_id": "theirs",
        "dir": str(folder),
        "attempt": 1,
        "stream": "events",
        "segment": 1,
        "offset": 0,
        "inode": None,
        **fields,
    }


def test_a_foreign_run_is_inspected_read_and_left_as_it_was(here: Host, foreign: Path) -> None:
    before = listing(foreign)
    run = here.ask("inspect", dir=str(foreign))["run"]
    assert (run["run_id"], run["run_dir"], run["spec"]["run_id"]) == ("theirs", str(foreign.resolve()), "theirs")
    assert [(row["run_id"], row["attempt"], row["state"]) for row in run["attempts"]] == [("theirs", 1, "finished")]
    status = here.ask("status", attempts=[{"run_id": "theirs", "attempt": 1, "dir": str(foreign)}])["attempts"][0]
    assert (status["run_id"], status["state"]) == ("theirs", "finished")
    answer = here.ask("read", cursors=[cursor(foreign)])
    lines = [json.loads(line) for line in answer["blob"].splitlines()]
    assert lines[0]["type"] == "attempt.start"
    assert lines[-1]["type"] == "attempt.end"
    assert answer["chunks"][0]["run_id"] == "theirs"
    log = here.ask("log", run_id="theirs", dir=str(foreign), attempt=1)
    assert log["size"] == len(log["blob"])
    place = {"run_id": "theirs", "dir": str(foreign)}
    rows = here.ask("checkpoints", **place)["checkpoints"]
    assert rows and all(row["complete"] for row in rows)
    path = f"{rows[-1]['path']}/weights.simulated"
    blob = here.ask("fetch", path=path, **place)["blob"]
    assert here.ask("digest", path=path, **place)["sha256"] == hashlib.sha256(blob).hexdigest()
    assert here.refusal("fetch", path="../../secret", **place)["code"] == "bad_request"
    assert listing(foreign) == before


def test_orders_do_not_know_foreign_directories(here: Host, foreign: Path) -> None:
    before = listing(foreign)
    place = {"run_id": "theirs", "dir": str(foreign), "attempt": 1}
    for command in ("stop", "checkpoint", "kill"):
        here.refusal("control", command=command, **place)
    here.session.send("gc", root=str(here.root), keep="nothing", **place)
    assert here.ask("prune", steps=[4, 8, 12], run_id="theirs", dir=str(foreign))["removed"] == []
    assert listing(foreign) == before
    assert not (here.root / "theirs").exists()


def test_what_is_no_run_directory_is_refused_with_a_reason(here: Host, tmp_path: Path) -> None:
    def reason(folder: str) -> tuple[str, str]:
        error = here.refusal("inspect", dir=folder)
        return error["code"], error["message"]

    assert reason(str(tmp_path / "absent"))[0] == "not_found"
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert reason(str(loop)) == ("not_found", f"There is no folder {loop} on the host.")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert reason(str(empty)) == ("no_run", f"{empty.resolve()} is no run directory: it holds no spec.json.")
    (empty / "spec.json").write_text("[1")
    assert "names no run" in reason(str(empty))[1]
    (empty / "spec.json").write_text(json.dumps({"run_id": "../up"}))
    assert "names no run" in reason(str(empty))[1]
    (empty / "spec.json").write_text(json.dumps(spec("theirs")))
    assert "no attempt yet" in reason(str(empty))[1]
    for text in ("", "relative/path", "a\0b", "-rf", "$(reboot)"):
        assert reason(text)[0] == "bad_request"
    assert here.refusal("inspect", dir=["/"])["code"] == "bad_request"
    assert here.refusal("read", cursors=[cursor(empty, run_id="../up")])["code"] == "bad_request"


def test_runs_are_found_outside_the_root_alone(here: Host, foreign: Path) -> None:
    own = here.root / "ours"
    own.mkdir()
    answer = here.session.ask("search", root=str(own), folder=str(here.root))
    assert [(run["run_id"], run["run_dir"], run["attempts"]) for run in answer["runs"]] == [
        ("theirs", str(foreign.resolve()), 1)
    ]
    assert answer["partial"] is False
    link = here.root / "loop"
    link.symlink_to(here.root)
    assert len(here.session.ask("search", root=str(own), folder=str(here.root))["runs"]) == 1
    assert here.session.ask("search", root=str(foreign.parent), folder=str(here.root))["runs"] == []
    assert here.session.refusal("search", root=str(own), folder=str(here.root / "absent"))["code"] == "not_found"


@pytest.fixture
def ordinary_account() -> Iterator[None]:
    """Root may look into every folder; for the test it is nobody."""
    was = os.getresuid()
    if os.geteuid() == 0:
        os.setresuid(65534, 65534, 0)
    yield
    os.setresuid(*was)


def test_a_folder_of_somebody_else_is_not_said_to_hold_no_runs(ordinary_account: None) -> None:
    # Not under TMPDIR: the test command's own is closed to others.
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        folder = Path(home, "theirs")
        folder.mkdir(mode=0)
        with pytest.raises(RequestError) as refused:
            search({"root": home, "folder": str(folder)})
        assert refused.value.code == "unreadable"
