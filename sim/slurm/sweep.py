#!/usr/bin/env python3
"""Runs a command of weir over a grid of parameters, as a Slurm job array or on this machine, and collects one CSV.

  sim/slurm/sweep.py GRID.json --out FOLDER --local 4     on this machine, 4 at a time
  sim/slurm/sweep.py GRID.json --out FOLDER --slurm       as a job array; --sbatch has more for sbatch
  sim/slurm/sweep.py GRID.json --out FOLDER --collect     only the CSV of what is there

The grid: {"command": "build/weir fabric", "options": {"load": ["all-reduce", "netreduce"], "seed": [1, 2]}, "keys": ["time_ps", "events_hash"]}.
Each combination is a point; FOLDER/points has its summary under its number once it is whole, so that a sweep that is run again makes
what is missing. FOLDER/sweep.csv has a row a point, in the order of the grid: its options, and the summary's keys. Exit code 1 if a point failed,
2 if the grid or Slurm cannot be used."""
import argparse
import concurrent.futures
import csv
import itertools
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys


def refuse(text):
    print(f"sweep.py: {text}", file=sys.stderr)
    sys.exit(2)


class Sweep:
    """A grid and the folder of its points."""

    def __init__(self, grid, folder):
        try:
            with open(grid, encoding="utf-8") as file:
                text = json.load(file)
            self.command, self.options, self.keys = shlex.split(text["command"]), text["options"], text["keys"]
        except (OSError, ValueError, KeyError, TypeError) as wrong:
            refuse(f"{grid}: {wrong!r}")
        if not self.command or not all(isinstance(values, list) and values for values in self.options.values()):
            refuse(f"{grid}: there must be a command, and a list of values for each option")
        self.grid, self.folder = pathlib.Path(grid).resolve(), pathlib.Path(folder).resolve()
        self.points = [dict(zip(self.options, values)) for values in itertools.product(*self.options.values())]
        (self.folder / "points").mkdir(parents=True, exist_ok=True)

    def path(self, number):
        return self.folder / "points" / f"{number}.json"

    def line(self, number):
        """The command of a point, without where its summary goes. An option whose value is true has none; false leaves it out."""
        words = list(self.command)
        for name, value in self.points[number].items():
            if value is not False:
                words += [f"--{name}"] + ([] if value is True else [str(value)])
        return words

    def missing(self):
        return [number for number in range(len(self.points)) if not self.path(number).exists()]

    def run(self, number):
        """Runs a point. True if its summary is there. The command itself sees to it that a summary is whole or not there."""
        return subprocess.run([*self.line(number), "--json", self.path(number)], stdout=subprocess.DEVNULL, check=False).returncode == 0

    def collect(self):
        """Writes the CSV; how many points are missing."""
        part = self.folder / "sweep.csv.part"
        with open(part, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["point", *self.options, *self.keys])
            for number, point in enumerate(self.points):
                if self.path(number).exists():
                    summary = json.loads(self.path(number).read_text(encoding="utf-8"))
                    writer.writerow([number, *point.values(), *(summary.get(key, "") for key in self.keys)])
        part.replace(self.folder / "sweep.csv")
        return self.missing()


def locally(sweep, todo, jobs):
    """Runs points on this machine. The numbers of those that failed."""
    failed = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(sweep.run, number): number for number in todo}
        try:
            for done, run in enumerate(concurrent.futures.as_completed(runs), 1):
                if not run.result():
                    failed.append(runs[run])
                print(f"{done} of {len(todo)} points", file=sys.stderr)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    return failed


def in_slurm(sweep, todo, more):
    """Runs points as a job array, and waits for it."""
    if shutil.which("sbatch") is None:
        refuse("there is no sbatch here; --local N runs the same sweep on this machine")
    task = shlex.join([sys.executable, os.path.abspath(__file__), str(sweep.grid), "--out", str(sweep.folder), "--task"])
    ranges = ",".join(str(number) for number in todo)
    done = subprocess.run(["sbatch", "--wait", "--parsable", f"--array={ranges}", "--job-name=weir-sweep", f"--output={sweep.folder}/%a.log", *shlex.split(more),
                           f"--wrap={task} $SLURM_ARRAY_TASK_ID"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        refuse(f"sbatch: {done.stderr.strip().splitlines()[0] if done.stderr else done.returncode}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grid")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="where points and the CSV are")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--local", type=int, metavar="N", help="run on this machine, N points at a time")
    how.add_argument("--slurm", action="store_true", help="run as a Slurm job array")
    how.add_argument("--collect", action="store_true", help="only collect")
    how.add_argument("--task", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--sbatch", default="", metavar="OPTIONS", help="more options for sbatch")
    arguments = parser.parse_args()
    sweep = Sweep(arguments.grid, arguments.out)
    if arguments.task is not None:
        sys.exit(0 if sweep.run(arguments.task) else 1)
    todo = [] if arguments.collect else sweep.missing()
    print(f"{len(sweep.points)} points, {len(todo)} to run", file=sys.stderr)
    if todo and arguments.slurm:
        in_slurm(sweep, todo, arguments.sbatch)
    elif todo:
        locally(sweep, todo, max(1, arguments.local))
    missing = sweep.collect()
    for number in missing:
        print(f"sweep.py: point {number} is missing: {shlex.join(sweep.line(number))}", file=sys.stderr)
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("sweep.py: interrupted; the points that are there stay", file=sys.stderr)
        sys.exit(130)
