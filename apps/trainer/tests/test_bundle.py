"""The one file that is pushed to hosts."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

from conftest import Host, Session, spec

from sightline_trainer.slctl.bundle import bundle_bytes, make_bundle


def test_the_same_sources_give_the_same_file(tmp_path: Path) -> None:
    assert bundle_bytes() == bundle_bytes()
    path = make_bundle(tmp_path)
    before = path.stat().st_mtime_ns
    assert make_bundle(tmp_path) == path and path.stat().st_mtime_ns == before
    assert path.name.startswith("slctl-") and path.stat().st_size <= 200_000
    assert all(name.endswith(".py") for name in zipfile.ZipFile(path).namelist())


def test_it_runs_alone(tmp_path: Path, here: Host) -> None:
    """Isolated, from a folder with a space, with nothing of the project on the path."""
    path = make_bundle(tmp_path / "a folder")
    process = subprocess.Popen(
        [sys.executable, "-I", str(path), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/"
    )
    session = Session(process, "b" * 16)
    host = Host(tmp_path / "runs", session)
    assert host.launch(spec())["created"] is True
    assert host.finished()["code"] == 0
    assert len(host.events(type="metrics")) == 12
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(120) == 0


def test_an_unknown_mode_says_what_there_is() -> None:
    for words in ([], ["dance"], ["rpc", "x"]):
        done = subprocess.run(
            [sys.executable, "-m", "sightline_trainer.slctl", *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 64 and "serve" in done.stderr


def test_only_the_standard_library_is_imported(tmp_path: Path) -> None:
    path = make_bundle(tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(path)!r}); before = set(sys.modules)\n"
        "import sightline_trainer.slctl.serve, sightline_trainer.slctl.supervise, sightline_trainer.sim.run\n"
        "import json; print(json.dumps(sorted({m.split('.')[0] for m in set(sys.modules) - before})))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    names = set(json.loads(done.stdout)) - {"sightline_trainer"}
    assert names <= set(sys.stdlib_module_names), names - set(sys.stdlib_module_names)
