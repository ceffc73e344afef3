"""What each assumption of a proof rests on, from formal/ledger.csv, and how strong a property is with all that it rests on.

A proof of a module takes things for granted: assumptions of its property file (`e_..`), contracts (assertions of the RTL about its
user), and modules that others stand in for. The ledger says of each which property shows it. `by` is a list, all of which are needed:

  same MODULE.PROPERTY     a property of formal/status.csv is the very expression that is taken for granted, of the same wires: handover.py compares them;
                           where RTL has the module with another neighbour, `why` says what of that
  proved MODULE.PROPERTY   a property of formal/status.csv shows it for the same cycle; that it does, people have read
  later MODULE.PROPERTY    so does one, with a register between: what it shows of a cycle, it shows of earlier ones alone
  sim MODULE.LABEL         an assertion of an RTL module, which every simulation checks
  argued                   by the words of `why` alone
  host                     a condition on those outside, which `why` names; no weakness of the proof
  choice                   what the property file chose to look at; no assumption about anybody
  reset                    how time begins

A contract without a row is an assertion that every simulation checks. `e_reset` is how time begins, and needs none.
"""
import csv
import glob
import os
import re
import sys

import handover
import sources

PATH = "formal/ledger.csv"
HOW = ("same", "proved", "later", "sim", "argued", "host", "choice", "reset")
# By a property of another proof.
SHOWN = ("same", "proved", "later")
WORDS = ("argued", "host", "choice", "reset")
# From weak to strong; a bounded property stands between the last two.
NOT_SHOWN, ARGUED, SIMULATED, BOUNDED, UNBOUNDED = range(5)
NAMES = {NOT_SHOWN: "**not shown**", ARGUED: "argued", SIMULATED: "simulated", UNBOUNDED: "unbounded"}
BEGINNING = "e_reset"


def module_of(task):
    return re.sub(r"_props$", "", os.path.splitext(os.path.basename(task["props"]))[0])


def owed_by(tasks):
    """{module: what its tasks take for granted}, by name."""
    owed = {}
    for task in tasks:
        mine = owed.setdefault(module_of(task), set())
        mine |= {label for label in sources.labels(task["props"], "e_") if label != BEGINNING}
        mine |= set(task.get("contracts", [])) | {f"stand_in:{module}" for module in task.get("stand_ins", {})}
    return owed


def rtl_labels():
    """{module: its assertions} of all RTL."""
    files = glob.glob("rtl/**/*.sv", recursive=True)
    return {os.path.splitext(os.path.basename(path))[0]: set(sources.labels(path, "a_")) for path in files}


class Ledger:
    """The rows, by (module, name): [(how, what, ..)], and why."""

    def __init__(self, tasks, path=PATH):
        self.owed, self.rows, self.why = owed_by(tasks), {}, {}
        # {module: the modules that its proofs elaborate}
        self.reads, self.tasks, self.compared = {}, {}, {}
        for task in tasks:
            self.tasks.setdefault(module_of(task), []).append(task)
            self.reads.setdefault(module_of(task), set()).update(os.path.splitext(os.path.basename(path))[0] for path in task["files"])
        with open(path, encoding="utf-8", newline="") as f:
            for row in csv.DictReader(f):
                key = (row["module"], row["name"])
                if key in self.rows:
                    sys.exit(f"{path}: two rows of {row['module']} {row['name']}")
                self.rows[key] = [tuple(part.split(None, 1)) for part in row["by"].split(";")]
                self.why[key] = row["why"]
        self.labels = rtl_labels()
        self.fill_in()

    def fill_in(self):
        """A contract without a row is what every simulation checks."""
        for module, names in self.owed.items():
            for name in names:
                label = name.rsplit(".", 1)[-1]
                if (module, name) in self.rows or name.startswith(("e_", "stand_in:")):
                    continue
                there = [m for m, labels in self.labels.items() if label in labels and m in self.reads[module]]
                instance = name.split(".")[-2].removeprefix("u_") if "." in name else ""
                mine = [m for m in there if m == module] or [m for m in there if m.endswith("_" + instance)] or there
                self.rows[(module, name)] = [("sim", f"{mine[0]}.{label}")] if mine else []
                self.why[(module, name)] = ""

    def troubles(self, proved):
        """What is wrong with the ledger, as sentences. `proved`: {MODULE.PROPERTY: strength}."""
        lines = []
        for module, names in sorted(self.owed.items()):
            lines += [f"{module} takes {name} for granted, and no row of {PATH} says who shows it"
                      for name in sorted(names) if not self.rows.get((module, name))]
        for (module, name), parts in sorted(self.rows.items()):
            lines += [f"{PATH}: {module} {name}: {line}" for line in self.row_troubles(module, name, parts, proved)]
        return lines + list(self.needless()) + self.circles()

    def needless(self):
        """What a task takes for granted and needs for nothing, that no other task of its file is run without and no proof shows, as sentences."""
        for module, tasks in sorted(self.tasks.items()):
            for task in tasks:
                for name in task.get("unneeded", []):
                    others = [other for other in tasks if name.startswith("e_") or name in other.get("contracts", [])]
                    if all(name in other.get("unneeded", []) for other in others) and any(how not in SHOWN for how, *_ in self.rows.get((module, name)) or [("none",)]):
                        yield f"{task['name']} takes {name} for granted, which changes nothing in any task of {task['props']}, and which no proof shows: it is `outside`"

    def row_troubles(self, module, name, parts, proved):
        if name not in self.owed.get(module, ()):
            yield "nothing of this name is taken for granted"
        for how, *what in parts:
            if how not in HOW or len(what) != (how in SHOWN + ("sim",)):
                yield f"'{' '.join([how, *what])}' is no way to show it: {', '.join(HOW)}"
            elif how in SHOWN and what[0] not in proved:
                yield f"{what[0]} is no proved property"
            elif how == "same" and (why := self.differs(module, name, what[0])):
                yield f"{what[0]} is something else: {why}"
            elif how == "same" and (others := self.elsewhere(module, name, what[0])):
                yield f"{what[0]} is of one user alone; `why` says nothing of {', '.join(others)}, where RTL has it too"
            elif how == "sim" and what[0].rsplit(".", 1)[-1] not in self.labels.get(what[0].split(".")[0], ()):
                yield f"{what[0]} is no assertion of the RTL"
            elif how in WORDS and not self.why[(module, name)]:
                yield f"'{how}' needs words in `why`"

    def differs(self, module, name, shown):
        """Why `shown`, MODULE.PROPERTY, is not what a module takes for granted; None if it is the very expression."""
        key = (module, name, shown)
        if key not in self.compared:
            self.compared[key] = handover.differs(self.tasks, module, name, *shown.split(".", 1))
        return self.compared[key]

    def elsewhere(self, module, name, shown):
        """Modules of the RTL that have what takes something for granted without who shows it, and of which `why` has no word."""
        key = (module, name, shown, "elsewhere")
        if key not in self.compared:
            paths = handover.elsewhere(self.tasks, module, name, *shown.split(".", 1))
            self.compared[key] = sorted(os.path.splitext(os.path.basename(path))[0] for path in paths)
        return [one for one in self.compared[key] if not re.search(rf"\b{one}\b", self.why[(module, name)])]

    def circles(self):
        """Modules that rest on each other in the same cycle, each as a sentence: such proofs would show nothing."""
        edges = {}
        for (module, _), parts in self.rows.items():
            edges.setdefault(module, set()).update(what[0].split(".")[0] for how, *what in parts if how in ("same", "proved") and what)
        found, done = [], set()

        def walk(module, way):
            if module in way:
                found.append("a circle without a register between: " + " rests on ".join(way[way.index(module):] + [module]))
            elif module not in done:
                for other in sorted(edges.get(module, ())):
                    walk(other, way + [module])
                done.add(module)
        for module in sorted(edges):
            walk(module, [])
        return found

    def strengths(self, proved):
        """{module: how strong what it takes for granted is}: (kind, bound), the weakest in its chain. Modules that rest on each other
        over registers are as strong as the weakest of them."""
        strong = {module: (UNBOUNDED, 0) for module in self.owed}
        while True:
            after = {module: min([self.of_part(part, proved, strong) for name in names for part in self.rows.get((module, name)) or [("none",)]],
                                 default=(UNBOUNDED, 0)) for module, names in self.owed.items()}
            if after == strong:
                return strong
            strong = after

    @staticmethod
    def of_part(part, proved, strong):
        how, *what = part
        if how in SHOWN:
            return min(proved.get(what[0], (NOT_SHOWN, 0)), strong.get(what[0].split(".")[0], (UNBOUNDED, 0)))
        weaker = {"sim": (SIMULATED, 0), "argued": (ARGUED, 0), "none": (NOT_SHOWN, 0)}
        return weaker.get(how, (UNBOUNDED, 0))   # a condition or a choice


def of_row(row, is_stale):
    """How strong the property of a row of formal/status.csv is by itself."""
    if is_stale:
        return (NOT_SHOWN, 0)
    return (BOUNDED, int(row["bound"])) if row["kind"] == "bounded" else (UNBOUNDED, 0)


def proved_of(rows, stale):
    """{MODULE.PROPERTY: (kind, bound)} of the rows of formal/status.csv: the weakest of all choices of parameters that have it."""
    proved = {}
    for row in rows:
        if row["kind"] in ("unbounded", "bounded"):
            name = f"{row['module']}.{row['property']}"
            proved[name] = min(proved.get(name, (UNBOUNDED, 0)), of_row(row, stale(row)))
    return proved


def said(strength):
    kind, bound = strength
    return f"bounded {bound}" if kind == BOUNDED else NAMES[kind]


def written(part):
    """A part of `by`, for reading."""
    how, *what = part
    return {"same": "the same, ", "proved": "", "later": "later ", "sim": "in simulation "}[how] + f"`{what[0]}`" if what else how
