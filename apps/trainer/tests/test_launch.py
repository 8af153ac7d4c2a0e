"""Launch: one process whatever the callers do, and proof of death before a second one."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import TRAINER, Host, kill, read_frame, spec, start_session, wait_for, whole_lines

from sightline_trainer.rundir import RunDir, read_json, spec_hash
from sightline_trainer.slctl import host as host_facts
from sightline_trainer.slctl.observe import judge

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
    assert len(here.processes()) == 1
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


@pytest.mark.parametrize("victim", ["supervisor", "trainer", "both"])
def test_kill_9(here: Host, victim: str) -> None:
    here.launch(spec(**SLOW))
    here.wait_step(2)
    identity = here.identity()
    if victim in ("supervisor", "both"):
        kill(identity["supervisor"]["pid"])
    if victim in ("trainer", "both"):
        kill(identity["pid"])
    if victim == "trainer":
        ending = here.finished()
        assert ending["code"] is None and ending["signal"] == "SIGKILL" and ending["class"] in ("killed", "host_memory")
        error, end = here.events()[-2:]
        assert error["type"] == "error" and error["code"] == ending["class"] and "step 2/" in error["detail"]
        assert end["type"] == "attempt.end" and end["reason"] == "failed" and end["exit_code"] == 137
        assert end["step"] >= 2
    elif victim == "supervisor":
        row = here.wait_state("orphaned")
        assert not row["is_dead"] and row["exit"] is None
        step = here.events(type="metrics")[-1]["step"]
        here.wait_step(step + 2)
        assert here.refusal("launch", spec=spec(**SLOW), attempt=2)["code"] == "alive"
    else:
        row = here.wait_state("killed")
        assert row["is_dead"] and row["exit"] is None
        assert here.launch(spec(**SLOW), attempt=2)["created"] is True
        here.wait_state("running", attempt=2)
    assert [line["seq"] for line in here.events()] == list(range(1, len(here.events()) + 1))


def test_an_orphan_that_ends_by_itself_is_finished(here: Host) -> None:
    here.launch(spec(steps_per_sec=20, eval_steps=0))
    kill(here.identity()["supervisor"]["pid"])
    row = here.wait_state("finished")
    assert row["exit"]["class"] == "done" and row["exit"]["reason"] == "done"
    assert not here.attempt().exit.exists()
    assert here.launch(spec(steps_per_sec=20, eval_steps=0), attempt=2)["created"] is True


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
    shell.wait(5)
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
    out, err = process.communicate(json.dumps(request).encode(), timeout=20)
    assert out.startswith(b"\n@slctl 1 n0nce\n") and err == b""
    assert here.status()["state"] in ("running", "starting")


def test_another_boot_is_an_interruption(tmp_path: Path, here: Host) -> None:
    here.launch(spec(**SLOW))
    here.wait_step(1)
    identity = here.identity()
    kill(identity["supervisor"]["pid"])
    kill(identity["pid"])
    here.wait_state("killed")
    after_boot = start_session({"SLCTL_BOOT_ID": "another"})
    row = after_boot.ask("status", root=str(tmp_path), attempts=[{"run_id": "run", "attempt": 1}])["attempts"][0]
    assert row["state"] == "interrupted" and row["is_dead"]
    assert after_boot.ask("launch", root=str(tmp_path), spec=spec(**SLOW), attempt=2)["created"] is True
    kill(after_boot.process.pid)
    after_boot.process.wait()


def test_a_supervisor_that_is_held_is_stalled_and_comes_back(here: Host) -> None:
    here.launch(spec(**SLOW), heartbeat_secs=0.2)
    pid = here.identity()["supervisor"]["pid"]
    kill(pid, signal.SIGSTOP)
    os.utime(here.attempt().heartbeat, (time.time() - 60, time.time() - 60))
    row = here.status()
    assert row["state"] == "stalled" and not row["is_dead"] and row["heartbeat_age_secs"] > 50
    kill(pid, signal.SIGCONT)
    here.wait_state("running")


def test_a_command_that_does_not_exist_is_said_at_once_and_leaves_an_end(here: Host) -> None:
    error = here.refusal("launch", spec=spec(), attempt=1, argv=["/nowhere/python", "-m", "x"])
    assert error["code"] == "not_started" and "/nowhere/python" in error["message"]
    ending = here.finished()
    assert ending["class"] == "missing_input"
    assert [line["type"] for line in here.events()] == ["attempt.start", "error", "attempt.end"]


def test_a_trainer_that_dies_before_its_first_line_still_has_an_end(here: Host) -> None:
    here.launch(spec(), argv=[sys.executable, "-c", "import sys; sys.exit('no module of that name')"])
    ending = here.finished()
    assert ending["code"] == 1 and ending["class"] == "internal" and ending["reason"] == "failed"
    start, error, end = here.events()
    assert start["type"] == "attempt.start" and end["type"] == "attempt.end"
    assert "no module of that name" in error["detail"]


def test_a_supervisor_that_dies_before_it_named_the_trainer_leaves_nothing(here: Host, tmp_path: Path) -> None:
    """The trainer waits for a go: without a supervisor it must end by itself."""
    attempt = RunDir(tmp_path / "run").attempt(1)
    for folder in (attempt.path, attempt.path.parent.parent / "control", attempt.path.parent.parent / "checkpoints"):
        folder.mkdir(parents=True)
    code = (
        "import os, sys, signal\n"
        "from sightline_trainer.slctl.supervise import Supervisor\n"
        f"s = Supervisor({{'run_dir': {str(tmp_path / 'run')!r}, 'attempt': 1, 'argv': ['sleep', '60']}})\n"
        "s._write_id = lambda resume: (print(s.pid, flush=True), os.kill(os.getpid(), signal.SIGKILL))\n"
        "s.start()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=TRAINER, stdout=subprocess.PIPE)
    assert done.returncode == -signal.SIGKILL
    pid = int(done.stdout)
    wait_for(lambda: host_facts.start_ticks(pid) is None)
    assert not host_facts.is_lock_held(attempt.lock)
    assert judge(attempt).state == "starting", "its directory is young"


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


def test_callers_in_threads_of_one_session(here: Host) -> None:
    """Twenty runs at once through one process."""
    ids = [
        here.session.send("launch", root=str(here.root), spec=spec(f"r{i}", max_steps=2), attempt=1) for i in range(8)
    ]
    for number in ids:
        assert here.session.answer(number)[0]["ok"]
    for index in range(8):
        assert here.finished(f"r{index}")["code"] == 0


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
        wait_secs=30,
    )
    began = time.monotonic()
    here.status()
    assert here.session.ask("cancel", request=waiting)["found"] is True
    header, _ = here.session.answer(waiting)
    assert header["ok"] and header["cancelled"] and header["chunks"] == []
    assert time.monotonic() - began < 5


def test_the_end_of_stdin_ends_the_session_and_not_the_run(tmp_path: Path, here: Host) -> None:
    session = start_session()
    session.ask("launch", root=str(tmp_path), spec=spec(**SLOW), attempt=1)
    session.send("read", root=str(tmp_path), cursors=[{"run_id": "x", "attempt": 1, "stream": "log"}], wait_secs=60)
    assert session.process.stdin is not None
    session.process.stdin.close()
    assert session.process.wait(5) == 0
    here.wait_step(2)


def test_ids_are_files_of_the_host(here: Host) -> None:
    threads = threading.active_count()
    here.launch(spec(**SLOW))
    identity = here.identity()
    assert identity["boot_id"] == host_facts.boot_id() and identity["host"] == host_facts.host_name()
    assert host_facts.is_alive(identity["pid"], identity["start_ticks"])
    assert not host_facts.is_alive(identity["pid"], identity["start_ticks"] + 1), "a number given to another process"
    assert os.getpgid(identity["pid"]) == identity["pgid"] != os.getpgid(identity["supervisor"]["pid"])
    before = here.attempt().heartbeat.stat().st_mtime
    wait_for(lambda: here.attempt().heartbeat.stat().st_mtime > before, 5)
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


def test_the_last_word_counts_when_a_trainer_dies_while_it_tidies_up(here: Host) -> None:
    code = (
        "import os, signal\n"
        "from sightline_trainer.attempt import Attempt\n"
        "log = Attempt.from_environment().open_log()\n"
        "log.attempt_end(reason='done', exit_code=0, step=9, checkpoint=None)\n"
        "os.kill(os.getpid(), signal.SIGABRT)\n"
    )
    here.launch(spec(), argv=[sys.executable, "-c", code])
    ending = here.finished()
    assert (ending["reason"], ending["class"], ending["signal"]) == ("done", "done", "SIGABRT")
    assert [line["type"] for line in here.events()] == ["attempt.start", "attempt.end"]


def test_a_trainer_of_ours_that_ends_with_0_and_says_nothing_has_failed(here: Host) -> None:
    here.launch(spec(), argv=[sys.executable, "-c", "pass", "sightline_trainer.grpo"])
    ending = here.finished()
    assert (ending["code"], ending["reason"], ending["class"]) == (70, "failed", "internal")
    [error] = here.events(type="error")
    assert "exit code 0 and without a last word" in error["message"]
    here.launch(spec("theirs"), argv=[sys.executable, "-c", "pass"])
    assert here.finished("theirs")["reason"] == "done"


def test_the_end_of_stdin_waits_for_answers_that_are_on_their_way(tmp_path: Path) -> None:
    for _ in range(5):
        session = start_session()
        ids = [session.send("find", root=str(tmp_path)) for _ in range(20)]
        assert session.process.stdin is not None
        session.process.stdin.close()
        for number in ids:
            assert session.answer(number)[0]["ok"]
        assert session.process.wait(10) == 0


def test_a_host_name_that_is_no_utf_8_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "b\udcf6cker")
    assert host_facts.host_name() == "b\\xf6cker"
