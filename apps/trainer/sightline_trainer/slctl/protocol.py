"""Requests and answers over a pipe that may carry a login shell's banner first.

A request is one JSON object. Answers come after one line `@slctl 1 <nonce>`; everything before it is noise. An answer
is a frame: `<bytes of JSON> <bytes of blob>` in decimal, a newline, the JSON object, the blob (raw bytes of files, so
that a line that is not legal UTF-8 arrives as it lies on the disk).
"""

from __future__ import annotations

import json
import threading
from typing import Any, BinaryIO

VERSION = 1


class RequestError(Exception):
    """A request that can't be met; `code` is one of a closed set, the message says what to do."""

    def __init__(self, code: str, message: str, **detail: Any) -> None:
        super().__init__(message)
        self.code = code
        self.detail = detail


class Answers:
    """Writes frames; threads may share it."""

    def __init__(self, out: BinaryIO, nonce: str) -> None:
        self._out = out
        self._guard = threading.Lock()
        self._out.write(f"\n@slctl {VERSION} {nonce}\n".encode())
        self._out.flush()

    def send(self, header: dict[str, Any], blob: bytes = b"") -> None:
        """Writes one answer whole. Raises BrokenPipeError when nobody listens any more."""
        payload = json.dumps(header, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode()
        with self._guard:
            self._out.write(b"%d %d\n" % (len(payload), len(blob)))
            self._out.write(payload)
            self._out.write(blob)
            self._out.flush()
