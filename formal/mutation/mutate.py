#!/usr/bin/env python3
"""How many mistakes the proofs and tests of a module see: draws mutants of its circuit by Yosys `mutate`, which covers its cells evenly, as the
module stands in a task's design, and asks of each, until one sees it: the task's proof (a trace within its depth); unit tests that have the
module; other tasks that have it in their design; whether it is another circuit at all (twin.py), and then the proof for longer traces, the one without
bound, and the task's covers (one is no longer reached). In the time that is left, the proofs are asked about what tests have seen, too. A module
that no task has is drawn in its unit test; one that neither has is drawn in a device, and only replays of it are asked (replay.py). Writes
formal/mutation.csv (score.py).

All mutants of a module are in one circuit, with a switch (circuit.py), so most take a fraction of a second. Rows stay as long as
the design and the tools are those that they were made with (`inputs`); those that nobody saw are asked anew.

Usage: mutate.py [--number N] [--seconds S] [--limit S] [--patience S] [--others N] [--deep S] [--tests N] [--only-tests] [MODULE[:TASK] ..]
TASK is one that has the module in its design; without it, it is that of its rows, a quick one of its own property file, or the one with the fewest sources
of any. Without a module: all of the RTL that have no rows, or rows of older sources, those of the state path first.
"""
import argparse
import functools
import os
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import circuit  # noqa: E402
import drawn  # noqa: E402
import jobs  # noqa: E402
import run  # noqa: E402
import score  # noqa: E402
import script  # noqa: E402
import sources  # noqa: E402
import twin  # noqa: E402
import unit_mutants  # noqa: E402

# How far a module that no task has is looked at beside itself, in cycles.
DEPTH = 20
# So many mutants are compared with the module before a test is built for them.
FEW = 15
# So many cycles more are looked at for a mutant that is another circuit for sure.
LONGER = 4
# A proof that has seen nothing in so many times the seconds of a question is asked no further.
VAIN = 10
# A design of so many sources answers nothing in seconds.
MANY = 60
# What is asked first of what has no rows.
ORDER = ("rtl/aggregate/slot", "rtl/aggregate/store", "rtl/aggregate/emit", "rtl/aggregate/classify", "rtl/aggregate", "rtl/relay", "rtl/roce", "rtl/prim",
         "rtl/shell", "rtl/tree", "rtl/gather", "rtl/fabric", "rtl")


def spent():
    """Seconds of processor time so far, of this program and of all that it has waited for."""
    return unit_mutants.spent(resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


class Asked:
    """A module, its mutants, and what is known of them."""

    def __init__(self, module, path, task, options):
        """`task`: one that has the module, the (test, module, parameters) of a unit test, or a sources.Apart."""
        self.module, self.path, self.task, self.options = module, path, task, options
        self.of_test, self.began = isinstance(task, tuple), spent()
        self.end = self.began + options.limit
        self.lines = unit_mutants.lines_of(task)
        self.name, self.inputs = score.name_of(task), score.inputs_of(task)
        self.instances = task[1] if self.of_test else drawn.proved(task["props"])
        mutants = drawn.draw(self.lines, path, options.number, {} if self.of_test else self.instances)
        if not mutants:
            raise RuntimeError(f"{self.name} has no cells of {module}")
        before = {row["mutant"]: row for row in score.read_rows() if row["module"] == module}
        self.rows, self.broken = [], {}   # {number: task of which the proof comes to nothing with it}
        self.asked = set()   # (task, number of a row) that its proof was asked about
        self.late = {}   # {number of a row: the tests, with its mutant's name in them, that had not come to their end when they were asked first}
        self.proofs = {}   # {name of a task: its circuit, the number in it of each row's mutant, what asks its induction, or None}
        for number, (mutant, source, wire) in enumerate(mutants):
            old = before.get(mutant, {})
            row = {"module": module, "task": self.name, "number": number, "mutant": mutant, "source": source, "wire": wire, "verdict": "unknown",
                   "how": "", "by": "", "why": old.get("why", ""), "inputs": self.inputs}
            kept = old and old["inputs"] == self.inputs and old["verdict"] in ("caught", "equal")
            self.rows.append(row | {key: old[key] for key in ("verdict", "how", "by")} if kept else row)

    def nobody(self):
        return [row for row in self.rows if row["verdict"] in ("survives", "unknown")]

    def unproved(self):
        """Those that no proof has seen; none when the module's time is over."""
        return [row for row in self.rows if row["verdict"] != "equal" and row["how"] not in score.PROOFS] if spent() < self.end else []

    def left(self):
        """Those that nobody has seen yet; none when the module's time is over."""
        return self.nobody() if spent() < self.end else []

    def ask(self, what, question, rows=None):
        """Asks about each that is left, or about `rows`: `question(position among them, row)` is (verdict, how, by), or None if nothing is known better."""
        for at, row in enumerate(self.left() if rows is None else rows):
            answer = question(at, row) if spent() < self.end else None
            if answer:
                row["verdict"], row["how"], row["by"] = answer
        score.replace(self.module, self.rows)
        print(f"{self.module}: {what}: {len(self.nobody())} of {len(self.rows)} left, "
              f"{spent() - self.began:.0f} s{'' if spent() < self.end else ', out of time'}", flush=True)

    def everybody(self, place):
        """Asks all, those who see most a second first."""
        mutants = lambda: [row["mutant"] for row in self.left()]
        same = lambda: self.same(mutants(), place) if self.left() else None
        tasks = [] if self.of_test or self.options.only_tests else [self.task] + self.others()
        if isinstance(self.task, sources.Apart):
            self.ask("drawn", lambda *_: None)
            if self.left():
                self.same(mutants(), place)
            return
        # Half of the time at most for what may be slow.
        for task in tasks[:1]:
            self.proof(task, self.left(), place, spent() + self.options.limit / 2)
        # A test takes long to build; what is left of a few is often the same circuit.
        few = tasks and len(self.left()) <= FEW
        if few:
            same()
        self.tests()
        if self.options.only_tests:
            self.to_the_end()
            return
        for task in tasks:
            self.proof(task, self.left(), place)
        if not few:
            same()
        self.to_the_end()
        self.longer()
        self.without_trace()
        if not self.of_test:
            if self.options.deep and "induction" not in self.task and self.left():
                deep = circuit.Circuit(circuit.proving(self.task, mutants()), f"{place}/deep")
                self.ask(f"{self.name} by PDR", lambda at, _: caught("induction", self.name, deep.ask(at, "pdr", self.options.deep)[0]))
            if self.left():
                self.covers(mutants(), place)
        for task in tasks:
            self.proof(task, [row for row in self.unproved() if row["how"]], place)

    def proving(self, task, place):
        """The circuit of a task's proof with the mutants that no proof has seen and that are there, as `proofs` has it."""
        if task["name"] not in self.proofs:
            moved = {row["number"]: row["mutant"] for row in self.unproved()}
            if task is not self.task:
                origin, here = drawn.Design(self.lines, self.path), drawn.Design(script.drawing(task, task["files"]), self.path)
                moved = {number: here.moved(mutant, origin) for number, mutant in moved.items()}
            there = [number for number, mutant in moved.items() if mutant]
            made, step = None, None
            if there:
                made = circuit.Circuit(circuit.proving(task, [moved[number] for number in there]), f"{place}/{task['name']}")
                if not made.possible():
                    raise RuntimeError(f"{task['name']} takes for granted what cannot be from registers at zero")
                if made.weigh(task["depth"], self.options.patience):
                    raise RuntimeError(f"{task['name']} fails without a mutant")
                # A step more, because registers that are alike may begin apart in it.
                step = f"lcorr; orpos; ind -F {task.get('induction', 0) + 1}"
                if not self.options.deep or "induction" not in task or "equivalent" not in made.ask(-1, step, 5 * self.options.deep)[1]:
                    step = None
            self.proofs[task["name"]] = made, {number: at for at, number in enumerate(there)}, step
        return self.proofs[task["name"]]

    def proof(self, task, rows, place, until=float("inf")):
        """Asks the assertions of a task about mutants, until so much time is spent: whether there is a trace within its depth. Where the proof is an
        induction, also whether it is none any more with those that have no trace."""
        rows = [row for row in rows if (task["name"], row["number"]) not in self.asked]
        if not rows:
            return
        made, numbers, step = self.proving(task, place)
        vain, seen = spent() + VAIN * self.options.patience, False

        def question(_, row):
            nonlocal seen
            if row["number"] not in numbers or spent() > (until if seen else min(vain, until)):
                return None
            self.asked.add((task["name"], row["number"]))
            number = numbers[row["number"]]
            found = caught("proof", task["name"], made.fails(number, task["depth"], self.options.patience))
            if not found and step and not row["how"] and "UNDECIDED" in made.ask(number, step, self.options.deep)[1]:
                self.broken[row["number"]] = task["name"]
            seen = seen or found
            return found
        self.ask(task["name"], question, rows)

    def same(self, mutants, place):
        """Whether what is left is another circuit at all: of a task's design, or the module itself, whatever is around it and in it."""
        numbers = range(len(mutants))
        if self.of_test:
            lines = unit_mutants.reading(*self.task[1:3], alone=self.module)
            origin, here = drawn.Design(self.lines, self.path), drawn.Design(lines, self.path)
            moved = [here.moved(mutant, origin) for mutant in mutants]
            there = [mutant for mutant in moved if mutant]
            if not there:
                return
            numbers = [there.index(mutant) if mutant else None for mutant in moved]
            lines = twin.alone(lines, self.task[1], there)
        else:
            lines = twin.commands(self.task, mutants)
        both = twin.Twin(self.instances, lines, f"{place}/twin", DEPTH if self.of_test else self.task["depth"])
        if both.verdict(-1, self.options.patience) == "differs":
            raise RuntimeError(f"{self.name} differs from itself")
        # Of what is drawn in a device nobody was asked yet.
        verdicts = {"equal": "equal", "unknown": "unknown", "differs": "unknown" if isinstance(self.task, sources.Apart) else "survives"}
        self.ask("the same circuit", lambda at, _: (verdicts[both.verdict(numbers[at], self.options.patience)], "", "") if numbers[at] is not None else None)

    def longer(self):
        """Asks the task's proof for longer traces, and for longer, about those that are another circuit: outputs may differ before a property tells."""
        made, numbers, _ = self.proofs.get(self.name, (None, {}, None))
        rows = [row for row in self.left() if row["verdict"] == "survives" and row["number"] in numbers]
        if rows:
            depth, seconds = self.task["depth"] + LONGER, 5 * self.options.patience
            self.ask(f"{self.name} for longer", lambda _, row: caught("proof", self.name, made.fails(numbers[row["number"]], depth, seconds)), rows)

    def without_trace(self):
        """Those with which an induction is none any more: a state that all properties allow shows them, and the run is red. That it may be too far
        from reset for any trace, as the high bits of a counter are, does not matter; that it is the same circuit in all that can be reached, does."""
        if self.broken:
            self.ask("induction", lambda _, row: caught("induction", self.broken[row["number"]], ["step"]) if row["number"] in self.broken else None)

    def covers(self, mutants, place):
        cover = circuit.Circuit(circuit.covering(self.task, mutants, place), f"{place}/cover")
        search = f"bmc3 -a -F {self.task['depth']}"
        reached = set(cover.ask(-1, search, 5 * self.options.patience)[0])

        def question(at, _):
            found, told = cover.ask(at, search, self.options.patience)
            return None if told == circuit.LATE else caught("cover", self.name, sorted(reached - set(found)))
        self.ask("covers", question)

    def others(self):
        """Other tasks, those of the same property file first, then those with the fewest sources."""
        more = [task for task in self.options.all if task["name"] != self.name and self.path in task["files"]]
        return sorted(more, key=lambda task: (task["props"] != self.task["props"], len(task["files"])))[:self.options.others]

    def tests(self):
        if not self.options.tests or not self.left():
            return
        origin = None if self.of_test else drawn.Design(self.lines, self.path)
        # The one that it is drawn in first.
        for test in sorted(sources.tests_of(self.path), key=lambda test: test != self.task)[:self.options.tests]:
            left = self.left()
            if left:
                # A test that several modules are drawn in is built once for all of them.
                if test == self.task:
                    began = spent()
                    built, key = self.options.builds(test), "mutant"
                    self.end += spent() - began   # not the time of the one of them that comes first
                else:
                    mutants = {row["number"]: row["mutant"] for row in left}
                    built, key = unit_mutants.Test(test, unit_mutants.moved(test, mutants, self.path, origin or drawn.Design(self.lines, self.path))), "number"

                def question(_, row, name=test[0], built=built, key=key):
                    seen = built.sees_soon(row[key])
                    if seen is None:
                        self.late.setdefault(row["number"], []).append((name, built, row[key]))
                    return ("caught", "test", name) if seen else None
                self.ask(test[0], question)

    def to_the_end(self):
        """Lets tests come to their end that had not done so when they were asked first: a mutant that none sees soon costs the time of all of a test."""
        if any(row["number"] in self.late for row in self.left()):
            sees = lambda row: next((name for name, built, key in self.late.get(row["number"], []) if built.sees(key)), None)
            self.ask("tests to their end", lambda _, row: ("caught", "test", seen) if (seen := sees(row)) else None)


def builder(modules, number):
    """What builds a unit test, once, for `number` mutants of each of those modules, [(module, path, task)], that are drawn in it."""
    @functools.cache
    def build(test):
        lines = unit_mutants.reading(*test[1:])
        mutants = [mutant for _, path, task in modules if task == test for mutant, _, _ in drawn.draw(lines, path, number, {})]
        return unit_mutants.Test(test, {mutant: mutant for mutant in mutants})
    return build


def caught(how, task, names):
    """The verdict if one of the properties of a task, `names`, has seen it; otherwise None."""
    return ("caught", how, f"{task}:{names[0]}") if names else None


def chosen(word, tasks, known):
    """(module, where it stands, task) of a word of the command line."""
    module, _, name = word.partition(":")
    if module not in known:
        raise RuntimeError(f"no module {module}")
    there = {score.name_of(task) for task in score.drawn_in(tasks)}
    name = name or next((row["task"] for row in score.read_rows() if row["module"] == module and row["task"] in there), "")
    having = [task for task in tasks if known[module] in task["files"] and task["name"] == (name or task["name"])]
    having.sort(key=lambda task: (not task["props"].endswith(f"/{module}_props.sv"), not task.get("quick", True), len(task["files"])))
    small = [task for task in having if name or len(task["files"]) < MANY]
    tests = [test for test in sources.tests_of(known[module]) if test[0] == (name or test[0])]
    device = sources.apart().get(module)
    devices = [device] if device and name in ("", device.name) else []
    if not small + tests + devices:
        raise RuntimeError(f"no task, test or device {name or 'at all'} has {module}")
    return module, known[module], (small + tests + devices)[0]


def due(tasks, known):
    """Modules of the RTL that have no rows, or rows of older sources."""
    rows = score.read_rows()
    fresh = {row["module"] for row in rows} - score.stale_modules(rows, tasks)
    place = lambda module: next(at for at, folder in enumerate(ORDER) if known[module].startswith(folder + "/"))
    found = [module for module, path in known.items() if path.startswith("rtl/") and not module.endswith("_pkg") and module not in fresh]
    return sorted(found, key=lambda module: (place(module), len(sources.cone(known[module], known)), module))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--number", type=int, default=100, help="mutants of each module")
    parser.add_argument("--seconds", type=float, default=3600, help="begin no module after so many")
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds of processor time for a module; what was not asked by then is unknown")
    parser.add_argument("--patience", type=int, default=2, help="seconds of processor time for a question about a mutant")
    parser.add_argument("--others", type=int, default=0, help="how many other tasks are asked")
    parser.add_argument("--deep", type=int, default=0, help="seconds for the proof without bound of those that are left")
    parser.add_argument("--tests", type=int, default=0, help="how many unit tests are asked")
    parser.add_argument("--only-tests", action="store_true", help="ask no proof again")
    parser.add_argument("module", nargs="*", help="MODULE or MODULE:TASK; without one all that are due")
    options = parser.parse_args()
    began, bad = time.monotonic(), 0
    os.chdir(os.path.dirname(jobs.HERE))
    options.all = run.load()
    known, there = sources.units(), {}
    for word in options.module or due(options.all, known):
        try:
            there[word] = chosen(word, options.all, known)
        except RuntimeError as wrong:
            print(f"{word}: {wrong}", flush=True)
            bad += 1
    options.builds = builder(there.values(), options.number)
    for word, one in there.items():
        if time.monotonic() - began < options.seconds:
            at = time.monotonic()
            try:
                asked = Asked(*one, options)
                with tempfile.TemporaryDirectory() as place:
                    asked.everybody(place)
            except (RuntimeError, subprocess.CalledProcessError) as wrong:
                print(f"{word}: {wrong}", flush=True)
                bad += 1
                continue
            for row in asked.nobody():
                change = f"{row['mutant'].split()[2]} {row['mutant'].split(' -port ')[1]}"
                print(f"{row['module']} {row['number']}: {row['verdict']}: {change} {row['source']} {row['wire']}")
            print(f"{word}: {time.monotonic() - at:.0f} s", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
