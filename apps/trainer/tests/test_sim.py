"""The simulator: legal lines, numbers that agree with the rows, and every fault."""

from __future__ import annotations

import itertools
import json
import statistics
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from conftest import TRAINER, Host, Session, kill, spec

from sightline_trainer.checkpoints import is_complete
from sightline_trainer.sim.fixture import record
from sightline_trainer.sim.model import State, run_step
from sightline_trainer.sim.score import ADVANTAGE_EPS
from sightline_trainer.sim.settings import FAULTS, read_faults, read_plan
from sightline_trainer.sim.texts import LETTERS
from sightline_trainer.stages import SpecError

Check = Callable[[dict[str, Any]], None]

FIXTURE = TRAINER.parents[1] / "fixtures" / "runs" / "simulated.jsonl"
EMBODIED_R = [
    {"name": "a", "weights": {"format": 7, "accuracy": 3, "consistency": 0}, "from_epoch": 0, "to_epoch": 2},
    {"name": "b", "weights": {"format": 3, "accuracy": 7, "consistency": 0}, "from_epoch": 2, "to_epoch": 4},
    {"name": "c", "weights": {"format": 1, "accuracy": 7, "consistency": 2}, "from_epoch": 4, "to_epoch": 12},
]
WHEN = ("time_secs", "mono_secs", "attempt", "seq")
TIMED = ("checkpoint", "system", "phase", "attempt.start", "attempt.end", "stage", "warn", "error")


def rows_of(lines: list[dict[str, Any]], *, above: int = 0) -> list[dict[str, Any]]:
    """Lines that a resumed run must repeat exactly, without what a clock says."""
    return [
        {key: value for key, value in line.items() if key not in WHEN}
        for line in lines
        if line["type"] not in TIMED and line["step"] > above
    ]


def test_a_whole_run_is_what_the_schema_says(here: Host, schema: Check) -> None:
    here.launch(
        spec(
            stages=EMBODIED_R,
            steps_per_epoch=3,
            system_every_secs=0.05,
            gpus=2,
            warm_start_steps=3,
            steps_per_sec=60,
            faults="nan@3 infinity@5 judge_down@7-8 no_signal@9",
        )
    )
    assert here.finished()["code"] == 0
    events, completions = here.events(), here.completions()
    for line in events + completions:
        schema(line)
    assert {line["type"] for line in events} == {
        "attempt.start",
        "phase",
        "stage",
        "metrics",
        "generation",
        "system",
        "checkpoint",
        "evaluation",
        "attempt.end",
    }
    assert [line["seq"] for line in events] == list(range(1, len(events) + 1))
    assert [line["seq"] for line in completions] == list(range(1, len(completions) + 1))
    monos = [line["mono_secs"] for line in events]
    assert monos == sorted(monos)
    assert [line["step"] for line in here.events(type="metrics")] == list(range(1, 37))
    stages = here.events(type="stage")
    assert [(line["index"], line["from_epoch"], line["from_step"]) for line in stages] == [
        (0, 0, 1),
        (1, 2, 7),
        (2, 4, 13),
    ]
    assert stages[0]["normalised"] == {"format": 0.7, "accuracy": 0.3, "consistency": 0.0}
    by_step = {line["step"]: line["values"] for line in here.events(type="metrics")}
    assert by_step[3]["loss"] == "NaN" and by_step[5]["kl"] == "-Infinity"
    assert by_step[9]["frac_reward_zero_std"] == 1.0 and by_step[9]["reward_std"] == 0.0


def test_rows_agree_with_each_other(here: Host) -> None:
    here.launch(spec(steps_per_epoch=8, faults="judge_down@18"))
    here.finished()
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in here.completions():
        if "split" not in row:
            groups[row["group_id"]].append(row)
    by_step = {line["step"]: line["values"] for line in here.events(type="metrics")}
    assert len(groups) == 24 * 4
    statuses: set[str] = set()
    for group in groups.values():
        assert [row["k"] for row in group] == list(range(8)) and group[0]["prompt"] and group[1]["prompt"] is None
        rewards = [row["reward"] for row in group]
        mean, std = statistics.fmean(rewards), statistics.stdev(rewards)
        nulls = {row["rewards"]["consistency"]["raw"] is None for row in group}
        assert len(nulls) == 1, "a null part is null for the whole group"
        for row in group:
            assert row["advantage"] == pytest.approx((row["reward"] - mean) / (std + ADVANTAGE_EPS))
            parts = row["rewards"]
            assert row["reward"] == pytest.approx(sum((p["raw"] or 0) * p["weight"] for p in parts.values()))
            assert sum(part["weight"] for part in parts.values()) == pytest.approx(1)
            assert (parts["consistency"]["null_reason"] is not None) == (parts["consistency"]["raw"] is None)
            text, parse = row["text"], row["parse"]
            if parse["answer"] is not None:
                assert text[slice(*parse["answer"])] == parse["letter"] in LETTERS
            if parse["think"] is not None:
                assert text[: parse["think"][0]].endswith("<think>") and text[parse["think"][1] :].startswith(
                    "</think>"
                )
            assert (parts["format"]["raw"] == 1.0) == _is_well_formed(text)
            assert parts["accuracy"]["raw"] == float(parse["letter"] == row["gold"])
            assert (row["finish"] == "length") == ("<answer>" not in text)
            for judge in row["judges"]:
                statuses.add(judge["status"])
                if parts["accuracy"]["raw"] == 0:
                    assert judge["status"] == "skipped_wrong_answer" and judge["agrees"] is None
                if judge["status"] == "ok":
                    assert judge["agrees"] == (judge["letter"] == parse["letter"])
    assert statuses >= {"ok", "skipped_wrong_answer", "no_think", "timeout", "http_error"}
    for step, values in by_step.items():
        rows = [row for row in here.completions() if row["step"] == step and "split" not in row]
        assert values["reward"] == pytest.approx(statistics.fmean(row["reward"] for row in rows))
        assert values["rewards/accuracy/mean"] == pytest.approx(
            statistics.fmean(row["rewards"]["accuracy"]["raw"] for row in rows)
        )
        right = [row for row in rows if row["rewards"]["accuracy"]["raw"] == 1.0]
        judged = [row for row in right if row["judges"] and row["judges"][0]["agrees"] is not None]
        assert values["consistency/correct"] == len(right)
        assert values["consistency/judged"] == len(judged)
        assert values["consistency/agree"] == sum(row["judges"][0]["agrees"] for row in judged)
        tasks = {key.split("/")[1] for key in values if key.startswith("task/")}
        assert sum(values[f"task/{task}/n"] for task in tasks) == len(rows)
        assert sum(values[f"task/{task}/correct"] for task in tasks) == len(right)


def test_an_evaluation_agrees_with_its_rows(here: Host) -> None:
    here.launch(spec(eval_steps=4, eval_questions=24))
    here.finished()
    evaluations = here.events(type="evaluation")
    assert [line["step"] for line in evaluations] == [0, 4, 8, 12]
    for line in evaluations:
        rows = [row for row in here.completions() if row.get("split") == "eval" and row["step"] == line["step"]]
        assert len(rows) == line["overall"]["n"] == 24 == sum(task["n"] for task in line["per_task"].values())
        assert all(row["prompt"] and row["group_size"] == 1 and row["k"] == 0 for row in rows)
        right = [row for row in rows if row["rewards"]["accuracy"]["raw"] == 1]
        assert line["overall"]["accuracy"] == len(right) / 24
        assert line["overall"]["low"] < line["overall"]["accuracy"] < line["overall"]["high"]
        assert line["overall"]["consistency/judged"] == len(right)
    assert len({line["settings_hash"] for line in evaluations}) == 1


def _is_well_formed(text: str) -> bool:
    import re

    return (
        re.fullmatch(r"<think>.*?</think>\s*<answer>.*?</answer>", text, re.DOTALL) is not None
        and text.count("<answer>") == 1
    )


def test_weight_zero_shows_the_judge_one_group_in_eight(here: Host) -> None:
    here.launch(spec(steps_per_epoch=16))
    here.finished()
    seen: dict[int, set[str]] = defaultdict(set)
    everything: dict[int, set[str]] = defaultdict(set)
    for row in here.completions():
        if "split" in row:
            assert row["judges"] and row["reward"] == 0
            continue
        everything[row["stage"]].add(row["group_id"])
        if row["judges"]:
            seen[row["stage"]].add(row["group_id"])
    assert len(seen[0]) == len(everything[0]) // 8 and len(seen[1]) == len(everything[1]) // 8
    assert seen[2] == everything[2]


def test_the_parts_rise_when_they_are_paid_for() -> None:
    plan = read_plan({"run_id": "x", "seed": 3, "stages": EMBODIED_R, "settings": {"steps_per_epoch": 16}})
    state = State()
    series: list[dict[str, Any]] = []
    skills = [state.consistency]
    for _ in range(plan.max_steps):
        step, state = run_step(plan, state)
        series.append(step.values)
        skills.append(state.consistency)

    def mean(name: str, first: int, last: int) -> float:
        return statistics.fmean(values[name] for values in series[first:last] if values[name] is not None)

    def rate(first: int, last: int) -> float:
        judged = sum(values["consistency/judged"] for values in series[first:last])
        return sum(values["consistency/agree"] for values in series[first:last]) / judged

    assert mean("rewards/format/mean", 0, 8) < 0.75 < 0.95 < mean("rewards/format/mean", 56, 64)
    assert mean("rewards/accuracy/mean", 0, 8) < 0.55 < 0.85 < mean("rewards/accuracy/mean", 180, 192)
    assert skills[64] < skills[32] < skills[0] < skills[-1], "unpaid it falls, paid it rises"
    assert rate(32, 64) < 0.8 < 0.9 < rate(160, 192)
    assert series[0]["reward_std"] > series[-1]["reward_std"]


def test_the_same_seed_is_the_same_run_and_another_is_not(here: Host) -> None:
    for run_id, seed in (("a", 1), ("b", 1), ("c", 2)):
        here.launch(spec(run_id, seed=seed))
    for run_id in "abc":
        here.finished(run_id)

    def rows(run_id: str) -> list[dict[str, Any]]:
        lines = rows_of(here.events(run_id)) + rows_of(here.completions(run_id))
        return [{key: value for key, value in row.items() if key not in ("run_id", "settings_hash")} for row in lines]

    assert rows("a") == rows("b") != rows("c")


WHOLE: dict[str, Any] = {"steps_per_epoch": 6, "eval_steps": 6}


def nameless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "run_id"} for row in rows]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, session: Session) -> Host:
    """A run that nothing happened to."""
    host = Host(tmp_path_factory.mktemp("whole"), session)
    host.launch(spec(**WHOLE))
    host.finished()
    return host


@pytest.mark.parametrize("how", ["kill@11", "crash@10", "half_checkpoint@8", "gpu_memory@9", "stop"])
def test_a_resumed_run_writes_the_same_rows(here: Host, whole: Host, how: str) -> None:
    """From the step of the last complete checkpoint on, exactly those of a run that nothing happened to."""
    settings = WHOLE
    if how == "stop":
        here.launch(spec("broken", **settings, steps_per_sec=6))
        here.wait_step(5, "broken")
        here.ask("control", run_id="broken", attempt=1, command="stop")
    else:
        here.launch(spec("broken", faults=how, **settings))
    here.finished("broken")
    here.launch(json.loads(here.run("broken").spec.read_text()), attempt=2)
    assert here.finished("broken", 2)["code"] == 0
    start = here.events("broken", 2)[0]
    step = start["resume_from"]["step"]
    assert start["resume_from"]["path"] == f"checkpoints/checkpoint-{step}"
    if how == "half_checkpoint@8":
        assert step == 6
        warning = here.events("broken", 2, "warn")[0]
        assert warning["code"] == "half_checkpoint" and "checkpoint-8" in warning["message"]

    for read, expected in ((here.events, whole.events()), (here.completions, whole.completions())):
        assert nameless(rows_of(read("broken", 2))) == nameless(rows_of(expected, above=step))
        before = nameless(rows_of(read("broken", 1)))
        assert before and before == nameless(rows_of(expected))[: len(before)]


ENDINGS = {
    "gpu_memory@3": (71, "gpu_memory"),
    "host_memory@3": (72, "host_memory"),
    "disk_full@3": (74, "disk"),
    "crash@3": (70, "internal"),
    "silent_crash@3": (70, "internal"),
    "diverged@3": (76, "diverged"),
    "judge_down@1-99": (69, "judge_unavailable"),
    "missing_input": (66, "missing_input"),
    "interrupted@3": (75, "interrupted"),
    "kill@3": (None, "killed"),
    "torn_kill@3": (None, "killed"),
}


@pytest.mark.parametrize("fault", list(ENDINGS))
def test_faults_that_end_a_run(here: Host, schema: Check, fault: str) -> None:
    here.launch(spec(steps_per_epoch=64, judge_every_groups=1, faults=fault))
    ending = here.finished()
    code, kind = ENDINGS[fault]
    assert ending["code"] == code
    assert ending["class"] == kind or (kind == "killed" and ending["class"] == "host_memory")
    events = here.events()
    for line in events + here.completions():
        schema(line)
    assert [line["seq"] for line in events] == list(range(1, len(events) + 1))
    assert [line["type"] for line in events].count("attempt.end") == 1
    end = events[-1]
    assert end["type"] == "attempt.end" and end["exit_code"] == (137 if code is None else code)
    assert end["reason"] == ending["reason"] == ("interrupted" if code == 75 else "failed")
    if code != 75:
        error = events[-2]
        assert error["type"] == "error" and error["code"] == ending["class"] and error["message"] and error["hint"]
    if fault == "crash@3":
        assert "Traceback" in events[-2]["detail"] and "Traceback" in here.attempt().log.read_text()
    if fault == "judge_down@1-99":
        assert end["checkpoint"] == "checkpoints/checkpoint-5"
        assert is_complete(here.run().path / end["checkpoint"])


def test_faults_of_single_lines_leave_the_rest_whole(here: Host) -> None:
    faults = "torn_line@2:0.1 utf8_cut@3:0.1 bad_line@4 bad_utf8@5 huge_line@6 unknown_type@7 duplicate_line@8"
    here.launch(spec(faults=faults))
    assert here.finished()["code"] == 0
    raw = here.attempt().events.read_bytes().split(b"\n")[:-1]
    good, bad = [], 0
    for line in raw:
        try:
            value = json.loads(line)
            assert "seq" in value
            good.append(value)
        except (ValueError, AssertionError):
            bad += 1
    assert bad == 3
    assert max(len(line) for line in raw) > 3 * 1024 * 1024
    assert [line["type"] for line in good].count("sim.note") == 2
    assert sorted({line["seq"] for line in good}) == list(range(1, good[-1]["seq"] + 1))
    doubled = [line for line in good if line["type"] == "metrics" and line["step"] == 8]
    assert len(doubled) == 2 and doubled[0] == doubled[1]
    assert [line["step"] for line in good if line["type"] == "metrics"] == [1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12]


def test_a_fault_strikes_once_unless_told_to_strike_again(here: Host) -> None:
    run_spec = spec(faults="crash@6 crash@9!")
    here.launch(run_spec)
    assert here.finished()["code"] == 70 and here.events()[-1]["step"] == 5
    here.launch(run_spec, attempt=2)
    assert here.finished(attempt=2)["code"] == 70 and here.events(attempt=2)[-1]["step"] == 8


def test_a_stall_is_silence_and_then_goes_on(here: Host) -> None:
    here.launch(spec(faults="stall@3:0.6 slow_start:0.3", system_every_secs=0.05))
    here.finished()
    events = here.events()
    times = [line["mono_secs"] for line in events]
    gaps = [after - before for before, after in itertools.pairwise(times)]
    assert max(gaps) >= 0.55


def test_an_old_supervisor_less_trainer_does_not_write_into_a_newer_attempt(here: Host) -> None:
    here.launch(spec(steps_per_sec=10, steps_per_epoch=100))
    here.wait_step(2)
    kill(here.identity()["supervisor"]["pid"])
    here.wait_state("orphaned")
    here.run().attempt(2).path.mkdir()
    here.wait_state("finished")
    assert here.events()[-1]["reason"] == "failed"


def test_fault_words() -> None:
    faults = read_faults("nan@3, judge_down@20-30 stall@5:2.5! slow_start")
    assert [(f.name, f.from_step, f.to_step, f.secs, f.in_every_attempt) for f in faults] == [
        ("nan", 3, 3, None, False),
        ("judge_down", 20, 30, None, False),
        ("stall", 5, 5, 2.5, True),
        ("slow_start", 1, 1, None, False),
    ]
    assert read_faults("") == []
    for bad in ("boom", "nan@", "nan@x", "nan@3-", "NAN@3", "nan@3;kill@4"):
        with pytest.raises(SpecError):
            read_faults(bad)
    assert all(text for text in FAULTS.values())


def test_the_fixture_is_what_the_simulator_writes(schema: Check) -> None:
    """After a change on purpose: python -m sightline_trainer.sim.fixture ../../fixtures/runs/simulated.jsonl"""
    committed = FIXTURE.read_bytes()
    assert record() == committed
    for line in committed.splitlines():
        schema(json.loads(line))
