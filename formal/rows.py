"""What the rows of formal/status.csv must say, as far as it follows from the tasks alone: a row that was written, changed or taken away by
hand shows without a proof. That somebody has made up all of a task only a proof can tell; the quick ones are run by every `make check`."""
import hashlib
import json
import os
import re

import script
import sources

LABEL = re.compile(r"^[ \t]*(\w+)\s*:\s*(?:assert|assume|cover)\b", re.M)


def within(task):
    """The sentences of what stands in a task's files, {label: those that it may have}."""
    found = {}
    for path in task["files"]:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for match in LABEL.finditer(text):
            # A label may stand on a line of its own.
            lines = {1 + text.count("\n", 0, at) for at in (match.start(1), match.end())}
            found.setdefault(match.group(1), set()).update(sources.sentence(text, line) for line in lines)
    return found


def digest(rows):
    """A short hash of the rows of a task as they were written down."""
    return hashlib.sha256(json.dumps([sorted((key, str(value)) for key, value in row.items()) for row in rows]).encode()).hexdigest()[:12]


def names(rows, *kinds):
    return [row["property"] for row in rows if row["kind"] in kinds]


def troubles(task, rows, written):
    """What is wrong with the fresh rows of a task, as sentences. `written`: its row of formal/designs.csv, or None."""
    lines = [f"{row['property']} stands there twice as {row['kind']}" for at, row in enumerate(rows)
             if (row["kind"], row["property"]) in [(other["kind"], other["property"]) for other in rows[:at]]]
    kind, bound = ("bounded", str(task["bound"])) if "bound" in task else ("unbounded", "")
    module = os.path.basename(task["props"]).removesuffix("_props.sv")
    proof = {"kind": kind, "bound": bound, "engine": task["engine"], "note": task["reason"] if "bound" in task else ""}
    search = {"engine": task.get("search", script.SEARCH)}
    must = {"unbounded": proof, "bounded": proof, "covered": {"engine": script.SEARCH, "note": ""}, "assumption": search, "contract": search, "mutant": search}
    labels = within(task)
    sentences = {mutant["name"]: {mutant["sentence"]} for mutant in task["mutants"]}
    for row in rows:
        if row["kind"] not in must:
            lines.append(f"{row['property']} is a {row['kind']}, which there is not")
            continue
        for key, value in (must[row["kind"]] | {"module": module}).items():
            if row[key] != value:
                lines.append(f"{row['property']} has '{row[key]}' as its {key}, and the task says '{value}'")
        said = sentences.get(row["property"]) if row["kind"] == "mutant" else labels.get(row["property"].rsplit(".", 1)[-1])
        if said is not None and row["sentence"] not in said:
            lines.append(f"{row['property']} says '{row['sentence']}', and its source says '{sorted(said)[0]}'")
        elif said is None:
            lines.append(f"{row['property']} is a {row['kind']} of nothing that stands in the sources")
    lines += [f"nothing fails without {row['property']} ({row['kind']}): what changes nothing is not taken for granted" for row in rows
              if row["kind"] in ("assumption", "contract") and not row["note"]]
    if written is None or written["rows"] != digest(rows):
        lines.append("the rows are not as the run wrote them")
    return lines + missing(task, rows)


def missing(task, rows):
    """Jobs of a task without a row, and rows without a job, as sentences."""
    left, contracts = script.left(task), task.get("contracts", [])
    dropped = [what for kind, what in script.kinds(task) if kind == "drop"]
    wanted = {"mutant": {mutant["name"] for mutant in task["mutants"]}, "contract": set(dropped) & set(contracts),
              "assumption": set(dropped) - set(contracts)}
    lines = []
    for kind, of_task in wanted.items():
        there = set(names(rows, kind))
        lines += [f"{name} ({kind}) has no row" for name in sorted(of_task - there)]
        lines += [f"{name} is no {kind} of the task" for name in sorted(there - of_task)]
    proved, found = names(rows, "unbounded", "bounded"), names(rows, "unbounded", "bounded", "covered")
    lines += [f"{name} is left to another task" for name in found if name in left]
    return lines + [f"{name} is taken for granted, not proved" for name in proved if name in contracts + script.outside(task)]


def say_anew(task, rows):
    """Gives rows of a task the sentences that their sources have by now; how many have changed."""
    labels, mutants, changed = within(task), {mutant["name"]: mutant["sentence"] for mutant in task["mutants"]}, 0
    for row in rows:
        said = {mutants[row["property"]]} if row["kind"] == "mutant" else labels[row["property"].rsplit(".", 1)[-1]]
        if row["sentence"] not in said and len(said) == 1:
            row["sentence"], = said
            changed += 1
    return changed
