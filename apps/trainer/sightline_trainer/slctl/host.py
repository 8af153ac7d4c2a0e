"""Facts of this host and of its processes, from /proc."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any


def boot_id() -> str:
    """Changes with each boot. SLCTL_BOOT_ID overrides it, for tests."""
    override = os.environ.get("SLCTL_BOOT_ID")
    if override:
        return override
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return "unknown"


def host_name() -> str:
    """The name by which attempts on this host are known. Bytes of it that are no UTF-8 are written as `\\xNN`."""
    return os.fsencode(socket.gethostname()).decode("utf-8", "backslashreplace")


def package_home() -> str:
    """Where `sightline_trainer` lies: a folder, or the zipapp itself."""
    return str(Path(__file__).resolve().parents[2])


def keep_package() -> None:
    """Says that the zipapp is in use: one that nobody has touched for long goes when a newer one comes to its host."""
    home = package_home()
    with contextlib.suppress(OSError):
        if os.path.isfile(home):
            os.utime(home)


def self_command(*words: str) -> list[str]:
    """The argv that starts this program again, without looking for installed packages: it needs none."""
    home = package_home()
    if os.path.isfile(home):
        return [sys.executable, "-I", "-S", home, *words]
    return [sys.executable, "-S", "-m", "sightline_trainer.slctl", *words]


def self_environment() -> dict[str, str]:
    """Environment in which `sightline_trainer` can be imported."""
    path = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": package_home() + (os.pathsep + path if path else "")}


@dataclass(frozen=True)
class Process:
    """Identity of a process: a number alone may be given to another one later."""

    pid: int
    start_ticks: int


def stat_fields(pid: int) -> list[str] | None:
    """Fields of /proc/PID/stat from the third on (state first), or None when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return text.rpartition(")")[2].split()


def start_ticks(pid: int) -> int | None:
    """Clock tick since boot at which the process began, or None when it is gone or a zombie."""
    fields = stat_fields(pid)
    if fields is None or fields[0] in "ZX":
        return None
    return int(fields[19])


def is_alive(pid: Any, ticks: Any) -> bool:
    """True when the process of that number is still the one that began at that tick."""
    return isinstance(pid, int) and isinstance(ticks, int) and start_ticks(pid) == ticks


def is_lock_held(path: Path) -> bool:
    """True when a process holds the attempt's lock.

    A shared lock is tried, so that two who look don't take each other for a holder.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(fd)
    return False


def take_lock(fd: int, wait_secs: float = 5.0) -> bool:
    """Takes an open lock file for oneself. False when another process holds it for longer than `wait_secs`.

    Those who only look hold it for an instant, which on a busy machine is as long as they wait for the processor.
    """
    deadline = time.monotonic() + wait_secs
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)


def processes_of(attempt_marker: bytes, pgid: int | None) -> list[int]:
    """Processes of an attempt: those whose environment names it, in its group or not."""
    found: list[int] = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        pid = int(name)
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                environment = file.read().split(b"\0")
        except OSError:
            continue
        if attempt_marker in environment:
            fields = stat_fields(pid)
            if fields is not None and fields[0] not in "ZX":
                found.append(pid)
    if pgid is not None:
        found.sort(key=lambda pid: pid != pgid)
    return found


def signal_all(pids: list[int], number: signal.Signals) -> None:
    """Signals each process; one that has just gone is no error."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def oom_kills() -> int | None:
    """How often the kernel killed for memory in this control group, or None when it can't be read."""
    try:
        group = Path("/proc/self/cgroup").read_text().strip().rpartition("::")[2].lstrip("/")
        for folder in (Path("/sys/fs/cgroup") / group, Path("/sys/fs/cgroup")):
            events = folder / "memory.events"
            if events.exists():
                for line in events.read_text().splitlines():
                    name, _, count = line.partition(" ")
                    if name == "oom_kill":
                        return int(count)
    except (OSError, ValueError):
        return None
    return None
