#!/usr/bin/env python3
"""The same all-reduce by several means on the same fabric: runs `weir fabric`, writes docs/figures/fabric-allreduce.csv, and the tables between the marks of
docs/figures/fabric-allreduce.md.

  tools/draw/fabric_allreduce.py --weir build/weir            measures all (about 15 minutes of processor time), and writes both
  tools/draw/fabric_allreduce.py --weir build/weir --missing  measures what the CSV lacks, also the largest points, which take minutes each; each row is written
                                                              when it is there, and a run that is stopped goes on with the next
  tools/draw/fabric_allreduce.py --tables                     writes the tables from the CSV"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import lines

ROOT = pathlib.Path(__file__).parents[2]
CSV = ROOT / "docs/figures/fabric-allreduce.csv"
PAGE = ROOT / "docs/figures/fabric-allreduce.md"
BEGIN, END = "<!-- tables: tools/draw/fabric_allreduce.py -->", "<!-- end of tables -->"

SIZES = {"1K": 1 << 10, "16K": 16 << 10, "256K": 256 << 10, "4M": 4 << 20, "64M": 64 << 20, "256M": 256 << 20}
# Name, what it is called, topology for 64 and for 1,024 hosts (None: the same as all), options.
RACKS = {64: "clos:16x4x16", 1024: "clos:32x32x32"}
MEANS = {
    "ring": ("ring", {}, "--load all-reduce"),
    "rabenseifner": ("Rabenseifner", {}, "--load rabenseifner"),
    "rack": ("NetReduce, one rack", {64: "clos:64x1x0", 1024: None}, "--load netreduce --message 170K"),
    "relay": ("NetReduce, relay", {}, "--load netreduce --message 170K"),
    "sharp": ("SHARP tree", {}, "--load nodes --window 128K"),
}
CONDITIONS = {
    "alone": ("alone, nothing lost", ""),
    "loss": ("a packet in 10,000 lost on each cable", "--loss 0.0001"),
    "beside": ("beside a permutation of 4 MB a host", "--background 4M"),
}
COLUMNS = ("hosts", "condition", "means", "size", "topology", "time_us", "gbps", "busiest_cable", "pauses", "state", "again", "timeouts", "command")


def points(large):
    """All that is measured, the small ones first; the largest ones, which take minutes each, only with `large`."""
    for hosts, racks in RACKS.items():
        for size, count in SIZES.items():
            for condition, (_, more) in CONDITIONS.items():
                if count * hosts > 64 << 30 and condition != "alone" and not large:
                    continue
                for means, (_, shapes, options) in MEANS.items():
                    shape = shapes.get(hosts, racks)
                    if shape:
                        yield hosts, condition, means, size, f"--topology {shape} {options} --size {size} --timeout 1000 {more}".strip()


def measure(weir, options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "summary.json"
        subprocess.run([weir, "fabric", *options.split(), "--json", path], check=True, stdout=subprocess.DEVNULL)
        return json.loads(path.read_text(encoding="utf-8"))


def place(row):
    """Of a row, or of a point: which it is."""
    return (int(row["hosts"]), row["condition"], row["means"], row["size"])


def write_rows(rows):
    order = [point[:4] for point in points(True)]
    with open(CSV, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: order.index(place(row))))


def measure_all(weir, missing):
    rows = read_rows() if missing else []
    there = {place(row) for row in rows}
    todo = [point for point in points(missing) if point[:4] not in there]
    for number, (hosts, condition, means, size, options) in enumerate(todo, 1):
        s = measure(weir, options)
        us = s["time_ps"] / 1e6
        rows.append({"hosts": hosts, "condition": condition, "means": means, "size": size, "topology": options.split()[1], "time_us": f"{us:.2f}",
                     "gbps": f"{SIZES[size] * 8 / us / 1e3:.2f}", "busiest_cable": s["busiest_cable"],
                     "pauses": sum(way["pauses"] for way in s["cables"].values()), "state": s["state"], "again": s["again"], "timeouts": s["timeouts"],
                     "command": f"weir fabric {options}"})
        print(f"{number} of {len(todo)}: {options}: {us:.1f} us", file=sys.stderr)
        if missing:
            write_rows(rows)
    write_rows(rows)


def read_rows():
    with open(CSV, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def short(number):
    """Bytes as people read them."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if number >= factor:
            return f"{number / factor:.3g} {unit}"
    return str(number)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def with_tables(page, rows):
    """The page with its tables made anew."""
    at = {(int(r["hosts"]), r["condition"], r["means"], r["size"]): r for r in rows}
    texts = []
    for hosts in RACKS:
        here = [means for means in MEANS if any((hosts, "alone", means, size) in at for size in SIZES)]
        for condition, (words, _) in CONDITIONS.items():
            body = []
            for size in SIZES:
                cells = [at.get((hosts, condition, means, size)) for means in here]
                if any(cells):
                    body.append([size, *(lines.microseconds(float(c["time_us"])) if c else "" for c in cells)])
            texts.append(f"**{hosts:,} hosts, {words}**: time until the last host has its result.\n\n" + table(["vector", *(MEANS[m][0] for m in here)], body))
        size = "64M"
        body = []
        for means in here:
            for condition, (words, _) in CONDITIONS.items():
                r = at.get((hosts, condition, means, size))
                if r:
                    body.append([f"{MEANS[means][0]}, {words}", r["gbps"], short(int(r["busiest_cable"])), f"{int(r['pauses']):,}", f"{int(r['again']):,}",
                                 f"{int(r['timeouts']):,}", short(int(r["state"])) if int(r["state"]) else "–"])
        texts.append(f"**{hosts:,} hosts, 64 MB**: what it costs the network.\n\n" +
                     table(["", "Gb/s of vector", "busiest cable", "pauses", "sent again", "timeouts", "held in a switch"], body))
    before, rest = page.split(BEGIN)
    return before + BEGIN + "\n\n" + "\n\n".join(texts) + "\n\n" + END + rest.split(END)[1]


COLOURS = {"ring": "orange dashed", "rabenseifner": "orange", "rack": "green dotted", "relay": "green", "sharp": "blue"}


def picture(hosts, rows):
    """Time over size, alone on the fabric."""
    rows = [r for r in rows if int(r["hosts"]) == hosts and r["condition"] == "alone"]
    drawn = [(COLOURS[means], name, [(SIZES[r["size"]], float(r["time_us"])) for r in rows if r["means"] == means]) for means, (name, _, _) in MEANS.items()]
    x = lines.Axis(min(SIZES.values()), max(SIZES.values()), [(size, name) for name, size in SIZES.items()])
    y = lines.decades(min(float(r["time_us"]) for r in rows), max(float(r["time_us"]) for r in rows), lines.microseconds)
    svg = lines.picture(f"All-reduce of {hosts:,} hosts on one fabric: time by size of the vector", "100 Gb/s, nothing lost, nothing beside it. Orange: hosts alone.",
                        f"Time of an all-reduce of {hosts} hosts by five means", "tools/draw/fabric_allreduce.py", x, y, [line for line in drawn if line[2]])
    (ROOT / f"docs/pictures/fabric-allreduce-{hosts}.svg").write_text(svg, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weir", help="the program; measures")
    parser.add_argument("--missing", action="store_true", help="only what the CSV lacks")
    parser.add_argument("--tables", action="store_true", help="only writes the tables")
    arguments = parser.parse_args()
    if arguments.weir:
        measure_all(arguments.weir, arguments.missing)
    elif not arguments.tables:
        parser.error("--weir or --tables")
    rows = read_rows()
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    for hosts in RACKS:
        picture(hosts, rows)


if __name__ == "__main__":
    main()
