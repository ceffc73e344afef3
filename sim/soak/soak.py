#!/usr/bin/env python3
"""Long random runs, one a seed: each must end well by itself, and a seed is the same run each time.

  traffic   random frames through the device, golden model and witness, in configuration --config (build/sim/soak)
  tenants   one life of a device in which jobs of 24 tenants come, go, crash, are paused, and leave nothing behind (build/sim/soak --tenants)
  ring      hosts in closed loop with the device: weir ring
  reboot    the same, and the device is switched off and on in the middle; hosts know marks
  relay     hosts below random trees of devices: weir ring --topology
  gather    sparse gathers: weir gather
  tree      collectives over random trees of nodes that end connections: weir tree
  fabric    hosts below a fabric of switches, and the same on two or three processes: weir fabric, weir-mpi
  live      Linux hosts, and a replay of what they sent: weir live; seeds 1 to 42

A run that fails is told in a line `FAILED seed N ..` with what it said and the command that repeats it. The last line is `N passed, N failed; ..`.
"""
import argparse
import concurrent.futures
import importlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

KINDS = ("ring", "reboot", "relay", "gather", "tree", "fabric", "live")
SECONDS = 900  # no run takes so long
TENANTS = "24"


def execute(command):
    """Exit code (None: not done in time), and of what it said the lines that say why."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None, f"not done in {SECONDS} s"
    said = [text for text in (done.stdout + done.stderr).splitlines() if text.startswith(("FAILED", "  ", "weir"))]
    return done.returncode, f"exit code {done.returncode}: " + "\n  ".join(said[-12:])


def read(path):
    """A summary, empty if there is none."""
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8")) if os.path.exists(path) else {}


def on_processes(weir, kind, seed, code, found, folder):
    """Why a run on several processes is not the same one; None if it is."""
    path = os.path.join(folder, "again.json")
    for count, more in kind.again_of(seed):
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(count), f"{weir}-mpi", kind.COMMAND, *kind.words_of(seed), *more]
        other, why = execute([*command, "--json", path])
        differ = kind.differences(found, read(path)) if other == code else [f"exit code {other}, not {code}: {why}"]
        if differ:
            return f"not the same on {count} processes: {', '.join(differ)}\n  {shlex.join(command)}"
    return None


def all_refused(kind, found):
    """Whether there is nothing to compare because all was refused, as is right."""
    return hasattr(kind, "refused") and kind.refused(found)


def run(weir, kind, seed):
    """Error text (None if all is well), summary, seconds, and the command that repeats it."""
    command = [weir, kind.COMMAND, *kind.words_of(seed)]
    ends = kind.ends_of(command) if hasattr(kind, "ends_of") else (0,)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="weir-soak-") as folder:
        summary, capture = os.path.join(folder, "json"), os.path.join(folder, "out.pcapng")
        again = kind.replay_of(command, capture) if hasattr(kind, "replay_of") else None
        code, why = execute([*command, "--json", summary, *(["--out", capture] if again else [])])
        found = read(summary)
        good = code in ends
        if code == 2 and good:
            good = why.count("\n") == 0 and not found
        elif good and (found["mismatches"] != 0 or (code == 0 and found[kind.COUNTED[0]] == 0 and not all_refused(kind, found))):
            good, why = False, f"{found['mismatches']} mismatches, {found[kind.COUNTED[0]]} {kind.COUNTED[1]}"
        if good and hasattr(kind, "again_of"):
            why = on_processes(weir, kind, seed, code, found, folder)
            good = why is None
        if good and again:
            code, why = execute([weir, "replay", *again])
            good, why = code == 0, f"its replay: {why}"
    if good and code != 0:
        found = {kind.COUNTED[0]: 0, **found, ("refused" if code == 2 else "unfinished"): 1}
    return None if good else why, found, time.monotonic() - began, shlex.join(command)


class Soak:
    """What became of the runs so far."""

    def __init__(self, kind):
        self.kind, self.began, self.shown = kind, time.monotonic(), time.monotonic()
        self.total = self.passed = self.failed = 0
        self.sums = {}

    def add(self, seed, error, summary, seconds, line):
        """Counts one, and tells one that failed."""
        if error is None:
            self.passed += 1
            self.total += summary[self.kind.COUNTED[0]]
            for name, count in self.kind.tell(summary).items():
                self.sums[name] = self.sums.get(name, 0) + count
        else:
            self.failed += 1
            print(f"FAILED seed {seed} after {seconds:.1f} s: {error}\n  {line}", flush=True)
        if sys.stderr.isatty() and time.monotonic() > self.shown + 1:
            self.shown = time.monotonic()
            print(f"\r{self.passed} passed, {self.failed} failed; {self.total} {self.kind.COUNTED[1]} \033[K", end="", file=sys.stderr)

    def end(self):
        """The closing lines; the exit code."""
        print(", ".join(f"{name} {count}" for name, count in self.sums.items() if count > 0))
        print(f"{self.passed} passed, {self.failed} failed; {self.total} {self.kind.COUNTED[1]} in {time.monotonic() - self.began:.0f} s")
        return 0 if self.failed == 0 and self.passed > 0 else 1


def main():
    """See above."""
    build = os.environ.get("BUILD", "build")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("traffic", "tenants", *KINDS))
    parser.add_argument("--weir", default=f"{build}/weir", help="the program (default %(default)s)")
    parser.add_argument("--seeds", default="1..20", help="FROM..TO (default %(default)s)")
    parser.add_argument("--having", action="append", default=[], metavar="WORD[,WORD..]",
                        help="only seeds with one of these words in their command, as --having=--rtl; given several times, with one of each")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (default %(default)s)")
    parser.add_argument("--config", default="tiny", help="of traffic and tenants: the device's configuration (default %(default)s)")
    parser.add_argument("--frames", type=int, default=8000, help="of tenants: frames into the device, at least (default %(default)s)")
    parser.add_argument("--job-count", type=int, default=12, help="of tenants: jobs that are over, at least (default %(default)s)")
    parser.add_argument("--show", action="store_true", help="print the command lines, run nothing")
    arguments = parser.parse_args()
    if arguments.kind in ("traffic", "tenants"):
        command = [f"{build}/sim/soak", "--config", arguments.config, "--seeds", arguments.seeds, "--jobs", str(arguments.jobs)]
        if arguments.kind == "tenants":
            command += ["--tenants", TENANTS, "--frames", str(arguments.frames), "--job-count", str(arguments.job_count)]
        if arguments.show:
            print(shlex.join(command))
            return 0
        os.execv(command[0], command)
    kind = importlib.import_module(f"draw_{arguments.kind}")
    first, last = map(int, arguments.seeds.split(".."))
    if first < 1 or last > getattr(kind, "LAST", last):
        parser.error(f"--seeds {arguments.seeds}: {arguments.kind} has 1 to {getattr(kind, 'LAST', 'any')}")
    seeds = [seed for seed in range(first, last + 1) if all({*words.split(",")} & {*kind.words_of(seed)} for words in arguments.having)]
    if arguments.show:
        for seed in seeds:
            print(shlex.join([arguments.weir, kind.COMMAND, *kind.words_of(seed)]))
        return 0
    soak = Soak(kind)
    with concurrent.futures.ThreadPoolExecutor(min(arguments.jobs, getattr(kind, "JOBS", arguments.jobs))) as pool:
        runs = {pool.submit(run, arguments.weir, kind, seed): seed for seed in seeds}
        for future in concurrent.futures.as_completed(runs):
            soak.add(runs[future], *future.result())
    return soak.end()


if __name__ == "__main__":
    sys.exit(main())
