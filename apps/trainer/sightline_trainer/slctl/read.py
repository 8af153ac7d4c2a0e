"""Bytes of streams from where a reader stands, whole lines only; waits for new ones when asked to.

The reader keeps `next` of each answer as its cursor. Nothing is remembered here, so a lost answer is asked for again.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sightline_trainer.rundir import AttemptDir
from sightline_trainer.slctl import host
from sightline_trainer.slctl.observe import attempt_of, root_of
from sightline_trainer.slctl.protocol import RequestError
from sightline_trainer.slctl.watch import readable_run
from sightline_trainer.wire.encode import MAX_LINE_BYTES

POLL_SECS = 0.05
MAX_WAIT_SECS = 60.0
MAX_BYTES = 8 * 1024 * 1024
_DEFAULT_BYTES = 2 * 1024 * 1024
_SAMPLE_BYTES = 4096
_SCAN_BYTES = 1024 * 1024
_turns = itertools.count()


@dataclass
class Cursor:
    """Where a reader stands in one stream of one attempt."""

    run_id: str
    attempt: AttemptDir
    stream: str
    segment: int
    offset: int
    inode: int | None
    has_end: bool
    """The reader knows already that the attempt has ended."""
    scanned: int = 0
    """How far a line that is too long has been searched for its end."""

    @property
    def path(self) -> Path:
        if self.stream == "events":
            return self.attempt.events
        if self.stream == "log":
            return self.attempt.log
        return self.attempt.completions(self.segment)


@dataclass
class Answer:
    chunks: list[dict[str, Any]] = field(default_factory=list)
    blob: bytearray = field(default_factory=bytearray)

    def add(self, cursor: Cursor, data: bytes, **facts: Any) -> None:
        self.chunks.append(
            {
                "run_id": cursor.run_id,
                "attempt": cursor.attempt.number,
                "stream": cursor.stream,
                "segment": cursor.segment,
                "bytes": len(data),
                "torn": False,
                "reset": False,
                "oversized": False,
                "more": False,
                "ended": False,
                **facts,
            }
        )
        self.blob += data


def read(request: dict[str, Any], cancelled: threading.Event) -> tuple[dict[str, Any], bytes]:
    """Answers as soon as one cursor has something new, or with no chunks when `wait_secs` are over."""
    root = root_of(request)
    cursors = _cursors(root, request.get("cursors"))
    limit = min(int(_number(request, "max_bytes", _DEFAULT_BYTES)), MAX_BYTES)
    limit = max(limit, MAX_LINE_BYTES)
    # Another one is first each time, so that a long backlog of one run doesn't keep the others waiting.
    first = next(_turns) % len(cursors) if cursors else 0
    deadline = time.monotonic() + min(_number(request, "wait_secs", 0), MAX_WAIT_SECS)
    while True:
        answer = Answer()
        for index, cursor in enumerate(cursors[first:] + cursors[:first]):
            room = limit - len(answer.blob)
            share = max(room // (len(cursors) - index), min(room, MAX_LINE_BYTES))
            if share < MAX_LINE_BYTES:
                break
            _read_stream(cursor, share, answer)
        if answer.chunks or time.monotonic() >= deadline or cancelled.is_set():
            return {"chunks": answer.chunks, "cancelled": cancelled.is_set()}, bytes(answer.blob)
        cancelled.wait(min(POLL_SECS, max(0.0, deadline - time.monotonic())))


def _number(request: dict[str, Any], name: str, default: float) -> float:
    value = request.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
        raise RequestError("bad_request", f"{name} must be a number, 0 or more")
    return float(value)


def _cursors(root: Path, given: Any) -> list[Cursor]:
    if not isinstance(given, list):
        raise RequestError("bad_request", "cursors must be a list")
    cursors: list[Cursor] = []
    for item in given:
        if not isinstance(item, dict) or item.get("stream") not in ("events", "completions", "log"):
            raise RequestError("bad_request", "a cursor names run_id, attempt and stream (events, completions or log)")
        inode = item.get("inode")
        cursors.append(
            Cursor(
                run_id=str(item.get("run_id")),
                attempt=attempt_of(readable_run(root, item), item.get("attempt")),
                stream=item["stream"],
                segment=max(1, int(_number(item, "segment", 1))),
                offset=int(_number(item, "offset", 0)),
                inode=inode if isinstance(inode, int) else None,
                has_end=item.get("ended") is True,
            )
        )
    return cursors


def _has_ended(attempt: AttemptDir) -> bool:
    """No process will write another byte: asked before the file is measured, so that nothing can be missed."""
    if attempt.exit.exists():
        return True
    return attempt.id.exists() and not host.is_lock_held(attempt.lock) and not attempt.exit.exists()


def _read_stream(cursor: Cursor, room: int, answer: Answer) -> None:
    while room >= MAX_LINE_BYTES:
        before = len(answer.blob)
        if not _read_file(cursor, room, answer):
            return
        room -= len(answer.blob) - before


def _read_file(cursor: Cursor, room: int, answer: Answer) -> bool:
    """Adds what one file has. True when the stream goes on in the next segment and that is worth reading now."""
    try:
        fd = os.open(cursor.path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        if not cursor.has_end and _has_ended(cursor.attempt):
            cursor.has_end = True
            answer.add(cursor, b"", offset=cursor.offset, ended=True, next=_next(cursor), inode=None, size=0)
        return False
    try:
        stat = os.fstat(fd)
        is_reset = (cursor.inode is not None and cursor.inode != stat.st_ino) or stat.st_size < cursor.offset
        if is_reset:
            cursor.offset = cursor.scanned = 0
        cursor.inode = stat.st_ino
        # A finished cursor asks for the lock at each poll only when there is nothing to read anyway.
        has_more_now = stat.st_size > max(cursor.offset, cursor.scanned)
        has_next = cursor.stream == "completions" and cursor.attempt.completions(cursor.segment + 1).exists()
        ended = not has_next and (has_more_now or not cursor.has_end) and _has_ended(cursor.attempt)
        size = os.fstat(fd).st_size
        facts: dict[str, Any] = {"offset": cursor.offset, "inode": stat.st_ino, "size": size, "reset": is_reset}
        data = os.pread(fd, min(room, size - cursor.offset), cursor.offset) if size > cursor.offset else b""
        is_whole = len(data) == size - cursor.offset
        if cursor.stream != "log":
            cut = data.rfind(b"\n") + 1
            if cut == 0 and data:
                return _read_odd_end(cursor, fd, data, size, facts, answer, ended=ended, has_next=has_next)
            if ended and is_whole and cut < len(data):
                # What is left after the last newline comes alone, in the next chunk, marked as torn.
                is_whole = False
            data = data[:cut]
        ended = ended and is_whole
        if data or is_reset or (ended and not cursor.has_end):
            cursor.offset += len(data)
            cursor.has_end = cursor.has_end or ended
            _add(cursor, data, answer, facts, more=not is_whole and cursor.offset < size, ended=ended)
        if has_next and cursor.offset >= size:
            cursor.segment, cursor.offset, cursor.inode = cursor.segment + 1, 0, None
            if data or is_reset:
                answer.chunks[-1]["next"] = _next(cursor)
            return True
        return bool(data) and not is_whole
    finally:
        os.close(fd)


def _read_odd_end(
    cursor: Cursor,
    fd: int,
    data: bytes,
    size: int,
    facts: dict[str, Any],
    answer: Answer,
    *,
    ended: bool,
    has_next: bool,
) -> bool:
    """No newline in sight: a line that is still being written, one that was torn, or one that is too long."""
    if len(data) < MAX_LINE_BYTES:
        if not ended and not has_next:
            return False
        cursor.offset += len(data)
        cursor.has_end = cursor.has_end or ended
        _add(cursor, data, answer, facts, torn=True, ended=ended)
        return has_next
    position = max(cursor.scanned, cursor.offset)
    while position < size:
        block = os.pread(fd, min(_SCAN_BYTES, size - position), position)
        found = block.find(b"\n")
        if found >= 0:
            end = position + found + 1
            break
        position += len(block)
    else:
        cursor.scanned = position
        if not ended and not has_next:
            return False
        end = size
    length = end - cursor.offset
    cursor.offset, cursor.scanned = end, 0
    has_end = ended and end == size
    cursor.has_end = cursor.has_end or has_end
    _add(cursor, data[:_SAMPLE_BYTES], answer, facts, oversized=True, line_bytes=length, more=end < size, ended=has_end)
    return True


def _add(cursor: Cursor, data: bytes, answer: Answer, facts: dict[str, Any], **more: Any) -> None:
    answer.add(cursor, data, **facts, **more, next=_next(cursor))


def _next(cursor: Cursor) -> dict[str, Any]:
    return {
        "run_id": cursor.run_id,
        "attempt": cursor.attempt.number,
        "stream": cursor.stream,
        "segment": cursor.segment,
        "offset": cursor.offset,
        "inode": cursor.inode,
        "ended": cursor.has_end,
    }
