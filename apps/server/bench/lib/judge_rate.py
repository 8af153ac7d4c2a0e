"""Judges reasonings with one model, as we do or as the released service does.

`judge_rate.py serve REWARD_FOLDER MODEL PORT`          the released service, on loopback, until stdin ends
`judge_rate.py released REWARD_FOLDER PORT PID DATA`    the released reward function against it; PID is the service's
`judge_rate.py ours MODEL DATA`                         our judge in process

The last two print `{"asked", "cpu_secs", "secs"}`; both know nothing from before, so that each reasoning is a call. The
released files run as they are. What they import of ms-swift 3 is no longer there in today's, and asks for a GPU: a
stand-in of this file takes its place, which calls `generate` on one request after the other, as PtEngine does with
`max_batch_size=1`.
"""

import contextlib
import importlib.util
import io
import json
import os
import sys
import time
import types
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")


def load_file(path: Path) -> Any:
    """A Python file as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def load_model(folder: str) -> tuple[Any, Any]:
    """Model and tokenizer of the tiny policy."""
    import torch
    from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

    torch.set_num_threads(1)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval(), tokenizer


def stand_in_for_swift(folder: str) -> types.ModuleType:
    """What the released service imports of `swift.llm`, on a model of ours."""
    import torch

    class InferRequest:
        def __init__(self, messages: list[dict[str, str]]) -> None:
            self.messages = messages

    class RequestConfig:
        def __init__(self, max_tokens: int | None = None, temperature: float | None = None) -> None:
            self.max_tokens = max_tokens
            self.temperature = temperature

    class PtEngine:
        def __init__(self, name: str, **_: Any) -> None:
            self.model, self.tokenizer = load_model(folder)

        @torch.inference_mode()
        def infer(self, requests: list[InferRequest], config: RequestConfig) -> list[Any]:
            return [self._one(request, config) for request in requests]

        def _one(self, request: InferRequest, config: RequestConfig) -> Any:
            text = "\n".join(message["content"] for message in request.messages)
            encoded = self.tokenizer(text, return_tensors="pt")
            sampling = {"do_sample": True, "temperature": config.temperature} if config.temperature else {}
            output = self.model.generate(
                input_ids=encoded["input_ids"],
                attention_mask=encoded["attention_mask"],
                max_new_tokens=config.max_tokens,
                pad_token_id=self.tokenizer.pad_token_id,
                eos_token_id=self.tokenizer.eos_token_id,
                **sampling,
            )[0, encoded["input_ids"].shape[1] :]
            message = types.SimpleNamespace(content=self.tokenizer.decode(output, skip_special_tokens=True))
            return types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)])

    module = types.ModuleType("swift.llm")
    parts = {"InferRequest": InferRequest, "RequestConfig": RequestConfig, "PtEngine": PtEngine, "get_template": None}
    vars(module).update(parts)
    return module


def serve(reward: Path, model: str, port: int) -> None:
    import threading

    import uvicorn

    sys.modules["swift"] = types.ModuleType("swift")
    sys.modules["swift.llm"] = stand_in_for_swift(model)
    app = load_file(reward / "start_consistency_model_server.py").app

    def end_with_stdin() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=end_with_stdin, daemon=True).start()
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


def cpu_secs_of(pid: int) -> float:
    """User and system time of another process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read_rows(data: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.read_text().splitlines()]


def ask_released(reward: Path, port: int, pid: int, data: Path) -> dict[str, float]:
    plugin = types.ModuleType("swift.plugin")
    vars(plugin).update({"ORM": object, "orms": {}})
    sys.modules["swift"] = types.ModuleType("swift")
    sys.modules["swift.plugin"] = plugin
    # It tells of every verdict on stdout.
    with contextlib.redirect_stdout(io.StringIO()):
        judge = load_file(reward / "consistency_reward_local.py").ConsistencyReward(f"http://127.0.0.1:{port}")
        rows = read_rows(data)
        before = cpu_secs_of(pid)
        cpu, began = time.process_time(), time.monotonic()
        judge(
            completions=[f"<think>{row['think']}</think><answer>{row['letter']}</answer>" for row in rows],
            solution=[row["letter"] for row in rows],
            messages=[[{"role": "user", "content": f"Question: {row['question']}"}] for row in rows],
        )
        secs = time.monotonic() - began
        cpu_secs = time.process_time() - cpu + cpu_secs_of(pid) - before
    return {"asked": len(rows), "cpu_secs": cpu_secs, "secs": secs}


def ask_ours(model: str, data: Path) -> dict[str, float]:
    from sightline_trainer.grpo.judge import Inquiry, ModelJudge

    loaded, tokenizer = load_model(model)
    judge = ModelJudge(loaded, tokenizer, is_tiny=True)
    inquiries = [Inquiry(row["question"], row["think"], row["options"]) for row in read_rows(data)]
    # A first pass wakes the model up, as the released service's own first request does.
    judge.ask([Inquiry("heading ?", "1 left west", 4)])
    cpu, began = time.process_time(), time.monotonic()
    verdicts = judge.ask(inquiries)
    secs, cpu_secs = time.monotonic() - began, time.process_time() - cpu
    return {"asked": sum(not verdict.cached for verdict in verdicts), "cpu_secs": cpu_secs, "secs": secs}


if __name__ == "__main__":
    mode, *rest = sys.argv[1:]
    if mode == "serve":
        serve(Path(rest[0]), rest[1], int(rest[2]))
    elif mode == "released":
        answer = ask_released(Path(rest[0]), int(rest[1]), int(rest[2]), Path(rest[3]))
        sys.stdout.write(json.dumps(answer) + "\n")
    else:
        sys.stdout.write(json.dumps(ask_ours(rest[0], Path(rest[1]))) + "\n")
