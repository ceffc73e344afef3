"""formal/mutation.csv: what the proofs say of mutants that mutate.py has drawn."""
import collections
import csv
import os

PATH = "formal/mutation.csv"
FIELDS = ("module", "task", "number", "mutant", "source", "verdict", "by", "inputs")


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
        writer.writerows(rows)
    os.replace(PATH + ".new", PATH)


def lines(rows):
    """For each module a line: of the mutants that differ, how many are caught."""
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        counts[row["module"]][row["verdict"]] += 1
    for module, count in sorted(counts.items()):
        total = sum(count.values()) - count["equal"]
        yield (f"{module}: {count['caught']} of {total} caught, {count['survives']} survive, {count['unknown']} unknown, "
               f"{count['equal']} equal sorted out")
