#!/usr/bin/env python3
"""SHARP's published figures beside aggregation trees of `weir tree`: measures, writes docs/figures/tree-figures.csv, fills the tables of docs/figures/tree-figures.md
and draws its pictures. All times are simulated: they are the same on every machine.

  tools/draw/tree_figures.py BUILD       measures what has not been measured since BUILD/weir was built (the longest vector takes minutes), and writes all
  tools/draw/tree_figures.py BUILD PART  the same of one part alone, "half rings" or "border"; other rows stay
  tools/draw/tree_figures.py --tables    writes tables and pictures from the CSV"""
import csv
import json
import math
import pathlib
import re
import subprocess
import sys

import lines as draw

CSV, PAGE, PICTURES = (pathlib.Path("docs") / name for name in ("figures/tree-figures.csv", "figures/tree-figures.md", "pictures"))
COLUMNS = ["part", "what", "bytes", "us", "commit"]
KB, MB = 1 << 10, 1 << 20
SIZES = [4 << i for i in range(17)] + [1 * MB, 2 * MB, 4 * MB, 8 * MB, 16 * MB, 64 * MB, 256 * MB]
SHORT = 1 * KB   # the longest vector of a low-latency tree
SHAPES = {"lock": ("2", "4", "8", "16", "32", "4x16"),
          "one switch": ("2", "4", "8", "16", "32"),
          "a leaf": ("4x1", "4x2", "4x4", "4x8", "4x16"),
          "depth": ("32", "2x16", "2x2x8", "2x2x2x4", "2x2x2x2x2")}
# Hosts of the first half ring and of the second, of a node with so many ports: a model, and a device.
HALVES = {"model": (32, ("16/0", "14/2", "12/4", "10/6", "8/8")), "device": (8, ("4/0", "3/1", "2/2"))}
# Experiments on which tree is faster, and on the share of a ping-pong: other delays of streaming nodes, in nanoseconds.
SLOWER = (1000, 3000, 6500)
# A low-latency message of 1 KB so often, in microseconds: SHARP's low-latency trees have a 7.6th of 190 Gb/s (its section 4).
SHARP_SEGMENT = SHORT * 8 / (190e3 / 7.6)
# SHARP, of a ping-pong of the same size.
OF_PING_PONG = {64 * KB: "about 80 %", 2 * MB: "96 %"}
TREE = ("tree", "--mtu", 4096, "--rate", 100, "--cable", 450, "--node", 256)
STREAM = (*TREE, "--mode", "sat")


def summary(build, *arguments):
    """What a run says. One that is newer than the program is not made again."""
    words = [str(a) for a in arguments]
    path = build / "tree-figures" / (re.sub(r"[^\w.]+", "_", " ".join(words)) + ".json")
    if not path.exists() or path.stat().st_mtime < (build / "weir").stat().st_mtime:
        subprocess.run([build / "weir", *words, "--json", path], check=True, stdout=subprocess.DEVNULL)
    return json.loads(path.read_text(encoding="utf-8"))


def ping_pong(build, size):
    """A message from one leaf to another through switches with the delays of nodes, half of a ping-pong, in microseconds."""
    flow = build / "tree-figures" / f"flow{size}.csv"
    flow.write_text(f"0,17,{size}\n", encoding="utf-8")
    return summary(build, "fabric", "--topology", "clos:16x4x1", "--load", "matrix", "--matrix", flow, "--mtu", 4096, "--message", "1024M",
                   "--window", "16M", "--cable", 450, "--leaf-cable", 450, "--latency", 256)["time_ps"] / 1e6


def low_latency(build, shape, size):
    """A vector that is longer than one message takes several operations, one behind the other."""
    count = -(-size // SHORT)
    return count * summary(build, *TREE, "--topology", f"fat-tree:{shape}", "--mode", "llt", "--size", min(size, SHORT), "--operations", count)["operation_us"]


def streaming(build, shape, size, *more):
    """An operation, the mean of some where they are short, and the lock that is asked for first."""
    shape = shape if shape.startswith("{") else f"fat-tree:{shape}"
    s = summary(build, *STREAM, "--topology", shape, "--size", size, "--lock", "unlimited", "--operations", 10 if size <= 256 * KB else 1, *more)
    return s["operation_us"], s["lock_us"]


def at_once(build, size):
    """As many low-latency operations side by side as the vector needs: of so many groups, each with a host of its own below each leaf."""
    count, times = -(-size // SHORT), 20
    return summary(build, *TREE, "--topology", f"fat-tree:4x{count}", "--groups", count, "--mode", "llt", "--size", SHORT, "--operations", times)["finished_us"] / times


def border(build):
    for size in [SHORT << i for i in range(6)]:
        yield "border", "at once", size, at_once(build, size)
        for delay in SLOWER:
            yield "border", f"node {delay}", size, streaming(build, "4x16", size, "--node", delay)[0]
    for size in OF_PING_PONG:
        yield "border", f"node {SLOWER[0]}", size, streaming(build, "4x16", size, "--node", SLOWER[0])[0]


def halves(build, kind, split, size):
    """An operation of hosts that are dealt to both half rings like this."""
    radix, _ = HALVES[kind]
    first, second = map(int, split.split("/"))
    ports = [*range(first), *range(radix // 2, radix // 2 + second)]
    shape = json.dumps({"hosts": len(ports), "radix": radix, "ports": ports})
    return streaming(build, shape, size, *(("--devices", "rtl", "--credits", 64) if kind == "device" else ()))[0]


def half_rings(build):
    for kind, (_, splits) in HALVES.items():
        for split in splits:
            for size in (4 * KB, 64 * KB, 1 * MB if kind == "device" else 4 * MB):
                yield "half rings", f"{kind} {split}", size, halves(build, kind, split, size)


def measure(build):
    """Rows: part, what, bytes, microseconds."""
    yield from half_rings(build)
    yield from border(build)
    for size in SIZES:
        yield "size", "ping-pong", size, ping_pong(build, size)
        took, lock = streaming(build, "4x16", size)
        yield "size", "streaming", size, took
        yield "size", "streaming and lock", size, took + lock
        if size <= 64 * KB:
            yield "size", "low latency", size, low_latency(build, "4x16", size)
    for shape in SHAPES["lock"]:
        yield "lock", f"barrier {shape}", 0, summary(build, *TREE, "--topology", f"fat-tree:{shape}", "--op", "barrier", "--operations", 20)["operation_us"]
        yield "lock", f"lock {shape}", 0, summary(build, *TREE, "--topology", f"fat-tree:{shape}", "--size", "4K", "--operations", 20)["lock_us"]
    for part in ("one switch", "a leaf", "depth"):
        for shape in SHAPES[part]:
            for size in (4 * KB, 64 * KB, 4 * MB):
                yield part, shape, size, streaming(build, shape, size)[0]


# --- tables ---

def size_name(size):
    for unit, name in ((MB, "MB"), (KB, "KB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def number(us):
    """With three digits, or whole."""
    return f"{us:,.{max(0, 2 - math.floor(math.log10(us)))}f}"


def table(head, body):
    return "\n".join(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in [head, ["---"] * len(head), *body]).replace("| --- ", "|---").replace("--- |", "---|")


def us_of(rows, part):
    return {(row["what"], int(row["bytes"])): float(row["us"]) for row in rows if row["part"] == part}


def gbps(size, us):
    return size * 8 / us / 1e3


def by_size(rows):
    us = us_of(rows, "size")
    body = []
    for size in sorted({size for _, size in us}):
        ping, stream, locked = (us[what, size] for what in ("ping-pong", "streaming", "streaming and lock"))
        low = us.get(("low latency", size))
        body.append([size_name(size), number(ping), number(low) if low else "", number(stream), number(locked), f"{gbps(size, stream):.3g}",
                     f"{100 * ping / stream:.0f} %", OF_PING_PONG.get(size, "")])
    return table(["vector", "ping-pong, µs", "low latency", "streaming", "with its lock", "Gb/s, streaming", "of ping-pong", "SHARP's"], body)


def meets(low, streams):
    """Between which sizes a streaming tree begins to be the faster one; both are {size: microseconds}."""
    sizes = sorted(low.keys() & streams.keys())
    slower = [size for size in sizes if low[size] < streams[size]]
    if not slower:
        return f"below {size_name(sizes[0])}"
    behind = [size for size in sizes if size > max(slower)]
    return f"{size_name(max(slower))} to {size_name(min(behind))}" if behind else f"above {size_name(sizes[-1])}"


def crossover(rows):
    """Where streaming is the faster one, without and with its lock, and what moves that: how low-latency messages go, how slow streaming nodes are."""
    us, other = us_of(rows, "size"), us_of(rows, "border")
    low, streams, locked = ({size: time for (what, size), time in us.items() if what == name} for name in ("low latency", "streaming", "streaming and lock"))
    together = {size: time for (what, size), time in other.items() if what == "at once"}
    sharp = {size: low[SHORT] + (size / SHORT - 1) * SHARP_SEGMENT for size in low if size >= SHORT}
    lock = locked[SHORT] - streams[SHORT]
    body = [["SHARP, measured", "", "4 to 8 KB", "16 KB"],
            ["one at a time", "256", meets(low, streams), meets(low, locked)],
            [f"one each {SHARP_SEGMENT:.2f} µs, SHARP's rate", "256", meets(sharp, streams), meets(sharp, locked)],
            ["at once", "256", meets(together, streams), meets(together, locked)]]
    for delay in SLOWER:
        slow = {size: time for (what, size), time in other.items() if what == f"node {delay}"}
        body.append(["one at a time", f"{delay:,}", meets(low, slow), meets(low, {size: time + lock for size, time in slow.items()})])
    return table(["low-latency messages of 1 KB", "a streaming node, ns", "they meet", "with the lock"], body)


def locks(rows):
    us = us_of(rows, "lock")
    body = [[shape, number(us[f"barrier {shape}", 0]), number(us[f"lock {shape}", 0]), f"{us[f'lock {shape}', 0] / us[f'barrier {shape}', 0]:.3f}"]
            for shape in SHAPES["lock"]]
    return table(["fat-tree", "barrier, µs", "lock", "times"], body)


def shapes(rows, part, first):
    """Times by shape, and the bandwidth of the longest vector beside that of the first shape."""
    us = us_of(rows, part)
    sizes = sorted({size for _, size in us})
    body = []
    for shape in SHAPES[part]:
        cells = [shape]
        for size in sizes:
            here, start = us[shape, size], us[SHAPES[part][0], size]
            cells += [number(here), f"{100 * (start / here - 1):+.1f} %"]
        body.append(cells)
    head = [first]
    for size in sizes:
        head += [f"{size_name(size)}, µs", "bandwidth"]
    return table(head, body)


def by_half_rings(rows):
    """Times by how hosts are dealt to both half rings, and how much they differ by."""
    us = us_of(rows, "half rings")
    body = []
    for kind, (radix, splits) in HALVES.items():
        sizes = sorted({size for what, size in us if what.startswith(kind)})
        for split in splits:
            cells = [f"{radix} ports, {kind}", split]
            for size in sizes:
                cells += [f"{size_name(size)}: {us[f'{kind} {split}', size]:,.2f}", f"{100 * (us[f'{kind} {splits[-1]}', size] / us[f'{kind} {split}', size] - 1):+.2f} %"]
            body.append(cells)
    return table(["node", "hosts of both half rings", "µs", "bandwidth", "µs", "bandwidth", "µs", "bandwidth"], body)


def sections(rows):
    return {"size": by_size(rows), "crossover": crossover(rows), "lock": locks(rows), "half rings": by_half_rings(rows), "one switch": shapes(rows, "one switch", "hosts"),
            "a leaf": shapes(rows, "a leaf", "fat-tree"), "depth": shapes(rows, "depth", "fat-tree")}


def page(text, rows):
    """The page with its tables anew."""
    for name, made in sections(rows).items():
        begin, end = f"<!-- {name}: make tree-figures -->\n", f"<!-- end of {name} -->\n"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise SystemExit(f"tree_figures.py: {PAGE}: the marks of {name} are not there once each")
        before, rest = text.split(begin)
        text = before + begin + "\n" + made + "\n\n" + end + rest.split(end)[1]
    return text


# --- pictures ---

def pictures(rows):
    """(name, SVG): bandwidth over size, time over size."""
    us = us_of(rows, "size")
    sizes = sorted({size for _, size in us})
    x = draw.Axis(sizes[0], sizes[-1], [(size, size_name(size)) for size in sizes if size in (4, 64, KB, 16 * KB, 256 * KB, 4 * MB, 64 * MB)])
    kinds = (("grey", "ping-pong", "ping-pong"), ("blue", "streaming tree", "streaming"), ("blue dashed", "with its lock", "streaming and lock"),
             ("green", "low-latency tree", "low latency"))
    note = "64 hosts below 4 + 1 switches, cables of 100 Gb/s, packets of 4 KB"

    def line(of, what, most=sizes[-1]):
        return [(size, of(size, us[what, size])) for size in sizes if (what, size) in us and size <= most]

    yield "tree-bandwidth", draw.picture(
        "All-reduce of 64 hosts: bandwidth by size of the vector", note, "Bandwidth of an all-reduce by size", "tools/draw/tree_figures.py", x,
        draw.Axis(0, 100, [(value, f"{value} Gb/s") for value in range(0, 101, 20)], log=False),
        [(classes, label, line(gbps, what)) for classes, label, what in kinds])
    most = 64 * KB
    near = draw.Axis(sizes[0], most, [(size, size_name(size)) for size in (4, 64, KB, 4 * KB, 8 * KB, 16 * KB, 64 * KB)])
    yield "tree-crossover", draw.picture(
        "All-reduce of 64 hosts: which tree is faster", note, "Time of an all-reduce of short vectors", "tools/draw/tree_figures.py", near,
        draw.decades(1, 100, draw.microseconds), [(classes, label, line(lambda _, t: t, what, most)) for classes, label, what in kinds])


PARTS = {"half rings": half_rings, "border": border}   # those that are measured alone in seconds


def main():
    if len(sys.argv) not in (2, 3) or (len(sys.argv) == 3 and sys.argv[2] not in PARTS):
        sys.exit(__doc__)
    if sys.argv[1] != "--tables":
        build = pathlib.Path(sys.argv[1]).resolve()
        (build / "tree-figures").mkdir(parents=True, exist_ok=True)
        commit = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*"], check=True, capture_output=True, text=True).stdout.strip()
        made = PARTS[sys.argv[2]](build) if len(sys.argv) == 3 else measure(build)
        found = [dict(zip(COLUMNS, (part, what, size, f"{us:.3f}", commit))) for part, what, size, us in made]
        if len(sys.argv) == 3:
            with CSV.open(newline="", encoding="utf-8") as file:
                found += [row for row in csv.DictReader(file) if row["part"] != sys.argv[2]]
        with CSV.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)
    with CSV.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if PAGE.exists():
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    for name, svg in pictures(rows):
        (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
