"""What trains on this host: an environment that is made here, or an interpreter that is taken as it is.

The work is done by a process that outlives whoever asked, one for each set of pins at a time. It leaves how far it is
in a file, so that anybody can look, and what it had done when it was ended is found again by the next.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from sightline_trainer.rundir import read_json, write_all, write_json
from sightline_trainer.slctl import host
from sightline_trainer.slctl.protocol import RequestError

PROFILES = ("cpu", "cuda", "adopt")
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""PyTorch's own index of builds without CUDA, asked beside the host's where the host names none."""

DISK_FULL = "The disk is full: free some space (CPU about 2 GB, CUDA about 8 GB) and prepare again."
_ROOM_BYTES = 1024 * 1024

TORCH_FROM = (2, 6)
TRANSFORMERS_FROM = (4, 56, 2)
TRL = (1, 13)

_IMPORT = """
import json, torch, transformers, trl
print(json.dumps({"torch": torch.__version__, "transformers": transformers.__version__, "trl": trl.__version__,
                  "cuda": torch.cuda.is_available()}))
"""


class Place:
    """Where an environment lies: pins, profile and interpreter name it, so that a changed pin makes another one."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.profile = request.get("profile")
        python = request.get("python")
        texts = [request.get("requirements"), request.get("constraints")]
        if self.profile not in PROFILES:
            raise RequestError("bad_request", f"profile must be one of {', '.join(PROFILES)}")
        if not all(isinstance(text, str) for text in texts):
            raise RequestError("bad_request", "requirements and constraints must be texts")
        if self.profile == "adopt" and (not isinstance(python, str) or "\0" in python):
            raise RequestError("bad_request", "python must be the path of an interpreter")
        self.requirements, self.constraints = map(str, texts)
        self.adopted = os.path.expanduser(python) if self.profile == "adopt" and isinstance(python, str) else None
        named = "\n".join([str(self.profile), self.adopted or "", *map(str, texts), sys.version])
        key = hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self.dir = _cache() / "environments" / key

    @property
    def python(self) -> str:
        return self.adopted or str(self.dir / "bin" / "python")

    @property
    def lock(self) -> Path:
        return self.dir / "prepare.lock"

    @property
    def state(self) -> Path:
        return self.dir / "prepare.json"

    @property
    def total(self) -> int:
        """Packages, and a tenth for the check."""
        return 1 if self.adopted else -(-11 * len(self.constraints.split("\n")) // 10)


def _cache() -> Path:
    given = os.environ.get("SIGHTLINE_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sightline"


def _look(place: Place) -> dict[str, Any]:
    """{state: absent, preparing, ready or failed; done, total: packages; python, versions, problem: or None}."""
    known = read_json(place.state) or {}
    is_left = known.get("state") == "preparing" and not host.is_lock_held(place.lock)
    if is_left and (read_json(place.state) or {}) != known:
        # It ended, or another began, while we looked.
        return _look(place)
    answer = {"done": 0, "total": place.total, "python": None, "versions": None, "problem": None, **known}
    answer.pop("pid", None)
    answer.pop("start_ticks", None)
    state = known.get("state", "absent")
    if is_left:
        state = "failed"
        # On a full disk it could not write its own last words.
        is_full = shutil.disk_usage(place.dir).free < _ROOM_BYTES
        ended = "The preparation was ended from outside: prepare again, it goes on where it was."
        answer["problem"] = DISK_FULL if is_full else ended
    if state == "ready" and not os.access(place.python, os.X_OK):
        state = "absent"
    return {**answer, "state": state, "python": place.python if state == "ready" else None}


def environment(request: dict[str, Any]) -> dict[str, Any]:
    """How far it is."""
    return {"environment": _look(Place(request))}


def prepare(request: dict[str, Any]) -> dict[str, Any]:
    """Begins or goes on, unless it is ready or somebody is at it. `is_repair` begins anew."""
    place = Place(request)
    is_repair = request.get("is_repair") is True
    state = _look(place)["state"]
    if state == "preparing" or (state == "ready" and not is_repair):
        return {"environment": _look(place)}
    process = subprocess.Popen(
        host.self_command("prepare"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env=host.self_environment(),
    )
    answer, _ = process.communicate(json.dumps({**request, "is_repair": is_repair}).encode())
    problem = answer.decode("utf-8", "replace")
    if problem:
        raise RequestError("io", f"Can't prepare here: {problem}")
    return {"environment": _look(place)}


def cancel_prepare(request: dict[str, Any]) -> dict[str, Any]:
    """Ends the process that is at it, and what it started. What is installed stays for the next."""
    place = Place(request)
    known = read_json(place.state) or {}
    pid = known.get("pid")
    if isinstance(pid, int) and host.is_lock_held(place.lock) and host.is_alive(pid, known.get("start_ticks")):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        deadline = time.monotonic() + 5
        while host.is_lock_held(place.lock) and time.monotonic() < deadline:
            time.sleep(0.02)
        write_json(place.state, {"state": "absent"})
    return {"environment": _look(place)}


def main() -> None:
    """Reads its request from stdin, detaches, says on stdout what hinders it (nothing when it goes on), and works."""
    request = json.loads(sys.stdin.buffer.read())
    if os.fork() > 0:
        os._exit(0)
    os.setsid()
    place = Place(request)
    try:
        place.dir.mkdir(parents=True, exist_ok=True)
        fd = os.open(place.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        if not host.take_lock(fd, wait_secs=1):
            # Somebody else was quicker, and does the same.
            os._exit(0)
        me = {"pid": os.getpid(), "start_ticks": host.start_ticks(os.getpid())}
        write_json(place.state, {"state": "preparing", "done": 0, "total": place.total, **me})
    except OSError as error:
        write_all(1, f"{error.strerror}: {error.filename}".encode())
        os._exit(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    try:
        end = _work(place, me, is_repair=request.get("is_repair") is True)
    except _StepError as error:
        end = {"state": "failed", "problem": str(error)}
    except OSError as error:
        end = {"state": "failed", "problem": f"Could not prepare here: {error.strerror}: {error.filename}."}
    with contextlib.suppress(OSError):
        write_json(place.state, {"done": place.total, "total": place.total, **end})
    os._exit(0)


class _StepError(Exception):
    """A step failed; the message says which, and what to do."""


def _work(place: Place, me: dict[str, Any], *, is_repair: bool) -> dict[str, Any]:
    if place.adopted is None:
        if is_repair:
            for path in place.dir.iterdir():
                if path not in (place.lock, place.state):
                    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
        requirements, constraints = place.dir / "requirements.txt", place.dir / "constraints.txt"
        requirements.write_text(place.requirements)
        constraints.write_text(place.constraints)
        _run("make a virtual environment", [sys.executable, "-m", "venv", "--without-pip", str(place.dir)])
        # By itself, since venv keeps what hindered ensurepip to itself.
        _run("put pip into it", [place.python, "-m", "ensurepip", "--upgrade", "--default-pip"])
        done = 0

        def on_line(line: str) -> None:
            nonlocal done
            if re.match(r"\s*(Collecting|Requirement already satisfied)", line):
                done = min(place.total - 1, done + 1)
                state = {"state": "preparing", "done": done, "total": place.total, **me}
                write_json(place.state, state, durable=False)

        _run(
            "install the trainer's packages",
            [place.python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off",
             "-r", str(requirements), "-c", str(constraints)],
            on_line,
            more=_index(place),
        )  # fmt: skip
    output = _run("import the trainer's packages", [place.python, "-s", "-c", _IMPORT])
    versions = json.loads(output.strip().splitlines()[-1])
    problem = refusal(versions)
    if problem is not None:
        raise _StepError(problem)
    return {"state": "ready", "versions": versions}


def _index(place: Place) -> dict[str, str]:
    """Where packages come from: as the host says, and where it says nothing, CPU builds from PyTorch's own index."""
    if place.profile != "cpu" or any(name in os.environ for name in ("PIP_INDEX_URL", "PIP_NO_INDEX")):
        return {}
    configured = subprocess.run(
        [place.python, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, check=False
    )
    return {} if configured.returncode == 0 else {"PIP_EXTRA_INDEX_URL": CPU_INDEX}


def refusal(versions: dict[str, Any]) -> str | None:
    """Why these versions can't train, with the range that can; None when they can."""
    torch, transformers, trl = (_numbers(versions.get(name)) for name in ("torch", "transformers", "trl"))
    needed = []
    if torch < TORCH_FROM:
        needed.append(f"torch 2.6 or newer (it has {versions.get('torch')})")
    if transformers < TRANSFORMERS_FROM:
        needed.append(f"transformers 4.56.2 or newer (it has {versions.get('transformers')})")
    if trl[:2] != TRL:
        needed.append(f"trl 1.13 (it has {versions.get('trl')})")
    if not needed:
        return None
    return f"This interpreter can't train: it needs {', '.join(needed)}. Install those, or prepare an environment."


def _numbers(version: Any) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", str(version).partition("+")[0])[:3])


def _run(what: str, argv: list[str], on_line: Any = None, more: dict[str, str] | None = None) -> str:
    """Runs one step to its end. Returns what it wrote on stdout."""
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**variables, **(more or {}), "PYTHONNOUSERSITE": "1", "OMP_NUM_THREADS": "1"},
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _StepError(f"Could not {what}: {argv[0]}: {reason}. Name an interpreter that is there.") from error
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if on_line is not None:
            on_line(line)
    if process.wait() == 0:
        return "\n".join(lines)
    output = "\n".join(lines[-12:])
    is_full = any("No space left on device" in line for line in lines)
    raise _StepError(f"Could not {what}. {DISK_FULL if is_full else _explain(output)}\n{output}")


def _explain(output: str) -> str:
    if re.search(r"ensurepip is (not available|disabled)|No module named '?(venv|ensurepip)", output):
        return "This Python lacks venv: install it (Debian: apt-get install python3-venv) and prepare again."
    if re.search(r"Could not find a version|No matching distribution|ResolutionImpossible", output):
        return "A pinned package has no build for this Python: use Python 3.10 to 3.13 on Linux."
    if re.search(r"NewConnectionError|ReadTimeout|Temporary failure in name resolution|ConnectionError", output):
        return "The package index could not be reached from the host: check its network and prepare again."
    if "ModuleNotFoundError" in output:
        return "The interpreter lacks a package that training needs: install it there, or prepare an environment."
    return "Prepare again; if it fails in the same way, repair it, which begins anew."
