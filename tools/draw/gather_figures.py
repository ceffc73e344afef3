#!/usr/bin/env python3
"""NetSparse's published figures beside what `weir gather` predicts with matrices in the likeness of its five: measures, writes docs/figures/gather-figures.csv and
fills the tables of docs/figures/gather-figures.md. All times are simulated: they are the same on every machine.

  tools/draw/gather_figures.py BUILD [PART[/MATRIX] ..]   measures (all parts, or these: others stay) and writes all. What BUILD/gather-figures has is not measured again
  tools/draw/gather_figures.py --tables          writes the tables from the CSV"""
import csv
import hashlib
import json
import math
import pathlib
import re
import subprocess
import sys

import gather_published as published

sys.path.append(str(pathlib.Path(__file__).parents[2] / "synth"))
import report  # noqa: E402
from energy import estimate  # noqa: E402

CSV, PAGE = pathlib.Path("docs/figures/gather-figures.csv"), pathlib.Path("docs/figures/gather-figures.md")
NAMES = list(published.ROWS)
CLOCK = 2200            # MHz
LINE = 400e9 / 8        # bytes/s of a cable
# A matrix of a part has one in so many of the published rows; batches, caches and latencies are as many times smaller.
SCALE = {"tail": {"arabic": 1, "europe": 64, "queen": 4, "stokes": 4, "uk": 4}, "all K": 64, "ablation": 64, "batch": 64, "units": 64, "delay": 64, "cache": 64, "topology": 64, "uneven": 4}
SWEPT = NAMES   # of which parameters are swept
# Experiments, not fits: loads as uneven as the published ones of arabic and uk, and with batches of which each node has fewer.
UNEVEN = {"arabic": (("even", ()), ("even, no delay", ("--delay-nic", 0, "--delay-switch", 0)), ("uneven", ("--uneven", 5)), ("uneven, batches 4 x", ("--uneven", 5, "--batch", 32768))),
          "uk": (("even", ()), ("uneven", ("--uneven", 2.2)), ("uneven, batches 4 x", ("--uneven", 2.2, "--batch", 8192)))}
SHAPES = ("leaf-spine", "hyperx", "dragonfly")
STEPS = (("RIG", ("filter", "coalesce", "concat-nic", "switch")), ("Filter", ("coalesce", "concat-nic", "switch")),
         ("Coalesce", ("concat-nic", "switch")), ("Conc_NIC", ("switch",)), ("Switch", ()))
KEPT = ["rows", "nonzeros", "columns", "cycles", "mean_cycles", "prs_sent", "prs_needed", "filter_rate", "prs_per_packet", "hit_rate", "asked_hit_rate", "goodput",
        "tail_less_than_su", "speedup_su", "tail_bytes_su", "redundant_su", "redundant_sa", "locality", "last_filter_rate", "last_prs_per_packet", "last_hit_rate",
        "last_goodput", "last_utilisation", "last_less_than_su", "last_less_than_software", "software_core_prs", "software_tail_prs", "most_nonzeros", "most_columns", "stalls_pending",
        "stalls_tx"]
KEYS = ["part", "matrix", "scale", "k", "setting"]
COLUMNS = KEYS + KEPT + ["active", "commit"]


def options(matrix, k, scale):
    """The published system (NetSparse Table 5), scaled."""
    return ["--generate", matrix, "--rows", published.ROWS[matrix] // scale, "--nodes", 128, "--racks", 8, "--units", 16, "--k", k, "--clock", CLOCK,
            "--batch", published.BATCH[matrix] // scale, "--cache-sets", 512 // scale, "--cable", 450 / scale, "--switch", 300 / scale, "--memory", 200 / scale,
            "--delay-nic", 500, "--delay-switch", 138, "--upper", 50, "--routing", "spread"]


def summary(build, words):
    """What a run says; one that was made is not made again."""
    words = [str(w) for w in words]
    path = build / "gather-figures" / f"{words[1]}-{hashlib.sha256(' '.join(words).encode()).hexdigest()[:16]}.json"
    if not path.exists():
        print("weir gather", *words, file=sys.stderr, flush=True)
        subprocess.run([build / "weir", "gather", *words, "--json", path], check=True, stdout=subprocess.DEVNULL)
    return json.loads(path.read_text(encoding="utf-8"))


def active(s):
    """At 1, 2, .. 10 tenths of the time: nodes that have not all yet."""
    ends = s["finished"]
    return " ".join(str(sum(end > max(ends) * tenth / 10 for end in ends)) for tenth in range(11))


def changed(words, *more):
    """Options with others in their place, or further ones."""
    words = [str(w) for w in words]
    for name, value in zip(more[::2], more[1::2]):
        if name in words:
            words[words.index(name) + 1] = str(value)
        else:
            words += [name, str(value)]
    return words


def scale_of(part, matrix):
    """That of a part, or of a matrix in it: those that take longest are smaller."""
    return SCALE[part][matrix] if isinstance(SCALE[part], dict) else SCALE[part]


def wanted(part):
    """(matrix, k, setting, options) of a part."""
    scale = SCALE[part]
    if part == "tail":
        return [(m, 16, "", options(m, 16, scale_of(part, m))) for m in NAMES]
    if part == "all K":
        return [(m, k, "", options(m, k, scale)) for m in NAMES for k in published.KS]
    if part == "ablation":
        return [(m, k, name, options(m, k, scale) + [w for one in without for w in ("--without", one)])
                for m in published.TABLE8 for k in published.KS for name, without in STEPS]
    if part == "topology":
        return [(m, 16, t, changed(options(m, 16, scale), "--topology", t)) for m in NAMES for t in SHAPES]
    if part == "uneven":
        return [(m, 16, name, changed(options(m, 16, scale), *more)) for m, runs in UNEVEN.items() for name, more in runs]
    sweeps = {"batch": [(b, ("--batch", b * 1024 // scale)) for b in (1, 16, 64)],
              "units": [(2 * u, ("--units", u)) for u in (1, 16, 32)],
              "delay": [(d, ("--delay-nic", d, "--delay-switch", d * 138 // 500)) for d in (0, 500, 50000)],
              "cache": [(f"{s / 16:g}", ("--cache-sets", s // scale)) for s in (0, 512, 65536)]}
    return [(m, 16, setting, changed(options(m, 16, scale), *more)) for m in SWEPT for setting, more in sweeps[part]]


def measure(build, parts, chosen):
    """Rows of the CSV: of all matrices of the parts, or of those that `chosen` ((part, matrix)) has."""
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*"], check=True, capture_output=True, text=True).stdout.strip()
    (build / "gather-figures").mkdir(parents=True, exist_ok=True)
    rows = []
    for part in parts:
        for matrix, k, setting, words in wanted(part):
            if (part, matrix) not in chosen:
                continue
            s = summary(build, words)
            rows.append(dict(zip(KEYS, (part, matrix, scale_of(part, matrix), k, setting))) |
                        {key: f"{s[key]:.5g}" if isinstance(s[key], float) else s[key] for key in KEPT} | {"active": active(s), "commit": commit})
    return [{key: str(value) for key, value in row.items()} for row in rows]


# --- tables ---

def number(x):
    """Three digits."""
    return f"{x:.3g}" if abs(x) < 1000 else f"{x:,.0f}"


def beside(ours, theirs):
    """Ours, the published value, and the ratio."""
    return f"{number(ours)} / {number(theirs)} = **{ours / theirs:.2f}**" if theirs else number(ours)


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows])


class Rows:
    """The CSV."""

    def __init__(self, rows):
        self.rows = rows

    def of(self, part, matrix=None, k=None, setting=None):
        """Rows of a part, narrowed."""
        return [r for r in self.rows if r["part"] == part and matrix in (None, r["matrix"]) and str(k) in ("None", r["k"]) and
                str(setting) in ("None", r["setting"])]

    def one(self, *which):
        """The numbers of the row; None if it is not there."""
        found = self.of(*which)
        return {key: float(found[0][key]) for key in KEPT} | {"active": found[0]["active"]} if found else None


def gmean(values):
    values = list(values)
    return math.exp(sum(math.log(v) for v in values) / len(values))


def statistics(rows):
    out = []
    for m in NAMES:
        s = rows.one("tail", m)
        su, sa, locality = published.STATISTICS[m]
        out.append([m, f"{s['rows']:,.0f}", f"{s['nonzeros']:,.0f}", beside(s["redundant_su"], su), beside(s["redundant_sa"], sa), beside(s["locality"], locality)])
    return table(["matrix", "rows", "nonzeros", "redundant, SU", "redundant, SA", "destinations of 64"], out)


TAIL = (("F+C", "filter_rate", 100), ("PRs a packet", "prs_per_packet", 1), ("hits, %", "hit_rate", 100), ("goodput, %", "goodput", 100),
        ("line, %", "utilisation", 100), ("traffic less than SU", "less_than_su", 1))


def tail(rows):
    out = []
    for m in NAMES:
        s, theirs = rows.one("tail", m), published.TABLE7[m]
        sa = software(s, 16)
        out.append([m] + [beside(s["last_" + key] * by, t) for (_, key, by), t in zip(TAIL, theirs)] +
                   [beside(100 * 64 * s["software_tail_prs"] / sa / LINE, theirs[6]), beside(s["last_less_than_software"], theirs[7])])
    return table(["matrix"] + [name for name, *_ in TAIL] + ["goodput of SAOpt, %", "PRs less than SAOpt"], out)


def of_mean(redundant, less, line, goodput):
    """Properties that the tail node receives, of the mean of all nodes: less traffic, without headers, of the mean."""
    return (1 + redundant) / (less * line / goodput)


def others(rows):
    """The same over all nodes, as far as it differs in what is counted, and how uneven the load is."""
    out = []
    for m in NAMES:
        s, theirs = rows.one("tail", m), published.TABLE7[m]
        out.append([m] + [number(s[key] * by) for key, by in (("filter_rate", 100), ("prs_per_packet", 1), ("hit_rate", 100), ("asked_hit_rate", 100), ("tail_less_than_su", 1))] +
                   [beside(mean_share(s),
                           of_mean(published.STATISTICS[m][0], theirs[5], theirs[4], theirs[3]))])
    return table(["matrix", "F+C of all, %", "PRs a packet, all", "hits of all look-ups, %", "hits in requesters' racks, all, %", "node that receives most: less than SU",
                  "properties of the tail node, of the mean"], out)


def mean_share(s):
    """of_mean of a run."""
    return of_mean(s["redundant_su"], s["last_less_than_su"], s["last_utilisation"], s["last_goodput"])


def uneven(rows):
    """The tail node again, with loads as uneven as published."""
    out = []
    for m, runs in UNEVEN.items():
        theirs = published.TABLE7[m]
        for name, _ in runs:
            s = rows.one("uneven", m, 16, name)
            at_work = s["active"].split()
            out.append([m, name, beside(mean_share(s), of_mean(published.STATISTICS[m][0], theirs[5], theirs[4], theirs[3]))] +
                       [beside(s["last_" + key] * by, t) for (_, key, by), t in zip(TAIL, theirs)] +
                       [beside(su(s) / seconds(s), published.SPEEDUP[m, 16]), f"{at_work[8]}, {at_work[9]}"])
    return table(["matrix", "load", "properties of the tail node, of the mean"] + [name for name, *_ in TAIL] + ["speed-up over SUOpt", "nodes at work after 80 and 90 % of the time"], out)


def cost(k):
    """Seconds of a core for a PR in software: published.SOFTWARE."""
    at16, fixed = published.SOFTWARE
    return at16 * (fixed + (1 - fixed) * k / 16)


def software(s, k):
    """Seconds of SAOpt: the core with most."""
    return s["software_core_prs"] * cost(k)


def seconds(s):
    return s["cycles"] / (CLOCK * 1e6)


def su(s):
    """Seconds of SUOpt."""
    return s["tail_bytes_su"] / LINE


def speedups(rows):
    out, net, soft = [], [], []
    for m in NAMES:
        row = [m]
        for k in published.KS:
            s = larger(rows, m, k)
            net.append(su(s) / seconds(s))
            soft.append(su(s) / software(s, k))
            row += [beside(net[-1], published.SPEEDUP.get((m, k))), number(soft[-1])]
        out.append(row)
    out.append(["**geometric mean**", f"over SUOpt {beside(gmean(net), published.OVER_SU)}", f"over SAOpt {beside(gmean(n / s for n, s in zip(net, soft)), published.OVER_SA)}",
                "", "", "", ""])
    return table(["matrix"] + [f"K={k}, {what}" for k in published.KS for what in ("NetSparse over SUOpt", "SAOpt over SUOpt")], out)


def cores(_):
    out = [[c] + [number(100 * c * 4 * k / cost(k) / LINE) for k in published.KS] for c in (1, 4, 16, 64)]
    return table(["cores"] + [f"K={k}, % of 400 Gb/s" for k in published.KS], out)


def ablation(rows):
    out = []
    for m, steps in published.TABLE8.items():
        for i, (name, _) in enumerate(STEPS):
            row = [m, name]
            for k in published.KS:
                s, theirs = rows.one("ablation", m, k, name), steps[k][i]
                row.append("; ".join(beside(s[key] * by, t) for (key, by), t in zip((("speedup_su", 1), ("last_less_than_su", 1), ("last_goodput", 100)), theirs)))
            out.append(row)
    return table(["matrix", "with"] + [f"K={k}: speed-up; traffic; goodput, %" for k in published.KS], out)


def sweep(rows, part, base):
    settings = list(dict.fromkeys(r["setting"] for r in rows.of(part)))
    out = []
    for m in SWEPT:
        first = rows.one(part, m, None, base)["cycles"]
        out.append([m] + [f"{first / rows.one(part, m, None, s)['cycles']:.2f}" for s in settings])
    return table(["matrix"] + settings, out)


def still_active(rows):
    return table(["matrix"] + [f"{10 * t} %" for t in range(11)], [[m] + rows.one("tail", m)["active"].split() for m in NAMES])


# --- computing: a roofline, no simulation ---

def compute(nonzeros, columns, rows, k, machine):
    """Seconds of an SpMM: what is most of all bytes at the memory's rate and all operations at the peak's. Each property is read once."""
    rate, peak = published.MACHINES[machine]
    return max((8 * nonzeros + 4 * k * (columns + rows)) / rate, 2 * k * nonzeros / peak)


def end_to_end(s, k, machine, slower=1):
    """Speed-ups over one node: ideal, NetSparse, SAOpt, SUOpt, with communication beside computing as far as that goes; and communication over computing.
    Computing is `slower` than the roofline."""
    one = slower * compute(s["nonzeros"], s["columns"], s["rows"], k, machine)
    many = slower * compute(s["most_nonzeros"], s["most_columns"], s["rows"] / 128, k, machine)
    return [one / many] + [one / max(many, t) for t in (seconds(s), software(s, k), su(s))] + [t / many for t in (seconds(s), software(s, k))]


def larger(rows, m, k):
    """The run of a matrix, the larger one where there are two."""
    return rows.one("tail", m) if k == 16 else rows.one("all K", m, k)


def means(rows, machine, slower=1):
    """Mean speed-ups over one node, of all matrices with K = 16 and 128."""
    values = [end_to_end(larger(rows, m, k), k, machine, slower) for m in NAMES for k in (16, 128)]
    return [sum(v[i] for v in values) / len(values) for i in range(4)]


def means_twice(rows, machine):
    """Cells: means beside the published ones, and again with computing so much slower that SUOpt's, which knows no network, is the published one."""
    theirs = published.END_TO_END[machine]
    plain = means(rows, machine)
    slower = theirs[3] / plain[3]
    return ([beside(v, t) for v, t in zip(plain, theirs)], slower, [beside(v, t) for v, t in zip(means(rows, machine, slower), theirs)])


def ends(rows):
    out = [[m, k] + [number(v) for v in end_to_end(larger(rows, m, k), k, "SPADE")] for m in NAMES for k in (16, 128)]
    plain, slower, again = means_twice(rows, "SPADE")
    out += [["**mean**", "", *plain, "", ""], [f"mean, computing {slower:.1f} times slower", "", *again, "", ""]]
    return table(["matrix", "K", "ideal", "NetSparse", "SAOpt", "SUOpt", "NetSparse: communication over computing", "SAOpt"], out)


def processors(rows):
    out = []
    for machine in ("DDR", "HBM"):
        plain, slower, again = means_twice(rows, machine)
        out += [[machine, *plain], [f"{machine}, computing {slower:.1f} times slower", *again]]
    return table(["CPU with", "ideal", "NetSparse", "SAOpt", "SUOpt"], out)


def topologies(rows):
    return table(["matrix", *SHAPES], [[m] + [number(rows.one("topology", m, None, t)["speedup_su"]) for t in SHAPES] for m in NAMES])


def power(_):
    return table(estimate.HEAD, estimate.table_rows(report.read("synth/reports/power-gather_nic4.csv")))


def sections(rows):
    """Name and text of each table."""
    rows = Rows(rows)
    return {"statistics": statistics(rows), "tail": tail(rows), "others": others(rows), "uneven": uneven(rows), "speedups": speedups(rows), "cores": cores(rows), "ablation": ablation(rows),
            "batch": sweep(rows, "batch", "16"), "units": sweep(rows, "units", "2"), "delay": sweep(rows, "delay", "0"), "cache": sweep(rows, "cache", "0"),
            "active": still_active(rows), "ends": ends(rows), "processors": processors(rows), "topology": topologies(rows), "power": power(rows)}


def page(text, rows):
    """The page with its tables anew."""
    for name, made in sections(rows).items():
        text, count = re.subn(rf"<!-- {name} -->\n.*?<!-- end -->", lambda _, m=made, n=name: f"<!-- {n} -->\n\n{m}\n\n<!-- end -->", text, flags=re.S)
        if count != 1:
            sys.exit(f"gather_figures.py: {PAGE} has no place for the table {name}")
    return text


def main():
    named = [one.partition("/") for one in sys.argv[2:]]
    if len(sys.argv) < 2 or not {part for part, _, _ in named} <= set(SCALE) or not {matrix for _, _, matrix in named} <= {"", *NAMES}:
        sys.exit(__doc__)
    rows = list(csv.DictReader(CSV.open(newline="", encoding="utf-8"))) if CSV.exists() else []
    if sys.argv[1] != "--tables":
        chosen = {(part, one) for part, _, matrix in named or [(part, "", "") for part in SCALE] for one in ([matrix] if matrix else NAMES)}
        rows = [r for r in rows if (r["part"], r["matrix"]) not in chosen] + measure(pathlib.Path(sys.argv[1]).resolve(), list(SCALE), chosen)
        rows.sort(key=lambda r: (list(SCALE).index(r["part"]), NAMES.index(r["matrix"])))
        with CSV.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")


if __name__ == "__main__":
    main()
