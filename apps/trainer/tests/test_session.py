"""Sessions: what a client says to slctl and hears of it; runs outlive both."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import TRAINER, Host, kill, read_frame, spec, start_session, wait_for

from sightline_trainer.slctl import host as host_facts

SLOW: dict[str, Any] = {"steps_per_sec": 20, "steps_per_epoch": 1000}


def test_the_run_outlives_the_session_that_started_it(tmp_path: Path, here: Host) -> None:
    session = start_session()
    answer = session.ask("launch", root=str(tmp_path), spec=spec(**SLOW), attempt=1)
    os.killpg(os.getpgid(session.process.pid), 0)
    kill(session.process.pid)
    session.process.wait()
    here.wait_step(3)
    assert here.status()["state"] == "running"
    fields = host_facts.stat_fields(here.identity()["supervisor"]["pid"])
    assert fields is not None
    assert int(fields[1]) not in (session.process.pid, os.getpid()), "reparented"
    assert int(fields[3]) != os.getsid(0), "in a session of its own"
    assert answer["ref"]["pid"] == here.identity()["pid"]


def test_the_run_outlives_the_terminal(tmp_path: Path, here: Host) -> None:
    request = json.dumps({"op": "launch", "root": str(tmp_path), "spec": spec(**SLOW), "attempt": 1})
    leader, follower = pty.openpty()
    shell = subprocess.Popen(
        [
            "sh",
            "-c",
            f"cd {TRAINER} && printf '%s' \"$REQUEST\" | {sys.executable} -m sightline_trainer.slctl rpc; sleep 60",
        ],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
        env={**os.environ, "REQUEST": request},
    )
    os.close(follower)
    wait_for(lambda: bool(here.events(type="metrics")))
    os.close(leader)
    os.killpg(shell.pid, signal.SIGHUP)
    shell.wait(60)
    step = here.events(type="metrics")[-1]["step"]
    here.wait_step(step + 2)
    assert here.status()["state"] == "running"


def test_rpc_closes_its_pipes_while_the_run_goes_on(here: Host) -> None:
    request = {"op": "launch", "nonce": "n0nce", "root": str(here.root), "spec": spec(**SLOW), "attempt": 1}
    process = subprocess.Popen(
        [sys.executable, "-m", "sightline_trainer.slctl", "rpc"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=TRAINER,
    )
    out, err = process.communicate(json.dumps(request).encode(), timeout=120)
    assert out.startswith(b"\n@slctl 1 n0nce\n") and err == b""
    assert here.status()["state"] in ("running", "starting")


def test_nothing_reaches_a_shell_or_another_folder(here: Host) -> None:
    for run_id in ("../x", "a/b", "", ".hidden", "-rf", "a b", "$(touch x)", "a\nb", "x" * 200, "ü", None, 7):
        assert here.refusal("launch", spec={**spec(), "run_id": run_id}, attempt=1)["code"] == "bad_request"
        assert here.refusal("control", run_id=run_id, attempt=1, command="kill")["code"] == "bad_request"
    for attempt in (0, -1, 1.5, "1", None, True, 10**9):
        assert here.refusal("launch", spec=spec(), attempt=attempt)["code"] == "bad_request"
    assert here.refusal("launch", spec=spec(), attempt=1, data={"../x": ""})["code"] == "bad_request"
    here.launch(spec(), data={"questions.jsonl": "{}\n"})
    assert here.run().data.joinpath("questions.jsonl").read_text() == "{}\n"
    here.finished()
    (here.root / "link").symlink_to("/tmp")
    assert here.refusal("log", run_id="link", attempt=1)["code"] == "bad_request"


def test_callers_in_threads_of_one_session(here: Host) -> None:
    """Twenty runs at once through one process."""
    ids = [
        here.session.send("launch", root=str(here.root), spec=spec(f"r{i}", max_steps=2), attempt=1) for i in range(8)
    ]
    for number in ids:
        assert here.session.answer(number)[0]["ok"]
    for index in range(8):
        assert here.finished(f"r{index}")["code"] == 0


def test_frames_and_noise(here: Host) -> None:
    """A login shell's banner comes before the nonce line; every answer is a frame after it."""
    process = subprocess.run(
        [
            "sh",
            "-c",
            f"echo 'Welcome @slctl 1 x'; printf 'no newline'; exec {sys.executable} -m sightline_trainer.slctl rpc",
        ],
        input=json.dumps({"op": "doctor", "id": "d", "nonce": "abc", "root": str(here.root)}).encode(),
        stdout=subprocess.PIPE,
        cwd=TRAINER,
    )
    _, _, rest = process.stdout.partition(b"\n@slctl 1 abc\n")
    import io

    header, blob = read_frame(io.BytesIO(rest))
    assert header["id"] == "d" and header["ok"] and blob == b""
    facts = header["facts"]
    assert facts["cpus"] >= 1 and facts["memory"]["total_bytes"] > 0 and facts["root"]["is_writable"]
    assert facts["root"]["has_locks"] and abs(facts["time_secs"] - time.time()) < 60
    assert list(here.root.iterdir()) == []


@pytest.mark.parametrize("request_text", ["", "{", "[]", '{"op": "fly"}', '{"op": 5}', "null"])
def test_a_request_that_is_none_gets_an_answer(request_text: str) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "sightline_trainer.slctl", "rpc"],
        input=request_text.encode(),
        stdout=subprocess.PIPE,
        cwd=TRAINER,
    )
    header = json.loads(process.stdout.split(b"\n", 3)[3])
    assert header["ok"] is False and header["error"]["code"] == "bad_request"


def test_requests_of_one_session_do_not_wait_for_each_other(here: Host) -> None:
    here.launch(spec(**SLOW))
    waiting = here.session.send(
        "read",
        root=str(here.root),
        cursors=[{"run_id": "nowhere", "attempt": 1, "stream": "events"}],
        wait_secs=60,
    )
    began = time.monotonic()
    here.status()
    assert here.session.ask("cancel", request=waiting)["found"] is True
    header, _ = here.session.answer(waiting)
    assert header["ok"] and header["cancelled"] and header["chunks"] == []
    assert time.monotonic() - began < 50


def test_the_end_of_stdin_ends_the_session_and_not_the_run(tmp_path: Path, here: Host) -> None:
    session = start_session()
    session.ask("launch", root=str(tmp_path), spec=spec(**SLOW), attempt=1)
    session.send("read", root=str(tmp_path), cursors=[{"run_id": "x", "attempt": 1, "stream": "log"}], wait_secs=60)
    assert session.process.stdin is not None
    session.process.stdin.close()
    assert session.process.wait(50) == 0
    here.wait_step(2)


def test_the_end_of_stdin_waits_for_answers_that_are_on_their_way(tmp_path: Path) -> None:
    for _ in range(5):
        session = start_session()
        ids = [session.send("find", root=str(tmp_path)) for _ in range(20)]
        assert session.process.stdin is not None
        session.process.stdin.close()
        for number in ids:
            assert session.answer(number)[0]["ok"]
        assert session.process.wait(120) == 0
