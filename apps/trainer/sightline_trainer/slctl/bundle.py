"""Packs the trainer's Python into one file that a host runs without installing anything.

`python -m sightline_trainer.slctl.bundle DIR` writes `slctl-<hash>.pyz` and prints its path. The same sources give the
same bytes, so the name says whether a host has it already.
"""

from __future__ import annotations

import hashlib
import io
import sys
import zipfile
from pathlib import Path

from sightline_trainer.rundir import write_atomic

_START = b"""import sys
if sys.version_info < (3, 10):
    sys.stderr.write("slctl needs Python 3.10 or newer; this is %d.%d.\\n" % sys.version_info[:2])
    sys.exit(69)
from sightline_trainer.slctl.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
_EPOCH = (1980, 1, 1, 0, 0, 0)


def bundle_bytes() -> bytes:
    """The zipapp: every Python source of the package, so that supervisor and trainer are of one version."""
    home = Path(__file__).resolve().parents[2]
    sources = {
        str(path.relative_to(home)): path.read_bytes() for path in sorted((home / "sightline_trainer").rglob("*.py"))
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in {"__main__.py": _START, **sources}.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return packed.getvalue()


def make_bundle(folder: Path) -> Path:
    """Writes the bundle into `folder` unless it is there already. Returns its path."""
    content = bundle_bytes()
    path = folder / f"slctl-{hashlib.sha256(content).hexdigest()[:16]}.pyz"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python -m sightline_trainer.slctl.bundle DIR\n")
        sys.exit(64)
    sys.stdout.write(f"{make_bundle(Path(sys.argv[1]))}\n")
