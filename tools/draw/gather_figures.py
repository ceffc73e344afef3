#!/usr/bin/env python3
"""NetSparse's published figures beside what `weir gather` predicts with matrices in the likeness of its five: measures, writes docs/figures/gather-figures.csv and
fills the tables of docs/figures/gather-figures.md. All times are simulated: they are the same on every machine.

  tools/draw/gather_figures.py BUILD [PART[/MATRIX] ..]   measures (all parts, or these: others stay) and writes all. What BUILD/gather-figures has is not measured again
  tools/draw/gather_figures.py --tables          writes the tables from the CSV
  tools/draw/gather_figures.py --off             lists what is off by more than 1.5 times"""
import csv
import math
import pathlib
import re
import sys

import gather_published as published
from gather_measure import CLOCK, COLUMNS, DEALINGS, KEPT, LINE, NAMES, SCALE, SHAPES, STEPS, SWEPT, UNEVEN, measure

sys.path.append(str(pathlib.Path(__file__).parents[2] / "synth"))
import report  # noqa: E402
from energy import estimate  # noqa: E402

CSV, PAGE = pathlib.Path("docs/figures/gather-figures.csv"), pathlib.Path("docs/figures/gather-figures.md")
EXPERIMENTS = ("uneven", "dealt", "units larger")   # tables of them


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
        out.append([m] + [beside(s["last_" + key] * by, t) for (_, key, by), t in zip(TAIL, theirs)] +
                   [beside(goodput_in_software(s, 16), theirs[6]), beside(s["last_less_than_software"], theirs[7])])
    return table(["matrix"] + [name for name, *_ in TAIL] + ["goodput of SAOpt, %", "PRs less than SAOpt"], out)


def of_mean(redundant, less, line, goodput):
    """Properties that the tail node receives, of the mean of all nodes: less traffic, without headers, of the mean."""
    return (1 + redundant) / (less * line / goodput)


def others(rows):
    """The same over all nodes, as far as it differs in what is counted, and how uneven the load is."""
    out = []
    for m in NAMES:
        s = rows.one("tail", m)
        out.append([m] + [number(s[key] * by) for key, by in (("filter_rate", 100), ("prs_per_packet", 1), ("hit_rate", 100), ("asked_hit_rate", 100), ("tail_less_than_su", 1))] +
                   [beside(mean_share(s), published_share(m))])
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
            out.append([m, name, beside(mean_share(s), published_share(m))] +
                       [beside(s["last_" + key] * by, t) for (_, key, by), t in zip(TAIL, theirs)] +
                       [beside(su(s) / seconds(s), published.SPEEDUP[m, 16]), f"{at_work[8]}, {at_work[9]}"])
    return table(["matrix", "load", "properties of the tail node, of the mean"] + [name for name, *_ in TAIL] + ["speed-up over SUOpt", "nodes at work after 80 and 90 % of the time"], out)


def cores_dealt(rows):
    """What software does by what each core has."""
    out = []
    for m in NAMES:
        theirs = published.TABLE7[m]
        for name in DEALINGS:
            s = rows.one("cores", m, 16, name)
            out.append([m, name, beside(s["last_less_than_software"], theirs[7]), beside(goodput_in_software(s, 16), theirs[6]), number(su(s) / software(s, 16))])
    return table(["matrix", "a core has", "PRs less than SAOpt", "goodput of SAOpt, %", "SAOpt over SUOpt"], out)


def goodput_in_software(s, k):
    """% of the line: properties of the node with most, in the time of the core with most."""
    return 100 * 4 * k * s["software_tail_prs"] / software(s, k) / LINE


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


def units_larger(rows):
    out = []
    for m, size in SCALE["units, larger"].items():
        small, larger_ones = ([rows.one(part, m, None, units)["cycles"] for units in (32, 64)] for part in ("units", "units, larger"))
        out.append([m, f"{small[0] / small[1]:.2f}", f"1/{size}", f"{larger_ones[0] / larger_ones[1]:.2f}"])
    return table(["matrix", "32 to 64 units, a 64th of the rows", "larger", "32 to 64 units"], out)


def still_active(rows):
    return table(["matrix"] + [f"{10 * t} %" for t in range(11)], [[m] + rows.one("tail", m)["active"].split() for m in NAMES])


# --- computing: a roofline, no simulation ---

def compute(nonzeros, columns, rows, k, machine):
    """Seconds of an SpMM: what is most of all bytes at the memory's rate and all operations at the peak's. Each property is read once."""
    rate, peak = published.MACHINES[machine]
    return max((8 * nonzeros + 4 * k * (columns + rows)) / rate, 2 * k * nonzeros / peak)


def end_to_end(s, k, machine, slower=1, most=1):
    """Speed-ups over one node: ideal, NetSparse, SAOpt, SUOpt, with communication beside computing as far as that goes; and communication over computing.
    Computing is `slower` than the roofline; the node with most has `most` times as much of it as here."""
    one = slower * compute(s["nonzeros"], s["columns"], s["rows"], k, machine)
    many = most * slower * compute(s["most_nonzeros"], s["most_columns"], s["rows"] / 128, k, machine)
    return [one / many] + [one / max(many, t) for t in (seconds(s), software(s, k), su(s))] + [t / many for t in (seconds(s), software(s, k))]


def larger(rows, m, k):
    """The run of a matrix, the larger one where there are two."""
    return rows.one("tail", m) if k == 16 else rows.one("all K", m, k)


def means(rows, machine, slower=1, most=None):
    """Mean speed-ups over one node, of all matrices with K = 16 and 128; `most`: of matrices."""
    values = [end_to_end(larger(rows, m, k), k, machine, slower, most[m] if most else 1) for m in NAMES for k in (16, 128)]
    return [sum(v[i] for v in values) / len(values) for i in range(4)]


def published_share(m):
    """of_mean of the published tail node."""
    theirs = published.TABLE7[m]
    return of_mean(published.STATISTICS[m][0], theirs[5], theirs[4], theirs[3])


def means_each(rows, machine):
    """[(what, cells)] of means beside the published ones: of the roofline; with computing so much slower that SUOpt's, which knows no network, is the published one;
    and also spread over nodes as unevenly as what their tail nodes receive, an experiment."""
    theirs = published.END_TO_END[machine]
    plain = means(rows, machine)
    slower = theirs[3] / plain[3]
    most = {m: published_share(m) for m in NAMES}
    made = (("", plain), (f", computing {slower:.1f} times slower", means(rows, machine, slower)), (", and as uneven as what is received", means(rows, machine, slower, most)))
    return [(name, [beside(v, t) for v, t in zip(values, theirs)]) for name, values in made]


def ends(rows):
    out = [[m, k] + [number(v) for v in end_to_end(larger(rows, m, k), k, "SPADE")] for m in NAMES for k in (16, 128)]
    out += [["**mean**" + name, "", *cells, "", ""] for name, cells in means_each(rows, "SPADE")]
    return table(["matrix", "K", "ideal", "NetSparse", "SAOpt", "SUOpt", "NetSparse: communication over computing", "SAOpt"], out)


def processors(rows):
    return table(["CPU with", "ideal", "NetSparse", "SAOpt", "SUOpt"], [[machine + name, *cells] for machine in ("DDR", "HBM") for name, cells in means_each(rows, machine)])


def topologies(rows):
    return table(["matrix", *SHAPES], [[m] + [number(rows.one("topology", m, None, t)["speedup_su"]) for t in SHAPES] for m in NAMES])


def power(extension):
    return table(estimate.HEAD, estimate.table_rows(report.powers(), extension))


def sections(rows):
    """Name and text of each table."""
    rows = Rows(rows)
    return {"statistics": statistics(rows), "tail": tail(rows), "others": others(rows), "uneven": uneven(rows), "speedups": speedups(rows), "cores": cores(rows), "ablation": ablation(rows),
            "batch": sweep(rows, "batch", "16"), "units": sweep(rows, "units", "2"), "units larger": units_larger(rows), "dealt": cores_dealt(rows), "delay": sweep(rows, "delay", "0"), "cache": sweep(rows, "cache", "0"),
            "active": still_active(rows), "ends": ends(rows), "processors": processors(rows), "topology": topologies(rows), "power": power(estimate.NIC), "power of a switch": power(estimate.SWITCH)}


def off(rows):
    """Lines: each prediction that is off by more than 1.5 times, by table, row and column. Experiments are not predictions."""
    out = []
    for name, text in sections(rows).items():
        head, _, *lines = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines()]
        for cells in lines if name not in EXPERIMENTS else ():
            out += [f"{name}: {cells[0]}, {column}: {cell}" for column, cell in zip(head, cells)
                    if any(not 1 / 1.5 <= float(ratio) <= 1.5 for ratio in re.findall(r"= \*\*([\d.]+)\*\*", cell))]
    return out


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
    if sys.argv[1] == "--off":
        print("\n".join(off(rows)))
        return
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
