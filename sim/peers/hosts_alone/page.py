#!/usr/bin/env python3
"""Makes the table of docs/tree.md and docs/pictures/tree-peers.svg from docs/tree-peers.csv, which run.py writes.

Usage: page.py, in the project's root
"""
import csv
import html
import math
import pathlib
import subprocess

CSV = pathlib.Path("docs/tree-peers.csv")
PAGE = pathlib.Path("docs/tree.md")
PICTURE = pathlib.Path("docs/pictures/tree-peers.svg")
BEGIN, END = "<!-- peers: make tree-peers -->\n", "<!-- end of peers -->\n"
COLUMNS = ["who", "uplinks", "hosts", "bytes", "us", "commit"]
ALONE = {"doubling": "D", "rabenseifner": "R", "ring": "ring"}   # as the table names them
HOST_COST_US = 1.0   # what a costly host of a tree pays once: a message sent, one received
# Times as long as the streaming tree that the paper gives for hosts alone.
SHARP = {4096: "about 2", 1 << 20: "3.5 to 5"}
STYLE = """
  :root { --ink: #1b2430; --dim: #5c6b7a; --paper: #ffffff; --grid: #dbe3eb; --tree: #0b6bcb; --low: #1a7f4b; --alone: #b4540a; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e8edf2; --dim: #9fb0c0; --paper: #10161d; --grid: #2a3846; --tree: #6db3ff; --low: #5fd39a; --alone: #f0a35e; }
  }
  .paper { fill: var(--paper); } .grid { stroke: var(--grid); stroke-width: 1; }
  text { font: 12px system-ui, sans-serif; fill: var(--ink); paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
  .title { font-size: 14px; font-weight: 600; } .dim { fill: var(--dim); } .right { text-anchor: end; } .middle { text-anchor: middle; }
  polyline { fill: none; stroke-width: 2; } .tree { stroke: var(--tree); } .low { stroke: var(--low); } .alone { stroke: var(--alone); }
  .dashed { stroke-dasharray: 6 4; } .dotted { stroke-dasharray: 2 3; }
  text.tree { fill: var(--tree); } text.low { fill: var(--low); } text.alone { fill: var(--alone); }
  text.tree, text.low, text.alone { stroke: var(--paper); }
"""


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
    return "\n".join(lines)


def lines_of(rows):
    """[(class, label, [(bytes, us)])] of the picture."""
    wanted = [("low", "low-latency tree", "low latency", 1, "free"), ("tree", "streaming tree", "streaming", 1, "free"),
              ("tree dotted", "aggregators", "aggregators", 1, "free"),
              ("alone dotted", "recursive doubling", "doubling", 16, "free"), ("alone", "Rabenseifner", "rabenseifner", 16, "free"),
              ("alone dashed", "ring", "ring", 16, "free")]
    for kind, label, who, uplinks, hosts in wanted:
        points = sorted((int(row["bytes"]), float(row["us"])) for row in rows
                        if row["who"] == who and int(row["uplinks"]) == uplinks and row["hosts"] == hosts)
        if points:
            yield kind, label, points


def picture(rows):
    """Time over size, both logarithmic, from 1 µs; each line's name beside its end."""
    left, top, wide, high = 70, 60, 640, 380
    decades = math.ceil(math.log10(max(us for _, _, points in lines_of(rows) for _, us in points)))
    sizes = sorted({int(row["bytes"]) for row in rows})
    x = lambda size: left + wide * math.log(size / sizes[0]) / math.log(sizes[-1] / sizes[0])
    y = lambda us: top + high - high * math.log10(us) / decades
    parts = ['<text class="title" x="24" y="28">All-reduce of 64 hosts: time by size of the vector</text>',
             '<text class="dim" x="24" y="46">4 + 1 switches, cables of 100 Gb/s. Orange: hosts alone, 16 cables up from each leaf; '
             'hosts take no time.</text>']
    for power in range(decades + 1):
        label = {0: "1 µs", 3: "1 ms"}.get(power, f"{10 ** (power % 3)} {'µs' if power < 3 else 'ms'}")
        parts += [f'<line class="grid" x1="{left}" x2="{left + wide}" y1="{y(10 ** power):.1f}" y2="{y(10 ** power):.1f}"/>',
                  f'<text class="dim right" x="{left - 8}" y="{y(10 ** power) + 4:.1f}">{label}</text>']
    for size in (size for size in sizes if size not in (256, 8192)):
        parts += [f'<line class="grid" x1="{x(size):.1f}" x2="{x(size):.1f}" y1="{top}" y2="{top + high}"/>',
                  f'<text class="dim middle" x="{x(size):.1f}" y="{top + high + 18}">{size_name(size)}</text>']
    below = 0
    for kind, label, points in sorted(lines_of(rows), key=lambda line: -line[2][-1][1]):
        parts.append(f'<polyline class="{kind}" points="' + " ".join(f"{x(s):.1f},{y(t):.1f}" for s, t in points) + '"/>')
        (size, took), colour = points[-1], kind.split()[0]
        if size == sizes[-1]:
            below = max(below + 15, y(took) + 4)
            parts.append(f'<text class="{colour}" x="{x(size) + 8:.1f}" y="{below:.1f}">{html.escape(label)}</text>')
        else:
            parts.append(f'<text class="{colour} right" x="{x(size) - 10:.1f}" y="{y(took) + 4:.1f}">{html.escape(label)}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide + 150} {top + high + 36}" role="img" '
            'aria-label="Time of an all-reduce by size, with trees and without">\n<!-- generated by sim/peers/hosts_alone/page.py -->\n'
            f'<style>{STYLE}</style>\n<rect class="paper" width="{left + wide + 150}" height="{top + high + 36}" rx="8"/>\n'
            + "\n".join(parts) + "\n</svg>\n")


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
