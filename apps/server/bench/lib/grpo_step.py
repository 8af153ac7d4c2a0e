"""Trains GRPO step by step as it is told to: `grpo_step.py ours|plain MODEL DATA STEPS`; plain is TRL's own.

Before each step it prints `@step {"secs": …}`, the processor seconds of the step before (null at first), and waits for
a line on stdin; at the end `@step {"losses": […]}`. So two of them can take turns.

Both get the same settings, seed, questions and rewards for format and accuracy; nobody judges. Ours brings what a run
has besides: weights by stage, a record of every completion, events on the disk, guards, control files.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from datasets import Dataset
from transformers import PreTrainedTokenizerFast, TrainerCallback, set_seed
from trl.trainer.grpo_trainer import GRPOTrainer
from trl.trainer.utils import RepeatSampler

from sightline_trainer.attempt import Attempt
from sightline_trainer.grpo.callback import RunCallback
from sightline_trainer.grpo.config import build_config
from sightline_trainer.grpo.data import read_questions
from sightline_trainer.grpo.judge import Verdict
from sightline_trainer.grpo.order import EpochSampler
from sightline_trainer.grpo.scorer import Scorer
from sightline_trainer.grpo.settings import read_plan
from sightline_trainer.grpo.tiny import space_tags
from sightline_trainer.grpo.trainer import Progress, SightlineTrainer
from sightline_trainer.rewards.score import score_completion
from sightline_trainer.rundir import RunDir

SETTINGS = {"judge_every_groups": 1_000_000, "save_steps": 1_000_000, "eval_steps": 0}
WEIGHTS = {"format": 3, "accuracy": 7, "consistency": 0}


class Nobody:
    """Stands where the judge would. It is asked about the first group alone, and costs nothing."""

    def ask(self, items):
        return [Verdict("A", 0.0, cached=False) for _ in items]


class Gate(TrainerCallback):
    """Says what the step before cost, and waits for a line before the next one. Waiting costs no processor time."""

    def __init__(self):
        self.before = None
        self.losses = []

    def on_step_begin(self, args, state, control, **kwargs):
        now = time.process_time()
        say({"secs": None if self.before is None else now - self.before})
        sys.stdin.readline()
        self.before = time.process_time()

    def on_log(self, args, state, control, logs=None, **kwargs):
        if logs and "loss" in logs:
            self.losses.append(logs["loss"])


def say(value):
    sys.stdout.write(f"@step {json.dumps(value)}\n")
    sys.stdout.flush()


class Plain(GRPOTrainer):
    """TRL's own, in the order of ours: another order would mean other work."""

    def _get_train_sampler(self, dataset=None):
        sampler = super()._get_train_sampler(dataset)
        assert isinstance(sampler, RepeatSampler)
        return EpochSampler.of(sampler)


def main(kind: str, model: str, data: Path, steps: int) -> None:
    torch.set_num_threads(1)
    questions = read_questions(data)
    spec = {
        "run_id": "bench",
        "engine": "grpo",
        "seed": 1,
        "stages": [{"weights": WEIGHTS, "from_epoch": 0, "to_epoch": 1}],
        "settings": SETTINGS,
    }
    plan = read_plan(spec)
    known = {item.question_id: item for item in questions}
    tokenizer = PreTrainedTokenizerFast.from_pretrained(model)
    dataset = Dataset.from_list(
        [{"prompt": space_tags(item.prompt), "question_id": item.question_id} for item in questions]
    )
    gate = Gate()
    with tempfile.TemporaryDirectory(prefix="sightline-bench-") as folder:
        run = RunDir(Path(folder) / "bench")
        attempt_dir = run.attempt(1)
        for path in (attempt_dir.path, run.control, run.checkpoints):
            path.mkdir(parents=True)
        config = build_config(plan, str(run.checkpoints), steps, has_gpu=False)
        config.save_strategy = "no"
        set_seed(plan.seed)
        shared = {"model": model, "args": config, "train_dataset": dataset, "processing_class": tokenizer}
        if kind == "plain":
            # As cheap as it gets: one pass of the rules for both parts, as with ours.
            scored = {}

            def score(completions, question_id):
                if scored.get("for") is not completions:
                    scored["for"] = completions
                    scored["rows"] = [
                        score_completion(text, known[key].target, plan.settings.rule_set, known[key].prompt)
                        for text, key in zip(completions, question_id, strict=True)
                    ]
                return scored["rows"]

            def part(name):
                def reward(completions, question_id, **_):
                    return [getattr(row, name).raw for row in score(completions, question_id)]

                reward.__name__ = name
                return reward

            config.reward_weights = [0.3, 0.7]
            trainer = Plain(reward_funcs=[part("format"), part("accuracy")], callbacks=[gate], **shared)
        else:
            attempt = Attempt(run, attempt_dir, spec, time.monotonic(), None)
            log = attempt.open_log()
            progress = Progress()
            callback = RunCallback(attempt, log, plan, progress)
            trainer = SightlineTrainer(
                plan=plan,
                scorer=Scorer(known, plan.settings.rule_set, Nobody(), plan.settings.judge_every_groups),
                log=log,
                progress=progress,
                steps_per_epoch=len(questions) // plan.settings.prompts_per_step,
                callbacks=[callback, gate],
                **shared,
            )
            callback.trainer = trainer
        trainer.train()
    say({"losses": gate.losses})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
