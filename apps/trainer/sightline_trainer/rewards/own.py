"""Rewards that a person wrote: a Python file whose public functions are rewards by their names.

    def brevity(completion):
        '''1 for a short reasoning, 0 for one of 400 characters or more.'''
        return max(0.0, 1 - len(completion["think"]) / 400)

The contract of a function: it takes one completion and returns a number from 0 to 1, or None where the completion can't
be scored, or (None, reason). A stage gives it a weight by its name. Names that begin with `_` are helpers.

A completion is a dict: `text` (all that the policy wrote), `think` (its reasoning, "" without any), `letter` (the
answer that was read, or None), `format` and `accuracy` (the rewards of these names, in [0, 1]; accuracy None where the
gold answer can't be read), and of its question `question_id`, `task`, `clip_id`, `prompt`, `question`, `options`,
`gold`, `kind`.

The file is the person's own code and runs as the trainer does. It is called in the trainer's process, once for each
completion, and is given up after `CALL_SECS`.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import random
import re
import signal
import threading
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sightline_trainer.rewards.score import PARTS, RawReward
from sightline_trainer.rundir import RunDir, read_json, write_atomic, write_json
from sightline_trainer.stages import SpecError

CALL_SECS = 10.0
"""After so long a call is given up and its completion has no such reward."""
PROBE_SECS = 1.0
"""A call that takes longer before the run is refused: a step has dozens."""
_HASH = re.compile(r"[0-9a-f]{64}")
_jitter = random.Random()
"""Its own, so that a call given up leaves the generator alone that a resumed run must find as it was."""


class _TooSlowError(BaseException):
    """Raised into a call that takes too long, again and again where the person's code catches even this."""


@dataclass(frozen=True)
class OwnReward:
    """One function of the file."""

    name: str
    function: Callable[[dict[str, Any]], Any]
    file: str
    line: int

    def __call__(self, completion: Mapping[str, Any]) -> RawReward:
        """The reward of one completion, or None and why there is none. Nothing that the function does is raised."""
        try:
            with _limited(CALL_SECS, self.file):
                # What it returned is the person's as well: reading it may raise.
                reward, fault = read_value(self.function(dict(completion)))
        except BaseException as error:
            return RawReward(None, self.explain(error))
        return RawReward(None, f"{self.name} {fault}") if fault else reward

    def explain(self, error: BaseException) -> str:
        """What was raised, and at which line of the file."""
        line = _line_of(error, self.file) or self.line
        if isinstance(error, _TooSlowError):
            return f"{self.name} took too long ({Path(self.file).name}, line {line})"
        return f"{self.name} raised {type(error).__name__}: {error}"[:400] + f" ({Path(self.file).name}, line {line})"


def read_value(value: Any) -> tuple[RawReward, str | None]:
    """What a function returned as a reward, and what is wrong with it, if anything is."""
    reason: str | None = "no reward was given"
    if isinstance(value, tuple) and len(value) == 2 and value[0] is None:
        value, reason = None, str(value[1])[:400] or reason
    if value is None:
        return RawReward(None, reason), None
    nothing = RawReward(None, None)
    number = getattr(value, "item", None)
    if callable(number):
        value = number()
    if not isinstance(value, (int, float)):
        return nothing, f"returned a {type(value).__name__}; it must return a number from 0 to 1, or None"
    if not 0 <= value <= 1:
        return nothing, f"returned {value}; it must return a number from 0 to 1, or None"
    return RawReward(float(value)), None


@contextmanager
def _limited(secs: float, file: str) -> Iterator[None]:
    """Raises _TooSlowError into the body after `secs`. Only the main thread gets signals; elsewhere it may run on.

    file: the person's. Its code may catch the error in a loop; it is raised anew while it runs, after times that
    differ, so that one soon meets it outside of its `try`. Our own code, around theirs, is never met.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_alarm(number: int, frame: types.FrameType | None) -> None:
        if _is_within(frame, file):
            signal.setitimer(signal.ITIMER_REAL, 10 ** _jitter.uniform(-6, -3), 1e-3)
            raise _TooSlowError

    before = signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, secs)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _is_within(frame: types.FrameType | None, file: str) -> bool:
    """True where the file's code, or what it called, is being run."""
    while frame is not None and frame.f_code.co_filename != file:
        frame = frame.f_back
    return frame is not None


def _line_of(error: BaseException, file: str) -> int | None:
    """The innermost line of the file in an error's traceback."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def adopt_file(run: RunDir, given: str) -> Path:
    """The run's own copy of the file that `settings.reward_file` names; every attempt takes the same one.

    given: the SHA-256 (hex) of a file that came with the launch as `data/rewards.py`, or a path on this host, which is
    copied at the first attempt. Raises SpecError for a file that is missing or is no longer what it was.
    """
    path, note = run.data / "rewards.py", run.data / "rewards.json"
    if not path.exists():
        if _HASH.fullmatch(given):
            raise SpecError("settings.reward_file names a file that did not come with the launch: launch it again")
        source = Path(given).expanduser()
        try:
            content = source.read_bytes()
        except OSError as error:
            raise SpecError(f"settings.reward_file {given} can't be read: {error.strerror}") from error
        write_atomic(path, content)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    kept = read_json(note) or {"sha256": given if _HASH.fullmatch(given) else digest}
    if kept["sha256"] != digest:
        raise SpecError(
            "data/rewards.py is not the file that this run began with; put that one back, or launch a new run"
        )
    write_json(note, {"sha256": digest, "reward_file": given})
    return path


def load_rewards(path: Path) -> list[OwnReward]:
    """The rewards of a file, in its order. Raises SpecError with file and line for one that can't be used."""
    name = path.name
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 1
        raise SpecError(f"{name}, line {line}: this is not Python: {getattr(error, 'msg', error)}") from error
    module = types.ModuleType("sightline_rewards")
    module.__file__ = str(path)
    try:
        with _limited(CALL_SECS, str(path)):
            exec(compile(tree, str(path), "exec"), module.__dict__)
    except BaseException as error:
        line = _line_of(error, str(path)) or 1
        what = "it took too long" if isinstance(error, _TooSlowError) else f"{type(error).__name__}: {error}"
        raise SpecError(f"{name}, line {line}: the file can't be loaded: {what}") from error
    rewards = [
        OwnReward(node.name, cast("Any", module.__dict__.get(node.name)), str(path), node.lineno)
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_")
    ]
    if not rewards:
        raise SpecError(f"{name}, line 1: there is no function that could be a reward; its name must not begin with _")
    for reward in rewards:
        where = f"{name}, line {reward.line}: {reward.name}"
        if reward.name in PARTS:
            raise SpecError(f"{where} has the name of a reward that is there already; give it another one")
        if inspect.iscoroutinefunction(reward.function):
            raise SpecError(f"{where} is async; write it with def")
        try:
            inspect.signature(reward.function).bind({})
        except (TypeError, ValueError) as error:
            raise SpecError(f"{where} must take one argument, the completion: {error}") from error
    return rewards


def probe_rewards(rewards: Sequence[OwnReward], completions: Sequence[Mapping[str, Any]]) -> None:
    """Calls each reward on sample completions. Raises SpecError with file and line for one that breaks its contract."""
    for reward in rewards:
        for completion in completions:
            began = time.monotonic()
            try:
                with _limited(PROBE_SECS * 3, reward.file):
                    _, fault = read_value(reward.function(dict(completion)))
            except BaseException as error:
                line = _line_of(error, reward.file) or reward.line
                raise SpecError(_refusal(reward, line, reward.explain(error), completion)) from error
            if fault is not None:
                raise SpecError(_refusal(reward, reward.line, f"{reward.name} {fault}", completion))
            secs = time.monotonic() - began
            if secs > PROBE_SECS:
                what = f"{reward.name} took {secs:.1f} s for one completion; at most {PROBE_SECS:.0f} s"
                raise SpecError(_refusal(reward, reward.line, what, completion))


def _refusal(reward: OwnReward, line: int, what: str, completion: Mapping[str, Any]) -> str:
    text = str(completion["text"])
    shown = text if len(text) <= 60 else f"{text[:60]}…"
    return f"{Path(reward.file).name}, line {line}: {what}, when tried on the completion {shown!r}"
