"""Checkpoints as slctl shows, checks, deletes and hands them on."""

from __future__ import annotations

import hashlib
import os
import shutil
from typing import Any

import pytest
from conftest import Host, spec

from sightline_trainer.checkpoints import MARKER, checkpoint_dir, checkpoint_steps, is_complete
from sightline_trainer.slctl import checkpoint as checkpoint_ops

PARTS = ("format", "accuracy", "consistency")


def stage(name: str, weights: tuple[int, int, int], from_epoch: float, to_epoch: float) -> dict[str, Any]:
    return {
        "name": name,
        "weights": dict(zip(PARTS, weights, strict=True)),
        "from_epoch": from_epoch,
        "to_epoch": to_epoch,
    }


THREE = [stage("a", (7, 3, 0), 0, 1), stage("b", (3, 7, 0), 1, 2), stage("c", (1, 7, 2), 2, 3)]


def trained(here: Host, run_id: str = "run", **settings: Any) -> dict[str, Any]:
    run_spec = spec(run_id, stages=THREE, keep_checkpoints=9, **settings)
    here.launch(run_spec)
    assert here.finished(run_id)["code"] == 0
    return run_spec


def fork_of(step: int, run_id: str = "fork", *, keeps_optimiser: bool = True, **change: Any) -> dict[str, Any]:
    origin = {"run_id": "run", "step": step, "keeps_optimiser": keeps_optimiser, "root_seed": 1}
    return {**spec(run_id, stages=THREE, keep_checkpoints=9), "forked_from": origin, **change}


def test_all_checkpoints_are_listed_with_their_files(here: Host) -> None:
    trained(here)
    shutil.rmtree(checkpoint_dir(here.run(), 8))
    checkpoint_dir(here.run(), 8).mkdir()
    (checkpoint_dir(here.run(), 8) / "weights.simulated").write_bytes(b"half")
    rows = here.ask("checkpoints", run_id="run")["checkpoints"]
    assert [(row["step"], row["complete"]) for row in rows] == [(4, True), (8, False), (12, True)]
    assert {file["path"] for file in rows[0]["files"]} == {MARKER, "trainer_state.json", "weights.simulated"}
    assert rows[0]["bytes"] == sum(file["bytes"] for file in rows[0]["files"]) > 4096
    assert rows[0]["time_secs"] is not None and rows[1]["time_secs"] is None
    assert here.ask("checkpoints", run_id="none")["checkpoints"] == []


def test_a_stage_ends_with_a_checkpoint_that_stays(here: Host) -> None:
    here.launch(spec(stages=THREE, save_steps=5, keep_checkpoints=1))
    here.finished()
    assert checkpoint_steps(here.run()) == [4, 8, 12]
    here.launch(spec("plain", stages=THREE, save_steps=5, keep_checkpoints=1, keep_stage_ends=False))
    here.finished("plain")
    assert checkpoint_steps(here.run("plain")) == [12]


def test_a_file_is_fetched_in_parts_and_checked(here: Host) -> None:
    trained(here)
    path = "checkpoints/checkpoint-4/weights.simulated"
    whole = b""
    while True:
        part = here.ask("fetch", run_id="run", path=path, offset=len(whole), max_bytes=1000)
        whole += part["blob"]
        if not part["more"]:
            break
    assert whole == (here.run().path / path).read_bytes()
    assert here.ask("digest", run_id="run", path=path)["sha256"] == hashlib.sha256(whole).hexdigest()


@pytest.mark.parametrize("op", ["fetch", "digest"])
def test_nothing_outside_the_run_is_read(here: Host, op: str) -> None:
    trained(here)
    (here.root / "secret").write_text("secret")
    (here.run().path / "link").symlink_to(here.root / "secret")
    (here.run().path / "inner").symlink_to(here.run().spec)
    (here.run().checkpoints / "way").symlink_to(here.root)
    for path in ("../secret", "/etc/passwd", "link", "inner", "checkpoints/way/secret", "a\0b", "", None, 3):
        assert here.refusal(op, run_id="run", path=path)["code"] == "bad_request", path
    for path in ("nothing", "checkpoints", "spec.json/more"):
        assert here.refusal(op, run_id="run", path=path)["code"] == "not_found", path
    assert here.refusal(op, run_id="../run", path="spec.json")["code"] == "bad_request"


def test_prune_deletes_what_it_is_told_and_never_the_newest_of_an_unfinished_run(here: Host) -> None:
    here.launch(spec(stages=THREE, keep_checkpoints=9, faults="kill@10"))
    here.wait_state("finished")
    answer = here.ask("prune", run_id="run", steps=[4, 8, 99])
    assert (answer["removed"], answer["kept"]) == ([4], [8]) and answer["freed_bytes"] > 4096
    assert checkpoint_steps(here.run()) == [8]
    here.launch(spec(stages=THREE, keep_checkpoints=9, faults="kill@10"), attempt=2)
    here.finished(attempt=2)
    assert here.ask("prune", run_id="run", steps=[8, 12])["removed"] == [8, 12]
    assert here.refusal("prune", run_id="run", steps=["8"])["code"] == "bad_request"


def test_prune_follows_no_link(here: Host) -> None:
    trained(here)
    outside = here.root / "outside"
    outside.mkdir()
    (outside / "file").write_text("kept")
    checkpoint_dir(here.run(), 99).symlink_to(outside)
    assert here.ask("prune", run_id="run", steps=[99])["removed"] == []
    assert (outside / "file").read_text() == "kept"


def lines(here: Host, run_id: str) -> list[dict[str, Any]]:
    return [
        {"step": line["step"], "values": line["values"]}
        for line in here.events(run_id, 1, "metrics")
        if line["split"] == "train"
    ]


def test_a_fork_with_nothing_changed_is_the_run_itself_from_there_on(here: Host) -> None:
    trained(here)
    here.launch(fork_of(4))
    assert here.finished("fork")["code"] == 0
    [start] = here.events("fork", 1, "attempt.start")
    assert start["resume_from"] == {"step": 4, "path": "checkpoints/checkpoint-4"}
    assert lines(here, "fork") == [line for line in lines(here, "run") if line["step"] > 4]
    one, other = (checkpoint_dir(here.run(name), 4) / "weights.simulated" for name in ("run", "fork"))
    assert os.path.samefile(one, other)


def test_a_fork_goes_on_under_another_schedule_from_a_stage_boundary(here: Host) -> None:
    trained(here)
    stages = [THREE[0], stage("other", (0, 1, 0), 1, 2)]
    here.launch(fork_of(4, stages=stages, seed=5))
    here.finished("fork")
    assert [line["step"] for line in lines(here, "fork")] == [5, 6, 7, 8]
    assert [(line["index"], line["name"]) for line in here.events("fork", 1, "stage")] == [(1, "other")]
    assert lines(here, "fork")[0] != lines(here, "run")[4]


def test_a_fork_is_kept_when_its_parent_is_pruned_before_it_starts(here: Host) -> None:
    trained(here)
    run_spec = fork_of(4)
    assert here.ask("fork", spec=run_spec)["linked"] == 2
    assert here.ask("fork", spec=run_spec)["linked"] == 0
    assert [run["run_id"] for run in here.ask("find")["runs"]] == ["run"]
    here.ask("prune", run_id="run", steps=[4])
    here.launch(run_spec)
    here.finished("fork")
    assert lines(here, "fork")[0]["step"] == 5


def test_a_fork_of_what_is_not_whole_or_not_there_is_refused_and_starts_nothing(here: Host) -> None:
    trained(here)
    (checkpoint_dir(here.run(), 8) / MARKER).unlink()
    for step in (8, 7):
        assert here.refusal("launch", spec=fork_of(step), attempt=1)["code"] == "missing_checkpoint"
        assert here.refusal("fork", spec=fork_of(step))["code"] == "missing_checkpoint"
    assert here.refusal("fork", spec=fork_of(0))["code"] == "bad_request"
    assert not here.attempt("fork").path.exists()
    origin = {"run_id": "../run", "step": 4}
    assert here.refusal("fork", spec={**fork_of(4), "forked_from": origin})["code"] == "bad_request"


def test_the_optimiser_and_chance_are_left_out_when_the_spec_says_so(here: Host) -> None:
    trained(here)
    source = checkpoint_dir(here.run(), 4)
    for name in ("optimizer.pt", "scheduler.pt", "rng_state.pth"):
        (source / name).write_bytes(name.encode())
    checkpoint_ops.mark_complete(source, 4)
    names = {
        "whole": fork_of(4, "whole"),
        "weights": fork_of(4, "weights", keeps_optimiser=False),
        "chance": fork_of(4, "chance", seed=2),
    }
    found = {}
    for run_id, run_spec in names.items():
        here.ask("fork", spec=run_spec)
        path = checkpoint_dir(here.run(run_id), 4)
        assert is_complete(path)
        found[run_id] = {file.name for file in path.iterdir()} - {MARKER, "trainer_state.json", "weights.simulated"}
    assert found == {
        "whole": {"optimizer.pt", "scheduler.pt", "rng_state.pth"},
        "weights": {"rng_state.pth"},
        "chance": {"optimizer.pt", "scheduler.pt"},
    }


def test_where_the_disk_cannot_link_a_checkpoint_is_copied(here: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    trained(here)

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    counts = checkpoint_ops.ensure_fork(here.root, here.run("fork"), fork_of(8))
    assert counts == {"linked": 0, "copied": 2}
    assert is_complete(checkpoint_dir(here.run("fork"), 8))


def test_an_attempt_has_its_own_settings_and_says_why_it_is_there(here: Host) -> None:
    run_spec = spec(stages=THREE, micro_batch=8)
    here.launch(run_spec, overrides={"micro_batch": 4}, note="Automatic attempt 1 of at most 2.")
    here.finished()
    assert "micro_batch 4" in here.attempt().log.read_text()
    assert here.identity()["overrides"] == {"micro_batch": 4}
    [warning] = here.events(type="warn")
    assert (warning["code"], warning["message"]) == ("automatic_attempt", "Automatic attempt 1 of at most 2.")
    assert here.refusal("launch", spec=spec("other"), attempt=1, overrides=[1])["code"] == "bad_request"
