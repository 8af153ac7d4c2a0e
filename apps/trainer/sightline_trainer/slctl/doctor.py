"""Facts about this host, without side effects."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from sightline_trainer import __version__
from sightline_trainer.clock import time_of_day
from sightline_trainer.slctl import host
from sightline_trainer.slctl.gpus import gpus


def memory() -> dict[str, int]:
    """Bytes of main memory: in all, and free for new processes."""
    facts = {"total_bytes": 0, "available_bytes": 0}
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name in ("MemTotal", "MemAvailable"):
                key = "total_bytes" if name == "MemTotal" else "available_bytes"
                facts[key] = int(rest.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        return facts
    return facts


def cpu_name() -> str:
    """The processor's own name."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()


def cpu_count() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def device_facts(*, simulated: bool) -> dict[str, Any]:
    """The device of an attempt, for `attempt.start`."""
    if simulated:
        return {"name": "simulated", "count": 0, "memory_bytes": 0}
    cards, _ = gpus()
    if cards:
        return {"name": cards[0]["name"], "count": len(cards), "memory_bytes": cards[0]["memory_bytes"]}
    return {"name": cpu_name(), "count": cpu_count(), "memory_bytes": memory()["total_bytes"]}


def doctor(request: dict[str, Any]) -> dict[str, Any]:
    """Everything that the server's checks need to know of this host."""
    from sightline_trainer.slctl.observe import root_of

    root = root_of(request) if request.get("root") is not None else Path.home()
    cards, gpu_problem = gpus()
    return {
        "facts": {
            "slctl": __version__,
            "python": platform.python_version(),
            "python_path": sys.executable,
            "system": platform.platform(),
            "host": host.host_name(),
            "user": _user(),
            "boot_id": host.boot_id(),
            "time_secs": time_of_day(),
            "cpus": cpu_count(),
            "cpu_name": cpu_name(),
            "memory": memory(),
            "gpus": cards,
            "gpu_problem": gpu_problem,
            "root": _root_facts(root),
            "login": _login_facts(),
        }
    }


def _user() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _root_facts(root: Path) -> dict[str, Any]:
    """Where runs would lie: the nearest folder that exists is looked at, nothing is left behind."""
    folder = root
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    facts: dict[str, Any] = {"path": str(root), "exists": root.is_dir(), "is_writable": False, "has_locks": False}
    try:
        usage = shutil.disk_usage(folder)
        facts["disk_total_bytes"], facts["disk_free_bytes"] = usage.total, usage.free
        with tempfile.TemporaryFile(dir=folder) as file:
            facts["is_writable"] = True
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            facts["has_locks"] = True
    except OSError as error:
        facts["problem"] = error.strerror
    return facts


def _login_facts() -> dict[str, Any]:
    """Whether the host would end our processes at log-out; nulls where it can't be known."""
    tool = shutil.which("loginctl")
    facts: dict[str, Any] = {"linger": None, "kill_user_processes": None}
    if tool is None:
        return facts
    try:
        answer = subprocess.run(
            [tool, "show-user", _user(), "--property=Linger"], capture_output=True, text=True, timeout=5
        )
        if answer.returncode == 0:
            facts["linger"] = answer.stdout.strip().endswith("yes")
        answer = subprocess.run(
            ["busctl", "get-property", "org.freedesktop.login1", "/org/freedesktop/login1",
             "org.freedesktop.login1.Manager", "KillUserProcesses"],
            capture_output=True,
            text=True,
            timeout=5,
        )  # fmt: skip
        if answer.returncode == 0:
            facts["kill_user_processes"] = answer.stdout.strip().endswith("true")
    except (OSError, subprocess.SubprocessError):
        return facts
    return facts
