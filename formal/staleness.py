"""When what was proved of a task is stale: when something has changed of what its provers read.

A row of formal/status.csv has a hash of that: the .sby files, the tools, and the sources without what no prover sees, such as
comments. formal/designs.csv has, for each task as it was proved, also the hash of the circuits that its sources made (design.py). An
edit that leaves all circuits as they were leaves the proof: `run.py --same` makes the circuits anew, which is quick, compares, and
writes down of which sources it is true as well.
"""
import csv
import hashlib
import json
import os

import declarations
import design
import jobs
import lock
import rows as by_hand
import script
import sources

PATH = "formal/designs.csv"
# `inputs`: of the sources that were proved; `design`: of their circuits; `same`: of later sources that make the same ones, if any;
# `rows`: of the rows of formal/status.csv (rows.py).
COLUMNS = ("task", "inputs", "design", "same", "rows")


def short(content):
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


def calls(task):
    """All that provers read of a task besides the sources: the .sby file of each job without its files and its time, and how it is run."""
    told = []
    for kind, what in script.kinds(task):
        sby = script.sby(task, kind, what, []).replace(f"\ntimeout {script.timeout(task)}\n", "\n", 1)
        told.append([kind, what["name"] if kind == "mutant" else what, sby])
    if "settles" in task:
        told.append(["settles", None, script.settled(task, []).replace(f"\ntimeout {script.timeout(task)}\n", "\n", 1)])
    with open(os.path.join(jobs.HERE, "yosys.py"), encoding="utf-8") as f:
        return [told, jobs.TOOLS, jobs.command("tools", "here", "pyosys"), f.read()]


def inputs_of(task):
    """A short hash of what provers read of a task: the sources, without comments, folders, and what nobody names of a package,
    and the calls. When it changes, what was proved is stale, unless the circuits are the same."""
    texts = {}
    for path in task["files"]:
        with open(path, encoding="utf-8") as f:
            texts[os.path.basename(path)] = sources.COMMENT.sub(" ", f.read())
    mutants = [[mutant["old"], mutant["new"]] for mutant in task["mutants"]]
    return short([calls(task), mutants, declarations.named(texts)])


def design_of(task, known=None):
    """A short hash of the circuits of a task, mutants too, and of the calls. `known`: {"" or the mutant's name: hash of its circuit}, of what has been
    elaborated from these sources already."""
    circuits = dict(known or {})
    for name, kind, what in [("", "prove", None)] + [(what["name"], "mutant", what) for what in task["mutants"]]:
        if name not in circuits:
            circuits[name] = design.elaborated(task, jobs.texts_of(kind, what, task["files"]))
    return short([calls(task), circuits])


def read(path=None):
    """{task: its row of formal/designs.csv}."""
    path = path or PATH
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8", newline="") as f:
        return {row["task"]: row for row in csv.DictReader(f)}


def write(rows, tasks):
    """Writes the rows of these tasks that are still there."""
    names = {task["name"] for task in tasks}
    with open(PATH, "w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for name, row in sorted(rows.items()) if name in names)


def is_fresh(proved, task, known):
    """Whether the rows of a task, whose `inputs` are the set `proved`, are true of today's sources, as far as `known`, formal/designs.csv, goes."""
    today, row = inputs_of(task), known.get(task["name"])
    return proved == {today} or row is not None and proved == {row["inputs"]} and row["same"] == today


def note(task, rows, tasks, circuits=None):
    """Writes down the circuits of a task that was proved just now (design_of), with its rows."""
    entry = {"task": task["name"], "inputs": inputs_of(task), "design": circuits or design_of(task), "same": "", "rows": by_hand.digest(rows)}
    write(read() | {task["name"]: entry}, tasks)


def renew(task, proved, tasks):
    """Whether today's sources make the circuits that were `proved` (the `inputs` of its rows, a set), which is then written down. No, if it is not
    known which these were."""
    row = read().get(task["name"])
    if row is None or {row["inputs"]} != proved or row["design"] != design_of(task):
        return False
    with lock.writing(PATH):   # not while circuits are made, which takes longest
        write(read() | {task["name"]: row | {"same": inputs_of(task)}}, tasks)
    return True


def say_anew(tasks, found, stale):
    """Gives the rows of fresh tasks, `found` {task: rows}, the sentences of today's sources."""
    known = read()
    for task in tasks:
        rows, row = found.get(task["name"], []), known.get(task["name"])
        # Rows that were changed by hand are not made good by this.
        if task["name"] not in stale and row is not None and row["rows"] == by_hand.digest(rows) and by_hand.say_anew(task, rows):
            row["rows"] = by_hand.digest(rows)
    write(known, tasks)
