"""The simulated trainer's process: phases, steps, checkpoints, control, faults and an honest last word."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn

from sightline_trainer.attempt import Attempt, FencedError
from sightline_trainer.checkpoints import checkpoint_dir, mark_complete, prune
from sightline_trainer.machine import rss_bytes
from sightline_trainer.rundir import NO_SPACE
from sightline_trainer.sim.model import State, evaluate, run_step
from sightline_trainer.sim.settings import Fault, Plan, read_plan
from sightline_trainer.stages import SpecError
from sightline_trainer.wire.events import EXIT_CODES
from sightline_trainer.wire.log import DiskFullError, EndReason, EventLog

POLL_SECS = 0.05
JUDGE_WINDOW = 5
JUDGE_FAILED_SHARE = 0.2


class GiveUpError(Exception):
    """The attempt ends with a class of its own."""

    def __init__(self, kind: str, message: str, hint: str, *, retryable: bool = False, reason: EndReason = "failed"):
        super().__init__(message)
        self.kind = kind
        self.hint = hint
        self.retryable = retryable
        self.reason: EndReason = reason


class EndedError(Exception):
    """Somebody asked for the end: a person (stopped) or the host (interrupted)."""

    def __init__(self, reason: EndReason) -> None:
        super().__init__(reason)
        self.reason: EndReason = reason


def run() -> int:
    """Works on the attempt of this process's environment. Returns the exit code."""
    try:
        attempt = Attempt.from_environment()
    except FencedError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_CODES["internal"]
    return Simulator(attempt).run()


@dataclass
class _Saved:
    step: int | None = None

    def path(self) -> str | None:
        return None if self.step is None else f"checkpoints/checkpoint-{self.step}"


class Simulator:
    """One attempt of a simulated run."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self.log: EventLog = attempt.open_log()
        self.state = State()
        self.saved = _Saved(attempt.resume_step)
        self.is_terminated = False
        self.is_deaf = False
        self.is_quiet = threading.Event()
        self.done = threading.Event()
        self.plan: Plan | None = None

    def run(self) -> int:
        """Trains to the end or to the first reason not to."""
        signal.signal(signal.SIGTERM, self._on_term)
        reason: EndReason = "failed"
        code = EXIT_CODES["internal"]
        try:
            plan = self._read_plan()
            sampler = threading.Thread(target=self._sample_system, args=(plan,), daemon=True)
            sampler.start()
            self._train(plan)
            reason, code = "done", EXIT_CODES["done"]
        except EndedError as ended:
            reason, code = ended.reason, EXIT_CODES["interrupted"]
        except GiveUpError as error:
            reason, code = error.reason, EXIT_CODES[error.kind]
            self._say_error(error.kind, str(error), hint=error.hint, retryable=error.retryable)
        except OSError as error:
            if error.errno not in NO_SPACE:
                self._say_crash(error)
            else:
                code = EXIT_CODES["disk"]
                self._say_error(
                    "disk", "The disk is full.", hint="Free some space on the host, then resume.", retryable=True
                )
        except Exception as error:  # The last word must be written whatever the fault was.
            self._say_crash(error)
        self.done.set()
        try:
            self.log.attempt_end(reason=reason, exit_code=code, step=self.state.step, checkpoint=self.saved.path())
        except OSError as error:
            sys.stderr.write(f"the last event could not be written: {error}\n")
        return code

    def _read_plan(self) -> Plan:
        try:
            plan = read_plan(self.attempt.spec)
        except SpecError as error:
            raise GiveUpError("bad_spec", str(error), "Correct the setting and launch again.") from None
        self.plan = plan
        self.log = self._reopen(plan)
        if plan.unknown:
            self.log.warn(
                "unknown_setting",
                f"The simulator knows no {', '.join(plan.unknown)}.",
                hint="Remove them from the settings.",
            )
        return plan

    def _reopen(self, plan: Plan) -> EventLog:
        self.log.close()
        return self.attempt.open_log(segment_bytes=plan.settings.segment_bytes)

    def _train(self, plan: Plan) -> None:
        log, settings, number = self.log, plan.settings, self.attempt.number
        print(f"simulated run {plan.run_id}, attempt {number}, seed {plan.seed}, {plan.max_steps} steps", flush=True)
        print(f"micro_batch {settings.micro_batch}, learning_rate {settings.learning_rate}", flush=True)
        self.is_deaf = self._fault("hang_on_stop", 1) is not None
        log.phase("environment", 1, 1)
        slow = self._fault("slow_start", 1)
        if slow is not None:
            self._wait(10 if slow.secs is None else slow.secs)
        log.phase("load_model", 1, 1)
        if self._fault("missing_input", 1) is not None:
            raise GiveUpError("missing_input", "data/questions.jsonl is missing (simulated).", "Send the data again.")
        log.phase("load_data", 1, 1)
        if self.attempt.resume_step is not None:
            self.state = self._load(self.attempt.resume_step)
        elif settings.warm_start_steps:
            for step in range(settings.warm_start_steps):
                log.phase("warm_start", step + 1, settings.warm_start_steps)
                self._wait(1 / settings.steps_per_sec if settings.steps_per_sec else 0)
        log.phase("train", self.state.step, plan.max_steps)
        if settings.eval_steps and self.state.step == 0:
            self._evaluate(plan)
        began, first = time.monotonic(), self.state.step
        shown_stage: int | None = None
        while self.state.step < plan.max_steps:
            step = self.state.step + 1
            if settings.steps_per_sec:
                self._wait_until(began + (step - first) / settings.steps_per_sec)
            self._obey()
            self.attempt.check_fence()
            stage = plan.stage_at(step)
            if stage != shown_stage:
                shown_stage = stage
                self._announce_stage(plan, stage)
            self._strike_before(step)
            self._step(plan, step)
            self._strike_after(step)
            if step % settings.save_steps == 0 or step == plan.max_steps or step in plan.stage_ends:
                self._save(plan)
            if self.attempt.is_checkpoint_requested():
                self._save(plan)
                self.attempt.checkpoint_done()
            if settings.eval_steps and (step % settings.eval_steps == 0 or step == plan.max_steps):
                self._evaluate(plan)
        log.phase("finish", 1, 1)

    def _announce_stage(self, plan: Plan, index: int) -> None:
        stage = plan.stages[index]
        self.log.stage(
            index=index,
            name=stage.name,
            weights=stage.weights,
            from_step=plan.schedule.first_step(index),
            from_epoch=plan.epoch(plan.schedule.first_step(index) - 1),
            own=stage.own,
        )

    def _step(self, plan: Plan, step: int) -> None:
        result, after = run_step(
            plan,
            self.state,
            is_judge_down=self._fault("judge_down", step) is not None,
            is_flat=self._fault("no_signal", step) is not None,
        )
        for row in result.completions:
            self.log.completion(row)
        self.log.generation(**result.generation)
        values = dict(result.values)
        if self._fault("nan", step) or self._fault("diverged", step):
            values["loss"] = values["grad_norm"] = float("nan")
        if self._fault("infinity", step):
            values["loss"], values["kl"] = float("inf"), float("-inf")
        self._write_metrics(plan, step, values)
        self.state = after
        print(f"step {step}/{plan.max_steps} reward {values['reward']:.3f}", flush=True)
        if self._fault("diverged", step):
            raise GiveUpError(
                "diverged",
                f"The loss is NaN at step {step} (simulated).",
                "Go back to the last good checkpoint with half the learning rate.",
            )
        shares = after.judged_generations[-JUDGE_WINDOW:]
        if len(shares) == JUDGE_WINDOW and sum(shares) / JUDGE_WINDOW > JUDGE_FAILED_SHARE:
            self._save(plan)
            raise GiveUpError(
                "judge_unavailable",
                f"The judge failed in {sum(shares) / JUDGE_WINDOW:.0%} of its calls over {JUDGE_WINDOW} generations.",
                "Look after the judge, then resume.",
                retryable=True,
            )

    def _write_metrics(self, plan: Plan, step: int, values: dict[str, float | None]) -> None:
        def write() -> None:
            self.log.metrics(step=step, epoch=plan.epoch(step), max_steps=plan.max_steps, values=values)

        torn = self._fault("torn_line", step) or self._fault("torn_kill", step)
        is_doubled = self._fault("duplicate_line", step) is not None
        if torn is None and not is_doubled:
            write()
            return
        fields = {
            "step": step,
            "epoch": plan.epoch(step),
            "split": "train",
            "max_steps": plan.max_steps,
            "values": values,
        }
        line = self.log.line("metrics", fields)
        if torn is not None:
            if torn.name == "torn_kill":
                self.log.append_raw(line[: len(line) // 2])
                _die()
            self.log.append_raw(line, cut=len(line) // 2, pause_secs=1 if torn.secs is None else torn.secs)
            self.log.count_raw()
        else:
            self.log.append_raw(line)
            self.log.append_raw(line)
            self.log.count_raw()

    def _strike_before(self, step: int) -> None:
        """Faults that strike before a step is done."""
        stall = self._fault("stall", step)
        if stall is not None:
            self.is_quiet.set()
            self._wait(3600 if stall.secs is None else stall.secs)
            self.is_quiet.clear()
        if self._fault("gpu_memory", step):
            raise GiveUpError(
                "gpu_memory",
                "CUDA out of memory: 2.4 GiB asked for, 1.1 GiB free (simulated).",
                "Resume with half the micro-batch and twice the accumulation.",
                retryable=True,
            )
        if self._fault("host_memory", step):
            raise GiveUpError(
                "host_memory", "The host's memory is full (simulated).", "Resume with a smaller batch.", retryable=True
            )
        if self._fault("disk_full", step):
            raise DiskFullError(errno.ENOSPC, "No space left on device (simulated)")
        if self._fault("crash", step):
            raise RuntimeError(f"a fault of the reward function at step {step} (simulated)")
        if self._fault("silent_crash", step):
            sys.stderr.write("leaving without a last word (simulated)\n")
            sys.stderr.flush()
            os._exit(EXIT_CODES["internal"])
        if self._fault("kill", step):
            _die()
        if self._fault("interrupted", step):
            os.kill(os.getpid(), signal.SIGTERM)
            self._wait(1)
        for name, is_stray in (("child", False), ("stray_child", True)):
            if self._fault(name, step):
                subprocess.Popen(["sleep", "3600"], start_new_session=is_stray)

    def _strike_after(self, step: int) -> None:
        """Faults in what is written."""
        log = self.log
        if self._fault("bad_line", step):
            log.append_raw(b'{"v":1,"type":"metrics","step":' + str(step).encode() + b",\n")
        if self._fault("bad_utf8", step):
            log.append_raw(b'{"v":1,"type":"warn","message":"\xff\xfe\xc3"}\n')
        if self._fault("huge_line", step):
            log.append_raw(b'{"v":1,"type":"warn","message":"' + b"x" * (3 * 1024 * 1024) + b'"}\n')
        if self._fault("unknown_type", step):
            log.emit("sim.note", {"step": step, "note": "a type of a later version"})
        cut = self._fault("utf8_cut", step)
        if cut is not None:
            line = log.line("sim.note", {"step": step, "note": "half of a → lies here"})
            log.append_raw(line, cut=line.index("→".encode()) + 1, pause_secs=1 if cut.secs is None else cut.secs)
            log.count_raw()

    def _save(self, plan: Plan) -> None:
        began = time.monotonic()
        step = self.state.step
        path = checkpoint_dir(self.attempt.run, step)
        if self.saved.step == step:
            return
        self.log.phase("save", 0, 1)
        self.log.sync()
        try:
            if path.exists():
                shutil.rmtree(path)
            path.mkdir(parents=True)
            (path / "trainer_state.json").write_text(json.dumps(self.state.as_json()))
            weights = hashlib.sha256(f"{plan.seed}/{step}".encode()).digest()
            size = plan.settings.checkpoint_bytes
            (path / "weights.simulated").write_bytes((weights * (size // len(weights) + 1))[:size])
            if self._fault("half_checkpoint", step):
                _die()
            size = mark_complete(path, step)
        except OSError:
            shutil.rmtree(path, ignore_errors=True)
            raise
        self.saved.step = step
        prune(self.attempt.run, keep=plan.settings.keep_checkpoints, protect=plan.stage_ends)
        self.log.checkpoint(
            step=step,
            path=str(path.relative_to(self.attempt.run.path)),
            bytes=size,
            secs=round(time.monotonic() - began, 4),
            complete=True,
        )
        self.log.phase("train", step, plan.max_steps)

    def _load(self, step: int) -> State:
        path = checkpoint_dir(self.attempt.run, step) / "trainer_state.json"
        return State.from_json(json.loads(path.read_text()))

    def _evaluate(self, plan: Plan) -> None:
        self.log.phase("evaluate", 0, plan.settings.eval_questions)
        found = evaluate(plan, self.state)
        for row in found.rows:
            self.log.completion(row)
        digest = hashlib.sha256(f"simulated/{plan.seed}/{plan.settings.eval_questions}".encode()).hexdigest()
        self.log.evaluation(
            step=self.state.step, settings_hash=digest[:16], per_task=found.per_task, overall=found.overall
        )
        self.log.phase("train", self.state.step, plan.max_steps)

    def _fault(self, name: str, step: int) -> Fault | None:
        return self.plan.fault(name, step, self.attempt.number) if self.plan is not None else None

    def _on_term(self, number: int, frame: FrameType | None) -> None:
        self.is_terminated = True

    def _obey(self) -> None:
        """Ends the attempt with a checkpoint when somebody asked for it."""
        if self.is_deaf or self.plan is None:
            return
        is_stopped = self.attempt.is_stop_requested()
        if is_stopped or self.is_terminated:
            if self.state.step > 0:
                self._save(self.plan)
            raise EndedError("stopped" if is_stopped else "interrupted")

    def _wait(self, secs: float) -> None:
        self._wait_until(time.monotonic() + secs)

    def _wait_until(self, moment: float) -> None:
        while True:
            left = moment - time.monotonic()
            if left <= 0:
                return
            self._obey()
            time.sleep(min(POLL_SECS, left))

    def _sample_system(self, plan: Plan) -> None:
        """Lines about the machine, from a thread, as a real trainer's are."""
        every = plan.settings.system_every_secs
        last_cpu, last_time = sum(os.times()[:4]), time.monotonic()
        while not self.done.wait(every):
            cpu, now = sum(os.times()[:4]), time.monotonic()
            if self.is_quiet.is_set():
                continue
            try:
                self.log.system(
                    rss_bytes=rss_bytes(),
                    cpu=round((cpu - last_cpu) / max(1e-6, now - last_time), 3),
                    disk_free_bytes=shutil.disk_usage(self.attempt.run.path).free,
                    gpus=[_simulated_gpu(index, self.state.step) for index in range(plan.settings.gpus)],
                )
            except OSError:
                # The main thread meets the same full disk and ends the attempt.
                return
            last_cpu, last_time = cpu, now

    def _say_error(self, kind: str, message: str, *, hint: str, retryable: bool = False, detail: str = "") -> None:
        sys.stderr.write(f"{kind}: {message}\n")
        try:
            self.log.error(kind, message, detail=detail, retryable=retryable, hint=hint)
        except OSError as error:
            sys.stderr.write(f"the error event could not be written: {error}\n")

    def _say_crash(self, error: BaseException) -> None:
        text = traceback.format_exc()
        sys.stderr.write(text)
        self._say_error("internal", f"{type(error).__name__}: {error}", detail=text, hint="Read the log, then resume.")


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("SIGKILL came back")


def _simulated_gpu(index: int, step: int) -> dict[str, Any]:
    return {
        "util": 0.85 + 0.1 * ((step * 7 + index * 3) % 10) / 10,
        "memory_bytes": (31 + index) * 1024**3,
        "temperature_c": 61.0 + (step + index) % 7,
    }
