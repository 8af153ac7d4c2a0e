"""The event writer."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sightline_trainer.rundir import RunDir
from sightline_trainer.wire.encode import MAX_LINE_BYTES, safe_text, wire_value
from sightline_trainer.wire.log import EventLog, last_line

Check = Callable[[dict[str, Any]], None]


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    directory = RunDir(tmp_path)
    directory.attempt(1).path.mkdir(parents=True)
    return directory


def open_log(run: RunDir, **options: Any) -> EventLog:
    return EventLog(run, run.attempt(1), run_id="run", **options)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(raw) for raw in path.read_bytes().splitlines()]


def completion(**changes: Any) -> dict[str, Any]:
    part = {"raw": 1.0, "weight": 0.7, "null_reason": None}
    return {
        "gen": 1,
        "step": 1,
        "epoch": 0.25,
        "stage": 0,
        "group_id": "g1",
        "question_id": "q1",
        "clip_id": None,
        "task": "heading",
        "k": 0,
        "group_size": 8,
        "prompt": "which way?",
        "gold": "B",
        "text": "<think>so</think><answer>B</answer>",
        "tokens": 9,
        "finish": "eos",
        "parse": {"think": [7, 9], "answer": [25, 26], "letter": "B", "rule": "answer_tag"},
        "rewards": {"format": part, "accuracy": part, "consistency": {**part, "raw": None, "null_reason": "x"}},
        "reward": 1.0,
        "advantage": 0.0,
        "judges": [],
        **changes,
    }


def test_every_kind_of_line_is_what_the_schema_says(run: RunDir, schema: Check) -> None:
    log = open_log(run)
    log.attempt_start(
        executor="local",
        host="h",
        pid=1,
        boot_id="b",
        spec_hash="s",
        resume_from={"step": 4, "path": "checkpoints/checkpoint-4"},
        versions={"engine": "simulator"},
        device={"name": "cpu", "count": 1, "memory_bytes": 1},
    )
    log.phase("train", 1, 2)
    log.stage(index=0, name="a", weights={"format": 7, "accuracy": 3, "consistency": 0}, from_step=1, from_epoch=0.0)
    log.metrics(step=1, epoch=0.1, max_steps=9, values={"loss": float("nan"), "kl": float("inf"), "x": None})
    log.generation(
        gen=1,
        step=1,
        prompts=1,
        samples=8,
        generate_secs=0.1,
        score_secs=0.1,
        tokens=80,
        judge={"calls": 1, "cached": 0, "failed": 0, "secs": 0.1},
    )
    log.system(rss_bytes=1, cpu=0.5, disk_free_bytes=1, gpus=[{"util": 0.5, "memory_bytes": 1, "temperature_c": 60.0}])
    log.checkpoint(step=4, path="checkpoints/checkpoint-4", bytes=10, secs=0.1, complete=True)
    log.evaluation(
        step=4,
        settings_hash="x",
        per_task={"heading": {"n": 4, "accuracy": 0.5, "low": 0.1, "high": 0.9}},
        overall={"accuracy": None},
    )
    log.warn("a", "b")
    log.error("a", "b", detail="c", retryable=True, hint="d")
    log.attempt_end(reason="failed", exit_code=70, step=4, checkpoint=None)
    log.completion(completion())
    written = lines(run.attempt(1).events)
    for line in written + lines(run.attempt(1).completions(1)):
        schema(line)
    assert [line["seq"] for line in written] == list(range(1, 12))
    assert written[3]["values"] == {"loss": "NaN", "kl": "Infinity", "x": None}
    assert written[2]["normalised"] == {"format": 0.7, "accuracy": 0.3, "consistency": 0.0}


def test_numbers_of_other_libraries_and_odd_texts_become_plain() -> None:
    class Scalar:
        def item(self) -> float:
            return float("-inf")

    assert wire_value({"a": Scalar(), 3: (1, float("nan"))}) == {"a": "-Infinity", "3": [1, "NaN"]}
    assert safe_text("a\ud83d\ude00b\ud800c") == "a😀b\ufffdc"
    with pytest.raises(TypeError):
        wire_value(object())


def test_lone_surrogates_and_line_breaks_stay_one_legal_line(run: RunDir, schema: Check) -> None:
    log = open_log(run)
    log.completion(completion(text="a\udc80\n\u2028\x00b", prompt="\ud800"))
    raw = run.attempt(1).completions(1).read_bytes()
    assert raw.count(b"\n") == 1
    line = json.loads(raw)
    schema(line)
    assert line["text"] == "a\ufffd\n\u2028\x00b"


def test_a_long_text_is_cut_and_says_where(run: RunDir, schema: Check) -> None:
    log = open_log(run)
    text = "<think>" + "😀\n" * MAX_LINE_BYTES + "</think><answer>B</answer>"
    parse = {
        "think": [7, 7 + 2 * MAX_LINE_BYTES],
        "answer": [len(text) - 10, len(text) - 9],
        "letter": "B",
        "rule": "r",
    }
    log.completion(completion(text=text, prompt="p" * 3 * MAX_LINE_BYTES, parse=parse))
    raw = run.attempt(1).completions(1).read_bytes()
    assert len(raw) <= MAX_LINE_BYTES
    line = json.loads(raw)
    schema(line)
    assert line["truncated_at"] == len(line["text"].encode("utf-16-le")) // 2 > len(line["text"])
    assert text.startswith(line["text"])
    assert line["parse"] == {"think": None, "answer": None, "letter": "B", "rule": "r"}


def test_a_line_that_is_too_long_becomes_a_warning(run: RunDir, schema: Check) -> None:
    log = open_log(run)
    log.metrics(step=1, epoch=0, max_steps=1, values={f"metric/{i}": 0.123456789 for i in range(60_000)})
    log.phase("finish")
    first, second = lines(run.attempt(1).events)
    schema(first)
    assert first["type"] == "warn" and first["code"] == "line_too_long"
    assert second["seq"] == 2


def test_the_next_writer_goes_on_where_the_last_one_ended(run: RunDir) -> None:
    first = open_log(run)
    first.phase("environment")
    first.close()
    second = open_log(run)
    second.phase("train")
    second.close()
    assert [line["seq"] for line in lines(run.attempt(1).events)] == [1, 2]


@pytest.mark.parametrize("torn", [b'{"v":1,"seq":2,"ty', b"\xe2\x86", b"x" * 50_000])
def test_a_torn_line_is_ended_before_the_next_one(run: RunDir, torn: bytes) -> None:
    log = open_log(run)
    log.phase("environment")
    log.close()
    path = run.attempt(1).events
    with path.open("ab") as file:
        file.write(torn)
    assert last_line(path)[1]
    log = open_log(run)
    log.phase("train")
    first, broken, last = path.read_bytes().split(b"\n")[:-1]
    assert broken == torn
    assert json.loads(first)["seq"] == 1 and json.loads(last)["seq"] == 2


def test_completions_go_over_segments_and_keep_counting(run: RunDir) -> None:
    log = open_log(run, segment_bytes=2000)
    for _ in range(3):
        log.completion(completion())
    log.close()
    log = open_log(run, segment_bytes=2000)
    for _ in range(4):
        log.completion(completion())
    paths = sorted(run.attempt(1).path.glob("completions-*.jsonl"))
    assert len(paths) > 2 and all(path.stat().st_size <= 2000 for path in paths)
    assert [line["seq"] for path in paths for line in lines(path)] == list(range(1, 8))


def test_an_empty_last_segment_does_not_reset_the_count(run: RunDir) -> None:
    log = open_log(run)
    log.completion(completion())
    log.close()
    run.attempt(1).completions(2).touch()
    log = open_log(run)
    log.completion(completion())
    assert lines(run.attempt(1).completions(2))[0]["seq"] == 2


def test_each_line_is_one_write(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    real = os.write

    def spy(fd: int, data: Any) -> int:
        written.append(bytes(data))
        return real(fd, data)

    monkeypatch.setattr(os, "write", spy)
    log = open_log(run)
    for _ in range(20):
        log.phase("train")
    assert len(written) == 20 and all(data.endswith(b"\n") and data.count(b"\n") == 1 for data in written)


def test_threads_share_a_log_without_a_gap(run: RunDir) -> None:
    log = open_log(run)
    threads = [threading.Thread(target=lambda: [log.phase("train") for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [line["seq"] for line in lines(run.attempt(1).events)] == list(range(1, 801))
