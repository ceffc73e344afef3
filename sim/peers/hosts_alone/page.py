#!/usr/bin/env python3
"""Makes the table of docs/tree.md and docs/pictures/tree-peers.svg from docs/figures/tree-peers.csv, which run.py writes.

Usage: page.py, in the project's root
"""
import csv
import math
import pathlib
import subprocess
import sys

sys.path.insert(0, "tools")
from draw import lines as draw   # pylint: disable=wrong-import-position

CSV = pathlib.Path("docs/figures/tree-peers.csv")
PAGE = pathlib.Path("docs/tree.md")
PICTURE = pathlib.Path("docs/pictures/tree-peers.svg")
BEGIN, END = "<!-- peers: make tree-peers -->\n", "<!-- end of peers -->\n"
COLUMNS = ["who", "uplinks", "hosts", "bytes", "us", "commit"]
ALONE = {"doubling": "D", "rabenseifner": "R", "ring": "ring"}   # as the table names them
PACED = 1 << 20   # the vector whose factor is told by what a byte costs hosts
HOST_COST_US = 1.0   # what a costly host of a tree pays once: a message sent, one received
# Times as long as the streaming tree that the paper gives for hosts alone.
SHARP = {4096: "about 2", 1 << 20: "3.5 to 5"}


def write_rows(rows):
    """The file of all figures, with the commit they are of."""
    describe = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    commit = subprocess.run(describe, check=True, capture_output=True, text=True).stdout.strip()
    with CSV.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(row | {"commit": commit} for row in rows)


def read_rows():
    with CSV.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def size_name(size):
    """1024 is 1 KB."""
    for unit, name in ((1 << 20, "MB"), (1 << 10, "KB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def number(us):
    """Microseconds with three digits, or whole ones."""
    return f"{us:,.{max(0, 2 - math.floor(math.log10(us)))}f}"


def table(rows):
    """A row a size: the tree's better half, then hosts alone at their best, with both numbers of cables and both kinds of hosts."""
    us = {(row["who"], int(row["uplinks"]), row["hosts"], int(row["bytes"])): float(row["us"]) for row in rows}
    titles = ["vector", "tree"]
    for title in ("alone, 1 up", "alone, 16 up", "Rabenseifner, 16 up", "with costs, 16 up"):
        titles += [title, "factor"]
    lines = [f"| {' | '.join(titles)} | SHARP's |", "|---" * (len(titles) + 1) + "|"]
    for size in sorted({key[3] for key in us}):
        mine, which = min((us[who, 1, "free", size], who) for who in ("low latency", "streaming") if (who, 1, "free", size) in us)
        cells = [size_name(size), f"{number(mine)} {'L' if which == 'low latency' else 'S'}"]

        def best(uplinks, hosts, names):
            return min((us[who, uplinks, hosts, size], ALONE[who]) for who in names if (who, uplinks, hosts, size) in us)

        for uplinks, hosts, names in ((1, "free", ALONE), (16, "free", ALONE), (16, "free", ["rabenseifner"]), (16, "costly", ALONE)):
            took, name = best(uplinks, hosts, names)
            beside = mine + (HOST_COST_US if hosts == "costly" else 0)
            cells += [number(took) + (f" {name}" if len(names) > 1 else ""), f"{took / beside:.1f}"]
        lines.append(f"| {' | '.join(cells)} | {SHARP.get(size, '')} |".replace("|  |", "| |"))
    relay = [(int(row["bytes"]), float(row["us"])) for row in rows if row["who"] == "aggregators"]
    if relay:
        lines += ["", "| vector | " + " | ".join(size_name(size) for size, _ in relay) + " |", "|---|" + "---|" * len(relay),
                  "| aggregators, 8 racks of 8 | " + " | ".join(number(took) for _, took in relay) + " |"]
    paced = paces(us)
    if paced:
        lines += ["", *paced]
    return "\n".join(lines)


def paces(us):
    """The factor of Rabenseifner's algorithm by what a byte costs hosts, from nothing to the most."""
    found = {hosts: took for (who, uplinks, hosts, size), took in us.items() if who == "rabenseifner" and uplinks == 16 and size == PACED}
    if len(found) < 3:
        return []
    tree = us["streaming", 1, "free", PACED]
    named = {"free": "nothing", "costly": "10 GB/s"}
    order = ["free", *sorted(set(found) - {"free"}, key=lambda hosts: found[hosts])]
    heads = [named.get(hosts, f"{hosts} GB/s") for hosts in order]
    factors = [f"{found[hosts] / (tree + (HOST_COST_US if hosts != 'free' else 0)):.2f}" for hosts in order]
    return [f"| {size_name(PACED)}, adding and copying costs | {' | '.join(heads)} | SHARP's |", "|---" * (len(heads) + 2) + "|",
            f"| Rabenseifner, 16 up, times as long as the tree | {' | '.join(factors)} | 3.5 to 5 |"]


def lines_of(rows):
    """[(classes, name, [(bytes, us)])] of the picture."""
    wanted = [("green", "low-latency tree", "low latency", 1, "free"), ("blue", "streaming tree", "streaming", 1, "free"),
              ("blue dotted", "aggregators", "aggregators", 1, "free"),
              ("orange dotted", "recursive doubling", "doubling", 16, "free"), ("orange", "Rabenseifner", "rabenseifner", 16, "free"),
              ("orange dashed", "ring", "ring", 16, "free")]
    for classes, label, who, uplinks, hosts in wanted:
        points = sorted((int(row["bytes"]), float(row["us"])) for row in rows
                        if row["who"] == who and int(row["uplinks"]) == uplinks and row["hosts"] == hosts)
        if points:
            yield classes, label, points


def picture(rows):
    """Time over size."""
    sizes = sorted({int(row["bytes"]) for row in rows})
    lines = list(lines_of(rows))
    return draw.picture("All-reduce of 64 hosts: time by size of the vector",
                        "4 + 1 switches, cables of 100 Gb/s. Orange: hosts alone, 16 cables up from each leaf; hosts take no time.",
                        "Time of an all-reduce by size, with trees and without", "sim/peers/hosts_alone/page.py",
                        draw.Axis(sizes[0], sizes[-1], [(size, size_name(size)) for size in sizes if size not in (256, 8192)]),
                        draw.decades(1, max(us for _, _, points in lines for _, us in points), draw.microseconds), lines)


def section(rows):
    """What stands between the two marks."""
    return f"\nCommit {rows[0]['commit']}.\n\n{table(rows)}\n\n"


def write():
    """Table and picture anew."""
    rows, text = read_rows(), PAGE.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"page.py: {PAGE}: the marks are not there once each")
    before, rest = text.split(BEGIN)
    PAGE.write_text(before + BEGIN + section(rows) + END + rest.split(END)[1], encoding="utf-8")
    PICTURE.write_text(picture(rows), encoding="utf-8")


if __name__ == "__main__":
    write()
