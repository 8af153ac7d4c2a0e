"""Pictures that came along with an evaluation's questions, in `data/pictures.jsonl`."""

from __future__ import annotations

import binascii
import json
import re
from base64 import b64decode
from pathlib import Path

from sightline_trainer.grpo.data import DataError
from sightline_trainer.rundir import write_atomic

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}\.jpg")


def unpack_pictures(data: Path) -> None:
    """Lays each picture of `pictures.jsonl` into `data` as a file, where the questions name it; nothing without them.

    A line: `name`, of the file, and `jpeg`, its bytes in base64. Raises DataError.
    """
    path = data / "pictures.jsonl"
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            given = json.loads(line)
            name, content = given["name"], b64decode(given["jpeg"], validate=True)
        except (ValueError, KeyError, TypeError, binascii.Error) as error:
            raise DataError(f"pictures.jsonl, line {number}: no picture with its name: {error}") from error
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise DataError(f"pictures.jsonl, line {number}: {name!r:.200} is no name of a JPEG")
        if not (data / name).exists():
            write_atomic(data / name, content)
