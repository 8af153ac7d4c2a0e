"""What a person asks for: it happens, in time, and nothing is left behind."""

from __future__ import annotations

import signal
import sys
import time
from typing import Any

import pytest
from conftest import Host, kill, spec, wait_for

from sightline_trainer.rundir import write_json
from sightline_trainer.slctl import host as host_facts
from sightline_trainer.slctl.observe import judge
from sightline_trainer.slctl.supervise import GRACE_SECS

SLOW: dict[str, Any] = {"steps_per_sec": 20, "steps_per_epoch": 1000, "save_steps": 10_000}


def control(here: Host, command: str, **fields: object) -> dict[str, object]:
    return here.ask("control", run_id="run", attempt=1, command=command, **fields)


def test_stop_is_a_checkpoint_and_an_end(here: Host) -> None:
    here.launch(spec(**SLOW))
    here.wait_step(3)
    began = time.monotonic()
    assert control(here, "stop")["action"] == "requested"
    ending = here.finished()
    assert time.monotonic() - began < GRACE_SECS / 2
    assert ending["code"] == 75 and ending["reason"] == "stopped" and ending["asked"] == "stop"
    checkpoint = here.events(type="checkpoint")[-1]
    end = here.events()[-1]
    assert end["reason"] == "stopped" and end["exit_code"] == 75
    assert end["step"] == checkpoint["step"] == here.events(type="metrics")[-1]["step"]
    assert end["checkpoint"] == checkpoint["path"]
    assert here.processes() == []
    assert control(here, "stop")["action"] == "already_ended"


def test_an_old_order_does_not_stop_the_next_attempt(here: Host) -> None:
    run_spec = spec(**SLOW)
    here.launch(run_spec)
    here.wait_step(2)
    control(here, "stop")
    here.finished()
    here.launch(run_spec, attempt=2)
    write_json(here.run().control / "stop", {"attempt": 1})
    here.wait_step(4, attempt=2)
    assert here.status(attempt=2)["state"] == "running"
    assert here.events(attempt=2)[0]["resume_from"]["step"] == here.events()[-1]["step"]


def test_a_trainer_that_hangs_is_ended_by_term_then_kill(here: Host) -> None:
    here.launch(spec(faults="hang_on_stop child@2 stray_child@2", **SLOW))
    here.wait_step(2)
    wait_for(lambda: len(here.processes()) == 3)
    began = time.monotonic()
    control(here, "stop", grace_secs=0.5, kill_secs=0.5)
    ending = here.finished()
    assert 0.9 < time.monotonic() - began < GRACE_SECS / 2
    assert ending["signal"] == "SIGKILL" and ending["reason"] == "stopped"
    end = here.events()[-1]
    assert end["type"] == "attempt.end" and end["reason"] == "stopped" and end["exit_code"] == 137
    assert here.processes() == []


def test_term_alone_is_an_interruption_with_a_checkpoint(here: Host) -> None:
    here.launch(spec(faults="interrupted@3", **SLOW))
    ending = here.finished()
    assert ending["code"] == 75 and ending["class"] == "interrupted" and ending["reason"] == "interrupted"
    assert here.events()[-1]["reason"] == "interrupted" and here.events()[-1]["checkpoint"] is not None


def test_term_to_the_supervisor_reaches_the_trainer(here: Host) -> None:
    here.launch(spec(**SLOW))
    here.wait_step(2)
    kill(here.identity()["supervisor"]["pid"], signal.SIGTERM)
    ending = here.finished()
    assert ending["code"] == 75 and ending["reason"] == "interrupted"


def test_kill_is_at_once_and_takes_the_children(here: Host) -> None:
    here.launch(spec(faults="child@1 stray_child@1", **SLOW))
    here.wait_step(2)
    wait_for(lambda: len(here.processes()) == 3)
    pids = here.processes()
    began = time.monotonic()
    control(here, "kill")
    ending = here.finished()
    assert time.monotonic() - began < GRACE_SECS / 2
    assert ending["signal"] == "SIGKILL" and ending["reason"] == "stopped" and ending["asked"] == "kill"
    assert here.events()[-1]["type"] == "attempt.end"
    assert all(host_facts.start_ticks(pid) is None for pid in pids)


def test_children_of_a_trainer_that_ended_well_do_not_stay(here: Host) -> None:
    here.launch(spec(faults="child@1 stray_child@2"))
    assert here.finished()["code"] == 0
    assert here.processes() == []


def test_checkpoint_on_demand(here: Host) -> None:
    here.launch(spec(**SLOW))
    here.wait_step(2)
    control(here, "checkpoint")
    wait_for(lambda: bool(here.events(type="checkpoint")) and not (here.run().control / "checkpoint").exists())
    assert here.status()["state"] == "running"


@pytest.mark.parametrize("command", ["stop", "kill"])
def test_an_orphan_can_still_be_ended(here: Host, command: str) -> None:
    here.launch(spec(faults="child@1 stray_child@1", **SLOW))
    here.wait_step(2)
    kill(here.identity()["supervisor"]["pid"])
    here.wait_state("orphaned")
    assert control(here, command)["action"] == "reaper_started"
    here.wait_state("finished")
    wait_for(lambda: here.attempt().exit.exists())
    ending = here.finished()
    assert ending["reason"] == "stopped" and ending["code"] == (75 if command == "stop" else None)
    end = here.events()[-1]
    assert end["type"] == "attempt.end" and end["reason"] == "stopped"
    assert [line["seq"] for line in here.events()] == list(range(1, len(here.events()) + 1))
    wait_for(lambda: here.processes() == [])


def test_an_orphan_that_hangs_is_ended_in_time_and_not_dead_before_its_last_words(here: Host) -> None:
    here.launch(spec(faults="hang_on_stop", **SLOW))
    here.wait_step(1)
    kill(here.identity()["supervisor"]["pid"])
    here.wait_state("orphaned")
    control(here, "stop", grace_secs=0.3, kill_secs=0.3)
    wait_for(lambda: judge(here.attempt()).is_dead)
    assert here.attempt().exit.exists()
    ending = here.finished()
    assert ending["signal"] == "SIGKILL" and ending["reason"] == "stopped"
    assert here.events()[-1]["type"] == "attempt.end"


def test_a_stalled_run_can_be_stopped(here: Host) -> None:
    here.launch(spec(faults="stall@3", **SLOW))
    here.wait_step(2)
    row = here.status()
    assert row["state"] == "running" and row["last_event_age_secs"] < 5
    control(here, "stop")
    assert here.finished()["reason"] == "stopped"


def test_orders_that_make_no_sense_are_refused(here: Host) -> None:
    assert here.refusal("control", run_id="run", attempt=1, command="stop")["code"] == "not_found"
    here.launch(spec())
    assert here.refusal("control", run_id="run", attempt=1, command="dance")["code"] == "bad_request"
    assert here.refusal("control", run_id="run", attempt=1, command="stop", grace_secs=-1)["code"] == "bad_request"
    here.finished()


@pytest.mark.parametrize("how", ["control", "launch"])
def test_what_a_run_left_whose_two_processes_were_killed_is_ended(here: Host, how: str) -> None:
    run_spec = spec(faults="child@1 stray_child@1", **SLOW)
    here.launch(run_spec)
    here.wait_step(2)
    identity = here.identity()
    kill(identity["supervisor"]["pid"])
    kill(identity["pid"])
    here.wait_state("killed")
    wait_for(lambda: len(here.processes()) == 2)
    if how == "control":
        assert control(here, "kill")["action"] == "already_ended"
    else:
        here.launch(run_spec, attempt=2)
        assert here.status(attempt=2)["state"] == "running"
    assert here.processes() == []


def test_an_adopted_orphan_has_its_end_written_down(here: Host) -> None:
    here.launch(spec(faults="child@1 crash@60", steps_per_sec=20, steps_per_epoch=64))
    here.wait_step(2)
    identity = here.identity()
    # Held, so that it has not ended before it is adopted.
    kill(identity["pid"], signal.SIGSTOP)
    kill(identity["supervisor"]["pid"])
    here.wait_state("orphaned")
    assert control(here, "adopt")["action"] == "reaper_started"
    assert control(here, "adopt")["action"] == "reaper_started"
    kill(identity["pid"], signal.SIGCONT)
    wait_for(lambda: here.attempt().exit.exists())
    ending = here.finished()
    assert ending["code"] == 70 and ending["class"] == "internal" and ending["asked"] is None
    assert [line["type"] for line in here.events()].count("attempt.end") == 1
    assert here.processes() == []


def test_an_adopted_orphan_that_is_killed_has_an_end(here: Host) -> None:
    here.launch(spec(**SLOW))
    here.wait_step(2)
    kill(here.identity()["supervisor"]["pid"])
    here.wait_state("orphaned")
    control(here, "adopt")
    kill(here.identity()["pid"])
    wait_for(lambda: here.attempt().exit.exists())
    assert here.finished()["class"] == "killed"
    error, end = here.events()[-2:]
    assert error["code"] == "killed" and end["type"] == "attempt.end" and end["reason"] == "failed"


def test_a_trainer_that_fails_while_it_stops_has_failed(here: Host) -> None:
    code = (
        "import sys, time\n"
        "from sightline_trainer.attempt import Attempt\n"
        "attempt = Attempt.from_environment()\n"
        "while not attempt.is_stop_requested(): time.sleep(0.02)\n"
        "sys.exit(71)\n"
    )
    here.launch(spec(), argv=[sys.executable, "-c", code])
    control(here, "stop")
    ending = here.finished()
    assert (ending["code"], ending["class"], ending["reason"], ending["asked"]) == (71, "gpu_memory", "failed", "stop")
    assert here.events()[-1]["reason"] == "failed"
