"""Signals end a run in order, whatever it does just then: it says how far it was, ends by that signal, and leaves no file and no part
of one."""
import os
import pathlib
import signal
import subprocess
import time

import pytest

from conftest import BUILD, ROOT

FILES = ["--out", "out.pcapng.gz", "--json", "out.json", "--report", "out.html"]
SYNTHETIC = ROOT / "sim/captures/synthetic/synthetic-no-tag.in.pcapng"
RING = ["ring", *"--config paper6 --hosts 4 --msglen 4 --mtu 256 --tensor 20M".split(), *FILES]
LONG = {
    "ring": [*RING, "--wave", "out.fst"],
    "ring, stalled": ["ring", *"--config tiny --hosts 2 --msglen 4 --mtu 256 --tensor 64K --stall 0.999 --timeout 999999".split(),
                      *FILES],
    "ring, tree": ["ring", *"--topology leaf-spine:4x4 --tensor 64M".split(), *FILES[:4]],
    "tree": ["tree", *"--topology fat-tree:4x8 --size 4M --operations 50".split(), *FILES[:4]],
    "gather": ["gather", *"--generate power-law --rows 262144 --nodes 64 --racks 8 --k 128".split(), *FILES],
}
# With a single node, which asks nobody, hardly anything is simulated: what takes long is a matrix of 67 million entries, properties of two
# gigabytes, and products of others.
ALONE = ["gather", *"--generate road --nodes 1 --racks 1".split()]
LARGE = [*ALONE, *"--rows 16777216 --degree 4 --k 1".split()]
LONG_PROPERTIES = [*ALONE, *"--rows 4194304 --degree 1 --k 128".split()]
LONG_PRODUCTS = [*ALONE, *"--rows 65536 --degree 24 --k 2048 --cache-sets 0 --mtu 9000".split()]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 60


def unignore():
    """A shell lets what it starts in the background ignore SIGINT, nohup lets it ignore SIGHUP, and weir goes on ignoring them."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


class Run:
    """A run of weir in a folder of its own."""

    def __init__(self, words, folder, program=BUILD / "weir", **more):
        self.folder = folder
        self.process = subprocess.Popen([program, *words], cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True,
                                        **({"stdout": subprocess.DEVNULL, "preexec_fn": unignore} | more))

    def wait_until(self, ready):
        """Until `ready()`; the run must not be over by then."""
        end = time.monotonic() + PATIENCE
        while not ready():
            assert self.process.poll() is None, f"over before it was to be interrupted: {self.process.stderr.read()}"
            assert time.monotonic() < end
            time.sleep(0.01)

    def parts(self):
        """What it writes is there in part."""
        return any(name.endswith(".part") for name in os.listdir(self.folder))

    def sleeps(self):
        """It waits in the kernel, in no time-limited call."""
        with open(f"/proc/{self.process.pid}/syscall", encoding="ascii") as file:
            word = file.read().split()[0]
        return word.isdigit() and int(word) in (0, 1, 2, 257)   # read, write, open, openat

    def used(self):
        """Seconds of processor time."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def stops_within(self, seconds):
        """By SIGINT, and so many seconds of processor time later at most; what it said."""
        before = self.used()
        self.process.send_signal(signal.SIGINT)
        with self.process.stderr:
            said = self.process.stderr.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        took = usage.ru_utime + usage.ru_stime - before
        assert self.process.returncode == -signal.SIGINT and took < seconds, f"{self.process.returncode} after {took:.1f} s: {said}"
        return said

    def ends(self, number):
        """By this signal; what it said."""
        said = self.process.communicate(timeout=PATIENCE)[1]
        assert self.process.returncode == -number, f"{self.process.returncode}: {said}"
        return said


def left(folder, but=()):
    """Files in a folder, but for those of the test."""
    return sorted(set(os.listdir(folder)) - set(but))


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("name", LONG)
def test_in_the_middle(name, number, tmp_path):
    """As soon as it has begun to write, and some time later."""
    for delay in (0, 0.3):
        run = Run(LONG[name], tmp_path)
        run.wait_until(run.parts)
        time.sleep(delay)
        run.process.send_signal(number)
        said = run.ends(number)
        assert said.startswith(f"weir {LONG[name][0]}: interrupted") and said.endswith("; nothing is written\n"), said
        assert said.count("\n") == 1, said
        assert not left(tmp_path)


@pytest.mark.parametrize("words, seconds", [(LARGE, 0.3), (LARGE, 3), (LONG_PROPERTIES, 1.3), (LONG_PRODUCTS, 2.5)],
                         ids=("made", "ordered", "properties", "compared"))
def test_a_large_matrix(words, seconds, tmp_path):
    """Before the network begins and behind its end: while the matrix is made up, put in order, while properties are made up and products are
    compared. Seconds are of processor time, which other work on the machine does not change."""
    run = Run(words, tmp_path)
    run.wait_until(lambda: run.used() > seconds)
    said = run.stops_within(1)
    assert said.startswith("weir gather: interrupted") and said.endswith("; nothing is written\n") and not left(tmp_path)


@pytest.mark.parametrize("line, count", [("1 1", 30_000_000), ("%", 300_000_000)], ids=("entries", "comments"))
def test_a_large_file(line, count, tmp_path):
    """A matrix comes through a pipe, and its lines do not end."""
    os.mkfifo(tmp_path / "in")
    run = Run(["gather", "in"], tmp_path)
    head = "%%MatrixMarket matrix coordinate pattern general\n1000 1000 99999999\n"
    with subprocess.Popen(["bash", "-c", f"printf '{head.replace('%', '%%')}'; yes '{line}' | head -n {count}"], cwd=tmp_path,
                          stdout=open(tmp_path / "in", "wb"), stderr=subprocess.DEVNULL):
        run.wait_until(lambda: run.used() > 0.5)
        assert run.stops_within(1) == "weir gather: interrupted; nothing is written\n" and left(tmp_path) == ["in"]


@pytest.mark.parametrize("delay", (0, 0.001, 0.01, 0.03))
def test_from_the_start(delay, tmp_path):
    """Also while it reads its options, when nobody has caught the signal yet."""
    run = Run(RING, tmp_path)
    time.sleep(delay)
    run.process.send_signal(signal.SIGTERM)
    run.ends(signal.SIGTERM)
    assert not left(tmp_path)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_pipe_that_nobody_writes(number, tmp_path):
    """The capture is a pipe, which is being opened."""
    os.mkfifo(tmp_path / "in")
    run = Run(["replay", "in", *FILES], tmp_path)
    run.wait_until(run.sleeps)
    run.process.send_signal(number)
    assert run.ends(number) == "weir replay: interrupted; nothing is written\n" and not left(tmp_path, ["in"])


def test_a_pipe_that_says_nothing_more(tmp_path):
    """The capture is a pipe whose other end stays open."""
    os.mkfifo(tmp_path / "in")
    run = Run(["replay", "in", *FILES], tmp_path)
    with open(tmp_path / "in", "wb", buffering=0) as pipe:
        pipe.write(SYNTHETIC.read_bytes()[:100])
        run.wait_until(run.sleeps)
        run.process.send_signal(signal.SIGINT)
        assert "interrupted" in run.ends(signal.SIGINT) and not left(tmp_path, ["in"])


def test_a_pipe_that_nobody_reads(tmp_path):
    """A pipe is written directly; it is being opened, and other files are begun."""
    os.mkfifo(tmp_path / "pipe")
    run = Run([*RING[:-6], "--json", "out.json", "--out", "pipe"], tmp_path)
    run.wait_until(run.sleeps)
    run.process.send_signal(signal.SIGINT)
    assert "interrupted" in run.ends(signal.SIGINT) and left(tmp_path) == ["pipe"]


def test_a_device_that_is_drained(tmp_path):
    """A replay waits for outputs that are hardly ever ready."""
    run = Run(["replay", SYNTHETIC, "--config", "tiny", "--stall", "0.999", *FILES], tmp_path)
    run.wait_until(run.parts)
    run.process.send_signal(signal.SIGINT)
    assert "interrupted" in run.ends(signal.SIGINT) and not left(tmp_path)


def test_a_soak(tmp_path):
    """Several processes, which all get a terminal's signal."""
    subprocess.run([BUILD / "sim/soak", "--seeds", "1"], capture_output=True, check=True)   # the device is built by now
    run = Run(["--config", "tiny", "--jobs", "3", "--minutes", "9"], tmp_path, program=BUILD / "sim/soak", start_new_session=True)
    children = f"/proc/{run.process.pid}/task/{run.process.pid}/children"
    run.wait_until(lambda: len(pathlib.Path(children).read_text(encoding="ascii").split()) == 3)
    time.sleep(1)
    os.killpg(run.process.pid, signal.SIGINT)
    said = run.ends(signal.SIGINT)
    assert said.startswith("soak: interrupted") and said.endswith("; nothing is written\n"), said
    with pytest.raises(ProcessLookupError):
        os.killpg(run.process.pid, 0)


def test_nobody_reads_what_it_says(tmp_path):
    """SIGPIPE ends it at once, and leaves nothing."""
    read, write = os.pipe()
    os.close(read)
    run = Run(["ring", *"--config tiny --hosts 2 --msglen 4 --mtu 256 --tensor 4000".split(), *FILES], tmp_path, stdout=write)
    os.close(write)
    run.process.wait(PATIENCE)
    assert left(tmp_path) in ([], ["out.html", "out.json", "out.pcapng.gz"])   # what it says fits a buffer that is written at the end


def test_ignored_stays_ignored(tmp_path):
    """As with nohup."""
    run = Run(["ring", *"--config tiny --hosts 2 --msglen 4 --mtu 256 --tensor 200K".split(), *FILES], tmp_path,
              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    run.wait_until(run.parts)
    run.process.send_signal(signal.SIGHUP)
    assert run.process.wait(PATIENCE) == 0 and left(tmp_path) == ["out.html", "out.json", "out.pcapng.gz"]
