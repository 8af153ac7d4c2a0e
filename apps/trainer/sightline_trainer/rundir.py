"""The run directory: names of its files, and how they are written so that a crash leaves nothing half-done.

The directory is the whole contract between a host and the server; design/wire.md draws it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_ATTEMPT = re.compile(r"[0-9]{3,6}")
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


def is_run_id(text: object) -> bool:
    """True for a name that is safe as one path segment: letters, digits, `.`, `_`, `-`, at most 128."""
    return isinstance(text, str) and _RUN_ID.fullmatch(text) is not None


@dataclass(frozen=True)
class AttemptDir:
    """Files of one attempt."""

    path: Path
    number: int

    @property
    def lock(self) -> Path:
        return self.path / "lock"

    @property
    def id(self) -> Path:
        return self.path / "id.json"

    @property
    def heartbeat(self) -> Path:
        return self.path / "heartbeat"

    @property
    def exit(self) -> Path:
        return self.path / "exit.json"

    @property
    def log(self) -> Path:
        return self.path / "log.txt"

    @property
    def older_log(self) -> Path:
        """What was moved out of `log.txt` when it reached its cap."""
        return self.path / "log-older.txt"

    @property
    def events(self) -> Path:
        return self.path / "events.jsonl"

    def completions(self, segment: int) -> Path:
        """Segment from 1."""
        return self.path / f"completions-{segment:05d}.jsonl"


@dataclass(frozen=True)
class RunDir:
    """Files of one run."""

    path: Path

    @property
    def spec(self) -> Path:
        return self.path / "spec.json"

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    @property
    def control(self) -> Path:
        return self.path / "control"

    @property
    def attempts(self) -> Path:
        return self.path / "attempts"

    @property
    def ballast(self) -> Path:
        """Space kept so that the last words can be written when the disk is full."""
        return self.path / "ballast"

    def attempt(self, number: int) -> AttemptDir:
        """Number from 1."""
        return AttemptDir(self.attempts / f"{number:03d}", number)

    def attempt_numbers(self) -> list[int]:
        """Numbers of all attempts that have a directory, ascending."""
        try:
            names = os.listdir(self.attempts)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(int(name) for name in names if _ATTEMPT.fullmatch(name))


def canonical_json(value: Any) -> bytes:
    """The bytes that are hashed: sorted keys, no spaces, UTF-8, newline last."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def spec_hash(spec: Any) -> str:
    """SHA-256 (hex) of the spec's canonical bytes, which are also the bytes of `spec.json`."""
    return hashlib.sha256(canonical_json(spec)).hexdigest()


def read_json(path: Path) -> Any:
    """The file's JSON, or None when it is absent or not whole."""
    try:
        return json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None


def write_atomic(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replaces `path` so that a reader sees the old bytes or the new ones, never a part."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        try:
            write_all(fd, data)
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_dir(path.parent)


def write_json(path: Path, value: Any, *, durable: bool = True) -> None:
    """`write_atomic` of one JSON object."""
    write_atomic(path, json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n", durable=durable)


def write_all(fd: int, data: bytes) -> None:
    """Writes every byte, also where the kernel takes only a part."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def sync_dir(path: Path) -> None:
    """Makes a rename in `path` survive a power cut."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_ballast(run: RunDir, size: int) -> None:
    """Reserves `size` bytes; less where the disk has no room for them, which is no error here."""
    if size <= 0:
        return
    fd = os.open(run.ballast, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.posix_fallocate(fd, 0, size)
    except OSError:
        drop_ballast(run)
    finally:
        os.close(fd)


def drop_ballast(run: RunDir) -> bool:
    """Frees the reserved space. True when there was some."""
    try:
        run.ballast.unlink()
    except OSError:
        return False
    return True
