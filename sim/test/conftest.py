"""What the tests of the program share: runs of a command of weir, in a folder of their own, and what they leave there."""
import json
import os
import pathlib
import shlex
import subprocess
import types

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
CAPTURES = ROOT / "sim/captures"
# A gather that takes little time.
GATHER_SMALL = "--generate block --rows 800 --degree 24 --nodes 6 --racks 2 --batch 100"


def pytest_configure():
    """A program that was not built is not a test that fails, but all of them."""
    for program in (BUILD / "weir", BUILD / "san/weir"):
        if not os.access(program, os.X_OK):
            pytest.exit(f"{program} is missing", returncode=1)


def words(options):
    """Options as a list: texts are split as a shell does it, everything else is one word."""
    return [word for option in options for word in (shlex.split(option) if isinstance(option, str) else [str(option)])]


def one_response_each(summary):
    """Of a gather: each nonzero that wants something has one fate, each read one response; nothing is tried twice, and all is right."""
    s = summary
    assert s["mismatches"] == 0 and s["compared"] > 0
    assert s["filtered"] + s["coalesced"] + s["merged"] + s["prs_sent"] == s["prs_wanted"] * s["tiles"] * s["iterations"]
    assert s["prs_sent"] == s["served"] + s["cache_hits"]
    assert s["merged"] == s["merge_copies"]
    assert s["prs_needed"] * s["tiles"] <= s["prs_sent"]
    assert s["watchdog_failures"] == s["late_responses"] == s["given_up"] == s["packets_lost"] == 0


class Command:
    """A command of weir. Options are texts, of one word or several, and paths."""

    def __init__(self, name, folder):
        self.name = name
        self.folder = folder

    def run(self, code, *options, program=BUILD / "weir"):
        """A run that wants this exit code; what it said, on `stdout` and `stderr`."""
        done = subprocess.run([program, self.name, *words(options)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=ROOT, check=False)
        said = f"weir {self.name} {shlex.join(words(options))}\n{done.stdout}{done.stderr}"
        assert done.returncode == code, f"exit code {done.returncode}, not {code}: {said}"
        return done

    def summary(self, code, *options):
        """The summary of a run that wants this exit code."""
        return self.run_and_summary(code, *options)[1]

    def run_and_summary(self, code, *options):
        """What it said, and its summary."""
        path = self.folder / "summary.json"
        path.unlink(missing_ok=True)
        done = self.run(code, *options, "--json", path)
        return done, json.loads(path.read_text(encoding="utf-8"))

    def on_processes(self, processes, *options, code=0):
        """The summary of a run on so many processes that wants this exit code."""
        path = self.folder / f"{processes}.json"
        done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(processes), BUILD / "weir-mpi", self.name, *words(options), "--json", path],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(path.read_text(encoding="utf-8"))

    def refused(self, word, *options):
        """A run that is refused, by the program with ASan and UBSan: one line on stderr with this word, and nothing else."""
        path = self.folder / "refused.json"
        done = self.run(2, *options, "--json", path, program=BUILD / "san/weir")
        assert done.stderr.count("\n") == 1 and word in done.stderr and not done.stdout and not path.exists(), done.stderr


@pytest.fixture
def weir(tmp_path):
    """`weir(name)` is a command of the program."""
    return lambda name: Command(name, tmp_path)


@pytest.fixture
def fabric(weir):
    """The command of networks."""
    return weir("fabric")


@pytest.fixture
def gather(weir):
    """The command of sparse gathers."""
    return weir("gather")


@pytest.fixture
def tree(weir):
    """The command of aggregation trees."""
    return weir("tree")


@pytest.fixture
def tool():
    """`tool(program, argument, ..)` runs something else, which must succeed; what it printed."""
    def run(*arguments):
        done = subprocess.run([str(a) for a in arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT, check=False)
        assert done.returncode == 0, f"{' '.join(str(a) for a in arguments)}\n{done.stdout}{done.stderr}"
        return done.stdout
    return run


@pytest.fixture
def places():
    """Where things are: `root`, `build`, `captures`."""
    return types.SimpleNamespace(root=ROOT, build=BUILD, captures=CAPTURES)
