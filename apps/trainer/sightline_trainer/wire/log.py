"""The event writer: one object a line, one `write()` each, sequence numbers without a gap.

One process writes a stream at a time. A writer that takes over (the trainer from the supervisor, the supervisor from a
dead trainer) finds the last sequence number in the file, so that nothing has to be handed over but the directory.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from sightline_trainer.clock import time_of_day
from sightline_trainer.rundir import NO_SPACE, AttemptDir, RunDir, drop_ballast
from sightline_trainer.wire.encode import MAX_LINE_BYTES, encode_line, fit_completion

SEGMENT_BYTES = 16 * 1024 * 1024
_TAIL_BYTES = 4 * MAX_LINE_BYTES

Stream = Literal["events", "completions"]
Split = Literal["train", "eval"]
EndReason = Literal["done", "stopped", "interrupted", "failed"]


class DiskFullError(OSError):
    """The disk is full. The line at hand is written where dropping the ballast made room for it."""


def last_line(path: Path) -> tuple[dict[str, Any] | None, bool]:
    """The last well-formed wire line of a file, and whether the file ends in a torn one."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL_BYTES))
            tail = file.read()
    except FileNotFoundError:
        return None, False
    is_torn = size > 0 and not tail.endswith(b"\n")
    lines = tail.split(b"\n")[:-1]
    for raw in reversed(lines):
        try:
            line = json.loads(raw)
        except ValueError:
            continue
        if isinstance(line, dict) and isinstance(line.get("seq"), int):
            return line, is_torn
    return None, is_torn


class _StreamWriter:
    """Appends to one stream of one attempt."""

    def __init__(
        self, directory: AttemptDir, run: RunDir, stream: Stream, segment_bytes: int, stops_when_full: bool
    ) -> None:
        self._directory = directory
        self._run = run
        self._stream: Stream = stream
        self._segment_bytes = segment_bytes
        self._stops_when_full = stops_when_full
        self._segment = self._last_segment() if stream == "completions" else 0
        line, self._is_torn = last_line(self._path())
        if line is None and self._segment > 1:
            line, _ = last_line(directory.completions(self._segment - 1))
        self.seq: int = line["seq"] if line else 0
        self.fd = -1
        self._size = 0

    def _path(self) -> Path:
        return self._directory.events if self._stream == "events" else self._directory.completions(self._segment)

    def _last_segment(self) -> int:
        segment = 1
        while self._directory.completions(segment + 1).exists():
            segment += 1
        return segment

    def _open(self) -> None:
        self.fd = os.open(self._path(), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._size = os.fstat(self.fd).st_size

    def append(self, data: bytes) -> None:
        """Appends whole lines. Raises DiskFullError after having freed the ballast, once."""
        if self.fd < 0:
            self._open()
        if self._is_torn:
            data = b"\n" + data
        if self._stream == "completions" and self._size and self._size + len(data) > self._segment_bytes:
            self.close()
            self._segment += 1
            self._open()
        was_full = False
        view = memoryview(data)
        while view:
            try:
                written = os.write(self.fd, view)
            except OSError as error:
                if error.errno not in NO_SPACE:
                    raise
                if drop_ballast(self._run):
                    was_full = True
                    continue
                self._is_torn = len(view) < len(data) or self._is_torn
                raise DiskFullError(error.errno, "the disk is full", str(self._path())) from error
            view = view[written:]
            self._size += written
        self._is_torn = False
        self.seq += 1
        if was_full and self._stops_when_full:
            raise DiskFullError(NO_SPACE[0], "the disk is full", str(self._path()))

    def sync(self) -> None:
        if self.fd >= 0:
            os.fsync(self.fd)

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


class EventLog:
    """Writes the events and completions of one attempt. Threads may share it."""

    def __init__(
        self,
        run: RunDir,
        attempt: AttemptDir,
        *,
        run_id: str,
        began_mono_secs: float | None = None,
        segment_bytes: int = SEGMENT_BYTES,
        stops_when_full: bool = True,
    ) -> None:
        """Opens the streams after their last lines; files are made at the first line.

        began_mono_secs: the attempt's beginning on this machine's monotonic clock; now when not given.
        stops_when_full: raise DiskFullError also when the ballast gave room for the line, so that the trainer ends.
        """
        self._run_id = run_id
        self._attempt = attempt
        self._began = time.monotonic() if began_mono_secs is None else began_mono_secs
        self._guard = threading.Lock()
        self._writers: dict[Stream, _StreamWriter] = {
            "events": _StreamWriter(attempt, run, "events", segment_bytes, stops_when_full),
            "completions": _StreamWriter(attempt, run, "completions", segment_bytes, stops_when_full),
        }

    def seq(self, stream: Stream) -> int:
        """Sequence number of the last line, 0 when there is none."""
        return self._writers[stream].seq

    def line(self, type: str, fields: Mapping[str, Any], stream: Stream = "events") -> bytes:
        """The bytes of the next line, not written."""
        return encode_line(
            {
                "v": 1,
                "run_id": self._run_id,
                "attempt": self._attempt.number,
                "stream": stream,
                "seq": self._writers[stream].seq + 1,
                "time_secs": round(time_of_day(), 6),
                "mono_secs": round(max(0.0, time.monotonic() - self._began), 6),
                "type": type,
                **fields,
            }
        )

    def emit(self, type: str, fields: Mapping[str, Any], stream: Stream = "events") -> None:
        """Appends one line. A line above 1 MB is replaced by a warning that says so."""
        with self._guard:
            data = self.line(type, fields, stream)
            if len(data) > MAX_LINE_BYTES:
                stream = "events"
                data = self.line("warn", _line_too_long(type, len(data)), stream)
            self._writers[stream].append(data)

    def append_raw(self, data: bytes, *, pause_secs: float = 0, cut: int | None = None) -> None:
        """For fault injection only: appends bytes as they are, `cut` of them before a pause."""
        with self._guard:
            writer = self._writers["events"]
            seq = writer.seq
            if cut is not None:
                writer.append(data[:cut])
                time.sleep(pause_secs)
                data = data[cut:]
            writer.append(data)
            writer.seq = seq

    def count_raw(self) -> None:
        """Counts a line that `append_raw` wrote and that holds the next sequence number."""
        self._writers["events"].seq += 1

    def attempt_start(
        self,
        *,
        executor: str,
        host: str,
        pid: int,
        boot_id: str,
        spec_hash: str,
        resume_from: Mapping[str, Any] | None,
        versions: Mapping[str, str],
        device: Mapping[str, Any],
    ) -> None:
        """The supervisor writes it, as line 1, before the trainer runs."""
        self.emit(
            "attempt.start",
            {
                "executor": executor,
                "host": host,
                "pid": pid,
                "boot_id": boot_id,
                "spec_hash": spec_hash,
                "resume_from": resume_from,
                "versions": versions,
                "device": device,
            },
        )

    def phase(self, name: str, done: float = 0, total: float = 1) -> None:
        """What is being done now, and how far it is."""
        self.emit("phase", {"name": name, "done": done, "total": total})

    def config(
        self, about: Literal["run", "evaluation"], hash: str, values: Mapping[str, str | int | float | bool | None]
    ) -> None:
        """What is in force: of the run, or of an evaluation, whose hash is then its settings_hash."""
        self.emit("config", {"about": about, "hash": hash, "values": dict(values)})

    def stage(
        self,
        *,
        index: int,
        name: str,
        weights: Mapping[str, float],
        from_step: int,
        from_epoch: float,
        own: Mapping[str, float] | None = None,
    ) -> None:
        """A stage begins, or is entered again by a resumed attempt. Weights as given; the normalised are added.

        own: the stage's own learning_rate, beta and temperature, those that it has.
        """
        total = sum(weights.values())
        self.emit(
            "stage",
            {
                "index": index,
                "name": name,
                "weights": dict(weights),
                "normalised": {part: weight / total for part, weight in weights.items()},
                "from_step": from_step,
                "from_epoch": from_epoch,
                **(own or {}),
            },
        )

    def metrics(
        self, *, step: int, epoch: float, max_steps: int, values: Mapping[str, float | None], split: Split = "train"
    ) -> None:
        """Numbers of one step by TRL's own names."""
        self.emit(
            "metrics", {"step": step, "epoch": epoch, "split": split, "max_steps": max_steps, "values": dict(values)}
        )

    def generation(
        self,
        *,
        gen: int,
        step: int,
        prompts: int,
        samples: int,
        generate_secs: float,
        score_secs: float,
        tokens: int,
        judge: Mapping[str, float],
    ) -> None:
        """One batch of completions was sampled and scored."""
        self.emit(
            "generation",
            {
                "gen": gen,
                "step": step,
                "prompts": prompts,
                "samples": samples,
                "generate_secs": generate_secs,
                "score_secs": score_secs,
                "tokens": tokens,
                "judge": dict(judge),
            },
        )

    def system(self, *, rss_bytes: int, cpu: float, disk_free_bytes: int, gpus: Sequence[Mapping[str, float]]) -> None:
        """Use of the machine; `cpu` in cores."""
        self.emit(
            "system",
            {"rss_bytes": rss_bytes, "cpu": cpu, "disk_free_bytes": disk_free_bytes, "gpus": [dict(g) for g in gpus]},
        )

    def checkpoint(self, *, step: int, path: str, bytes: int, secs: float, complete: bool) -> None:
        """`path` is relative to the run directory."""
        self.emit("checkpoint", {"step": step, "path": path, "bytes": bytes, "secs": secs, "complete": complete})

    def evaluation(
        self,
        *,
        step: int,
        settings_hash: str,
        per_task: Mapping[str, Mapping[str, float]],
        overall: Mapping[str, float | None],
    ) -> None:
        """Answers to held-out questions. Accuracies in [0, 1] with their 95 % interval."""
        self.emit(
            "evaluation",
            {"step": step, "settings_hash": settings_hash, "per_task": dict(per_task), "overall": dict(overall)},
        )

    def warn(self, code: str, message: str, *, detail: str = "", retryable: bool = True, hint: str = "") -> None:
        """Something is wrong and the run goes on."""
        self.emit("warn", _problem(code, message, detail, retryable, hint))

    def error(self, code: str, message: str, *, detail: str = "", retryable: bool = False, hint: str = "") -> None:
        """Something is wrong and the attempt ends."""
        self.emit("error", _problem(code, message, detail, retryable, hint))

    def attempt_end(self, *, reason: EndReason, exit_code: int, step: int, checkpoint: str | None) -> None:
        """The last line of an attempt."""
        self.emit("attempt.end", {"reason": reason, "exit_code": exit_code, "step": step, "checkpoint": checkpoint})

    def completion(self, fields: Mapping[str, Any]) -> None:
        """One sampled trace. Text that would make the line longer than 1 MB is cut, and `truncated_at` says where."""
        line = dict(fields)
        line.setdefault("truncated_at", None)
        if len(line["text"]) + len(line.get("prompt") or "") > MAX_LINE_BYTES // 8:
            fit_completion(line)
        self.emit("completion", line, "completions")

    def sync(self) -> None:
        """Forces what was written to the disk, so that no checkpoint is newer than its rows."""
        with self._guard:
            for writer in self._writers.values():
                writer.sync()

    def close(self) -> None:
        """Closes the files; another writer may take over."""
        with self._guard:
            for writer in self._writers.values():
                writer.close()


def _problem(code: str, message: str, detail: str, retryable: bool, hint: str) -> dict[str, Any]:
    return {
        "code": code,
        "message": message[:2000],
        "detail": detail[-20_000:],
        "retryable": retryable,
        "hint": hint,
    }


def _line_too_long(type: str, size: int) -> dict[str, Any]:
    return _problem(
        "line_too_long",
        f"A {type} line of {size} bytes was left out: a line holds at most {MAX_LINE_BYTES}.",
        "",
        False,
        "Log fewer or shorter values.",
    )
