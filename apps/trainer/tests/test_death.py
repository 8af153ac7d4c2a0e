"""Deaths of trainers, supervisors and hosts: each is noticed, told and never mistaken for silence."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import TRAINER, Host, kill, spec, start_session, wait_for

from sightline_trainer.rundir import RunDir
from sightline_trainer.slctl import host as host_facts
from sightline_trainer.slctl.observe import judge

SLOW: dict[str, Any] = {"steps_per_sec": 20, "steps_per_epoch": 1000}


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
        assert error["type"] == "error" and error["code"] == ending["class"]
        assert re.search(r"step \d+/", error["detail"])
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
    seqs = [line["seq"] for line in here.events()]
    assert seqs == list(range(1, len(seqs) + 1))


def test_an_orphan_that_ends_by_itself_is_finished(here: Host) -> None:
    here.launch(spec(steps_per_sec=4, eval_steps=0))
    kill(here.identity()["supervisor"]["pid"])
    row = here.wait_state("finished")
    assert row["exit"]["class"] == "done" and row["exit"]["reason"] == "done"
    assert not here.attempt().exit.exists()
    assert here.launch(spec(steps_per_sec=4, eval_steps=0), attempt=2)["created"] is True


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
    wait_for(lambda: (host_facts.stat_fields(pid) or [""])[0] == "T")
    os.utime(here.attempt().heartbeat, (time.time() - 60, time.time() - 60))
    row = here.status()
    assert row["state"] == "stalled" and not row["is_dead"] and row["heartbeat_age_secs"] > 50
    kill(pid, signal.SIGCONT)
    here.wait_state("running")


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
