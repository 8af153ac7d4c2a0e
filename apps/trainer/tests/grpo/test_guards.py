"""python -m pytest apps/trainer/tests/grpo/test_guards.py: what can go wrong in a run, and what is left of it."""

import errno
import json

import pytest
import torch

from sightline_trainer.attempt import OVERRIDES
from sightline_trainer.checkpoints import checkpoint_dir, checkpoint_steps, last_complete
from sightline_trainer.grpo.data import DataError
from sightline_trainer.grpo.faults import DivergedError, JudgeUnavailableError, classify
from sightline_trainer.stages import SpecError
from tests.grpo.attempts import STAGES, make_run, of_type, read_lines, start, two_at_a_time

STEPS = 3
SHORT_STAGES = [STAGES[0] | {"steps": STEPS}]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory):
    return tmp_path_factory.mktemp("guards")


def attempt(run, number: int, fault: str | None = None, resume: int | None = None, **overrides):
    """Runs an attempt to its end. Returns its exit code."""
    environment = {OVERRIDES: json.dumps(overrides)} | ({} if fault is None else {"FAULT": fault})
    module = "tests.grpo.faulty" if fault else "sightline_trainer.grpo"
    return start(run, number, resume, module=module, **environment).wait(timeout=900)


def short(root, name: str, **settings):
    return make_run(root, name, stages=SHORT_STAGES, **{"save_steps": 1, "keep_checkpoints": 9, **settings})


@pytest.fixture(scope="module")
def whole(root):
    run = short(root, "whole")
    assert attempt(run, 1) == 0, run.attempt(1).log.read_text()[-3000:]
    return run


def metrics(run, *numbers: int, names: tuple[str, ...]):
    return {
        line["step"]: [line["values"][name] for name in names]
        for number in numbers
        for line in of_type(read_lines(run, number), "metrics")
    }


def samples(run, *numbers: int):
    return [
        (line["step"], line["question_id"], line["k"], line["text"], line["reward"], line["advantage"])
        for number in numbers
        for line in read_lines(run, number, "completions")
        if line.get("split") != "eval"
    ]


NO_NUMBER = ("nan", "infinity")
LACKS = {"host_memory": (72, "host_memory"), "disk": (74, "disk"), "crash": (70, "internal")}
SIGNALS = ("SIGTERM", "SIGUSR1")


@pytest.fixture(scope="module")
def struck(root):
    """Runs with a fault in their second step, and the codes that they ended with."""

    def strike(fault):
        run = short(root, fault, save_steps=99 if fault in SIGNALS else 1)
        return run, attempt(run, 1, f"{fault}@2")

    return two_at_a_time(strike, [*NO_NUMBER, *LACKS, *SIGNALS])


@pytest.mark.parametrize("fault", NO_NUMBER)
def test_no_number_saves_nothing_and_rolls_back(struck, whole, fault):
    run, code = struck[fault].result()
    assert code == 76
    error, end = read_lines(run, 1)[-2:]
    assert (error["code"], end["exit_code"], end["checkpoint"]) == ("diverged", 76, "checkpoints/checkpoint-1")
    assert checkpoint_steps(run) == [1] and last_complete(run) == 1
    assert attempt(run, 2, resume=1) == 0, run.attempt(2).log.read_text()[-3000:]
    got = [row for row in samples(run, 1) if row[0] == 1] + samples(run, 2)
    assert got == samples(whole, 1)


def test_gpu_memory_is_met_by_half_the_micro_batch_twice_with_the_same_effective_batch(root, whole):
    """The GPU is simulated: its error is raised. A plan of retries halves micro_batch (core/runs/retry.ts)."""
    run = short(root, "gpu")
    assert attempt(run, 1, "gpu_memory@2") == 71
    assert of_type(read_lines(run, 1), "error")[0]["code"] == "gpu_memory"
    assert attempt(run, 2, "gpu_memory@3", resume=1, micro_batch=16) == 71
    assert attempt(run, 3, resume=2, micro_batch=8) == 0, run.attempt(3).log.read_text()[-3000:]
    kept = [row for row in samples(run, 1) if row[0] == 1] + [row for row in samples(run, 2) if row[0] == 2]
    got, wanted = kept + samples(run, 3), samples(whole, 1)
    # The same prompts and as many completions; with weights that agree to rounding the very same texts.
    assert [row[:3] for row in got] == [row[:3] for row in wanted]
    assert got[:64] == wanted[:64]
    config = of_type(read_lines(run, 3), "config")[0]["values"]
    assert (config["per_device_train_batch_size"], config["gradient_accumulation_steps"]) == (8, 4)
    names = ("loss", "grad_norm")
    before, after = metrics(whole, 1, names=names), metrics(run, 1, 2, 3, names=names)
    assert after[2] == pytest.approx(before[2], rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("fault", LACKS)
def test_what_the_host_lacks_is_told_by_its_class(struck, fault):
    run, code = struck[fault].result()
    assert code == LACKS[fault][0]
    error, end = read_lines(run, 1)[-2:]
    assert (error["code"], end["exit_code"], end["step"]) == (LACKS[fault][1], code, 1)
    assert error["hint"] and end["checkpoint"] == "checkpoints/checkpoint-1"


@pytest.mark.parametrize("name", SIGNALS)
def test_a_scheduler_that_ends_it_gets_a_checkpoint_at_the_next_step(struck, name):
    run, code = struck[name].result()
    assert code == 75
    end = read_lines(run, 1)[-1]
    assert (end["reason"], end["step"], end["checkpoint"]) == ("interrupted", 2, "checkpoints/checkpoint-2")
    assert last_complete(run) == 2


def test_a_half_written_checkpoint_is_passed_over(root, whole):
    run = short(root, "half")
    assert attempt(run, 1, "crash@3") == 70
    (checkpoint_dir(run, 2) / "COMPLETE.json").unlink()
    assert last_complete(run) == 1
    assert attempt(run, 2, resume=1) == 0, run.attempt(2).log.read_text()[-3000:]
    assert [line["code"] for line in of_type(read_lines(run, 2), "warn")] == ["half_checkpoint"]
    assert [row for row in samples(run, 1) if row[0] == 1] + samples(run, 2) == samples(whole, 1)


def test_equal_rewards_give_no_advantage_and_a_warning(root):
    """At a temperature near 0 all completions of a group are the same."""
    stages = [STAGES[0] | {"steps": 6, "temperature": 1e-5}]
    run = make_run(root, "equal", stages=stages, save_steps=99)
    assert attempt(run, 1) == 0, run.attempt(1).log.read_text()[-3000:]
    assert {row[5] for row in samples(run, 1)} == {0.0}
    [warning] = [line for line in of_type(read_lines(run, 1), "warn") if line["code"] == "no_signal"]
    assert "every advantage is 0" in warning["message"]
    assert metrics(run, 1, names=("frac_reward_zero_std",))[6] == [1.0]


def test_a_full_disk_before_the_first_line_is_told_as_one(root):
    """No line can be written, and the log lies on a device that is always full."""
    run = short(root, "full")
    process = start(run, 1, module="tests.grpo.faulty", launcher=(), FAULT="full@0", log_to="/dev/full")
    assert process.wait(timeout=900) == 74
    assert read_lines(run, 1) == []


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SpecError("x"), "bad_spec"),
        (DataError("x"), "missing_input"),
        (FileNotFoundError(errno.ENOENT, "No such file"), "missing_input"),
        (FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']"), "disk"),
        (OSError(errno.ENOSPC, "No space left on device"), "disk"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "disk"),
        (RuntimeError("[enforce fail] . PytorchStreamWriter failed writing file data/0: file write failed"), "disk"),
        (Exception("Error while serializing: I/O error: No space left on device (os error 28)"), "disk"),
        (DivergedError("x"), "diverged"),
        (JudgeUnavailableError("x"), "judge_unavailable"),
        (torch.OutOfMemoryError("CUDA out of memory"), "gpu_memory"),
        (RuntimeError("CUDA error: out of memory"), "gpu_memory"),
        (MemoryError(), "host_memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "host_memory"),
        (OSError(errno.EACCES, "Permission denied"), "internal"),
        (RuntimeError("x"), "internal"),
    ],
)  # fmt: skip
def test_errors_have_their_class(error, code):
    assert classify(error).code == code
    try:
        raise RuntimeError("while something was done") from error
    except RuntimeError as wrapped:
        is_said_by_the_system = code in ("disk", "gpu_memory", "host_memory")
        assert classify(wrapped).code == (code if is_said_by_the_system else "internal")


def test_memory_that_torch_does_not_get_is_the_host_s():
    with pytest.raises(RuntimeError) as refusal:
        torch.empty(2**50, dtype=torch.uint8)
    assert classify(refusal.value).code == "host_memory"
