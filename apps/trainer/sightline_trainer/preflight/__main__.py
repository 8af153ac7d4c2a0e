"""`python -m sightline_trainer.preflight`: what `look` takes as JSON on stdin, and the checks as JSON on stdout."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from sightline_trainer.evaluate.settings import read_evaluation_plan
from sightline_trainer.grpo.settings import Plan, read_plan
from sightline_trainer.preflight.checks import (
    Check,
    Host,
    check_disk,
    check_judge,
    check_lengths,
    check_memory,
    check_rewards,
    check_sharing,
    check_versions,
    read_prompts,
)
from sightline_trainer.sft.settings import read_sft_plan
from sightline_trainer.stages import SpecError

READERS: dict[str, Callable[[Mapping[str, Any]], Plan]] = {
    "grpo": read_plan,
    "sft": read_sft_plan,
    "evaluate": read_evaluation_plan,
}


def look(request: dict[str, Any]) -> list[Check]:
    """All checks of one request.

    request: `spec`; `questions`, the training file's text; `rewards`, the text of the person's own rewards, or null;
    `host` {gpus: bytes of each or null, disk_free_bytes or null}; `is_trainer`, true where this interpreter is the one
    that would train.
    """
    spec = request["spec"]
    try:
        plan = READERS[spec["engine"]](spec)
    except SpecError as error:
        return [Check("settings", False, f"{error}.")]
    settings, is_trainer = plan.settings, bool(request.get("is_trainer"))
    questions = request.get("questions") or ""
    given = request.get("host") or {}
    gpus = given.get("gpus")
    host = Host(None if gpus is None else tuple(gpus), given.get("disk_free_bytes"))
    prompts = read_prompts(questions)
    checks = [*check_lengths(settings, prompts), *check_memory(settings, host, prompts), *check_sharing(settings, host)]
    if spec["engine"] == "grpo":
        checks += check_rewards(plan, questions, request.get("rewards"), is_trainer=is_trainer)
    if spec["engine"] != "evaluate":
        checks += check_disk(settings, host, len(spec.get("stages") or []))
    checks += check_judge(settings)
    if is_trainer:
        checks += check_versions()
    return checks


if __name__ == "__main__":
    # What a person's file of rewards prints must not stand among the checks.
    with contextlib.redirect_stdout(sys.stderr):
        found = look(json.load(sys.stdin))
    json.dump([asdict(check) for check in found], sys.stdout)
