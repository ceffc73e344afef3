"""formal/mutation.csv: what proofs, tests and replays say of mutants that mutation/mutate.py has drawn.

A row is a mutant of a module in the design of a task, or of a unit test if no task has the module. `verdict`: `caught`, `how` by a `proof`, a `cover`
that is no longer reached, a proof without bound that comes to nothing (`induction`), a unit `test`, or the `replay` of a device (mutation/replay.py), and which
(`by`, TASK:PROPERTY, DEVICE:RUN); `equal`, no
output tells it from the module; `survives`, nobody sees it; `unknown`, nobody has seen it, and whether it is another circuit at all is not known, or
who could see it was not asked yet. `why` is written by hand: what one that survives changes. `inputs`: of the sources that were asked. `row`: a hash of all but `why`, so that a row that was
changed by hand shows.
"""
import collections
import csv
import hashlib
import json
import os

import declarations
import jobs
import lock
import script
import sources

PATH = "formal/mutation.csv"
FIELDS = ("module", "task", "number", "mutant", "source", "wire", "verdict", "how", "by", "why", "inputs", "row")
PROOFS = ("proof", "cover", "induction")
TESTS = ("test", "replay")
# Where slots are found, written, summed and given on, by the places of modules; registers and their commands are not on it.
STATE_PATH, BESIDE = "rtl/aggregate/", "rtl/aggregate/control/"


def drawn_in(tasks):
    """All that mutants may be drawn in: these tasks, unit tests, devices."""
    return [*tasks, *sources.tests(), *sources.apart().values()]


def name_of(task):
    """How a task, (test, module, parameters) or a sources.Apart is called in a row."""
    return task[0] if isinstance(task, tuple) else task["name"]


def inputs_of(task):
    """A short hash of what a module's mutants are drawn in and asked of: the sources, without comments and what nobody names of a package, and how
    they are read. Unlike staleness.inputs_of, mutants that were thought of by hand do not count."""
    if isinstance(task, tuple):
        files, read = sources.test_files(task[1]), list(task)
    else:
        files, read = task["files"], script.drawing(task, []) + script.changing(task, "mutant", {}, script.SEARCH) + [task["depth"]]
    texts = {}
    for path in files:
        with open(path, encoding="utf-8") as f:
            texts[os.path.basename(path)] = sources.COMMENT.sub(" ", f.read())
    return hashlib.sha256(json.dumps([read, jobs.TOOLS, declarations.named(texts)], sort_keys=True).encode()).hexdigest()[:12]


def digest(row):
    """A short hash of what a run has written into a row."""
    return hashlib.sha256(json.dumps([str(row[key]) for key in FIELDS if key not in ("why", "row")]).encode()).hexdigest()[:8]


def read_rows():
    """The rows, as dictionaries; none if nothing was drawn yet."""
    if not os.path.exists(PATH):
        return []
    with open(PATH, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def write_rows(rows):
    """Writes all rows anew, at once."""
    with open(PATH + ".new", "w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: (row["module"], int(row["number"]))))
    os.replace(PATH + ".new", PATH)


def replace(module, rows):
    """Writes the rows of a module in place of those that it has; another process may ask another module meanwhile. What was said by hand of one that
    nobody saw goes when somebody does."""
    said = lambda row: "" if row["verdict"] in ("caught", "equal") else row["why"]
    with lock.writing(PATH):
        write_rows([row for row in read_rows() if row["module"] != module] + [row | {"why": said(row), "row": digest(row)} for row in rows])


def counts(rows, quick):
    """{module: Counter}: `drawn`, `equal`, `differ`, caught by `quick` proofs, those of the tasks of these names, by `full` ones, by unit `tests` alone, by
    `replay`s of devices alone, by `proofs` of both kinds and by `all` together, and by `nobody`, of which some are `open`."""
    found = collections.defaultdict(collections.Counter)
    for row in rows:
        count = found[row["module"]]
        count["drawn"] += 1
        count["open"] += row["verdict"] == "unknown"
        if row["verdict"] != "caught":
            count["equal" if row["verdict"] == "equal" else "nobody"] += 1
        elif row["how"] not in PROOFS:
            count["replay" if row["how"] == "replay" else "tests"] += 1
        else:
            # A proof without bound is one of `make formal`, whatever the task.
            count["quick" if row["by"].split(":")[0] in quick and row["how"] != "induction" else "full"] += 1
    for count in found.values():
        count["differ"] = count["drawn"] - count["equal"]
        count["proofs"] = count["quick"] + count["full"]
        count["all"] = count["proofs"] + count["tests"] + count["replay"]
    return dict(sorted(found.items()))


def percent(count, what):
    return f"{100 * count[what] // max(count['differ'], 1)} %"


def line(rows, quick):
    """All modules in a sentence."""
    total, found = collections.Counter(), counts(rows, quick)
    for count in found.values():
        total.update(count)
    if not found:
        return "No mutant was drawn yet."
    reach = lambda what, share, among: sum(100 * found[module][what] >= share * found[module]["differ"] for module in among)
    known = sources.units()
    path = [module for module in found if known[module].startswith(STATE_PATH) and not known[module].startswith(BESIDE)]
    tests = (f"and together with unit tests and replays of devices {percent(total, 'all')} are seen" if total["tests"] + total["replay"] else
             "and unit tests and replays of devices were asked about none of the rest")
    return (f"Of {total['drawn']} mutants of {len(found)} modules that Yosys has drawn (`formal/mutation/mutate.py`), {total['equal']} change nothing that anybody "
            f"looks at; of the others quick proofs see {percent(total, 'quick')}, all proofs {percent(total, 'proofs')}, {tests}. In {reach('proofs', 95, path)} of the {len(path)} among them that are on the path of slots proofs see 95 % and more, in {reach('all', 98, found)} of all "
            f"all together 98 %; of {total['open']} it is not decided yet whether anybody could see them. "
            f"[By module](proofs/mutants.md#the-score), with those that nobody sees; of no other module were any drawn.")


def table_rows(rows, quick, stale):
    """A line of the table for each module. `stale`: modules whose sources have changed since."""
    for module, count in counts(rows, quick).items():
        yield [f"{module}{' (of older sources)' if module in stale else ''}"] + [
            str(count[what]) for what in ("drawn", "equal", "quick", "full", "tests", "replay")] + [
            percent(count, "proofs"), percent(count, "all"), str(count["nobody"]), str(count["open"])]


def survivors(rows):
    """What nobody sees: module, where, the change, and why. Those that are open only if somebody has looked at them."""
    for row in rows:
        if row["verdict"] == "survives" or (row["verdict"] == "unknown" and row["why"]):
            word = row["mutant"].split()
            value = lambda option, word=word: word[word.index(option) + 1] if option in word else ""
            what = f"{value('-mode')} at {value('-port')}[{value('-portbit')}]" + (f" of {row['wire']}" if row["wire"].strip("[]") else "")
            yield [row["module"], row["source"].split("/")[-1].split("|")[0], what, row["why"] or "not looked at yet"]


def of_today(rows, tasks):
    """What rows were drawn in, as it is today: {(task, inputs): task, (test, module, parameters) or sources.Apart}; a test may have several parameter sets."""
    asked = {row["task"] for row in rows}
    return {(name_of(task), inputs_of(task)): task for task in drawn_in(tasks) if name_of(task) in asked}


def stale_modules(rows, tasks):
    """Modules whose rows are of other sources than today's."""
    today = of_today(rows, tasks)
    return {row["module"] for row in rows if (row["task"], row["inputs"]) not in today}


def troubles(rows, tasks):
    """What is wrong with the rows, as sentences: what no run wrote, or what cannot be."""
    names, seen, stale = {task["name"] for task in tasks}, set(), stale_modules(rows, tasks)
    for row in rows:
        which = f"{row['module']} {row['number']}"
        if row["row"] != digest(row):
            yield f"{which} is not as the run wrote it"
        if which in seen:
            yield f"{which} stands there twice"
        seen.add(which)
        if row["verdict"] not in ("caught", "equal", "survives", "unknown") or (row["verdict"] == "caught") != (row["how"] in (*PROOFS, *TESTS)):
            yield f"{which} is {row['verdict']} by '{row['how']}', which there is not"
        if row["module"] not in stale and row["how"] in PROOFS and row["by"].split(":")[0] not in names:
            yield f"{which} is seen by {row['by']}, which there is not"
