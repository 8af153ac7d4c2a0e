"""A Slurm cluster on loopback: two nodes on this machine, each with a name and a GPU that it only claims to have.

A node needs a name of its own: Debian's slurmd takes it from the host, so that each runs in a namespace with another.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sightline_trainer.slctl.host import start_ticks

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "unshare")
NODES = ("sl-node-1", "sl-node-2")
DAEMONS = ("slurmctld", *NODES, "munge")

CONFIG = """\
ClusterName=sightline
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
GresTypes=gpu
NodeName={nodes[0]} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1 RealMemory=1000 Gres=gpu:1
NodeName={nodes[1]} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1 RealMemory=1000 Gres=gpu:1
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def missing() -> str | None:
    """Why no cluster can be made here, and what to do about it; None where one can."""
    if os.geteuid() != 0:
        return "a Slurm cluster on loopback wants root"
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if absent:
        return f"no {', '.join(absent)}: apt-get install slurmctld slurmd slurm-client munge"
    if subprocess.run(["unshare", "--uts", "--mount", "true"], capture_output=True, check=False).returncode != 0:
        return "this machine lets nobody make a namespace"
    return None


@contextmanager
def cluster(folder: Path) -> Iterator[dict[str, str]]:
    """Two idle nodes. Gives the environment in which Slurm's commands speak to them."""
    config = folder / "slurm.conf"
    for name in ("munge", "state", *(f"spool-{node}" for node in NODES)):
        (folder / name).mkdir(mode=0o700)
    config.write_text(CONFIG.format(folder=folder, host=socket.gethostname(), ports=_ports(3), nodes=NODES))
    (folder / "cgroup.conf").write_text("CgroupAutomount=no\n")
    (folder / "gres.conf").write_text("".join(f"NodeName={node} Name=gpu File=/dev/zero\n" for node in NODES))
    (folder / "hosts").write_text(f"{Path('/etc/hosts').read_text()}\n127.0.0.1 {' '.join(NODES)}\n")
    environment = {"SLURM_CONF": str(config)}
    try:
        _start_munge(folder / "munge")
        _run("slurmctld", "-c", "-f", str(config))
        for node in NODES:
            inside = f"hostname {node} && mount --bind {folder}/hosts /etc/hosts && exec slurmd -f {config}"
            _run("unshare", "--uts", "--mount", "sh", "-c", inside)
        _await_idle(environment)
        yield environment
    finally:
        for name in DAEMONS:
            _end(folder / f"{name}.pid")


def ask(environment: dict[str, str], *command: str) -> str:
    """What one of Slurm's commands says."""
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout.strip()


def _start_munge(folder: Path) -> None:
    key = folder / "key"
    key.touch(0o400)
    key.write_bytes(os.urandom(1024))
    files = {"key-file": key, "socket": folder / "socket", "log-file": folder / "log", "seed-file": folder / "seed"}
    _run("munged", "--force", f"--pid-file={folder}.pid", *(f"--{name}={path}" for name, path in files.items()))


def _run(*command: str) -> None:
    # Not captured: a daemon keeps what it was given, and a reader would wait for its end.
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def _await_idle(environment: dict[str, str]) -> None:
    deadline = time.monotonic() + 120
    while True:
        # It fails as long as slurmctld does not listen.
        told = subprocess.run(
            ("sinfo", "-hN", "-o", "%T"), env=os.environ | environment, capture_output=True, text=True, check=False
        )
        if told.stdout.split() == ["idle", "idle"]:
            return
        assert time.monotonic() < deadline, (told.stdout, told.stderr)
        time.sleep(0.1)


def _end(file: Path) -> None:
    """Ends the daemon that wrote its number into the file, and waits until it is gone."""
    if not file.exists():
        return
    number = int(file.read_text())
    for ask_for in (signal.SIGTERM, signal.SIGKILL):
        if start_ticks(number) is None:
            return
        os.kill(number, ask_for)
        deadline = time.monotonic() + 10
        while start_ticks(number) is not None and time.monotonic() < deadline:
            time.sleep(0.05)
