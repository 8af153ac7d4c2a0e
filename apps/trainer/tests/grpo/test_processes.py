"""python -m pytest apps/trainer/tests/grpo/test_processes.py: one run as two processes (gloo, no GPU)."""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sightline_trainer.checkpoints import last_complete
from sightline_trainer.rewards.score import group_advantages
from tests.grpo import slurm
from tests.grpo.attempts import ROOT, STAGES, make_run, of_type, read_lines, start

STAGES_OF_BOTH = [STAGES[0] | {"steps": 2, "temperature": 1e-5}, STAGES[2] | {"steps": 2}]
"""Two steps in which a prompt has one answer, whoever samples it, and two in which chance has its part."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory):
    return tmp_path_factory.mktemp("processes")


def make(root, name: str, processes: int, **settings):
    given = {"num_processes": processes, "micro_batch": 8, "save_steps": 1, "keep_checkpoints": 9, **settings}
    return make_run(root, name, stages=STAGES_OF_BOTH, **given)


def finish(run, number: int = 1, resume: int | None = None, code: int = 0, **options: Any):
    process = start(run, number, resume, **options)
    assert process.wait(timeout=900) == code, run.attempt(number).log.read_text()[-4000:]
    return run


@pytest.fixture(scope="module")
def one(root):
    return finish(make(root, "one", 1))


@pytest.fixture(scope="module")
def two(root):
    return finish(make(root, "two", 2))


def samples(run, number: int = 1):
    return [line for line in read_lines(run, number, "completions") if line.get("split") != "eval"]


def values(run, number: int = 1):
    return {line["step"]: line["values"] for line in of_type(read_lines(run, number), "metrics")}


def test_every_completion_is_there_once_in_its_group(one, two):
    def places(run):
        return [(line["step"], line["group_id"], line["k"]) for line in samples(run)]

    assert places(two) == places(one)
    assert len(set(places(two))) == len(places(two)) == 4 * 8 * 4
    lines = read_lines(two, 1)
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))


def test_advantages_are_those_of_the_groups(two):
    groups: dict[str, list] = {}
    for line in samples(two):
        groups.setdefault(line["group_id"], []).append(line)
    for group in groups.values():
        assert len({line["question_id"] for line in group}) == 1
        wanted = group_advantages([line["reward"] for line in group])
        assert [line["advantage"] for line in group] == pytest.approx(wanted, abs=1e-3)
    assert any(line["advantage"] for line in samples(two))


def test_rewards_are_those_of_one_process(one, two):
    """Where a prompt has one answer the texts are the same; the means are in every step those of all completions."""
    names = [f"rewards/{part}/mean" for part in ("format", "accuracy", "consistency")] + ["reward"]
    for step in (1, 2):
        texts = [[line["text"] for line in samples(run) if line["step"] == step] for run in (one, two)]
        assert texts[0] == texts[1]
        got, wanted = ([values(run)[step][name] for name in names] for run in (two, one))
        assert got == pytest.approx(wanted, abs=1e-6)
    for step, logged in values(two).items():
        rows = [line for line in samples(two) if line["step"] == step]
        assert logged["reward"] == pytest.approx(sum(line["reward"] for line in rows) / len(rows), abs=1e-6)
        assert logged["rewards/format/mean"] == pytest.approx(
            sum(line["rewards"]["format"]["raw"] for line in rows) / len(rows), abs=1e-6
        )


def test_held_out_answers_before_training_are_those_of_one_process(one, two):
    first = [of_type(read_lines(run, 1), "evaluation")[0]["overall"] for run in (one, two)]
    assert first[0] == first[1]


def test_accelerate_launch_with_the_file_for_it_is_the_same_run(root, two):
    """The spec asks for one process; the launcher starts two, and their precision is the trainer's."""
    run = make_run(root, "accelerate", stages=STAGES_OF_BOTH[:1], micro_batch=8)
    file = str(ROOT / "apps/trainer/scale/accelerate.yaml")
    options = ("--config_file", file, "--num_processes", "2", "--main_process_port", "0")
    finish(run, launcher=("-m", "accelerate.commands.launch", *options))
    [config] = of_type(read_lines(run, 1), "config")
    assert config["values"]["world_size"] == 2
    assert [(row["step"], row["k"], row["text"], row["reward"]) for row in samples(run)] == [
        (row["step"], row["k"], row["text"], row["reward"]) for row in samples(two) if row["step"] <= 2
    ]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory):
    why_not = slurm.missing()
    if why_not is not None:
        pytest.skip(why_not)
    with slurm.cluster(tmp_path_factory.mktemp("slurm")) as environment:
        yield environment


def test_out_of_time_on_two_nodes_of_slurm_it_goes_back_to_the_queue_and_is_the_same_run(root, two, cluster):
    """A torchrun on each. USR1 as before a time limit: a checkpoint at the next step, 75, and the next attempt."""
    run = make(root, "nodes", 1)
    job_log = root / "job.log"
    given = {"RUN_DIR": run.path, "ATTEMPT": 1, "TRAINER_PYTHON": sys.executable, "PYTHONPATH": ROOT / "apps/trainer"}
    exported = ",".join(["ALL", "OMP_NUM_THREADS=1", *(f"{name}={value}" for name, value in given.items())])
    options = ["--parsable", "--gpus-per-node=1", f"--output={job_log}", f"--export={exported}"]
    job = slurm.ask(cluster, "sbatch", *options, str(ROOT / "apps/trainer/scale/nodes.sbatch"))

    def wait_for(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 900
        while not condition():
            assert time.monotonic() < deadline, slurm.ask(cluster, "squeue") + tail_of(job_log)
            time.sleep(0.05)

    def has(number: int, type: str) -> bool:
        return bool(of_type(read_lines(run, number), type))

    def is_in(state: str) -> bool:
        return f"JobState={state} " in slurm.ask(cluster, "scontrol", "-o", "show", "job", job)

    try:
        wait_for(lambda: has(1, "config"))
        slurm.ask(cluster, "scancel", "--batch", "--signal=USR1", job)
        wait_for(lambda: has(1, "attempt.end") and is_in("PENDING"))
        resume = last_complete(run)
        assert resume is not None and resume < 4, tail_of(job_log)
        assert read_lines(run, 1)[-1]["exit_code"] == 75
        # Slurm lets a job that went back rest for two minutes; in the second of its end it may not start anew.
        slurm.ask(cluster, "scontrol", "update", f"JobId={job}", "StartTime=now+3")
        wait_for(lambda: has(2, "attempt.end") and is_in("COMPLETED"))
    finally:
        slurm.ask(cluster, "scancel", "--full", job)
    [config] = of_type(read_lines(run, 2), "config")
    assert config["values"]["world_size"] == 2
    assert read_lines(run, 2)[-1]["reason"] == "done"
    before = [row for row in rows(samples(run, 1)) if row["step"] <= resume]
    assert before + rows(samples(run, 2)) == rows(samples(two))


def tail_of(file: Path) -> str:
    return file.read_text()[-4000:] if file.exists() else ""


def rows(lines):
    skipped = ("seq", "attempt", "time_secs", "mono_secs", "run_id", "judges")
    return [{key: value for key, value in line.items() if key not in skipped} for line in lines]


def test_killed_and_resumed_it_is_the_run_that_was_not(root, two):
    run = make(root, "killed", 2)
    process = start(run, 1, module="tests.grpo.held", HELD="sightline_trainer.grpo", HOLD_BEFORE_STEP="4")
    deadline = time.monotonic() + 900
    while (last_complete(run) or 0) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    resume = last_complete(run)
    assert resume == 3, run.attempt(1).log.read_text()[-3000:]
    finish(run, 2, resume)

    before = [row for row in rows(samples(run, 1)) if row["step"] <= resume]
    assert before + rows(samples(run, 2)) == rows(samples(two))
    untold = ("step_time",)
    after = {name: value for name, value in values(run, 2)[4].items() if name not in untold}
    assert after == {name: value for name, value in values(two)[4].items() if name not in untold}


def test_a_signal_to_one_of_them_saves_and_ends_all(root):
    run = make(root, "stopped", 2)
    finish(run, 1, code=75, module="tests.grpo.faulty", FAULT="SIGUSR1@2", RANK_OF_FAULT="1")
    end = read_lines(run, 1)[-1]
    assert (end["reason"], end["step"], end["checkpoint"]) == ("interrupted", 2, "checkpoints/checkpoint-2")
    assert last_complete(run) == 2


def test_a_fault_of_the_second_is_told_by_the_first(root):
    run = make(root, "faulty", 2)
    finish(run, 1, code=71, module="tests.grpo.faulty", FAULT="gpu_memory@2", RANK_OF_FAULT="1")
    error, end = read_lines(run, 1)[-2:]
    assert (error["code"], end["exit_code"], end["checkpoint"]) == ("gpu_memory", 71, "checkpoints/checkpoint-1")
