"""python -m pytest apps/trainer/tests/grpo/test_pictures.py

Direct reinforcement learning on a vision-language model: real attempts of two steps over pictures drawn here. Nothing
is learned in two steps from random weights; what is held is that pictures are seen and that all else is as with text.
"""

import json
import shutil
from base64 import b64encode
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import torch
from PIL import Image

from sightline_trainer.checkpoints import checkpoint_dir, is_complete, last_complete
from sightline_trainer.evaluate.pictures import unpack_pictures
from sightline_trainer.grpo.data import DataError, Question
from sightline_trainer.grpo.models import load_policy
from sightline_trainer.grpo.prompt import check_lengths, encode_prompts, show_frames
from sightline_trainer.grpo.settings import Settings, read_plan
from sightline_trainer.grpo.tiny import build_tokenizer
from sightline_trainer.grpo.tiny_vlm import PictureProcessor, build_processor
from sightline_trainer.rewards.score import combine_rewards, group_advantages
from sightline_trainer.rundir import RunDir
from sightline_trainer.sft.settings import read_sft_plan
from sightline_trainer.stages import SpecError
from tests.grpo.attempts import ROOT, make_run, of_type, read_lines, start
from tests.grpo.test_run import losses, rows

GROUP, PROMPTS, STEPS = 4, 4, 2
SETTINGS: dict[str, Any] = {
    "model": "tiny-vlm",
    "vlm_frames": 2,
    "group_size": GROUP,
    "prompts_per_step": PROMPTS,
    "micro_batch": GROUP * PROMPTS,
    "save_steps": 1,
    "max_completion_tokens": 12,
}
STAGE: dict[str, Any] = {
    "name": "pictures",
    "weights": {"format": 1, "accuracy": 7, "consistency": 2},
    "from_epoch": 0,
    "to_epoch": 1,
    "steps": STEPS,
}
COLOURS = ("red", "green", "blue", "yellow", "black", "white", "orange", "purple")


def draw_frames(run: RunDir, shift: int = 0) -> None:
    """Gives each question three plain pictures, named alike whatever their colours."""
    for name in ("train", "eval"):
        path = run.data / f"{name}.jsonl"
        questions = [json.loads(line) for line in path.read_text().splitlines()][:8]
        for index, question in enumerate(questions):
            question["frames"] = [f"frames/{name}-{index}-{frame}.png" for frame in range(3)]
            for frame, file in enumerate(question["frames"]):
                (run.data / file).parent.mkdir(exist_ok=True)
                Image.new("RGB", (64, 48), COLOURS[(index + frame + shift) % len(COLOURS)]).save(run.data / file)
        path.write_text("".join(f"{json.dumps(question)}\n" for question in questions))


def finish(run: RunDir, number: int, resume: int | None = None) -> RunDir:
    process = start(run, number, resume)
    assert process.wait(timeout=900) == 0, run.attempt(number).log.read_text()[-3000:]
    return run


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def seen(root: Path) -> RunDir:
    run = make_run(root, "seen", stages=[STAGE], **SETTINGS)
    draw_frames(run)
    return finish(run, 1)


@pytest.fixture(scope="module")
def policy(seen: RunDir) -> tuple[Any, PictureProcessor]:
    folder = checkpoint_dir(seen, STEPS)
    return load_policy(folder, dtype=torch.float32).eval(), PictureProcessor.from_pretrained(folder)


def test_every_line_is_legal_and_groups_are_as_with_text(seen: RunDir):
    validator = jsonschema.Draft202012Validator(
        json.loads((ROOT / "packages/core/src/wire/events.schema.json").read_text())
    )
    for stream in ("events", "completions"):
        for line in read_lines(seen, 1, stream):
            validator.validate(line)
    events = read_lines(seen, 1)
    assert [line["step"] for line in of_type(events, "metrics")] == [1, STEPS]
    assert [line["step"] for line in of_type(events, "evaluation")] == [0, STEPS]
    assert (events[-1]["reason"], events[-1]["step"]) == ("done", STEPS)
    lines = [row for row in read_lines(seen, 1, "completions") if row.get("split") != "eval"]
    assert len(lines) == STEPS * PROMPTS * GROUP
    for begin in range(0, len(lines), GROUP):
        group = lines[begin : begin + GROUP]
        assert len({row["group_id"] for row in group}) == 1
        assert [row["k"] for row in group] == list(range(GROUP))
        rewards: Any = [
            combine_rewards(
                {part: one["raw"] for part, one in row["rewards"].items()},
                {part: one["weight"] for part, one in row["rewards"].items()},
            )
            for row in group
        ]
        assert [row["reward"] for row in group] == pytest.approx(rewards)
        assert [row["advantage"] for row in group] == pytest.approx(group_advantages(rewards), abs=1e-5)


def test_the_record_names_the_frames_that_were_shown(seen: RunDir):
    prompts = {row["prompt"] for row in read_lines(seen, 1, "completions") if row["k"] == 0}
    assert all(prompt.count("[frames/") == 2 and prompt.endswith("\nheading ?") for prompt in prompts), prompts
    assert "[frames/train-3-0.png]\n[frames/train-3-2.png]\nheading ?" in prompts


def test_no_answer_speaks_of_a_picture(seen: RunDir):
    texts = [row["text"] for row in read_lines(seen, 1, "completions")]
    assert not any("<|" in text for text in texts)
    assert len(set(texts)) > len(texts) // 2


def test_other_pictures_make_another_run(root: Path, seen: RunDir):
    other = make_run(root, "other", stages=[STAGE], **SETTINGS)
    draw_frames(other, shift=3)
    finish(other, 1)
    for name in ("entropy", "grad_norm"):
        mine, theirs = (
            [line["values"][name] for line in of_type(read_lines(run, 1), "metrics")] for run in (seen, other)
        )
        assert mine[0] != theirs[0], name


def test_another_picture_gives_other_logits(policy: tuple[Any, PictureProcessor], tmp_path: Path):
    model, processor = policy
    for colour in ("red", "blue"):
        Image.new("RGB", (64, 48), colour).save(tmp_path / f"{colour}.png")
    questions = [ask(frames=(str(tmp_path / f"{colour}.png"),)) for colour in ("red", "blue", "red")]
    encoded = encode_prompts(questions, processor, Settings(model="tiny-vlm", vlm_frames=1))
    with torch.no_grad():
        red, blue, again = model(**encoded).logits[:, -1]
    assert torch.allclose(red, again, atol=1e-5)
    assert (red - blue).abs().max() > 1e-2


def test_a_checkpoint_is_whole_and_goes_on(root: Path, seen: RunDir):
    assert last_complete(seen) == STEPS and is_complete(checkpoint_dir(seen, 1))
    names = {path.name for path in checkpoint_dir(seen, STEPS).iterdir()}
    assert {"model.safetensors", "optimizer.pt", "processor_config.json", "tokenizer.json"} <= names
    run = make_run(root, "resumed", stages=[STAGE], **SETTINGS)
    draw_frames(run)
    shutil.copytree(checkpoint_dir(seen, 1), checkpoint_dir(run, 1))
    finish(run, 1, resume=1)
    assert losses(read_lines(run, 1))[STEPS] == losses(read_lines(seen, 1))[STEPS]
    last = [row for row in rows(read_lines(seen, 1, "completions")) if row["step"] == STEPS]
    assert [row for row in rows(read_lines(run, 1, "completions")) if row["step"] == STEPS] == last


def test_an_evaluation_shows_the_same_frames(root: Path, seen: RunDir):
    asked = {**SETTINGS, "checkpoint": f"seen/{STEPS}", "temperature": 0}
    run = make_run(root, "asked", "evaluate", **asked)
    draw_frames(run)
    finish(run, 1)
    shown = {row["question_id"]: row["prompt"] for row in read_lines(run, 1, "completions")}
    eval_rows = [row for row in read_lines(seen, 1, "completions") if row.get("split") == "eval"]
    assert shown == {row["question_id"]: row["prompt"] for row in eval_rows}
    [card] = of_type(read_lines(run, 1), "config")
    assert card["values"]["vlm_frames"] == 2


def test_pictures_that_come_with_an_evaluations_questions_are_shown(root: Path, seen: RunDir):
    """As the workbench sends them: the same pictures give the same answers as files that lie on the host."""
    asked = {**SETTINGS, "checkpoint": f"seen/{STEPS}", "temperature": 0}
    there, sent = (make_run(root, name, "evaluate", **asked) for name in ("files", "sent"))
    draw_frames(there)
    path = sent.data / "eval.jsonl"
    questions = [json.loads(line) for line in (there.data / "eval.jsonl").read_text().splitlines()]
    pictures: list[str] = []
    for question in questions:
        content = [(there.data / frame).read_bytes() for frame in question["frames"]]
        question["frames"] = [f"{question['question_id']}-{number}.jpg" for number in range(len(content))]
        for name, one in zip(question["frames"], content, strict=True):
            pictures.append(json.dumps({"name": name, "jpeg": b64encode(one).decode()}))
    path.write_text("".join(f"{json.dumps(question)}\n" for question in questions))
    (sent.data / "pictures.jsonl").write_text("".join(f"{line}\n" for line in pictures))
    told = [
        {row["question_id"]: row["text"] for row in read_lines(finish(run, 1), 1, "completions")}
        for run in (there, sent)
    ]
    assert told[0] == told[1] and len(told[0]) == len(questions)


@pytest.mark.parametrize("line", ['{"name": "../x.jpg", "jpeg": ""}', '{"name": "a.jpg", "jpeg": "?"}', "[]", "{"])
def test_a_wrong_picture_is_named(line: str, tmp_path: Path):
    (tmp_path / "pictures.jsonl").write_text(f"{line}\n")
    with pytest.raises(DataError, match=r"pictures.jsonl, line 1"):
        unpack_pictures(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["pictures.jsonl"]


def test_adapters_on_a_model_that_sees_go_on_and_are_asked(root: Path):
    settings = {**SETTINGS, "lora_rank": 2}
    run = make_run(root, "adapters", stages=[STAGE], **settings)
    draw_frames(run)
    finish(run, 1)
    folder = checkpoint_dir(run, STEPS)
    assert (folder / "adapter_model.safetensors").exists()
    resumed = make_run(root, "adapters-resumed", stages=[STAGE], **settings)
    draw_frames(resumed)
    shutil.copytree(checkpoint_dir(run, 1), checkpoint_dir(resumed, 1))
    finish(resumed, 1, resume=1)
    assert losses(read_lines(resumed, 1))[STEPS] == losses(read_lines(run, 1))[STEPS]
    asked = make_run(root, "adapters-asked", "evaluate", **settings, checkpoint=f"adapters/{STEPS}")
    draw_frames(asked)
    finish(asked, 1)
    [before] = [line for line in of_type(read_lines(run, 1), "evaluation") if line["step"] == STEPS]
    [after] = of_type(read_lines(asked, 1), "evaluation")
    assert after["overall"]["n"] == before["overall"]["n"]


def ask(**changes: Any) -> Question:
    values: dict[str, Any] = {"question_id": "a", "task": "heading", "prompt": "start north", "question": "heading ?"}
    return Question(**(values | {"options": ("north", "east"), "gold": "B"} | changes))


def test_frames_are_spread_and_named(tmp_path: Path):
    for number in range(5):
        Image.new("RGB", (8, 8)).save(tmp_path / f"{number}.png")
    names = tuple(f"{number}.png" for number in range(5))

    def shown(most: int) -> Question:
        return show_frames([ask(frames=names)], Settings(model="tiny-vlm", vlm_frames=most), tmp_path)[0]

    assert shown(1).prompt == "[0.png]\nheading ?"
    assert shown(3).frames == tuple(str(tmp_path / name) for name in ("0.png", "2.png", "4.png"))
    assert len(shown(9).frames) == 5
    assert show_frames([ask(frames=names)], Settings(), tmp_path) == [ask(frames=names)]


@pytest.mark.parametrize(
    ("frames", "words"), [((), "question a has no frames"), (("none.png",), "none.png"), (("text.png",), "text.png")]
)
def test_a_frame_that_can_not_be_seen_is_named(frames: tuple[str, ...], words: str, tmp_path: Path):
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(DataError, match=words):
        show_frames([ask(frames=frames)], Settings(model="tiny-vlm", vlm_frames=2), tmp_path)


def test_a_prompt_that_is_too_long_ends_the_run_before_training(root: Path):
    run = make_run(root, "long", stages=[STAGE], **SETTINGS, max_prompt_tokens=8)
    draw_frames(run)
    assert start(run, 1).wait(timeout=900) == 66, run.attempt(1).log.read_text()[-3000:]
    events = read_lines(run, 1)
    [error] = of_type(events, "error")
    first = json.loads((run.data / "train.jsonl").read_text().splitlines()[0])["question_id"]
    assert error["message"].startswith(f"the prompt of question {first} has ")
    assert "settings.max_prompt_tokens is 8" in error["message"]
    assert of_type(events, "metrics") == [] and last_complete(run) is None


def test_a_prompt_of_text_is_counted_in_the_policys_tokens():
    questions = [ask(), ask(question_id="b", prompt="start north 1 left")]
    tokenizer = build_tokenizer(questions)
    check_lengths(questions, tokenizer, Settings(max_prompt_tokens=4))
    check_lengths(questions, tokenizer, Settings())
    with pytest.raises(DataError, match="question b has 4 tokens"):
        check_lengths(questions, tokenizer, Settings(max_prompt_tokens=3))


def test_the_places_of_pictures_count_in_a_prompts_length(tmp_path: Path):
    Image.new("RGB", (56, 56)).save(tmp_path / "a.png")
    [question] = show_frames([ask(frames=("a.png",))], Settings(model="tiny-vlm", vlm_frames=1), tmp_path)
    processor = build_processor([question])
    check_lengths([question], processor, Settings(model="tiny-vlm", vlm_frames=1, max_prompt_tokens=8))
    with pytest.raises(DataError, match="question a has 8 tokens"):
        check_lengths([question], processor, Settings(model="tiny-vlm", vlm_frames=1, max_prompt_tokens=7))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"vlm_frames": -1}, "0 or more"),
        ({"model": "tiny-vlm"}, "set settings.vlm_frames"),
        ({"model": "tiny", "vlm_frames": 2}, "reads text alone"),
    ],
)
def test_a_model_and_what_it_is_shown_go_together(settings: dict[str, Any], words: str):
    with pytest.raises(SpecError, match=words):
        read_plan({"run_id": "r", "stages": [STAGE], "settings": settings})


def test_a_supervised_run_has_no_pictures():
    with pytest.raises(SpecError, match="from text alone"):
        read_sft_plan({"run_id": "r", "settings": SETTINGS})
