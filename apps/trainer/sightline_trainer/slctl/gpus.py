"""GPUs as nvidia-smi tells of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import Any

# The name comes last: it is the only field in which a comma may stand.
_FIELDS = (
    "index",
    "uuid",
    "memory.total",
    "memory.used",
    "utilization.gpu",
    "temperature.gpu",
    "mig.mode.current",
    "driver_version",
    "name",
)
# Where the tool lies on WSL and in NVIDIA's containers, which a shell without a login does not look.
_MORE_PLACES = ("/usr/lib/wsl/lib", "/usr/local/nvidia/bin")
_TIMEOUT_SECS = 10


def gpus() -> tuple[list[dict[str, Any]], str | None]:
    """GPUs of this machine, and what the driver complains of (None when of nothing).

    Both are empty where there is no nvidia-smi: such a machine has no GPU that a run could use.
    """
    tool = shutil.which("nvidia-smi", path=os.pathsep.join((os.environ.get("PATH", ""), *_MORE_PLACES)))
    if tool is None:
        return [], None
    try:
        answer = subprocess.run(
            [tool, f"--query-gpu={','.join(_FIELDS)}", "--format=csv,noheader,nounits"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_SECS,
        )
    except subprocess.TimeoutExpired:
        return [], f"nvidia-smi did not answer within {_TIMEOUT_SECS} s; the driver may hang."
    except OSError as error:
        return [], f"nvidia-smi could not be started: {error.strerror}"
    return parse_gpus(answer.stdout, answer.stderr, answer.returncode)


def parse_gpus(stdout: str, stderr: str = "", exit_code: int = 0) -> tuple[list[dict[str, Any]], str | None]:
    """Rows and the complaint in an answer of nvidia-smi.

    A row: index, uuid, name, driver, memory_bytes; used_bytes, util in [0, 1] and temperature_c, each None where the
    driver does not say; mig True when the GPU is cut into instances, for which there is no common utilisation.
    """
    rows, rest = [], []
    for line in stdout.splitlines():
        row = _parse_row(line)
        if row is not None:
            rows.append(row)
        elif line.strip():
            rest.append(line.strip())
    rest += [line.strip() for line in stderr.splitlines() if line.strip()]
    if exit_code == 0 and not rest:
        return rows, None
    said = " ".join(rest)[:400]
    if rows == [] and re.match(r"no devices were found", said, re.IGNORECASE):
        return [], None
    return rows, said or f"nvidia-smi ended with {exit_code}."


def _parse_row(line: str) -> dict[str, Any] | None:
    words = [word.strip() for word in line.split(",", len(_FIELDS) - 1)]
    if len(words) != len(_FIELDS) or not words[0].isdigit():
        return None
    index, uuid, total, used, util, temperature, mig, driver, name = words
    busy = _number(util)
    return {
        "index": int(index),
        "uuid": uuid,
        "name": name,
        "driver": driver,
        "memory_bytes": _bytes(total) or 0,
        "used_bytes": _bytes(used),
        "util": None if busy is None else min(1.0, max(0.0, busy / 100)),
        "temperature_c": _number(temperature),
        "mig": mig == "Enabled",
    }


def _number(text: str) -> float | None:
    """None for `[N/A]`, `[Not Supported]`, `[Unknown Error]`, `[GPU requires reset]`, `ERR!`."""
    return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else None


def _bytes(mebibytes: str) -> int | None:
    number = _number(mebibytes)
    return None if number is None else int(number) * 1024 * 1024
