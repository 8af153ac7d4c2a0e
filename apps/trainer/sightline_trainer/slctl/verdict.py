"""What has become of an attempt, from what can be seen on its host. One pure function; its tests are the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HEARTBEAT_SECS = 2.0
STALE_HEARTBEATS = 5
START_SECS = 30.0
FOREIGN_SECS = 120.0

State = Literal["starting", "running", "stalled", "orphaned", "finished", "interrupted", "killed", "lost"]
_DEAD: frozenset[str] = frozenset({"finished", "interrupted", "killed", "lost"})


@dataclass(frozen=True)
class Seen:
    """Everything that the verdict rests on."""

    has_dir: bool
    has_exit: bool
    has_id: bool
    is_lock_held: bool
    is_supervisor_alive: bool
    is_same_boot: bool
    is_same_host: bool
    heartbeat_age_secs: float | None
    """By the host's own clock; None when there was no heartbeat."""
    dir_age_secs: float
    has_end_event: bool
    """The last line of the events is `attempt.end`."""


@dataclass(frozen=True)
class Verdict:
    state: State
    why: str

    @property
    def is_dead(self) -> bool:
        """True when there is proof that no process works on the attempt: a newer one may start."""
        return self.state in _DEAD


def verdict(seen: Seen) -> Verdict:
    """Judges one attempt. Silence is never death: only an exit file, a free lock or another boot is.

    Source: the table of the failure model (exit file, lock, supervisor, boot).
    """
    if not seen.has_dir:
        return Verdict("lost", "its directory is missing")
    if seen.has_exit:
        return Verdict("finished", "its exit file is there")
    age = seen.heartbeat_age_secs
    is_stale = age is None or age > HEARTBEAT_SECS * STALE_HEARTBEATS
    if seen.is_lock_held:
        if not seen.has_id:
            return Verdict("starting", "its supervisor has the lock and has not named itself yet")
        if not seen.is_same_host:
            if is_stale:
                return Verdict("stalled", "it belongs to another host and its heartbeat is old")
            return Verdict("running", "it beats on another host")
        if not seen.is_supervisor_alive:
            return Verdict("orphaned", "its supervisor is dead and its trainer holds the lock")
        if is_stale:
            return Verdict("stalled", "its supervisor lives and its heartbeat is old")
        return Verdict("running", "its supervisor beats")
    if not seen.has_id:
        if seen.dir_age_secs < START_SECS:
            return Verdict("starting", "its directory was just made")
        return Verdict("killed", "it never started: no process named itself")
    if not seen.is_same_host and (age is None or age < FOREIGN_SECS):
        # A lock of another host may be invisible here, so a free one proves nothing while its heart still beats.
        return Verdict("running", "it belongs to another host whose heartbeat is fresh")
    if seen.has_end_event:
        return Verdict("finished", "its last event is its end, and no process is left")
    if not seen.is_same_boot:
        return Verdict("interrupted", "the host was started anew since")
    if not seen.is_same_host:
        return Verdict("interrupted", "the host that it belongs to is silent and its lock is free")
    return Verdict("killed", "its supervisor and its trainer were killed; the host may have run out of memory")
