#!/usr/bin/env python3
"""How many mistakes the proofs and tests of a module see: draws mutants of its circuit by Yosys `mutate`, which covers its cells evenly, as the
module stands in a task's design, and asks of each, until one sees it: the task's proof (a trace within its depth), its covers (one is
no longer reached), its proof without bound, and the module's unit tests. Those that nobody sees may be equal: a miter of the design with and without
the mutant, under all that the task takes for granted, then has no trace at all. Writes formal/mutation.csv (score.py).

Rows stay as long as the design and the tools are those that they were made with (`inputs`), so a run that was ended goes on where it was.

Usage: mutate.py [--number N] [--seconds S] [--deep S] [--tests] [MODULE[:TASK] ..]
  --number   mutants of each module, 100
  --seconds  begins no mutant after so many, 600
  --deep     asks those that survive the proof without bound too, for at most so many seconds each
  --others   asks those that survive all other tasks that have the module in their design, for at most so many seconds each; without it,
             those of its own property file
  --tests    asks those that survive the module's unit tests, all in one build
TASK is one that has the module in its design; without it, it is the first one of the module's own property file.
"""
import argparse
import concurrent.futures
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import drawn  # noqa: E402
import jobs  # noqa: E402
import run  # noqa: E402
import score  # noqa: E402
import script  # noqa: E402
import sources  # noqa: E402
import staleness  # noqa: E402
import twin  # noqa: E402
import unit_mutants  # noqa: E402

# Seconds for a miter.
PATIENCE = 30


def first_failure(task, mutant, number, deep):
    """(verdict, how, by): `caught` by whom; `equal`; `survives`; or `unknown` if time ran out."""
    what = {"name": f"drawn {number}", "sentence": "drawn", "mutate": mutant}
    verdict = "survives"
    for kind in ["mutant", "twin", "cover"] + (["prove"] if deep else []):
        if kind == "twin":
            if twin.equal(task, mutant, PATIENCE):
                return "equal", "", ""
            continue
        result = jobs.Job(task, kind, task["files"], what).run(True)
        if result["verdict"] == "error":
            return "error", kind, (result["errors"] or [result["log"]])[0].replace(",", ";")
        if kind == "cover":
            missed = [c["name"] for c in result["cells"] if c["flavor"] == "cover" and c["name"] not in script.left(task) + list(result["reached"])]
            if result["verdict"] != "timeout" and missed:
                return "caught", "cover", " ".join(missed)
        elif result["verdict"] == "fail":
            return "caught", "proof", " ".join(f["name"] for f in result["failed"])
        elif kind == "prove" and result["verdict"] == "unknown":
            return "caught", "induction", " ".join(f["name"] for f in result["failed"])
        if result["verdict"] == "timeout":
            verdict = "unknown"
    return verdict, "", ""


class Elsewhere:
    """Other tasks that have the module in their design: a mutant that its own task does not see may be seen there."""

    def __init__(self, task, path, tasks, seconds):
        self.task, self.path, self.seconds = task, path, seconds
        beside = lambda other: other["props"] != task["props"]
        self.others = sorted((t for t in tasks if t["name"] != task["name"] and path in t["files"] and (seconds or not beside(t))), key=beside)
        self.designs = {}

    def design(self, task):
        if task["name"] not in self.designs:
            self.designs[task["name"]] = drawn.Design(script.drawing(task, task["files"]), self.path)
        return self.designs[task["name"]]

    def failure(self, mutant, number):
        """(how, by) of the first that sees it, or None."""
        for other in self.others:
            moved = self.design(other).moved(mutant, self.design(self.task))
            if moved:
                asked = other | {"search": "abc bmc3", "timeout": self.seconds or script.timeout(other)}
                result = jobs.Job(asked, "mutant", other["files"], {"name": f"drawn {number}", "sentence": "drawn", "mutate": moved}).run(True)
                if result["verdict"] == "fail":
                    return "proof", " ".join(f"{other['name']}:{f['name']}" for f in result["failed"])
        return None


def module_rows(module, own, task, tasks, path, options, began):
    """Asks mutants of a module, and writes a row of each as it comes. Returns the module's rows."""
    inputs = staleness.inputs_of(own)
    before = score.read_rows()
    rows = [row for row in before if row["module"] == module and row["inputs"] == inputs]
    why = {row["mutant"]: row["why"] for row in before if row["module"] == module}
    done = {row["mutant"] for row in rows}
    elsewhere = Elsewhere(task, path, tasks, options.others)

    def ask(number, mutant, source, wire):
        if mutant in done or time.monotonic() - began > options.seconds:
            return None
        verdict, how, by = first_failure(task, mutant, number, options.deep)
        seen = verdict in ("survives", "unknown") and elsewhere.failure(mutant, number)
        if seen:
            verdict, (how, by) = "caught", seen
        return {"module": module, "task": task["name"], "number": number, "mutant": mutant, "source": source, "wire": wire, "verdict": verdict,
                "how": how, "by": by, "why": why.get(mutant, "") if verdict in ("survives", "unknown") else "", "inputs": inputs}

    with concurrent.futures.ThreadPoolExecutor(max_workers=int(os.environ.get("JOBS", os.cpu_count() or 1))) as pool:
        waiting = [pool.submit(ask, number, *mutant) for number, mutant in enumerate(drawn.draw(task, path, options.number))]
        for future in concurrent.futures.as_completed(waiting):
            row = future.result()
            if row is not None:
                rows.append(row)
                score.replace(module, rows)
                print(f"{module} {row['number']}: {row['verdict']} {row['how']} {row['by']} {row['source']} {row['wire']}", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--number", type=int, default=100, help="mutants of each module")
    parser.add_argument("--seconds", type=float, default=600, help="begin no mutant after so many")
    parser.add_argument("--deep", type=int, default=0, help="seconds for the proof without bound of those that survive")
    parser.add_argument("--others", type=int, default=0, help="seconds for each other task that has the module")
    parser.add_argument("--tests", action="store_true", help="ask the unit tests about those that survive")
    parser.add_argument("module", nargs="+", help="MODULE or MODULE:TASK")
    options = parser.parse_args()
    began = time.monotonic()
    os.chdir(os.path.dirname(jobs.HERE))
    tasks, known = run.load(), sources.units()
    for word in options.module:
        module, _, name = word.partition(":")
        if module not in known:
            sys.exit(f"mutate: no module {module}")
        own = [task for task in tasks if task["name"] == name or not name and task["props"].endswith(f"/{module}_props.sv")]
        if not own or known[module] not in own[0]["files"]:
            sys.exit(f"mutate: no task {name or 'of ' + module} with {module} in its design")
        task = own[0] | {"timeout": options.deep or script.timeout(own[0]), "search": "abc bmc3"}
        rows = module_rows(module, own[0], task, tasks, known[module], options, began)
        if options.tests:
            score.replace(module, unit_mutants.ask(module, known[module], task, rows))
    print(score.line(score.read_rows()))
    for row in score.table_rows(score.read_rows(), ()):
        print("  ".join(row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
