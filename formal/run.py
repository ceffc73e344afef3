#!/usr/bin/env python3
"""Runs the proofs that formal/*/*.toml list, and with each of them what shows that it could fail.

For every task: the proof; its covers (the interesting cases are reachable under the assumptions); each assumption left out
(something must fail then); each mutant (must be refuted). Prints `ok NAME` or `not ok NAME` for each. The tasks
that came out well get their rows in formal/status.csv and docs/proofs.md; the others keep those of their last good run, as stale.

Usage: run.py [--quick] [--fresh] [--only TEXT] [--stale] [--same] [--list] [--table]
  --quick   the tasks that are marked so, and no cached verdicts; writes no table
  --fresh   no cached verdicts
  --only    tasks whose name contains TEXT (or one of several, with commas)
  --stale   the tasks whose rows are of other sources than today's, cheapest first; --list only names them
  --same    proves nothing: stale tasks (of --only) whose sources still make the circuits that were proved are fresh again
  --table   runs nothing: writes docs/proofs.md anew from formal/status.csv, and marks what is stale
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import signal
import sys
import time
import tomllib

import jobs
import ledger
import lock
import score
import script
import sources
import staleness
import table

# The document is written anew so often in a long run.
DOCUMENT_SECONDS = 60


def files_of(task, known):
    """The files of a task; a module that is named in `stand_ins` is replaced by what stands in for it."""
    stand_ins = task.get("stand_ins", {})
    files = sources.cone(task["props"], known)
    for module in stand_ins:
        if known.get(module) not in files:
            sys.exit(f"formal: task {task['name']}: no module {module} to stand in for")
    files += [name for path in stand_ins.values() for name in sources.cone(path, known)]
    return sorted(set(files) - {known[module] for module in stand_ins})


def load():
    """The tasks, each with its files and its mutants."""
    known = sources.units()
    tasks = []
    for path in sorted(glob.glob("formal/**/*.toml", recursive=True)):
        with open(path, "rb") as f:
            listed = tomllib.load(f)
        names = [task["name"] for task in listed["task"]]
        for mutant in listed.get("mutant", []):
            if mutant["task"] not in names:
                sys.exit(f"{path}: mutant '{mutant['name']}' is of no task: {mutant['task']}")
        if not listed.get("mutant"):
            sys.exit(f"{path}: no mutant, so nothing shows that its proof can fail")
        for task in listed["task"]:
            task["props"] = path.removesuffix(".toml") + "_props.sv"
            task["files"] = files_of(task, known)
            task["mutants"] = [m for m in listed["mutant"] if m["task"] == task["name"]]
            if "bound" in task and not task.get("reason"):
                sys.exit(f"{path}: task {task['name']} is bounded and does not say why its bound is enough (`reason`)")
            tasks.append(task)
    if len({task["name"] for task in tasks}) != len(tasks):
        sys.exit("formal: two tasks of one name")
    for task in tasks:
        check_left(task, tasks)
    return tasks


def check_left(task, tasks):
    """What a task leaves to another one must be looked for there, assertions without bound."""
    names = script.left(task)
    if not names:
        return
    other = next((t for t in tasks if t["name"] == task["left"]["task"]), None)
    covers = all(name.rpartition(".")[2].startswith("c_") for name in names)
    if other is None or other["props"] != task["props"] or ("bound" in other and not covers):
        sys.exit(f"formal: task {task['name']} leaves something to {task['left']['task']}, which is no unbounded proof of the same file")
    for name in names:
        if name in script.left(other) + script.outside(other) + task.get("contracts", []) + other.get("contracts", []):
            sys.exit(f"formal: task {task['name']} leaves {name} to {other['name']}, which does not look for it either")


def jobs_of(task, proof_only=False):
    """What is run for a task."""
    if proof_only:
        return [jobs.Job(task, "prove", task["files"])]
    for kind, what in script.kinds(task):
        if kind == "drop" and what not in task.get("contracts", []) and what not in sources.labels(task["props"], "e_"):
            sys.exit(f"formal: {what} stands outside {task['props']}; assumptions stand in the property file itself")
    if not set(task.get("unneeded", [])) <= set(task.get("contracts", []) + sources.labels(task["props"], "e_")):
        sys.exit(f"formal: {task['name']}: what is unneeded is a contract or an assumption of the task")
    if set(script.outside(task)) & set(task.get("contracts", [])):
        sys.exit(f"formal: {task['name']}: what is outside is no contract")
    return [jobs.Job(task, kind, task["files"], what) for kind, what in script.kinds(task)]


def trouble(job, result):
    """Why a job's result is not what it should be, as lines of text; empty if it is."""
    task, verdict = job.task, result["verdict"]
    if verdict == "error":
        return result["errors"] + [f"did not run, see {result['log']}"]
    seen = table.asserted(task, result)
    if not seen:
        return ["no assertion in the elaborated design"]
    for label in sources.labels(task["props"], "a_") + sources.labels(task["props"], "e_"):
        if not any(c["name"].split(".")[-1] == label for c in result["cells"]):
            return [f"{label} of {task['props']} is not in the elaborated design"]
    for name in script.left(task):
        if not any(c["name"] == name for c in result["cells"]):
            return [f"{name}, which is left to {task['left']['task']}, is not in the elaborated design"]
    for name in script.outside(task):
        if not any(c["name"] == name for c in result["cells"]):
            return [f"{name}, which is outside, is not in the elaborated design"]
    for cell in result["cells"]:
        if not sources.sentence(job.text[cell["file"]], cell["line"]):
            return [f"{cell['file']}:{cell['line']}: {cell['name']} has no sentence above it"]
    if job.kind == "prove" and verdict != "pass":
        lines = [f"{verdict.upper()}, log: {result['log']}"]
        for f in result["failed"]:
            lines.append(f"{f['file']}:{f['line']}: {f['name']} fails {place(verdict, f)}: {sources.sentence(job.text[f['file']], f['line'])}")
        return lines + ([f"trace: gtkwave {result['trace']}"] if result["trace"] else [])
    if job.kind == "cover":
        covers = [c for c in result["cells"] if c["flavor"] == "cover" and c["name"] not in script.left(task)]
        lines = [f"{c['file']}:{c['line']}: {c['name']} is not reachable in {task['depth']} steps: "
                 f"{sources.sentence(job.text[c['file']], c['line'])}" for c in covers if c["name"] not in result["reached"]]
        for name, step in result["reached"].items():
            if step >= task.get("bound", step + 1):
                lines.append(f"{name} is reached in step {step} only, behind the bound of {task['bound']}: nothing was proved of it")
        return lines or ([] if covers else ["no cover in the elaborated design"])
    if job.kind == "drop" and verdict == "timeout":
        return [f"no trace without {job.what}, but time ran out: whether something needs it is not known"]
    if job.kind == "drop" and verdict != "fail":
        return [f"nothing fails in {task['depth']} steps without {job.what}: it is needless, or the search is too short"]
    if job.kind == "mutant" and verdict != "fail":
        return [f"survives ({verdict}): {job.what['sentence']}"]
    return []


def place(verdict, failure):
    """Where an assertion fails; without a base case that fails too, it does so in a state that may be unreachable."""
    return f"in step {failure['step']}" if verdict == "fail" else "in the induction only"


def describe(job, result):
    """What a good result says, in a few words."""
    if job.kind == "prove":
        bound = f"bounded {job.task['bound']}" if "bound" in job.task else "unbounded"
        return f"{len(table.asserted(job.task, result))} properties, {bound}"
    if job.kind == "cover":
        return ", ".join(f"{name} in step {step}" for name, step in sorted(result["reached"].items()))
    return "refuted by " + ", ".join(f"{f['name']} in step {f['step']}" for f in result["failed"])


def run_all(todo, use_cache, each=None):
    """Runs the jobs in their order, as many at once as there are processors, and says how each went. `each` is told of them one by one.
    Returns [(job, result, good)]."""
    done = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=int(os.environ.get("JOBS", os.cpu_count() or 1))) as pool:
        waiting = {pool.submit(job.run, use_cache): job for job in todo}
        for future in concurrent.futures.as_completed(waiting):
            job, result = waiting[future], future.result()
            lines = trouble(job, result)
            when = "cached" if result["cached"] else f"{result['seconds']} s"
            if lines:
                print(f"not ok formal {job.title()} ({when})\n  " + "\n  ".join(lines), flush=True)
            else:
                print(f"ok formal {job.title()} ({when}): {describe(job, result)}", flush=True)
            done.append((job, result, not lines))
            if each is not None:
                each(*done[-1])
    return done


def stop(_number, _frame):
    """Interrupted: nothing is to go on behind our back."""
    jobs.stop_all()
    os._exit(130)


def write_down(todo):
    """For run_all: writes a task's rows down as soon as its last job is done, so that a run can be ended and begun again. The document that is made of
    all rows, which takes seconds, follows once a minute and at the end."""
    inputs = {job.task["name"]: staleness.inputs_of(job.task) for job in todo}
    left = collections.Counter(job.task["name"] for job in todo)
    done = collections.defaultdict(list)
    written = time.monotonic()

    def each(job, result, good):
        nonlocal written
        name = job.task["name"]
        done[name].append((job, result, good))
        left[name] -= 1
        if left[name]:
            return
        # Tasks may have come and gone meanwhile.
        tasks = load()
        if inputs[name] != staleness.inputs_of(job.task):
            print(f"# {name} has changed while it was proved: its rows stay as they are", flush=True)
        elif all(good for _, _, good in done[name]):
            known = {(other.what or {"name": ""})["name"]: found["circuit"] for other, found, _ in done[name] if "circuit" in found}
            circuits = staleness.design_of(job.task, known)   # not while others wait
            with lock.writing(table.STATUS):
                table.write_status([(job, result) for job, result, _ in done[name]], tasks)
                staleness.note(job.task, table.by_task(table.read_status())[name], tasks, circuits)
        if not any(left.values()) or time.monotonic() > written + DOCUMENT_SECONDS:
            with lock.writing(table.STATUS):
                table.write_document(tasks)
            written = time.monotonic()
    return each


def renew(tasks, only_list):
    """Runs the tasks whose rows are stale, cheapest first."""
    seconds = table.stale_tasks(tasks)
    by_cost = sorted((t for t in tasks if t["name"] in seconds), key=lambda t: (seconds[t["name"]] == 0, seconds[t["name"]], t["name"]))
    for task in by_cost:
        took = seconds[task["name"]]
        print(f"stale: {task['name']}, " + (f"{took:.0f} s of solver time" if took else "never proved"))
    if only_list:
        with lock.writing(table.STATUS):
            table.write_document(tasks)
        print(f"{len(by_cost)} stale")
        return 0
    todo = [job for task in by_cost for job in jobs_of(task)]
    bad = sum(not good for _, _, good in run_all(todo, True, write_down(todo)))
    print(f"{bad} failed")
    return 1 if bad else 0


def same(tasks, asked=lambda task: True):
    """Looks which stale tasks of those that are `asked` for have the circuits still that were proved, and takes these for fresh again;
    gives fresh rows the sentences that their sources have by now."""
    stale, found = table.stale_tasks(tasks), table.by_task(table.read_status())
    kept = 0
    for task in tasks:
        if task["name"] in stale and asked(task):
            equal = staleness.renew(task, {row["inputs"] for row in found.get(task["name"], [])}, tasks)
            print(f"{task['name']}: " + ("the circuits that were proved" if equal else "stale"), flush=True)
            kept += equal
    with lock.writing(table.STATUS):
        found = table.by_task(table.read_status())
        staleness.say_anew(tasks, found, table.stale_tasks(tasks))
        table.write_rows([row for rows in found.values() for row in rows])
        table.write_document(tasks)
    print(f"{kept} fresh again, {len(stale) - kept} stale")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="the quick tasks only, and no cached verdicts")
    parser.add_argument("--fresh", action="store_true", help="no cached verdicts")
    parser.add_argument("--only", help="tasks whose name contains this, or one of several with commas")
    parser.add_argument("--prove", action="store_true", help="the proofs alone, without covers, left-out assumptions and mutants: for RTL "
                        "that is being changed; writes no table")
    parser.add_argument("--stale", action="store_true", help="the tasks whose rows are of other sources than today's, cheapest first")
    parser.add_argument("--same", action="store_true", help="proves nothing: of the stale tasks, those whose sources still make the circuits "
                        "that were proved are fresh again")
    parser.add_argument("--list", action="store_true", help="only name these, and mark them in docs/proofs.md")
    parser.add_argument("--table", action="store_true", help="only write docs/proofs.md anew")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    tasks = load()

    def asked(task):
        return not options.only or any(text in task["name"] for text in options.only.split(","))

    if options.table:
        with lock.writing(table.STATUS):
            table.write_document(tasks)
        return 0
    if options.same:
        return same(tasks, asked)
    if options.stale or options.list:
        return renew(tasks, options.list)
    chosen = [t for t in tasks if asked(t) and (not options.quick or t.get("quick", True))]
    # The long ones first: proofs before searches.
    todo = sorted((job for task in chosen for job in jobs_of(task, options.prove)),
                  key=lambda job: (job.kind != "prove", not job.task.get("slow", False)))
    done = run_all(todo, not (options.quick or options.fresh), None if options.quick or options.prove else write_down(todo))
    total, bad = len(done), sum(not good for _, _, good in done)
    if options.quick:
        # A row that says something else than what was seen just now would be believed.
        lines = table.differences([(job, result) for job, result, good in done if good], table.read_status())
        for line in lines:
            print(f"not ok formal row: {line}")
        bad += len(lines)
        total += len(lines)
    lines = ledger.Ledger(tasks).troubles(ledger.proved_of(table.read_status(), lambda row: False))
    for line in lines:
        print(f"not ok formal ledger: {line}")
    print("ok formal ledger" if not lines else f"# {len(lines)} in {ledger.PATH}")
    bad += len(lines)
    total += max(len(lines), 1)
    if options.quick and not options.only:
        lines = table.forged(tasks) + list(score.troubles(score.read_rows(), tasks))
        for line in lines:
            print(f"not ok formal rows: {line}")
        if not lines:
            print("ok formal rows")
        bad += len(lines)
        total += max(len(lines), 1)
        current, since = table.is_current(tasks)
        bad += not current
        print("ok formal table" if current else
              "not ok formal table: docs/proofs.md does not say what formal/status.csv does; `make formal-table` makes it anew")
        total += 1
        if since:
            print(f"# stale or fresh since docs/proofs.md was made (make fresh): {', '.join(since)}")
    print(f"{total - bad} passed, {bad} failed")
    return 1 if bad or not done else 0


if __name__ == "__main__":
    sys.exit(main())
