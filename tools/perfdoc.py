#!/usr/bin/env python3
"""Puts measured figures into docs/figures/performance.csv and into the table of docs/figures/performance.md.

Usage: perfdoc.py FIGURES.csv..

The files have the columns name, value, unit, bound_by. Their rows become docs/figures/performance.csv, and the part of
docs/figures/performance.md between its two marks, with the machine, the day and the commit. All else in that page is written by hand.
"""
import csv
import datetime
import os
import pathlib
import re
import subprocess
import sys

CSV = pathlib.Path("docs/figures/performance.csv")
PAGE = pathlib.Path("docs/figures/performance.md")
COLUMNS = ["name", "value", "unit", "bound_by"]
BEGIN, END = "<!-- figures: make bench -->\n", "<!-- end of figures -->\n"


def read(paths):
    """Rows of all files, in their order; a name that comes twice is a mistake."""
    rows, seen = [], set()
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if reader.fieldnames != COLUMNS:
                sys.exit(f"perfdoc: {path}: columns are {reader.fieldnames}, not {COLUMNS}")
            for row in reader:
                if row["name"] in seen:
                    sys.exit(f"perfdoc: {path}: {row['name']} comes twice")
                seen.add(row["name"])
                rows.append(row)
    return rows


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def machine():
    """Processor, cores, day and commit, in a line."""
    cpu = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    commit = said("git", "rev-parse", "--short", "HEAD")
    # The two files that this program writes do not count.
    changed = said("git", "status", "--porcelain", "--untracked-files=no", "--", ".", f":!{CSV}", f":!{PAGE}")
    today = datetime.date.today().isoformat()
    return (
        f"{today}, commit {commit}{' with changes' if changed else ''}. {cpu.group(1) if cpu else 'unknown processor'}, "
        f"{os.cpu_count()} cores. {said('clang++', '--version').splitlines()[0]}."
    )


def table(rows):
    lines = ["| figure | value | unit | what bounds it |", "|---|---|---|---|"]
    lines += [f"| `{r['name']}` | {r['value']} | {r['unit']} | {r['bound_by']} |" for r in rows]
    return "\n".join(lines)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    rows = read(sys.argv[1:])
    with CSV.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    page = PAGE.read_text(encoding="utf-8")
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        sys.exit(f"perfdoc: {PAGE}: the marks are not there once each")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\nTaken on {machine()}\n\n{table(rows)}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
