"""Readings of a machine, and nvidia-smi's answers as they come."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import Host, start_session

from sightline_trainer.slctl.gpus import parse_gpus

TWO = """\
0, GPU-6d0e0b1c-0000-4000-8000-000000000001, 143771, 98304, 97, 61, Disabled, 570.86.15, NVIDIA H200
1, GPU-6d0e0b1c-0000-4000-8000-000000000002, 143771, 0, 0, 33, Disabled, 570.86.15, NVIDIA H200
"""
MIB = 1024 * 1024


def test_several_gpus_are_told_one_by_one() -> None:
    rows, problem = parse_gpus(TWO)
    assert problem is None
    assert [row["index"] for row in rows] == [0, 1]
    assert rows[0] == {
        "index": 0,
        "uuid": "GPU-6d0e0b1c-0000-4000-8000-000000000001",
        "name": "NVIDIA H200",
        "driver": "570.86.15",
        "memory_bytes": 143771 * MIB,
        "used_bytes": 98304 * MIB,
        "util": 0.97,
        "temperature_c": 61.0,
        "mig": False,
    }
    assert rows[1]["util"] == 0.0


def test_a_gpu_in_instances_has_no_common_utilisation() -> None:
    rows, problem = parse_gpus("0, GPU-1, 81920, 20480, [N/A], 40, Enabled, 550.54.15, NVIDIA A100-SXM4-80GB\n")
    assert problem is None
    assert (rows[0]["mig"], rows[0]["util"], rows[0]["used_bytes"]) == (True, None, 20480 * MIB)


@pytest.mark.parametrize("word", ["[N/A]", "[Not Supported]", "[Unknown Error]", "[GPU requires reset]", "ERR!", ""])
def test_what_the_driver_does_not_say_is_none_and_never_zero(word: str) -> None:
    rows, _ = parse_gpus(f"3, GPU-1, 24576, {word}, {word}, {word}, [N/A], 535.1, NVIDIA GeForce, special edition\n")
    assert (rows[0]["used_bytes"], rows[0]["util"], rows[0]["temperature_c"]) == (None, None, None)
    assert rows[0]["name"] == "NVIDIA GeForce, special edition"


@pytest.mark.parametrize(
    "said",
    [
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
        "NVIDIA driver is installed and running.",
        "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.54",
    ],
)
def test_a_driver_error_is_passed_on(said: str) -> None:
    assert parse_gpus(said + "\n", "", 9) == ([], " ".join(said.split("\n")))
    assert parse_gpus("", said, 18) == ([], " ".join(said.split("\n")))


def test_one_broken_gpu_does_not_hide_the_others() -> None:
    rows, problem = parse_gpus(
        TWO + "Unable to determine the device handle for GPU0000:0A:00.0: Unknown Error\n", "", 15
    )
    assert len(rows) == 2
    assert problem is not None
    assert "device handle" in problem


def test_no_gpu_is_no_complaint() -> None:
    assert parse_gpus("No devices were found\n", "", 6) == ([], None)
    assert parse_gpus("", "", 0) == ([], None)
    assert parse_gpus("", "", 3) == ([], "nvidia-smi ended with 3.")


def test_a_reading_tells_of_processors_memory_and_disk(here: Host) -> None:
    first = here.ask("usage")["usage"]
    sum(range(2_000_000))
    second = here.ask("usage")["usage"]
    assert second["cpu"]["all"] >= first["cpu"]["all"] > 0
    assert 0 <= second["cpu"]["busy"] - first["cpu"]["busy"] <= second["cpu"]["all"] - first["cpu"]["all"] + 1
    assert 0 < second["memory"]["available_bytes"] <= second["memory"]["total_bytes"]
    assert 0 < second["disk"]["free_bytes"] <= second["disk"]["total_bytes"]
    assert here.session.ask("usage", root=str(here.root / "not" / "yet"))["usage"]["disk"] is not None


def test_gpus_come_from_the_tool_on_the_path(tmp_path: Path) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\ncat <<'END'\n{TWO}END\n")
    tool.chmod(0o755)
    opened = start_session({"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"})
    try:
        answer = opened.ask("usage", root=str(tmp_path))["usage"]
        assert [row["util"] for row in answer["gpus"]] == [0.97, 0.0]
        assert answer["gpu_problem"] is None
        assert [row["name"] for row in opened.ask("doctor", root=str(tmp_path))["facts"]["gpus"]] == ["NVIDIA H200"] * 2
    finally:
        assert opened.process.stdin is not None
        opened.process.stdin.close()
        opened.process.wait(120)
