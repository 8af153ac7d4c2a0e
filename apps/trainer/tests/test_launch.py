"""Launch: one process whatever the callers do, and proof of death before a second one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import Any

import pytest
from conftest import TRAINER, Host, spec, wait_for, whole_lines

from sightline_trainer.rundir import read_json, spec_hash, write_json
from sightline_trainer.slctl import host as host_facts

SLOW: dict[str, Any] = {"steps_per_sec": 20, "steps_per_epoch": 1000}


def test_a_run_from_launch_to_its_end(here: Host) -> None:
    answer = here.launch(spec())
    assert answer["created"] is True
    ref = answer["ref"]
    assert ref["run_dir"] == str(here.root / "run") and ref["pid"] == ref["pgid"]
    assert here.finished() == {
        **here.finished(),
        "code": 0,
        "signal": None,
        "class": "done",
        "reason": "done",
        "asked": None,
    }
    run = here.run()
    assert run.spec.read_bytes().endswith(b"\n") and ref["spec_hash"] == spec_hash(spec())
    names = {path.name for path in run.attempt(1).path.iterdir()}
    assert names == {
        "lock",
        "id.json",
        "heartbeat",
        "exit.json",
        "log.txt",
        "events.jsonl",
        "completions-00001.jsonl",
    }
    assert {path.name for path in run.path.iterdir()} == {"spec.json", "data", "checkpoints", "control", "attempts"}
    start, end = here.events()[0], here.events()[-1]
    assert start["type"] == "attempt.start" and start["versions"]["engine"] == "simulator"
    assert start["pid"] == ref["pid"] and start["spec_hash"] == ref["spec_hash"]
    assert end["type"] == "attempt.end" and end["reason"] == "done" and end["step"] == 12
    assert "simulated run" in run.attempt(1).log.read_text()


def test_a_supervisor_goes_on_when_whoever_asked_for_it_is_gone(here: Host) -> None:
    run = here.run()
    for folder in (run.data, run.checkpoints, run.control, run.attempt(1).path):
        folder.mkdir(parents=True)
    write_json(run.spec, spec(**SLOW))
    config = {"run_dir": str(run.path), "attempt": 1, "argv": [sys.executable, "-m", "sightline_trainer.sim"]}
    caller = subprocess.Popen(
        host_facts.self_command("supervise"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=TRAINER
    )
    assert caller.stdin is not None and caller.stdout is not None
    caller.stdout.close()
    caller.stdin.write(json.dumps(config).encode())
    caller.stdin.close()
    caller.wait()
    here.wait_step(3)
    assert here.status()["state"] == "running"


def test_ten_launches_at_once_are_one_process(here: Host) -> None:
    request = json.dumps({"op": "launch", "id": 1, "root": str(here.root), "spec": spec(**SLOW), "attempt": 1})
    callers = [
        subprocess.Popen(
            [sys.executable, "-m", "sightline_trainer.slctl", "rpc"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=TRAINER,
        )
        for _ in range(4)
    ]
    ids = [here.session.send("launch", root=str(here.root), spec=spec(**SLOW), attempt=1) for _ in range(6)]
    outputs = [caller.communicate(request.encode())[0] for caller in callers]
    answers = [here.session.answer(number)[0] for number in ids]
    answers += [json.loads(output.split(b"\n", 3)[3]) for output in outputs]
    assert all(answer["ok"] for answer in answers), answers
    assert [answer["created"] for answer in answers].count(True) == 1
    assert len({answer["ref"]["pid"] for answer in answers}) == 1
    assert here.run().attempt_numbers() == [1]
    wait_for(lambda: len(here.processes()) == 1)
    here.ask("control", run_id="run", attempt=1, command="kill")
    here.finished()


def test_the_same_launch_later_is_the_same_run(here: Host) -> None:
    first = here.launch(spec())
    here.finished()
    again = here.launch(spec())
    assert again["created"] is False and again["ref"] == first["ref"]
    assert len(here.events(type="attempt.start")) == 1


def test_another_spec_under_the_same_name_is_a_conflict(here: Host) -> None:
    here.launch(spec())
    assert here.refusal("launch", spec=spec(seed=2), attempt=1)["code"] == "conflict"
    here.finished()


def test_a_new_attempt_needs_the_old_one_dead(here: Host) -> None:
    run_spec = spec(**SLOW)
    here.launch(run_spec)
    assert here.refusal("launch", spec=run_spec, attempt=2)["code"] == "alive"
    assert here.run().attempt_numbers() == [1]
    here.ask("control", run_id="run", attempt=1, command="kill")
    here.finished()
    assert here.launch(run_spec, attempt=2)["created"] is True
    assert here.launch(run_spec, attempt=1)["created"] is False
    here.ask("control", run_id="run", attempt=2, command="kill")
    here.finished(attempt=2)


def test_an_older_attempt_never_starts_after_a_newer_one(here: Host) -> None:
    run_spec = spec()
    here.launch(run_spec, attempt=2)
    here.finished(attempt=2)
    assert here.refusal("launch", spec=run_spec, attempt=1)["code"] == "fenced"
    assert here.run().attempt_numbers() == [2]


def test_a_trainer_that_finds_a_newer_attempt_stops_writing(here: Host) -> None:
    here.launch(spec(**SLOW))
    here.wait_step(1)
    here.run().attempt(2).path.mkdir()
    ending = here.finished()
    assert ending["class"] == "internal" and ending["reason"] == "failed"
    assert "attempt 2 exists" in here.events()[-2]["message"]


def test_a_command_that_does_not_exist_is_said_at_once_and_leaves_an_end(here: Host) -> None:
    error = here.refusal("launch", spec=spec(), attempt=1, argv=["/nowhere/python", "-m", "x"])
    assert error["code"] == "not_started" and "/nowhere/python" in error["message"]
    ending = here.finished()
    assert ending["class"] == "missing_input"
    assert [line["type"] for line in here.events()] == ["attempt.start", "error", "attempt.end"]


def test_secrets_of_the_environment_are_in_no_argv_and_no_file(here: Host) -> None:
    code = "import os, sys; sys.exit(0 if os.environ['JUDGE_KEY'] == 's3' + 'cret-key' else 1)"
    here.launch(spec(), argv=[sys.executable, "-c", code], env={"JUDGE_KEY": "s3cret-key"})
    assert here.finished()["code"] == 0
    for path in here.root.rglob("*"):
        assert not path.is_file() or b"s3cret" not in path.read_bytes(), path


def test_a_bad_spec_says_what_is_wrong(here: Host) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"faults": "explode@3"}, "unknown fault"),
        ({"group_size": 0}, "group_size"),
        ({"steps_per_epoch": "many"}, "steps_per_epoch"),
    ]
    for index, (settings, words) in enumerate(cases):
        run_id = f"bad{index}"
        here.launch(spec(run_id, **settings))
        assert here.finished(run_id)["class"] == "bad_spec"
        error = here.events(run_id, type="error")[0]
        assert words in error["message"]


def test_the_log_is_capped(here: Host) -> None:
    code = "import time\nfor i in range(40):\n print('x' * 9999, i, flush=True); time.sleep(0.05)"
    here.launch(spec(), argv=[sys.executable, "-c", code], log_bytes=50_000)
    here.finished()
    attempt = here.attempt()
    assert attempt.older_log.stat().st_size >= 50_000
    assert attempt.log.stat().st_size < 400_000
    texts = attempt.older_log.read_text() + attempt.log.read_text()
    assert texts.rstrip().endswith(" 39")


def test_find_knows_every_run_again(here: Host) -> None:
    here.launch(spec("one"))
    here.launch(spec("two", **SLOW))
    here.finished("one")
    (here.root / "not-a-run").mkdir()
    runs = {run["run_id"]: run for run in here.ask("find")["runs"]}
    assert set(runs) == {"one", "two"}
    assert runs["one"]["spec"] == spec("one")
    assert runs["one"]["attempts"][0]["state"] == "finished"
    assert runs["two"]["attempts"][0]["state"] == "running"
    assert [point["step"] for point in runs["one"]["checkpoints"] if point["complete"]] == [4, 8, 12]
    assert here.refusal("gc", run_id="two", keep="nothing")["code"] == "alive"
    assert here.ask("gc", run_id="one", keep="nothing")["freed_bytes"] > 0
    assert [run["run_id"] for run in here.ask("find")["runs"]] == ["two"]


def test_ids_are_files_of_the_host(here: Host) -> None:
    threads = threading.active_count()
    here.launch(spec(**SLOW))
    identity = here.identity()
    assert identity["boot_id"] == host_facts.boot_id() and identity["host"] == host_facts.host_name()
    assert host_facts.is_alive(identity["pid"], identity["start_ticks"])
    assert not host_facts.is_alive(identity["pid"], identity["start_ticks"] + 1), "a number given to another process"
    assert os.getpgid(identity["pid"]) == identity["pgid"] != os.getpgid(identity["supervisor"]["pid"])
    before = here.attempt().heartbeat.stat().st_mtime
    wait_for(lambda: here.attempt().heartbeat.stat().st_mtime > before)
    assert read_json(here.attempt().exit) is None
    assert threading.active_count() == threads
    assert whole_lines(here.attempt().events)[0]["seq"] == 1


def test_a_start_that_failed_can_be_tried_again_under_the_same_number(here: Host) -> None:
    """The supervisor finds it can't write, takes its directory back, and says why."""
    (here.root / "run").mkdir()
    checkpoints = here.run().checkpoints
    checkpoints.write_text("in the way")
    assert here.refusal("launch", spec=spec(), attempt=1)["code"] == "io"
    checkpoints.unlink()
    here.run().control.mkdir()
    (here.run().control / "stop").mkdir()
    error = here.refusal("launch", spec=spec(), attempt=1)
    assert error["code"] == "io" and "stop" in error["message"]
    assert here.run().attempt_numbers() == []
    (here.run().control / "stop").rmdir()
    assert here.launch(spec(), attempt=1)["created"] is True
    assert here.finished()["code"] == 0


def test_a_host_name_that_is_no_utf_8_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "b\udcf6cker")
    assert host_facts.host_name() == "b\\xf6cker"
