"""What was proved, as formal/status.csv and, for reading, as docs/proofs.md."""
import csv
import os
import re
import subprocess
import sys

import chain
import ledger
import rows as by_hand
import score
import script
import sources
import staleness

STATUS = "formal/status.csv"
# Heading of a table of rules, and where they stand.
RULES = {"Rules of the aggregator": "formal/rules.csv", "Rules of the gather devices": "formal/rules-gather.csv",
         "Rules of the shell": "formal/rules-shell.csv", "Rules of tree nodes": "formal/rules-tree.csv",
         "Rules of uplinks": "formal/rules-fabric.csv"}
DOCUMENT = "docs/proofs.md"
# Where the chain of each part of the theorem stands in formal/intro.md.
CHAIN = "(chain)"
# How the line with the stale tasks begins.
STALE = "Stale, because what they were proved of has changed since; make fresh proves them anew: "
COLUMNS = ["property", "module", "sentence", "kind", "bound", "engine", "seconds", "commit", "task", "note", "inputs"]
KINDS = {"prove": "property", "cover": "covered", "drop": "assumption", "mutant": "mutant"}


def commit_of(task):
    """The newest commit that changed what the proof stands on; with a + if the working tree is ahead of it."""
    commit = subprocess.check_output(["git", "log", "-1", "--format=%h", "--"] + task["files"], text=True).strip()
    changed = subprocess.check_output(["git", "status", "--porcelain", "--"] + task["files"], text=True).strip()
    return commit + ("+" if changed else "")


def asserted(task, result):
    """The assertions of a proof that say something: not constant, not taken for granted, not left to another task."""
    return [c for c in result["cells"]
            if c["flavor"] == "assert" and not c["constant"] and c["name"] not in task.get("contracts", []) + script.left(task)]


def rows_of(job, result):
    """The lines of the status table that a job fills."""
    task = job.task
    module = re.sub(r"_props$", "", os.path.splitext(os.path.basename(task["props"]))[0])
    row = {"module": module, "seconds": result["seconds"], "commit": commit_of(task), "task": task["name"],
           "inputs": staleness.inputs_of(task), "kind": KINDS[job.kind], "bound": "", "note": ""}
    cells = {cell["name"]: cell for cell in result["cells"]}
    said = lambda cell: sources.sentence(job.text[cell["file"]], cell["line"])
    if job.kind == "prove":
        kind = {"kind": "bounded", "bound": task["bound"], "note": task["reason"]} if "bound" in task else {"kind": "unbounded"}
        return [row | kind | {"property": c["name"], "sentence": said(c), "engine": task["engine"]} for c in asserted(task, result)]
    if job.kind == "cover":
        return [row | {"property": name, "sentence": said(cells[name]), "engine": script.SEARCH, "bound": step}
                for name, step in result["reached"].items()]
    failed = result["failed"][0] if result["failed"] else None
    row |= {"engine": task.get("search", script.SEARCH), "bound": failed["step"] if failed else "",
            "note": failed["name"] if failed else ""}
    if job.kind == "mutant":
        return [row | {"property": job.what["name"], "sentence": job.what["sentence"]}]
    return [row | {"property": job.what, "sentence": said(cells[job.what]),
                   "kind": "contract" if job.what in task.get("contracts", []) else "assumption"}]


def differences(done, committed):
    """How the rows that jobs fill differ from the committed ones of the same sources, as sentences: a property more or less, a
    bound, another way to be proved. What refutes a mutant is the solver's choice, and left out."""
    said = lambda row: (row["kind"], row["property"], str(row["bound"]) if row["kind"] == "bounded" else "")
    lines, known = [], staleness.read()
    for task in {job.task["name"]: job.task for job, _ in done}.values():
        old = [row for row in committed if row["task"] == task["name"]]
        if not old or not staleness.is_fresh({row["inputs"] for row in old}, task, known):
            continue
        now = {said(row) for job, result in done if job.task is task for row in rows_of(job, result)}
        for kind, name, bound in sorted(now ^ set(map(said, old))):
            lines.append(f"{task['name']}: {name} ({kind} {bound}".rstrip() + ") is " +
                         ("not in formal/status.csv" if (kind, name, bound) in now else "in formal/status.csv only"))
    return lines


def write_status(done, tasks):
    """formal/status.csv, in an order that does not depend on who was quicker. Tasks of which nothing is in `done` keep their old
    rows, which are stale by themselves if something has changed; rows of tasks that are no more go."""
    renewed = {job.task["name"] for job, _ in done}
    kept = {task["name"] for task in tasks} - renewed
    rows = [row for row in read_status() if row["task"] in kept]
    rows += [row for job, result in done for row in rows_of(job, result)]
    write_rows(rows)


def write_rows(rows):
    """Writes all rows anew."""
    with open(STATUS, "w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: (row["module"], row["task"], row["kind"], row["property"])))


def by_task(rows):
    """{task: its rows}."""
    found = {}
    for row in rows:
        found.setdefault(row["task"], []).append(row)
    return found


def forged(tasks):
    """What is wrong with rows that are not stale, as sentences."""
    found, known, stale = by_task(read_status()), staleness.read(), stale_tasks(tasks)
    return [f"{task['name']}: {line}" for task in tasks if task["name"] not in stale
            for line in by_hand.troubles(task, found[task["name"]], known.get(task["name"]))]


def cell(text):
    return str(text).replace("|", "\\|")


def lines_of(heads, rows):
    """A Markdown table."""
    text = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return text + ["| " + " | ".join(cell(value) for value in row) + " |" for row in rows] + [""]


def rule_rows(path, proved, kind, strong):
    """A line for each rule of a file: what it says, its source, how far its properties are proved, how strong that is with all that
    they rest on (`strong`, by module), and which they are."""
    kinds, weakest = {}, {}
    for row in proved:
        name = f"{row['module']}.{row['property']}"
        kinds.setdefault(name, set()).add(kind(row))
        weakest[name] = min(weakest.get(name, (ledger.UNBOUNDED, 0)), ledger.of_row(row, kind(row) == "**stale**"))
    with open(path, encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            if None in row:
                sys.exit(f"{path}: more columns than the head has; a rule with a comma stands in quotes: {row['rule']}")
            names = row["properties"].split()
            found = set().union(*(kinds.get(name, {"**not proved**"}) for name in names))
            rests = [min(weakest.get(name, (ledger.NOT_SHOWN, 0)), strong[name.split(".")[0]]) for name in names]
            yield [row["rule"], row["source"], "; ".join(sorted(found)), ledger.said(min(rests)), ", ".join(f"`{name}`" for name in names)]


def read_status():
    with open(STATUS, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def seconds_of(rows):
    """{task: seconds that provers took for its rows}. The properties of a task are one job, and so are its covers."""
    took = {}
    for row in rows:
        job = (row["kind"], "" if row["kind"] in ("unbounded", "bounded", "covered") else row["property"])
        took.setdefault(row["task"], {})[job] = float(row["seconds"])
    return {task: sum(jobs.values()) for task, jobs in took.items()}


def time_line(rows):
    """What proving all from nothing takes, and which tasks most of it."""
    took = seconds_of(rows)
    longest = sorted(took, key=lambda task: (-took[task], task))[:5]
    named = ", ".join(f"`{task}` {took[task] / 60:.0f}" for task in longest)
    return (f"Proving all from nothing took {sum(took.values()) / 60:.0f} minutes by the rows below, each as it was last run: of processor time; of those before 29 November "
            f"2026 by the clock, beside other work. The longest: {named}. `make formal` runs as many jobs at once as there are processors, and goes on where it was ended.")


def stale_tasks(tasks):
    """Names of the tasks that were proved of other circuits than today's, as far as is known, or never, and the seconds that their
    last run took."""
    rows = read_status()
    took, of, known = seconds_of(rows), {}, staleness.read()
    for row in rows:
        of.setdefault(row["task"], set()).add(row["inputs"])
    return {task["name"]: took.get(task["name"], 0) for task in tasks if not staleness.is_fresh(of.get(task["name"], set()), task, known)}


def left_rows(tasks, rows, stale):
    """A line for each thing that a task leaves to another one: what it is, and what that other one found."""
    for task in tasks:
        for name in script.left(task):
            other = task["left"]["task"]
            there = [row for row in rows if row["task"] == other and row["property"] == name]
            said = "**not shown**" if not there else "**stale**" if stale(there[0]) else there[0]["kind"]
            yield [task["name"], f"`{name}`", there[0]["sentence"] if there else "", f"`{other}`", said]


def ledger_lines(book, strong):
    """What every proof takes for granted and who shows it (formal/ledger.csv)."""
    text = ["## What proofs rest on", "", "Each assumption of a proof of a module, each contract, and each module that another one stands in for, with what "
            "shows it; formal/ledger.py says what the words mean, works out the weakest in each chain, and fails on what nobody shows and on proofs that rest "
            "on each other in the same cycle. `later` has a register between, so that proofs may rest on each other; `in simulation` is an assertion of the "
            "RTL that every run checks, and that is not proved there; `argued` is by words alone. Conditions on hosts and software (`host`) and what a "
            "property file chose to look at (`choice`) weaken nothing.", ""]
    text += lines_of(["proofs of", "with all they rest on", "take for granted", "shown by", "why"], [
        [module if name == names[0] else "", ledger.said(strong[module]) if name == names[0] else "", f"`{name}`",
         "; ".join(ledger.written(part) for part in book.rows.get((module, name), [])) or "**nobody**", book.why.get((module, name), "")]
        for module in sorted(book.owed) for names in [sorted(book.owed[module])] for name in names])
    return text


def by_kind(tasks, refuted):
    """How many mistakes of each kind are refuted; of mutants that are said to be of one."""
    kinds = {}
    for task in tasks:
        for mutant in task["mutants"]:
            if "kind" in mutant:
                kinds.setdefault(mutant["kind"], []).append((task["name"], mutant["name"]))
    there = {kind: [name for name in names if name in refuted] for kind, names in kinds.items()}
    text = [f"Of kinds that are not a rule of the protocol turned round, {sum(map(len, there.values()))} of {sum(map(len, kinds.values()))} are refuted:", ""]
    return text + lines_of(["kind", "refuted", "of"], [
        [kind, f"{len(there[kind])} of {len(kinds[kind])}", ", ".join(f"`{task}`" for task in sorted({task for task, _ in kinds[kind]}))] for kind in sorted(kinds)])


def document(tasks, old):
    """The text of docs/proofs.md. `old`: names of the tasks whose rows are stale."""
    rows = read_status()
    parameters = {task["name"]: ", ".join(task.get("parameters", [])) for task in tasks}
    stale = lambda row: row["task"] in old or row["task"] not in parameters
    fresh = [row for row in rows if not stale(row)]
    mark = lambda row: f"**stale**, of {row['commit']}"
    proved = [row for row in rows if row["kind"] in ("unbounded", "bounded")]
    count = lambda kind: sum(row["kind"] == kind for row in fresh)
    with open("formal/intro.md", encoding="utf-8") as f:
        intro = f.read().rstrip()
    drawn = score.read_rows()
    text = ["**The score.** " + score.line(drawn), ""]
    text += [f"{count('unbounded')} properties, counted for each choice of parameters, are proved without bound, {count('bounded')} up to a bound; "
             f"{count('covered')} covers are reached, {count('mutant')} mutants refuted; "
             f"{sum(map(stale, proved))} properties are stale.", "", time_line(rows), ""]
    if old:
        text += [STALE + ", ".join(f"`{name}`" for name in sorted(old)), ""]
    kind = lambda row: "**stale**" if stale(row) else f"bounded {row['bound']}" if row["kind"] == "bounded" else row["kind"]
    book = ledger.Ledger(tasks)
    strong = book.strengths(ledger.proved_of(rows, stale))
    parts = lines_of(["the theorem says", "by the rule", "whose chain is", "as strong as its weakest link", "and these are the weakest"],
                     chain.rows(book, RULES.values(), ledger.proved_of(rows, stale)))
    text = [intro.replace(CHAIN, "\n".join(parts).rstrip()), ""] + text
    for heading, path in RULES.items():
        text += [f"## {heading}", "", "What a user relies on, and which properties below say it. A rule is as good as the weakest of them, and, with all that "
                 "these take for granted, as good as the weakest in the [ledger](#what-proofs-rest-on).", ""]
        text += lines_of(["rule", "from", "kind", "with all it rests on", "properties"], rule_rows(path, proved, kind, strong))
    text += ledger_lines(book, strong)
    text += ["## Properties", ""]
    for module in sorted({row["module"] for row in proved}):
        text += [f"### {module}", ""]
        mine = [row for row in proved if row["module"] == module]
        for reason in sorted({row["note"] for row in mine if row["note"]}):
            text += [f"Why the bound is enough: {reason}", ""]
        # The same property with several parameters is one line.
        lines = {}
        for row in mine:
            key = (f"`{row['property']}`", row["sentence"], kind(row), row["engine"], row["commit"])
            lines.setdefault(key, []).append(row)
        text += lines_of(["property", "what it says", "with", "kind", "engine", "s", "commit"], [
            [*key[:2], "; ".join(parameters.get(row["task"], "") for row in same), *key[2:4],
             "; ".join(row["seconds"] for row in same), key[4]] for key, same in lines.items()])
    text += ["## Covers", "", "Cases that the assumptions leave reachable, and in which step the shortest trace to them ends.", ""]
    text += lines_of(["task", "cover", "what is reached", "step"], [
        [row["task"], f"`{row['property']}`", row["sentence"], mark(row) if stale(row) else row["bound"]]
        for row in rows if row["kind"] == "covered"])
    text += ["## Assumptions", "", "What is taken for granted, and which property fails, in which step, when it is left out. A "
             "contract is an assertion of the RTL about its user: assumed here, proved where the user is.", ""]
    text += lines_of(["task", "assumption", "what it says", "left out"], [
        [row["task"], f"`{row['property']}`" + (" (contract)" if row["kind"] == "contract" else ""), row["sentence"],
         mark(row) if stale(row) else f"`{row['note']}` fails in step {row['bound']}" if row["note"] else
         "nothing proved here needs it"] for row in rows if row["kind"] in ("assumption", "contract")])
    left = list(left_rows(tasks, rows, stale))
    if left:
        text += ["## Left to another size", "", "What is not looked for with some parameters, because it would take too long; another task shows it with others.", ""]
        text += lines_of(["task", "what", "what it says", "shown by", "there it is"], left)
    text += ["## Mutants", "", "Mistakes made on purpose in a copy, and which property refutes them.", ""]
    text += lines_of(["task", "mutant", "what it would be", "refuted by", "step"], [
        [row["task"], row["property"], row["sentence"], mark(row) if stale(row) else f"`{row['note']}`", row["bound"]]
        for row in rows if row["kind"] == "mutant"])
    text += by_kind(tasks, {(row["task"], row["property"]) for row in fresh if row["kind"] == "mutant"})
    if drawn:
        asked = {row["task"]: row["inputs"] for row in rows}
        text += ["## The score", "", "Mutants of a module's circuit, drawn evenly over its cells by Yosys; those that no output shows under what the proof takes for "
                 "granted are sorted out. Proofs are those of the module's tasks, with their covers; all is these and the module's unit tests.", ""]
        text += lines_of(["module", "drawn", "equal", "seen by proofs", "by all", "by nobody", "time ran out"], score.table_rows(
            drawn, {row["module"] for row in drawn if asked.get(row["task"]) != row["inputs"]}))
        text += ["What nobody sees:", ""] + lines_of(["module", "where", "what is changed", "why nobody sees it"], score.survivors(drawn))
    return "\n".join(text).rstrip() + "\n"


def is_current(tasks):
    """Whether docs/proofs.md says what formal/status.csv makes of it, apart from tasks that have become stale or fresh since; and these."""
    with open(DOCUMENT, encoding="utf-8") as f:
        text = f.read()
    said = next((line.removeprefix(STALE) for line in text.splitlines() if line.startswith(STALE)), "")
    old = {name for name in re.findall(r"`([^`]+)`", said)}
    return text == document(tasks, old), sorted(old ^ set(stale_tasks(tasks)))


def write_document(tasks):
    text = document(tasks, set(stale_tasks(tasks)))
    with open(DOCUMENT, "w", encoding="utf-8") as f:
        f.write(text)
