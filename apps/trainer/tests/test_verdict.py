"""The verdict table, row by row."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from sightline_trainer.slctl.observe import exit_class
from sightline_trainer.slctl.verdict import Seen, verdict

RUNNING = Seen(
    has_dir=True,
    has_exit=False,
    has_id=True,
    is_lock_held=True,
    is_supervisor_alive=True,
    is_same_boot=True,
    is_same_host=True,
    heartbeat_age_secs=1.0,
    dir_age_secs=100.0,
    has_end_event=False,
)
DEAD = replace(RUNNING, is_lock_held=False, is_supervisor_alive=False, heartbeat_age_secs=500.0)


@pytest.mark.parametrize(
    ("seen", "state", "is_dead"),
    [
        pytest.param(replace(RUNNING, has_exit=True), "finished", True, id="exit file, whatever else"),
        pytest.param(RUNNING, "running", False, id="lock held, supervisor alive"),
        pytest.param(replace(RUNNING, heartbeat_age_secs=10.5), "stalled", False, id="heartbeat older than 5 periods"),
        pytest.param(replace(RUNNING, heartbeat_age_secs=None), "stalled", False, id="no heartbeat at all"),
        pytest.param(replace(RUNNING, is_supervisor_alive=False), "orphaned", False, id="lock held, supervisor dead"),
        pytest.param(DEAD, "killed", True, id="lock free, same boot"),
        pytest.param(replace(DEAD, is_same_boot=False), "interrupted", True, id="lock free, another boot"),
        pytest.param(replace(DEAD, has_end_event=True), "finished", True, id="orphan that ended by itself"),
        pytest.param(replace(RUNNING, has_dir=False), "lost", True, id="directory missing"),
        pytest.param(replace(RUNNING, has_id=False), "starting", False, id="lock held, not named yet"),
        pytest.param(replace(DEAD, has_id=False, dir_age_secs=1), "starting", False, id="directory just made"),
        pytest.param(replace(DEAD, has_id=False, dir_age_secs=31), "killed", True, id="never started"),
        pytest.param(replace(RUNNING, is_same_host=False, is_supervisor_alive=False), "running", False, id="elsewhere"),
        pytest.param(
            replace(RUNNING, is_same_host=False, heartbeat_age_secs=60), "stalled", False, id="elsewhere, silent"
        ),
        pytest.param(
            replace(DEAD, is_same_host=False, heartbeat_age_secs=60), "running", False, id="lock of another host unseen"
        ),
        pytest.param(
            replace(DEAD, is_same_host=False, heartbeat_age_secs=121), "interrupted", True, id="another host is silent"
        ),
    ],
)
def test_table(seen: Seen, state: str, is_dead: bool) -> None:
    judged = verdict(seen)
    assert (judged.state, judged.is_dead) == (state, is_dead)
    assert judged.why


def test_a_held_lock_is_never_death() -> None:
    """Over every combination: no verdict of death while the lock is held and no exit file is there."""
    flags = itertools.product((False, True), repeat=6)
    for has_id, alive, boot, here, end, beats in flags:
        seen = Seen(True, False, has_id, True, alive, boot, here, 1.0 if beats else 9999.0, 9999.0, end)
        assert not verdict(seen).is_dead, seen


@pytest.mark.parametrize(
    ("code", "killed_by", "kind"),
    [
        (0, None, "done"),
        (75, None, "interrupted"),
        (71, None, "gpu_memory"),
        (1, None, "internal"),
        (137, None, "killed"),
        (143, None, "signalled"),
        (None, "SIGKILL", "killed"),
        (None, "SIGSEGV", "signalled"),
        (None, None, "killed"),
    ],
)
def test_classes_of_ends(code: int | None, killed_by: str | None, kind: str) -> None:
    assert exit_class(code, killed_by) == kind
