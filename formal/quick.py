#!/usr/bin/env python3
"""Chooses the quick tasks, those that `make check` proves: which catch most mutants a second, drawn and by hand, as many as SECONDS hold.

Times are those of all jobs of a task, by formal/status.csv. Says what comes in and what goes out; with --write it also puts `quick = false` into the
files of tasks that are not chosen. Behind it `make must-run` counts the jobs anew.
"""
import argparse
import collections
import glob
import os
import re
import sys

import run
import score
import table

# Of processor time, and the fewest mutants a second that are worth it.
SECONDS, LEAST = 150, 1
ENTRY = re.compile(r"(?m)^(?=\[\[)")   # where an entry of a file begins
NOT_QUICK = "quick = false\n"


def chosen(tasks, took, caught, seconds=SECONDS):
    """Names of the quick ones. `took`: {name: seconds}, a task without them is none; `caught`: {name: drawn mutants that it is the one to see}."""
    worth = {task["name"]: (caught.get(task["name"], 0) + len(task["mutants"])) / max(took[task["name"]], 0.1)
             for task in tasks if task["name"] in took}
    names, left = set(), seconds
    for name in sorted(worth, key=lambda name: (-worth[name], name)):
        if worth[name] >= LEAST and took[name] <= left:
            names.add(name)
            left -= took[name]
    return names


def marked(text, names):
    """A task file's text, with `quick = false` for those of its tasks that are not in `names`, and for no other."""
    entries = []
    for entry in ENTRY.split(text):
        name = re.search(r'(?m)^name = "([^"]+)"$', entry)
        if entry.startswith("[[task]]") and name:
            if name[1] in names:
                entry = entry.replace(NOT_QUICK, "")
            elif NOT_QUICK not in entry:
                entry = re.sub(r"(?m)^(depth = .*\n)", r"\1" + NOT_QUICK, entry, count=1)
        entries.append(entry)
    return "".join(entries)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="mark the tasks' files; without it, only say what would change")
    options = parser.parse_args()
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    tasks, took = run.load(), table.seconds_of(table.read_status())
    caught = collections.Counter(row["by"].split(":")[0] for row in score.read_rows() if row["how"] in score.PROOFS)
    names, were = chosen(tasks, took, caught), {task["name"] for task in tasks if task.get("quick", True)}
    for word, some in (("in", names - were), ("out", were - names)):
        for name in sorted(some):
            print(f"{word:3} {name}: {took.get(name, 0):.0f} s, {caught[name]} drawn mutants")
    print(f"{len(names)} tasks, {sum(took[name] for name in names):.0f} s, {sum(caught[name] for name in names)} drawn mutants; "
          f"{len(were)} were chosen")
    if options.write:
        for path in sorted(glob.glob("formal/**/*.toml", recursive=True)):
            with open(path, encoding="utf-8") as f:
                text = f.read()
            if marked(text, names) != text:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(marked(text, names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
