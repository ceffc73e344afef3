"""formal/mutation.csv: what proofs and tests say of mutants that mutation/mutate.py has drawn.

A row is a mutant of a module in the design of a task. `verdict`: `caught`, `how` by a proof (of the task, or of another one that is named), a cover
that is no longer reached, or a unit test, and which (`by`); `equal`, no output tells it from the module; `survives`, nobody sees it; `unknown`, time
ran out. `why` is written by hand: what one that survives changes. `inputs`: of the sources that were asked.
"""
import collections
import csv
import os

PATH = "formal/mutation.csv"
FIELDS = ("module", "task", "number", "mutant", "source", "wire", "verdict", "how", "by", "why", "inputs")
PROOFS = ("proof", "cover", "induction")


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
    """Writes the rows of a module in place of those that it has; another module may be asked meanwhile."""
    write_rows([row for row in read_rows() if row["module"] != module] + rows)


def counts(rows):
    """{module: Counter}: `drawn`, `equal`, `differ`, caught by `proofs` and by `all` together, `survives`, `unknown`."""
    found = collections.defaultdict(collections.Counter)
    for row in rows:
        count = found[row["module"]]
        count["drawn"] += 1
        count[row["verdict"]] += 1
        count["differ"] += row["verdict"] != "equal"
        count["proofs"] += row["verdict"] == "caught" and row["how"] in PROOFS
        count["all"] += row["verdict"] == "caught"
    return dict(sorted(found.items()))


def percent(count, what):
    return f"{100 * count[what] // max(count['differ'], 1)} %"


def line(rows):
    """All modules in a sentence."""
    total, found = collections.Counter(), counts(rows)
    for count in found.values():
        total.update(count)
    if not found:
        return "No mutant was drawn yet."
    enough = sum(100 * count["proofs"] >= 95 * count["differ"] for count in found.values())
    tests = (f", and together with unit tests {percent(total, 'all')} are seen" if any(row["how"] == "test" for row in rows) else
             "; unit tests were asked about none of the rest")
    return (f"Of {total['drawn']} mutants of {len(found)} modules that Yosys has drawn (`formal/mutation/mutate.py`), {total['equal']} change nothing; of the others "
            f"proofs see {percent(total, 'proofs')}{tests}. In {enough} of these modules proofs see 95 % and more. "
            f"[By module](proofs/mutants.md#the-score), with those that nobody sees; of no other module were any drawn.")


def table_rows(rows, stale):
    """A line of the table for each module. `stale`: modules whose sources have changed since."""
    for module, count in counts(rows).items():
        yield [f"{module}{' (of older sources)' if module in stale else ''}", str(count["drawn"]), str(count["equal"]), percent(count, "proofs"),
               percent(count, "all"), str(count["survives"]), str(count["unknown"])]


def survivors(rows):
    """What nobody sees: module, where, the change, and why."""
    for row in rows:
        if row["verdict"] in ("survives", "unknown"):
            word = row["mutant"].split()
            value = lambda option, word=word: word[word.index(option) + 1] if option in word else ""
            what = f"{value('-mode')} at {value('-port')}[{value('-portbit')}]" + (f" of {row['wire']}" if row["wire"].strip("[]") else "")
            yield [row["module"], row["source"].split("/")[-1].split("|")[0], what, row["why"] or ("time ran out" if row["verdict"] == "unknown" else "not looked at yet")]
