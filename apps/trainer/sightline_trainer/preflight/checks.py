"""The checks of a launch: each says what it found and, where it fails, one setting that would mend it."""

from __future__ import annotations

import http.client
import importlib.metadata
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sightline_trainer.grpo.data import DataError, read_questions
from sightline_trainer.grpo.own_rewards import read_own_rewards
from sightline_trainer.grpo.settings import Plan, Settings
from sightline_trainer.preflight.memory import Load, checkpoint_bytes, estimate
from sightline_trainer.preflight.shapes import KNOWN, Shape, read_shape
from sightline_trainer.rundir import RunDir
from sightline_trainer.stages import SpecError

SPARE = 0.92
"""Share of a GPU's memory that an estimate may fill."""
RANGES = {"torch": ((2, 6), (3,)), "transformers": ((5,), (6,)), "trl": ((1, 13), (1, 14))}
"""From the first version, up to and without the second."""
JUDGE_SECS = 4.0
MOST_WORDS = 448
"""That a prompt of a policy made here may have, its answer then still within its positions."""


@dataclass(frozen=True)
class Check:
    """`fix` is a setting and the value that would do; None where nothing is wrong or no setting helps."""

    name: str
    ok: bool
    says: str
    fix: tuple[str, Any] | None = None


@dataclass(frozen=True)
class Host:
    """Where the run would be. None: not known."""

    gpus: tuple[int, ...] | None
    """Memory of each, in bytes."""
    disk_free_bytes: int | None


def look_up_shape(settings: Settings) -> Shape | None:
    """The model's shape, as far as this machine knows it."""
    return KNOWN.get(settings.model) or read_shape(Path(settings.model).expanduser())


def gigabytes(count: float) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.0f} MB"


def count_parameters(count: int) -> str:
    return f"{count / 1e9:.2f} B parameters" if count >= 1e8 else f"{count / 1e6:.1f} M parameters"


def check_lengths(settings: Settings, prompts: list[str]) -> Iterator[Check]:
    """Prompts against the limit, counted with the model's own tokenizer where it is on this machine."""
    if settings.vlm_frames:
        yield Check("lengths", True, "Prompts with pictures are counted on the host.")
        return
    if settings.is_word_level:
        longest = max((len(prompt.split()) for prompt in prompts), default=0)
        limit = min(settings.max_prompt_tokens or MOST_WORDS, MOST_WORDS)
        ok = longest <= limit
        fix = ("max_prompt_tokens", longest) if not ok and longest <= MOST_WORDS else None
        says = f"The longest prompt is {longest} words"
        yield Check("lengths", ok, f"{says}." if ok else f"{says}, and at most {limit} are allowed.", fix)
        return
    path = Path(settings.model).expanduser() / "tokenizer.json"
    try:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(path)) if path.exists() else None
    except ImportError:
        tokenizer = None
    if tokenizer is None:
        yield Check("lengths", True, "Prompt lengths are counted on the host: its tokenizer is not on this machine.")
        return
    counts = sorted(len(item.ids) for item in tokenizer.encode_batch(prompts)) or [0]
    limit = settings.max_prompt_tokens
    over = sum(count > limit for count in counts) if limit else 0
    says = f"Prompts have up to {counts[-1]} tokens, half of them up to {counts[len(counts) // 2]}."
    if over:
        says = f"{over} of {len(counts)} prompts are longer than {limit} tokens; the longest has {counts[-1]}."
    yield Check("lengths", not over, says, ("max_prompt_tokens", counts[-1]) if over else None)


def load_of(settings: Settings, shape: Shape, processes: int, prompts: list[str]) -> Load:
    """What the settings ask of one GPU. Prompts count a token for three characters where no limit is set."""
    longest = max((len(prompt) for prompt in prompts), default=300) // 3
    return Load(
        shape=shape,
        micro_batch=settings.micro_batch,
        prompt_tokens=settings.max_prompt_tokens or longest,
        completion_tokens=settings.max_completion_tokens,
        processes=processes,
        generated_at_once=max(1, settings.group_size * settings.prompts_per_step // processes),
        zero_stage=settings.zero_stage,
        gradient_checkpointing=settings.gradient_checkpointing,
        lora_rank=settings.lora_rank,
        has_reference=settings.beta > 0,
        has_judge=not settings.judge_url,
        vllm_share=settings.vllm_memory_share if settings.vllm else 0.0,
    )


def find_fix(load: Load, gpu_bytes: int) -> tuple[str, Any] | None:
    """The first single setting with which the run fits; the mildest is tried first."""
    tries: list[tuple[str, Any, Load]] = [("gradient_checkpointing", True, replace(load, gradient_checkpointing=True))]
    micro = load.micro_batch // 2
    while micro >= 1:
        tries.append(("micro_batch", micro, replace(load, micro_batch=micro)))
        micro //= 2
    if load.processes > 1:
        tries.append(("zero_stage", 3, replace(load, zero_stage=3)))
    tries.append(("lora_rank", 16, replace(load, lora_rank=16, zero_stage=0)))
    for name, value, changed in tries:
        if changed != load and estimate(changed, gpu_bytes).peak <= SPARE * gpu_bytes:
            return name, value
    return None


def check_memory(settings: Settings, host: Host, prompts: list[str]) -> Iterator[Check]:
    """The peak of one GPU against the smallest one of the host."""
    shape = look_up_shape(settings)
    if shape is None:
        yield Check("memory", True, f"The shape of {settings.model} is not known here; its memory is not estimated.")
        return
    if host.gpus is None:
        return
    size = f"{settings.model}, {count_parameters(shape.parameters)}"
    if not host.gpus:
        is_small = shape.parameters < 2e6
        needs = f"The host has no GPU, and {size}, needs one. Take a host that has one."
        says = f"{size}: small enough for a CPU." if is_small else needs
        yield Check("memory", is_small, says)
        return
    smallest = min(host.gpus)
    wanted = max(1, settings.num_processes)
    if wanted > len(host.gpus):
        says = f"{wanted} processes need a GPU each, and the host has {len(host.gpus)}."
        yield Check("memory", False, says, ("num_processes", len(host.gpus)))
        return
    load = load_of(settings, shape, wanted, prompts)
    guess = estimate(load, smallest)
    fits = guess.peak <= SPARE * smallest
    parts = sorted(((value, name) for name, value in asdict(guess).items() if value), reverse=True)[:3]
    most = ", ".join(f"{name} {gigabytes(value)}" for value, name in parts)
    says = f"About {gigabytes(guess.peak)} of {gigabytes(smallest)} on each of {wanted} GPU: {most}."
    fix = None if fits else find_fix(load, smallest)
    if fix is None and not fits:
        says += " No single setting helps: take a smaller model or more GPUs."
    yield Check("memory", fits, says, fix)


def check_sharing(settings: Settings, host: Host) -> Iterator[Check]:
    """DeepSpeed shares a model out over GPUs; on a CPU the setting would count for nothing."""
    if settings.zero_stage and host.gpus == ():
        says = f"ZeRO-{settings.zero_stage} shares the model out over GPUs, and the host has none."
        yield Check("sharing", False, says, ("zero_stage", 0))


def check_rewards(plan: Plan, lines: str, given: str | None, *, is_trainer: bool) -> Iterator[Check]:
    """The file of a person's own rewards, loaded and tried as the run would.

    lines: the training file's text. given: the file's text; None where it lies on the host.
    """
    file = plan.settings.reward_file
    if file and given is None and not is_trainer:
        yield Check("rewards", True, f"{file} lies on the host: it is tried there, before anything is loaded.")
        return
    with TemporaryDirectory(prefix="sightline-rewards-") as folder:
        run = RunDir(Path(folder))
        run.data.mkdir()
        if given is not None:
            (run.data / "rewards.py").write_text(given, encoding="utf-8")
        (run.data / "train.jsonl").write_text(lines, encoding="utf-8")
        try:
            rewards = read_own_rewards(run, plan, read_questions(run.data / "train.jsonl"))
        except DataError:
            # The questions have their own check.
            return
        except SpecError as error:
            # What is not installed here may well be there.
            if not is_trainer and isinstance(error.__cause__, ImportError):
                yield Check("rewards", True, f"The file of rewards is tried on the host: here {error.__cause__}.")
            else:
                yield Check("rewards", False, f"{error}.")
            return
    if rewards:
        names = ", ".join(reward.name for reward in rewards)
        yield Check("rewards", True, f"Your own rewards were tried on made-up answers: {names}.")


def check_disk(settings: Settings, host: Host, stages: int) -> Iterator[Check]:
    """Room for all checkpoints that stay, and for the one that is being written."""
    shape = look_up_shape(settings)
    if shape is None or host.disk_free_bytes is None:
        return
    one = checkpoint_bytes(shape, settings.lora_rank)
    kept = settings.keep_checkpoints + 1 + (max(0, stages - 1) if settings.keep_stage_ends else 0)
    ok = one * kept <= host.disk_free_bytes
    says = f"{kept} checkpoints of {gigabytes(one)} each; {gigabytes(host.disk_free_bytes)} are free."
    fix = None
    if not ok and one * (kept - max(0, stages - 1)) <= host.disk_free_bytes:
        fix = ("keep_stage_ends", False)
    yield Check("checkpoints", ok, says + ("" if ok else " Free some space, or keep fewer."), fix)


def check_judge(settings: Settings) -> Iterator[Check]:
    """Whether the judge's address answers; any answer of a server will do."""
    if not settings.judge_url:
        return
    url = settings.judge_url.rstrip("/") + "/models"
    try:
        with urllib.request.urlopen(url, timeout=JUDGE_SECS):
            pass
    except urllib.error.HTTPError as error:
        if error.code in (401, 403):
            yield Check("judge", True, "The judge answers and wants its key, which the run has from its host.")
            return
    except (OSError, ValueError, http.client.HTTPException) as error:
        yield Check("judge", False, f"The judge at {settings.judge_url} can't be reached: {error}.", ("judge_url", ""))
        return
    yield Check("judge", True, f"The judge at {settings.judge_url} answers.")


def check_versions() -> Iterator[Check]:
    """Packages of this interpreter against the ranges that the trainer was written for."""
    for name, (first, beyond) in RANGES.items():
        try:
            text = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            yield Check("versions", False, f"{name} is not installed.")
            continue
        version = tuple(int(part) for part in text.split("+")[0].split(".")[:3] if part.isdigit())
        if not first <= version < beyond:
            wanted = ".".join(map(str, first))
            yield Check(
                "versions", False, f"{name} {text} is installed; the trainer needs {wanted} or newer in its line."
            )


def read_prompts(lines: str) -> list[str]:
    """Prompts of a question file's text; lines that are none are left out, for the file has its own check."""
    prompts: list[str] = []
    for line in lines.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and isinstance(value.get("prompt"), str):
            prompts.append(value["prompt"])
    return prompts
