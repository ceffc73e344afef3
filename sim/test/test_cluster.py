"""Runs larger than one machine: what happens is the same on every number of processes, and what goes wrong with one of them is said (docs/cluster.md)."""
import os
import pathlib
import resource
import signal
import subprocess
import time

import pytest

from conftest import BUILD, ROOT

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


def alike(command, options, ignored=()):
    """The summary is the same on 1 to 4 processes, however parts are dealt out to them."""
    want = command.summary(0, options)
    for processes in (1, 2, 3, 4):
        for partition in ("racks", "scatter"):
            got = command.on_processes(processes, options, "--partition", partition)
            assert {k: v for k, v in got.items() if k not in ignored} == {k: v for k, v in want.items() if k not in ignored}
    return want


@pytest.mark.parametrize("options", ["--generate power-law --rows 32768 --nodes 128 --racks 8", "--generate road --rows 4096 --nodes 11 --racks 4 --k 512 --cable 0 --switch 0",
                                     "--generate hot --rows 4096 --nodes 16 --racks 4 --queues virtual --cache-sets 1"])
def test_gather(weir, options):
    """NetSparse's 128 nodes, and networks whose racks are not alike or whose cables take no time."""
    s = alike(weir("gather"), options)
    assert s["mismatches"] == 0 and s["compared"] > 0
    assert weir("gather").summary(0, options, "--seed 2")["events_hash"] != s["events_hash"]


def test_gather_counts(weir):
    """What is thrown away for a slow receiver is counted in all processes together."""
    s = alike(weir("gather"), "--generate hot --rows 4096 --nodes 16 --racks 4 --k 64 --without cache --buffers 32 --pause-limit 500 --watchdog 60000 --tries 100")
    assert s["packets_stopped"] > 0 and s["mismatches"] == 0


def test_gather_devices(weir):
    """Verilated switches and NICs on processes of their own: packet by packet as on one."""
    gather, options = weir("gather"), "--generate hot --rows 256 --nodes 4 --racks 2 --k 4 --rtl all"
    want = gather.summary(0, options)
    assert want["mismatches"] == 0 and gather.on_processes(2, options) == want


def test_gather_refused(weir, tmp_path):
    """What one process alone can do."""
    for option in ("--lose 3", "--hold 3", f"--out {tmp_path / 'x.pcapng'}"):
        done = subprocess.run([*MPIRUN, "-n", "2", BUILD / "weir-mpi", "gather", "--generate", "hot", "--rows", "256", *option.split()], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "of one process" in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


def test_tree_of_1024_hosts(weir):
    """1,024 hosts below 73 nodes."""
    s = alike(weir("tree"), "--topology fat-tree:8x8x16 --size 16K --operations 1")
    assert s["hosts"] == 1024 and s["mismatches"] == 0


def test_more_processes_than_parts(weir):
    """Some have nothing to do."""
    options = "--topology clos:2x1x0 --size 64K"
    want, got = weir("fabric").summary(0, options), weir("fabric").on_processes(6, options)
    assert got["events_hash"] == want["events_hash"] and got["ranks"] == 6
    assert weir("gather").on_processes(5, "--generate hot --rows 256 --nodes 2")["mismatches"] == 0


def children(pid):
    """Processes that this one has started."""
    text = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(word) for word in text.split()]


@pytest.mark.parametrize("command", ["fabric --topology clos:16x16x16 --size 1024M", "gather --generate power-law --rows 1000000 --nodes 128 --racks 8 --k 256",
                                     "tree --topology fat-tree:4x4x4 --size 4M --operations 100"])
def test_a_process_that_dies(tmp_path, command):
    """One line says which one it was, the others end, and no file is there, whole or half."""
    with subprocess.Popen([*MPIRUN, "-n", "3", BUILD / "weir-mpi", *command.split(), "--json", tmp_path / "s.json"], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as run:
        for _ in range(200):
            time.sleep(0.05)
            if len(children(run.pid)) == 3:
                break
        time.sleep(1)
        victim = children(run.pid)[-1]
        os.kill(victim, signal.SIGKILL)
        said, error = run.communicate(timeout=60)
    assert run.returncode != 0 and "OK" not in said, said + error
    assert sum("process rank 2 " in line and "signal 9" in line for line in error.splitlines()) == 1, error
    assert not list(tmp_path.iterdir())


def processor_time(pid):
    """Seconds that a process has had."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_asked_and_killed(tmp_path):
    """Who is killed soon after it was asked to end, as mpirun does, leaves no half file, however busy it was."""
    with subprocess.Popen([*MPIRUN, "-n", "2", BUILD / "weir-mpi", *"fabric --topology clos:16x16x16 --size 1024M --json".split(), tmp_path / "s.json"], cwd=ROOT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        until = time.monotonic() + 20
        while not list(tmp_path.iterdir()) and time.monotonic() < until:
            time.sleep(0.01)
        victim = int(next(tmp_path.iterdir()).name.split(".")[2].split("-")[0])   # s.json.PID-N.part
        os.kill(victim, signal.SIGTERM)
        # Not by the clock: on a busy machine it may not have had its turn yet.
        enough, until = processor_time(victim) + 0.01, time.monotonic() + 20
        while list(tmp_path.iterdir()) and processor_time(victim) < enough and time.monotonic() < until:
            time.sleep(0.005)
        os.kill(victim, signal.SIGKILL)
        run.communicate(timeout=60)
    assert run.returncode != 0
    assert not list(tmp_path.iterdir())


def test_out_of_memory(tmp_path):
    """One line, and no file, whole or half."""
    def little():
        resource.setrlimit(resource.RLIMIT_AS, (80 << 20, 80 << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    done = subprocess.run([BUILD / "weir", "fabric", "--topology", "clos:100x100x10", "--size", "1M", "--json", tmp_path / "s.json"], cwd=ROOT, capture_output=True, text=True,
                          preexec_fn=little, check=False)
    assert done.returncode != 0 and done.stderr == "weir: out of memory\n" and not done.stdout
    assert not list(tmp_path.iterdir())


def test_ten_thousand_hosts(weir):
    """They run, and 1,024 hosts take less than 1 GB."""
    assert weir("fabric").summary(0, "--topology clos:100x100x10 --size 16K")["done"] == 10000

    def most():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    done = subprocess.run([BUILD / "weir", "fabric", "--topology", "clos:32x32x32", "--size", "1M"], cwd=ROOT, capture_output=True, text=True, preexec_fn=most, check=False)
    assert done.returncode == 0 and done.stdout.endswith("OK\n")
