#!/usr/bin/env python3
"""The figures of NetReduce 3.4, 5.2 and 5.4 in `weir fabric`, beside the formulas of its appendix A.

Usage: fabric_fig7.py BUILD    measures: docs/figures/netreduce-figures.csv, then the page and its pictures
       fabric_fig7.py          the page and its pictures anew from the CSV

Run it in the project's root. All times are simulated: they are the same on every machine. Exit code: 0, or that of a run that fails.
"""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import lines as draw

CSV, PAGE, PICTURES = (pathlib.Path("docs") / name for name in ("figures/netreduce-figures.csv", "figures/netreduce-figures.md", "pictures"))
COLUMNS = ["part", "load", "machines", "n", "bytes", "intra", "alpha", "us", "goodput_gbps", "packets"]
NAMES = {"all-reduce": "flat ring", "master-ring": "Tencent's", "parallel-ring": "parallel rings", "parallel-netreduce": "parallel NetReduce",
         "netreduce": "NetReduce"}
SHORT = {"all-reduce": "FR", "master-ring": "TA", "parallel-ring": "PR", "parallel-netreduce": "PN"}
COLOURS = {"all-reduce": "orange", "master-ring": "violet", "parallel-ring": "blue", "parallel-netreduce": "green"}
N, INTER, MB = 8, 12.5, 10 ** 6             # accelerators of a machine, GB/s of its cable
SHARE = 4096 / (4096 + 82)                  # of a cable's bits that are payload
MESSAGE = 170 << 10
INTRA = (15.75, 16, 20, 25, 32, 50, 75, 100)
RANKS = (32, 64, 128, 256, 512, 1024)
ALPHA = (0.1, 1, 10, 100)
HOSTS = (2, 4, 6, 8, 12, 16)
RATIO_INTRA = 2.2 * INTER


# ------------------------------------------------------------------------------------------------------- the formulas

def terms(load, machines, n):
    """How many times alpha, M / B_intra and M / B_inter: formulas (1) to (3), (2) by its total, and parallel rings in the same way."""
    ranks, log = machines * n, math.log2(n)
    inside, ring = 2 * (n - 1) / n, 2 * (machines - 1) / machines
    return {"all-reduce": (2 * (ranks - 1), 0, 2 * (ranks - 1) / ranks),
            "master-ring": (3 * log + n - 1 + 2 * (machines - 1), 2 * inside, ring),
            "parallel-ring": (2 * (n - 1) + 2 * (machines - 1), inside, ring),
            "parallel-netreduce": (2 * n - 1, inside, 1)}[load]


def formula(row, share=1.0):
    """Microseconds; `share`: of the rates that is payload."""
    alpha, intra, inter = terms(row["load"], row["machines"], row["n"])
    return alpha * row["alpha"] + row["bytes"] / share / 1e3 * (intra / row["intra"] + inter / INTER)


def printed(row):
    """Formula (2) by the parts that the paper prints: the first one is divided by n once more."""
    n = row["n"]
    return formula(row) - 2 * (n - 1) / n * (1 - 1 / n) * row["bytes"] / 1e3 / row["intra"]


# ------------------------------------------------------------------------------------------------------- what is run

def point(part, load, ranks, size, intra, alpha, n=N):
    return {"part": part, "load": load, "machines": ranks // n, "n": n, "bytes": size, "intra": intra, "alpha": alpha}


def points():
    """All runs, without their results."""
    for load in SHORT:
        yield from (point("intra", load, 32, 100 * MB, intra, 1) for intra in INTRA)
        yield from (point("ranks", load, ranks, 100 * MB, 32, 1) for ranks in RANKS)
        yield from (point("alpha", load, 256, 100 * MB, 32, alpha) for alpha in ALPHA)
    for load in ("all-reduce", "parallel-netreduce"):
        yield from (point("small", load, 32, size, 15.75, 1) for size in (MB // 2, 2 * MB))
        yield point("ratio", load, 32, 100 * MB, RATIO_INTRA, 1)
    for load in ("all-reduce", "master-ring"):
        yield from (point("tencent", load, 32, 400 * MB, intra, 1) for intra in (32, 150))
    for load in ("master-ring", "parallel-netreduce"):
        yield point("many", load, 128, 65536, 32, 10, n=32)
    yield from (point("flat", "all-reduce", 32, 100 * MB, 32, alpha, n) for n in (8, 1) for alpha in ALPHA)
    for load in ("all-reduce", "netreduce"):
        yield from (point("hosts", load, hosts, 16 << 20, INTER, 0, n=1) for hosts in HOSTS)
    yield point("micro", "netreduce", 6, 100 * 170 << 10, INTER, 0, n=1)
    yield from (point("round trip", "netreduce", 6, size, INTER, 0, n=1) for size in (1024, 170 << 10))


def options(row):
    """The command line of a run. Machines are on cables of 1 ns and switches of 1 ns, so that alpha is all there is of latency."""
    part, load = row["part"], row["load"]
    if part in ("hosts", "micro", "round trip"):
        where = f"--topology clos:16x1x0 --ranks {row['machines']}" if part == "hosts" else "--topology clos:6x1x0 --mtu 1024"
    else:
        where = (f"--topology machines:{row['machines']}x{row['n']} --inner-rate {8 * row['intra']:g} --rate {8 * INTER:g} --cable 1 --latency 1 "
                 f"--prepare {row['alpha']:g}")
    # The model's flat ring has whole chunks; the others end a step when all of its messages are here, whatever these are cut to.
    message = "1024M" if load == "all-reduce" and part != "hosts" else MESSAGE
    return f"fabric {where} --load {load} --size {row['bytes']} --message {message}"


def measure(build, row):
    """A row with its results. The run itself compares all sums."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "summary.json"
        subprocess.run([pathlib.Path(build) / "weir", *options(row).split(), "--json", path], check=True, stdout=subprocess.DEVNULL)
        s = json.loads(path.read_text(encoding="utf-8"))
    return {**row, "us": round(s["time_ps"] / 1e6, 3), "goodput_gbps": round(s["goodput_gbps"], 3), "packets": s["packets_delivered"]}


def read():
    with CSV.open(newline="", encoding="utf-8") as file:
        return [{key: value if key in ("part", "load") else int(value) if key in ("machines", "n", "bytes", "packets") else float(value)
                 for key, value in row.items()} for row in csv.DictReader(file)]


def write_rows(rows):
    with CSV.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


# ------------------------------------------------------------------------------------------------------- the page

def of(rows, part, load=None, **fields):
    return [r for r in rows if r["part"] == part and load in (None, r["load"]) and all(r[key] == value for key, value in fields.items())]


def table(head, body):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(line) + " |" for line in body)])


def ms(us):
    return f"{us / 1e3:.2f}"


def sweep(rows, part, name, x):
    """Simulated and by formula, ms; behind them how much the simulated one is more than the formula with rates of payload."""
    head = [name] + [word for s in SHORT.values() for word in (s, "formula", "more")]
    body = []
    for value in sorted({x(r) for r in of(rows, part)}):
        found = [next(r for r in of(rows, part, load) if x(r) == value) for load in SHORT]
        body.append([f"{value:g}"] + [word for r in found for word in (ms(r["us"]), ms(formula(r)), f"{100 * (r['us'] / formula(r, SHARE) - 1):+.1f} %")])
    return table(head, body)


def one(rows, part, load, **fields):
    found = of(rows, part, load, **fields)
    assert len(found) == 1, (part, load, fields)
    return found[0]


def errata(rows):
    def us(*arguments, **fields):
        return one(rows, *arguments, **fields)["us"]
    ta, pair = one(rows, "intra", "master-ring", intra=15.75), ("all-reduce", "parallel-netreduce")
    slow, next_, large = ([us("intra", load, intra=intra) for load in pair] for intra in (15.75, 16, 25))
    small, two = ([us("small", load, bytes=size) for load in pair] for size in (MB // 2, 2 * MB))
    ratio = [us("ratio", load) for load in pair]
    many = [us("many", load) for load in ("master-ring", "parallel-netreduce")]
    below, above = ([us("tencent", load, intra=intra) for load in ("all-reduce", "master-ring")] for intra in (32, 150))
    return table(["what is printed", "what is so", "the run that shows it (ms)"], [
        ["(2): T_ta1 has M/(n B_intra)", "M/B_intra: else the parts are not the total, by 2 (n-1)²/n² M/B_intra",
         f"TA, P 32, 15.75 GB/s: {ms(ta['us'])}; total {ms(formula(ta))}, printed parts {ms(printed(ta))}"],
        ["3.4: above 15.75 GB/s PN is always faster than FR (and TA)", "at 100 MB and P 32 from 23.3 GB/s on; at 15.75 only below 1.3 MB (1 MB where FR hides alpha)",
         f"FR and PN at 15.75 GB/s: {ms(slow[0])} and {ms(slow[1])}; at 16: {ms(next_[0])} and {ms(next_[1])}; at 25: {ms(large[0])} and {ms(large[1])}; "
         f"at 15.75 with 0.5 MB: {small[0] / 1e3:.3f} and {small[1] / 1e3:.3f}, with 2 MB: {two[0] / 1e3:.3f} and {two[1] / 1e3:.3f}"],
        ["5.4: (6) asks for a ratio of 2.3 at P 32", "64/30 = 2.13, and 1.87 is enough for n 8",
         f"FR and PN at a ratio of 2.2: {ms(ratio[0])} and {ms(ratio[1])}"],
        ["A: P > 3n makes (4) positive", "for n up to 16; for n 32 P must be 10n, where M is small",
         f"TA and PN, n 32, P 128, 64 KB, alpha 10 us: {many[0] / 1e3:.3f} and {many[1] / 1e3:.3f}"],
        ["5.4: for larger tensors FR is faster than TA", "only below a ratio of 2P/n, here 8; the paper's testbed has 12",
         f"FR and TA, 400 MB, 32 GB/s (ratio 2.6): {ms(below[0])} and {ms(below[1])}; 150 GB/s (12): {ms(above[0])} and {ms(above[1])}"]])


def flat(rows):
    body = []
    for alpha in ALPHA:
        line = [f"{alpha:g}"]
        for n in (8, 1):
            r = one(rows, "flat", "all-reduce", n=n, alpha=alpha)
            line += [ms(r["us"]), f"{100 * (r['us'] / formula(r, SHARE) - 1):+.1f} %"]
        body.append([*line, ms(formula(r))])
    return table(["alpha, us", "4 machines with 8", "more", "32 machines with 1", "more", "formula (1)"], body)


def hosts(rows):
    first = {load: one(rows, "hosts", load, machines=2)["us"] for load in ("netreduce", "all-reduce")}
    body = []
    for count in HOSTS:
        net, ring = (one(rows, "hosts", load, machines=count)["us"] for load in ("netreduce", "all-reduce"))
        body.append([str(count), f"{net:.1f}", f"{net / first['netreduce']:.4f}", f"{ring:.1f}", f"{ring / first['all-reduce']:.3f}",
                     f"{2 * (count - 1) / count:.3f}"])
    return table(["machines H", "NetReduce, us", "of that with 2", "ring, us", "of that with 2", "2 (H-1)/H"], body)


def micro(rows):
    r, trip, message = one(rows, "micro", "netreduce"), *of(rows, "round trip")
    # A packet's frame, without preamble and gap: 62 bytes more than its payload. A message has 20 more: RETH and immediate data.
    frames = r["packets"] * 62 + r["bytes"] * r["machines"] + r["bytes"] * r["machines"] / MESSAGE * 20
    throughput = r["goodput_gbps"] * frames / (r["bytes"] * r["machines"])
    return table(["", "throughput, Gb/s", "goodput, Gb/s", "goodput / throughput", "round trip, us"], [
        ["`weir fabric`", f"{throughput:.1f}", f"{r['goodput_gbps']:.1f}", f"{r['goodput_gbps'] / throughput:.3f}",
         f"{trip['us']:.2f} of a packet, {message['us']:.1f} of a message"],
        ["NetReduce, Table 6", "92.5", "86.8", f"{86.8 / 92.5:.3f}", "6.3"]])


TABLES = {"intra": lambda rows: sweep(rows, "intra", "B_intra, GB/s", lambda r: r["intra"]),
          "ranks": lambda rows: sweep(rows, "ranks", "P", lambda r: r["machines"] * r["n"]),
          "alpha": lambda rows: sweep(rows, "alpha", "alpha, us", lambda r: r["alpha"]),
          "errata": errata, "flat": flat, "hosts": hosts, "micro": micro}


def page(text, rows):
    """The page with its tables anew."""
    for name, make in TABLES.items():
        begin, end = f"<!-- {name}: make netreduce-figures -->\n", f"<!-- end of {name} -->\n"
        if text.count(begin) != 1 or text.count(end) != 1:
            sys.exit(f"fabric_fig7: {PAGE}: the marks of {name} are not there once each")
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{make(rows)}\n\n{end}{rest.split(end)[1]}"
    return text


def pictures(rows):
    """Names and texts of the pictures."""
    marks = {"intra": ("B_intra from 15.75 to 100 GB/s: 4 machines with 8 accelerators", [(v, f"{v:g} GB/s") for v in (15.75, 25, 50, 100)], lambda r: r["intra"]),
             "ranks": ("32 to 1024 accelerators, 8 in a machine, 32 GB/s inside", [(v, str(v)) for v in RANKS], lambda r: r["machines"] * r["n"]),
             "alpha": ("alpha from 0.1 to 100 us: 32 machines with 8 accelerators, 32 GB/s inside", [(v, draw.microseconds(v)) for v in ALPHA],
                       lambda r: r["alpha"])}
    for part, (title, xs, x) in marks.items():
        most = max(r["us"] for r in of(rows, part)) / 1e3
        top = 10 * math.ceil(1.15 * most / 10)
        y = draw.Axis(0, top, [(v, f"{v} ms") for v in range(0, top + 1, 5 if top <= 50 else 10)], log=False)
        drawn = []
        for load in SHORT:
            found = sorted(of(rows, part, load), key=x)
            drawn.append((f"{COLOURS[load]} dotted", "", [(x(r), formula(r, SHARE) / 1e3) for r in found]))
            drawn.append((COLOURS[load], NAMES[load], [(x(r), r["us"] / 1e3) for r in found]))
        note = "All-reduce of 100 MB, 100 Gb/s between machines. Solid: simulated packet by packet; dotted: NetReduce's formulas"
        axis = draw.Axis(xs[0][0], xs[-1][0], xs)
        yield PICTURES / f"netreduce-{part}.svg", draw.picture(f"All-reduce, {title}", note, f"Time of four all-reduces over {part}", "tools/draw/fabric_fig7.py", axis, y, drawn)


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    if len(sys.argv) == 2:
        write_rows([measure(sys.argv[1], row) for row in points()])
    rows = read()
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    for path, text in pictures(rows):
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
