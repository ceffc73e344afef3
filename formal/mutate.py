#!/usr/bin/env python3
"""How many mistakes the proofs of a module see: draws mutants of its circuit by Yosys `mutate`, which covers its cells evenly, sorts out by
SAT those that change nothing, and looks for a trace against each with the module's own proof. Writes formal/mutation.csv.

A row is a mutant: `caught` names the assertion that fails; `equal`: no input tells it from the module; `survives`: no trace within the
depth of the task; `unknown`: time ran out. Rows stay as long as module, property file and tools are those that they were made with (`inputs`),
so a run that was ended goes on where it was. Modules without registers only: SAT does not tell equal registers.

Usage: mutate.py [--number N] [--seconds S] [MODULE ..]
  --number   mutants of each module, 100
  --seconds  begins no mutant after so many, 600
"""
import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time

import jobs
import run
import score
import sources

SEED = 1
# Module: the task whose proof is asked, and the module's parameters in it.
MODULES = {"agg_slot_update": ("agg_slot_update-3", {"NumPorts": 2, "NumRanks": 3, "Devices": 0, "Uplink": 0, "Ecc": 0}),
           "relay_place": ("relay_place-3", {"Shift": 3})}
PREPARED = "proc; opt -full; memory_map; opt -full; clean"


def yosys(commands):
    """Output of yosys on `commands`; ends the program if it fails."""
    with tempfile.NamedTemporaryFile("w", suffix=".ys") as script, tempfile.NamedTemporaryFile("r", suffix=".log") as log:
        script.write("\n".join(commands) + "\n")
        script.flush()
        here = os.path.dirname(os.path.abspath(__file__))
        done = subprocess.run([sys.executable, f"{here}/yosys.py", "-l", log.name, script.name], stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f"mutate: yosys failed: {done.stderr[-400:]}")
        return log.read()


def read(module, files, parameters):
    """The commands that make the circuit of `module` alone, without assertions."""
    given = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    return [f"read_slang --top {module} {given} {' '.join(files)}", f"hierarchy -top {module}", "chformal -remove", PREPARED]


def draw(module, files, parameters, number):
    """`number` mutants: commands of yosys."""
    with tempfile.TemporaryDirectory() as place:
        yosys(read(module, files, parameters) + [f"mutate -list {number} -seed {SEED} -o {place}/list"])
        with open(f"{place}/list", encoding="utf-8") as f:
            return [line.strip() for line in f if line.startswith("mutate")]


def make(module, files, parameters, mutant):
    """The mutant as Verilog in place of the module, and whether no input tells it from the module: yes, no, or nobody knows (None)."""
    with tempfile.TemporaryDirectory() as place:
        log = yosys(read(module, files, parameters) + [
            f"copy {module} gold", mutant, f"select {module}", f"write_verilog -noattr -selected {place}/v.v", "select -clear",
            f"rename {module} gate",
            "miter -equiv -flatten -make_outputs gold gate miter", "sat -timeout 60 -prove trigger 0 miter"])
        with open(f"{place}/v.v", encoding="utf-8") as f:
            text = f.read()
    unused = ", ".join(f"parameter {name} = {value}" for name, value in parameters.items())
    text = re.sub(rf"module {module}\(", f"module {module} #({unused}) (", text, count=1)
    equal = True if "SUCCESS!" in log else False if "FAIL!" in log else None
    return text, equal


def ask(task, path, text, number):
    """What the proof says of the mutant: (verdict, the assertions that fail)."""
    with open(path, encoding="utf-8") as f:
        whole = f.read()
    what = {"name": f"drawn {number}", "sentence": "drawn", "file": path, "old": whole, "new": text}
    result = jobs.Job(task, "mutant", task["files"], what).run(True)
    if result["verdict"] == "fail":
        return "caught", " ".join(f["name"] for f in result["failed"])
    return {"pass": "survives", "timeout": "unknown"}.get(result["verdict"], "error"), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--number", type=int, default=100, help="mutants of each module")
    parser.add_argument("--seconds", type=float, default=600, help="begin no mutant after so many")
    parser.add_argument("module", nargs="*", help="one of " + ", ".join(sorted(MODULES)))
    options = parser.parse_args()
    began = time.monotonic()
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    tasks, known = {task["name"]: task for task in run.load()}, sources.units()
    for module in options.module or sorted(MODULES):
        if module not in MODULES:
            sys.exit(f"mutate: no module {module}: {', '.join(sorted(MODULES))}")
        name, parameters = MODULES[module]
        task, path = tasks[name], known[module]
        # Everything that its verdicts follow from.
        inputs = hashlib.sha256(jobs.Job(task, "prove", task["files"]).key.encode()).hexdigest()[:12]
        rows = [row for row in score.read_rows() if row["module"] != module or row["inputs"] == inputs]
        done = {row["mutant"] for row in rows if row["module"] == module}
        files = sources.cone(path, known)
        for number, mutant in enumerate(draw(module, files, parameters, options.number)):
            what = re.sub(r" -(src|wire|wirebit|module) \S+", "", mutant)
            if what in done or time.monotonic() - began > options.seconds:
                continue
            text, equal = make(module, files, parameters, mutant)
            verdict, by = ("equal", "") if equal else ask(task, path, text, number)
            source = re.search(r"-src (\S+)", mutant)
            rows.append({"module": module, "task": name, "number": number, "mutant": what, "source": source.group(1) if source else "",
                         "verdict": verdict, "by": by, "inputs": inputs})
            score.write_rows(sorted(rows, key=lambda row: (row["module"], int(row["number"]))))
            print(f"{module} {number}: {verdict} {by}", flush=True)
    for line in score.lines(score.read_rows()):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
