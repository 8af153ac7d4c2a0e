"""Answers requests over stdin and stdout: one (`rpc`) or as many as come, several at a time (`serve`)."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

from sightline_trainer import __version__
from sightline_trainer.slctl.checkpoint import checkpoints, digest, fork, prune
from sightline_trainer.slctl.control import control
from sightline_trainer.slctl.doctor import doctor
from sightline_trainer.slctl.environment import cancel_prepare, environment, prepare
from sightline_trainer.slctl.launch import collect_garbage, launch
from sightline_trainer.slctl.protocol import Answers, RequestError
from sightline_trainer.slctl.query import fetch, find, log, status
from sightline_trainer.slctl.read import read
from sightline_trainer.slctl.usage import usage
from sightline_trainer.slctl.watch import inspect, search

_MAX_REQUEST_BYTES = 64 * 1024 * 1024
_LAST_SECS = 5.0

_COMMANDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "launch": launch,
    "status": status,
    "control": control,
    "find": find,
    "log": log,
    "fetch": fetch,
    "checkpoints": checkpoints,
    "digest": digest,
    "prune": prune,
    "fork": fork,
    "gc": collect_garbage,
    "doctor": doctor,
    "usage": usage,
    "environment": environment,
    "prepare": prepare,
    "cancel_prepare": cancel_prepare,
    "inspect": inspect,
    "search": search,
    "ping": lambda request: {},
}


def answer(request: Any, cancelled: threading.Event | None = None) -> tuple[dict[str, Any], bytes]:
    """The answer to one request. Never raises: what went wrong is the answer."""
    request_id = request.get("id") if isinstance(request, dict) else None
    try:
        if not isinstance(request, dict):
            raise RequestError("bad_request", "a request is one JSON object")
        op = request.get("op")
        if op == "read":
            result: Any = read(request, cancelled or threading.Event())
        elif isinstance(op, str) and op in _COMMANDS:
            result = _COMMANDS[op](request)
        else:
            raise RequestError("bad_request", f"unknown op {op!r:.100}")
        header, blob = result if isinstance(result, tuple) else (result, b"")
        return {"id": request_id, "ok": True, **header}, blob
    except RequestError as error:
        return _refusal(request_id, error.code, str(error), **error.detail)
    except OSError as error:
        message = f"{error.strerror or error}: {error.filename}" if error.filename else str(error)
        return _refusal(request_id, "io", message)
    except Exception as error:  # A fault of ours must reach the caller as an answer: it waits for one.
        return _refusal(request_id, "internal", repr(error))


def _refusal(request_id: Any, code: str, message: str, **detail: Any) -> tuple[dict[str, Any], bytes]:
    return {"id": request_id, "ok": False, "error": {**detail, "code": code, "message": message}}, b""


def rpc(source: BinaryIO, out: BinaryIO) -> None:
    """One request, which is all of stdin."""
    try:
        request = json.loads(source.read(_MAX_REQUEST_BYTES))
    except ValueError:
        request = None
    answers = Answers(out, _nonce(request))
    answers.send(*answer(request))


def serve(source: BinaryIO, out: BinaryIO) -> None:
    """One request a line until stdin ends. The first line may be `{"nonce": …}`.

    A `read` that waits does not hold up the others; `{"op": "cancel", "request": ID}` ends its wait at once.
    """
    first = source.readline(_MAX_REQUEST_BYTES)
    greeting = _parse(first)
    answers = Answers(out, _nonce(greeting))
    answers.send({"id": None, "ok": True, "slctl": __version__, "pid": os.getpid()})
    waiting: dict[Any, threading.Event] = {}
    guard = threading.Lock()
    threads: list[threading.Thread] = []

    def work(request: Any, cancelled: threading.Event) -> None:
        try:
            answers.send(*answer(request, cancelled))
        except (BrokenPipeError, ValueError):
            os._exit(0)
        finally:
            with guard:
                if isinstance(request, dict):
                    waiting.pop(request.get("id"), None)

    lines = [first] if isinstance(greeting, dict) and "op" in greeting else []
    while line := (lines.pop() if lines else source.readline(_MAX_REQUEST_BYTES)):
        if not line.strip():
            continue
        request = _parse(line)
        if isinstance(request, dict) and request.get("op") == "cancel":
            with guard:
                event = waiting.get(request.get("request"))
            if event is not None:
                event.set()
            answers.send({"id": request.get("id"), "ok": True, "found": event is not None})
            continue
        event = threading.Event()
        if isinstance(request, dict) and isinstance(request.get("id"), (int, str)):
            with guard:
                waiting[request["id"]] = event
        thread = threading.Thread(target=work, args=(request, event), daemon=True)
        threads = [other for other in threads if other.is_alive()]
        threads.append(thread)
        thread.start()
    with guard:
        for event in waiting.values():
            event.set()
    deadline = time.monotonic() + _LAST_SECS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _nonce(request: Any) -> str:
    given = request.get("nonce") if isinstance(request, dict) else None
    if isinstance(given, str) and given.isalnum() and given.isascii() and len(given) <= 128:
        return given
    return secrets.token_hex(16)


def main(mode: str) -> None:
    """Entry of `rpc` and `serve`."""
    handler = rpc if mode == "rpc" else serve
    with contextlib.suppress(BrokenPipeError):
        handler(sys.stdin.buffer, sys.stdout.buffer)
    # Not by way of the interpreter's own end, which would wait for stdout while a late thread writes to it.
    os._exit(0)
