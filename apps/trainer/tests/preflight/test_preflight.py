"""python -m pytest apps/trainer/tests/preflight"""

import hashlib
import http.server
import json
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from sightline_trainer.grpo.settings import Settings, read_settings
from sightline_trainer.preflight import checks
from sightline_trainer.preflight.__main__ import look
from sightline_trainer.preflight.checks import Host, check_disk, check_judge, check_lengths, check_memory, check_sharing
from sightline_trainer.preflight.memory import Load, estimate, fit_batch
from sightline_trainer.preflight.shapes import KNOWN, read_shape
from tests.conftest import TRAINER

ROOT = TRAINER.parents[1]
PRESETS = {item["preset"]: item for item in json.loads((ROOT / "fixtures/presets.json").read_text())}
GB = 10**9


def preset(name: str, **changes) -> Settings:
    return read_settings({"settings": PRESETS[name]["settings"] | changes}, Settings)


def test_parameters_are_those_that_the_models_are_known_by():
    sizes = {name.split("/")[-1]: round(shape.parameters / 1e9, 2) for name, shape in KNOWN.items()}
    assert sizes["Qwen2.5-0.5B-Instruct"] == 0.49
    assert sizes["Qwen2.5-1.5B-Instruct"] == 1.54
    assert sizes["Qwen2.5-3B-Instruct"] == 3.09
    assert sizes["Qwen2.5-7B-Instruct"] == 7.62


def test_each_term_of_the_estimate():
    shape = KNOWN["Qwen/Qwen2.5-3B-Instruct"]
    load = Load(shape, 1, 6144, 2048, processes=8, zero_stage=3, has_judge=False, vllm_share=0.3)
    guess = estimate(load, 80 * GB)
    held = guess.weights + guess.gradients + guess.optimiser
    assert held == pytest.approx(16 * shape.parameters / 8, rel=1e-6)
    assert guess.logits == 12 * 2048 * 151_936
    assert (guess.vllm, guess.generation) == (24 * GB, 0)
    alone = estimate(replace(load, processes=1, zero_stage=0), 80 * GB)
    assert alone.weights + alone.gradients + alone.optimiser == 16 * shape.parameters
    full = estimate(replace(load, gradient_checkpointing=False), 80 * GB)
    assert full.activations > 10 * guess.activations
    assert estimate(replace(load, micro_batch=4), 80 * GB).logits == 4 * guess.logits
    lora = estimate(replace(load, lora_rank=16, zero_stage=0), 80 * GB)
    assert lora.reference == 0 and lora.optimiser < guess.optimiser


@pytest.mark.parametrize(
    ("name", "gpus", "fits"),
    [
        ("embodied-r-3b", (80 * GB,) * 8, True),
        ("embodied-r-3b", (24 * GB,) * 8, False),
        ("embodied-r-3b", (80 * GB,) * 4, False),
        ("lora-single-gpu", (80 * GB,), True),
        ("lora-single-gpu", (16 * GB,), False),
        ("smoke-gpu", (16 * GB,), True),
        ("tiny", (), True),
        ("embodied-r-3b", (), False),
    ],
)
def test_presets_against_hosts(name, gpus, fits):
    [found] = check_memory(preset(name), Host(gpus, None), [])
    assert found.ok is fits, found.says


def test_what_to_change_makes_it_fit():
    host = Host((80 * GB,), None)
    settings = preset("embodied-r-3b", micro_batch=16, vllm=False, zero_stage=0, lora_rank=16, num_processes=1)
    [found] = check_memory(settings, host, [])
    assert not found.ok and found.fix is not None
    [after] = check_memory(replace(settings, **{found.fix[0]: found.fix[1]}), host, [])
    assert after.ok, after.says


def test_prompts_are_counted_with_the_models_tokenizer(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    settings = Settings(model=str(tmp_path), max_prompt_tokens=3)
    [found] = check_lengths(settings, ["a a", "a a a a a"])
    assert (found.ok, found.fix) == (False, ("max_prompt_tokens", 5))
    [after] = check_lengths(replace(settings, max_prompt_tokens=5), ["a a", "a a a a a"])
    assert after.ok


@pytest.mark.parametrize(("gpus", "found"), [((), [False]), ((80 * GB,) * 8, []), (None, [])])
def test_sharing_over_gpus_is_held_back_where_there_is_none(gpus, found):
    checks = list(check_sharing(Settings(zero_stage=3), Host(gpus, None)))
    assert [(check.ok, check.fix) for check in checks] == [(ok, ("zero_stage", 0)) for ok in found]
    assert list(check_sharing(Settings(), Host(gpus, None))) == []


def test_fewer_questions_are_answered_together_where_answers_are_long():
    shape = KNOWN["Qwen/Qwen2.5-3B-Instruct"]
    assert fit_batch(shape, 1000, 256, 60 * GB) > 64
    many, few = fit_batch(shape, 6144, 2048, 60 * GB), fit_batch(shape, 6144, 2048, 15 * GB)
    assert 64 > many > 3 * few > 0
    assert fit_batch(shape, 6144, 2048, 0) == 1


def test_disk_for_every_checkpoint_that_stays():
    settings = preset("embodied-r-3b")
    one = 12 * KNOWN["Qwen/Qwen2.5-3B-Instruct"].parameters
    [enough] = check_disk(settings, Host(None, 5 * one), 3)
    assert enough.ok
    [few] = check_disk(settings, Host(None, 5 * one - 1), 3)
    assert (few.ok, few.fix) == (False, ("keep_stage_ends", False))


def test_a_judge_is_asked_whether_it_is_there():
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(401)
            self.end_headers()

        def log_message(self, format, *args):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        [found] = check_judge(Settings(judge_url=f"http://127.0.0.1:{server.server_port}/v1", judge_model="m"))
        assert found.ok and "key" in found.says
        port = server.server_port
    [gone] = check_judge(Settings(judge_url=f"http://127.0.0.1:{port}/v1", judge_model="m"))
    assert not gone.ok and "can't be reached" in gone.says


def test_versions_out_of_range_are_named(monkeypatch):
    monkeypatch.setattr(checks.importlib.metadata, "version", lambda name: "1.12.9" if name == "trl" else "5.18.0")
    assert [found.says.split(" is")[0] for found in checks.check_versions()] == ["torch 5.18.0", "trl 1.12.9"]


def test_a_shape_is_read_from_a_folder(tmp_path):
    assert read_shape(tmp_path) is None
    (tmp_path / "config.json").write_text("[]")
    assert read_shape(tmp_path) is None
    config = {"vocab_size": 10, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    (tmp_path / "config.json").write_text(json.dumps(config | {"intermediate_size": 16}))
    shape = read_shape(tmp_path)
    assert shape is not None and (shape.kv_heads, shape.is_tied) == (2, False)


def test_a_wrong_setting_is_the_one_answer():
    spec = {"engine": "grpo", "settings": {"micro_batch": "many"}}
    [found] = look({"spec": spec})
    assert not found.ok and "micro_batch" in found.says


STAGE = {"name": "all", "weights": {"format": 1, "accuracy": 7, "consistency": 2}, "from_epoch": 0, "to_epoch": 1}


@pytest.mark.parametrize(
    ("engine", "settings", "words"),
    [
        ("grpo", {"judge_variants": "kind"}, "kind is no variant of the judge"),
        ("grpo", {"judge_url": "http://127.0.0.1:1/v1"}, "settings.judge_model must name the model"),
        ("grpo", {"num_processes": 8, "micro_batch": 64}, "on 8 processes must divide"),
        ("grpo", {"multi_objective_aggregation": "mean"}, "multi_objective_aggregation must be one of"),
        ("sft", {"num_processes": 2}, "a supervised run is one process"),
        ("evaluate", {"checkpoint": "x"}, "must be RUN_ID/STEP"),
    ],
)
def test_what_would_end_the_attempt_at_once_is_said_before(engine, settings, words):
    [found] = look({"spec": {"engine": engine, "stages": [STAGE], "settings": settings}})
    assert not found.ok and words in found.says


@pytest.mark.parametrize("url", ["http://a b/v1", "http://[", "http://h:port/v1"])
def test_an_address_that_is_none_is_said(url):
    [found] = check_judge(Settings(judge_url=url, judge_model="m"))
    assert not found.ok and "can't be reached" in found.says


def test_a_file_without_questions_and_prompts_that_are_too_long(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0}, unk_token="a")).save(str(tmp_path / "tokenizer.json"))
    [none] = check_lengths(Settings(model=str(tmp_path), max_prompt_tokens=3), [])
    assert none.ok
    [long] = check_lengths(Settings(), ["a " * 600])
    assert (long.ok, long.fix) == (False, None)
    assert long.says == "The longest prompt is 600 words, and at most 448 are allowed."


QUESTION = {"question_id": "q", "prompt": "Where ?", "question": "Where ?", "options": ["left", "right"], "gold": "A"}


def look_at_rewards(rewards: str | None, weights: dict[str, int], *, is_trainer=False, file="0" * 64):
    stages = [STAGE | {"weights": {**STAGE["weights"], **weights}}]
    spec = {"engine": "grpo", "stages": stages, "settings": {"reward_file": file}}
    if rewards is not None and file:
        spec["settings"]["reward_file"] = hashlib.sha256(rewards.encode()).hexdigest()
    request = {"spec": spec, "questions": json.dumps(QUESTION) + "\n", "rewards": rewards, "is_trainer": is_trainer}
    return [(found.ok, found.says) for found in look(request) if found.name == "rewards"]


def test_rewards_of_ones_own_are_tried_before_the_launch():
    good = "def brevity(c):\n    return 1 / (1 + len(c['think']))\n"
    assert look_at_rewards(good, {"brevity": 1}) == [(True, "Your own rewards were tried on made-up answers: brevity.")]
    [(ok, says)] = look_at_rewards("\ndef brevity(c):\n    return len(c['text'])\n", {"brevity": 1})
    assert not ok and says.startswith("rewards.py, line 2: brevity returned ")
    [(ok, says)] = look_at_rewards(good, {"clarity": 1})
    assert not ok and says == "stage 'all' weighs clarity, and the file of rewards has brevity."
    assert look_at_rewards(None, {}, file="") == []
    [(ok, says)] = look_at_rewards(None, {"brevity": 1}, file="")
    assert not ok and says == "stage 'all' weighs brevity, and settings.reward_file names no file."


def test_rewards_that_only_the_host_can_try_are_left_to_it():
    [(ok, says)] = look_at_rewards(None, {}, file="~/mine.py")
    assert ok and "lies on the host" in says
    missing = "import nothing_of_this_name\n\ndef r(c):\n    return 1\n"
    [(ok, says)] = look_at_rewards(missing, {})
    assert ok and says == "The file of rewards is tried on the host: here No module named 'nothing_of_this_name'."
    [(ok, says)] = look_at_rewards(missing, {}, is_trainer=True)
    assert not ok and "rewards.py, line 1: the file can't be loaded: ModuleNotFoundError" in says


def test_what_a_file_of_rewards_prints_stays_out_of_the_answer():
    text = "print('hello')\n\ndef r(c):\n    print('again')\n    return 1\n"
    spec = {"engine": "grpo", "stages": [STAGE], "settings": {"reward_file": hashlib.sha256(text.encode()).hexdigest()}}
    request = {"spec": spec, "questions": json.dumps(QUESTION) + "\n", "rewards": text}
    done = subprocess.run(
        [sys.executable, "-m", "sightline_trainer.preflight"],
        input=json.dumps(request).encode(),
        capture_output=True,
        cwd=TRAINER,
        check=True,
    )
    assert "rewards" in [row["name"] for row in json.loads(done.stdout)]


def test_as_a_program_without_torch():
    request = {"spec": PRESETS["embodied-r-3b"], "host": {"gpus": [80 * GB] * 8, "disk_free_bytes": 10**12}}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "sightline_trainer.preflight"],
        input=json.dumps(request).encode(),
        capture_output=True,
        cwd=TRAINER,
        check=True,
    )
    assert [row["name"] for row in json.loads(done.stdout)] == ["lengths", "memory", "checkpoints"]
    assert b" torch\n" not in done.stderr
