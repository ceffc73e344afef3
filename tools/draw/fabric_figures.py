#!/usr/bin/env python3
"""Published figures of RoCE at Meta beside what `weir fabric` does: measures, writes docs/figures/fabric.csv, and fills the tables of docs/fabric.md.

  tools/draw/fabric_figures.py --weir build/weir      measures all (some minutes), and writes both
  tools/draw/fabric_figures.py --weir build/weir --only netreduce
  tools/draw/fabric_figures.py --tables               writes the tables from the CSV"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import lines

ROOT = pathlib.Path(__file__).parents[2]
CSV, PAGE = ROOT / "docs/figures/fabric.csv", ROOT / "docs/fabric.md"
SEEDS = range(1, 21)
FLOWS = (16, 32, 64, 125, 250, 500, 1000, 2000, 4000)
INTERVALS = ("0.1", "0.5", "1", "2", "4", "8", "16", "32", "64", "128", "256", "512")
RING = "--topology clos:16x8x16 --load all-reduce --placement spread --size 64M --message 128K"
CUT = "--cut s0-s8,s0-s9,s0-s10,s0-s11@0 --converge 0"
INCAST = "--topology clos:2x17x8 --placement spread --rate 400 --load incast --senders 16 --size 64M --leaf-buffer 24M --spine-buffer 64M --window 8M --message 512K"


def experiments():
    """(figure, row, options, seeds) of all that is run; {flows} is a file of so many flows from one rack to another, {unequal} a network."""
    for flows in FLOWS:
        yield "max-mean", str(flows), f"--topology clos:64x2x16 --load matrix --matrix {{{flows}}} --message 4096 --qps 1", SEEDS
    yield "qp", "ECMP, 1", f"{RING} --share-port --routing ecmp --qps 1", range(1, 4)
    for qps in (4, 16, 32):
        yield "qp", f"ECMP, {qps}", f"{RING} --share-port --routing ecmp --qps {qps}", range(1, 4)
        yield "qp", f"E-ECMP, {qps} in turn", f"{RING} --share-port --routing e-ecmp --qps {qps}", range(1, 4)
        yield "qp", f"E-ECMP, {qps} split", f"{RING} --share-port --routing e-ecmp --qps {qps} --qp-mode split", range(1, 4)
    for routing in ("ecmp --qps 1", "e-ecmp --qps 4", "e-ecmp --qps 16", "e-ecmp --qps 32"):
        yield "qp-twice", routing.replace(" --qps", ",").replace("e-ecmp", "E-ECMP").replace("ecmp", "ECMP"), f"{RING} --leaf-rate 200 --share-port --routing {routing}", range(1, 4)
    for placement, words in (("linear", "racks full"), ("half", "racks half full")):
        for routing in ("pinned", "e-ecmp --qps 16", "te"):
            yield "pinned", f"{words}, {routing.split()[0]}", f"--topology clos:16x8x16 --load all-to-all --size 16M --message 64K --placement {placement} --routing {routing}", range(1, 4)
    for cut, words in (("", "all cables"), (CUT, "4 of 16 uplinks of a rack cut")):
        for routing in ("te --qps 4", "e-ecmp --qps 4", "e-ecmp --qps 16"):
            yield "te", f"{words}, {routing.replace(' --qps', ',')}", f"{RING} --routing {routing} {cut}".strip(), range(1, 4)
    for interval in INTERVALS:
        yield "flowlet", interval, f"--topology clos:16x4x16 --load all-reduce --placement spread --size 64M --message 64K --qps 4 --routing flowlet --flowlet {interval} --timeout 1000", range(1, 4)
    for interval in INTERVALS:
        yield "flowlet-unequal", interval, ("--topology {unequal} --load all-reduce --placement spread --size 16M --message 64K --qps 4 --routing flowlet "
                                            f"--flowlet {interval} --timeout 1000"), [1]
    for routing in ("e-ecmp", "flowlet --flowlet 10000000"):
        for stagger in (0, 300):
            yield "staggered", f"{routing.split()[0]}, {stagger}", f"--topology clos:16x4x16 --load permutation --placement spread --size 8M --routing {routing} --stagger {stagger}", SEEDS
    for routing in ("e-ecmp", "flowlet --flowlet 64", "flowlet --flowlet 4", "flowlet --flowlet 0.5", "spray"):
        for background, words in (("1K", "alone"), ("16M", "beside 16 MB a host")):
            yield "netreduce", f"{routing.replace(' --flowlet', ',')}; {words}", ("--topology clos:16x4x16 --load netreduce --placement spread --message 170K --size 16M "
                                                                           f"--timeout 1000 --background {background} --routing {routing}"), range(1, 4)
    yield "incast", "PFC only", INCAST, [1]
    yield "incast", "admission", f"{INCAST} --channels 8", [1]
    yield "incast", "admission, receiver takes 25 %", f"{INCAST} --channels 8 --drain 0.25", [1]
    for cls in ("bulk", "urgent"):
        yield "cts", cls, f"--topology clos:16x4x16 --rate 400 --load all-to-all --size 64M --message 256K --channels 16 --cts-class {cls} --ack-class {cls}", [1, 2, 3]
    for low, high in (("300K", "600K"), ("5M", "5M")):
        yield "ecn", f"{low} / {high}", ("--topology clos:8x4x8 --rate 200 --load all-reduce --placement spread --size 256M --message 512K --qps 4 --dcqcn "
                                         f"--spine-mark {low} --spine-mark-all {high}"), range(1, 6)
    for credit in (0, 9):
        for window in ("64K", "128K", "256K", "512K", "1M"):
            yield "window", f"{credit}, {window}", f"--topology clos:2x2x1 --load matrix --matrix {{1}} --message 64K --credit {credit} --window {window}", [1]


KEYS = ("time_ps", "goodput_gbps", "max_mean_ratio", "out_of_sequence", "again", "cts_delay_p50_us", "cts_delay_p90_us", "cnps", "leaf_buffer", "spine_buffer")
WAYS = ("up", "down", "host_up", "host_down")


def flow_file(folder, count):
    """So many flows of a packet each from the hosts of one rack of 64 to those of another, no two between the same hosts; one alone is long."""
    path = pathlib.Path(folder) / f"{count}.csv"
    if count == 1:
        path.write_text("0,2,33554432\n", encoding="utf-8")
    else:
        path.write_text("".join(f"{i % 64},{64 + (i + i // 64) % 64},4096\n" for i in range(count)), encoding="utf-8")
    return path


def unequal_ways(folder):
    """Four racks of 16 below 16 spines, whose cables to leaves take 250 ns to 2.25 us."""
    path = pathlib.Path(folder) / "unequal.json"
    cables = [[f"h{16 * leaf + h}", f"s{leaf}", 100, 15] for leaf in range(4) for h in range(16)]
    cables += [[f"s{leaf}", f"s{4 + spine}", 100, 250 + round(2000 * spine / 15)] for leaf in range(4) for spine in range(16)]
    path.write_text(json.dumps({"hosts": 64, "switches": [1] * 4 + [2] * 16, "cables": cables}), encoding="utf-8")
    return path


def run(weir, options, seed, folder):
    options = options.replace("{unequal}", str(unequal_ways(folder)))
    for count in (1, *FLOWS):
        if f"{{{count}}}" in options:
            options = options.replace(f"{{{count}}}", str(flow_file(folder, count)))
    path = pathlib.Path(folder) / "summary.json"
    subprocess.run([weir, "fabric", *options.split(), "--seed", str(seed), "--json", path], check=True, stdout=subprocess.DEVNULL)
    return json.loads(path.read_text(encoding="utf-8"))


def measure(weir, only):
    """All figures, or one beside the others as they are."""
    rows, todo = [], [e for e in experiments() if only in (None, e[0])]
    order = [e[0] for e in experiments()]
    if only is not None:
        rows = [row for row in read_rows() if row["figure"] != only]
    with tempfile.TemporaryDirectory() as folder:
        for number, (figure, row, options, seeds) in enumerate(todo, 1):
            results = [run(weir, options, seed, folder) for seed in seeds]
            mean = lambda of: sum(of(s) for s in results) / len(results)
            line = {"figure": figure, "row": row, "seeds": len(results)}
            line |= {key: f"{mean(lambda s, k=key: s[k]):.4g}" for key in KEYS}
            for way in WAYS:
                line |= {f"{way}_{key}": f"{mean(lambda s, w=way, k=key: s['cables'][w][k]):.4g}" for key in ("fullest", "emptiest", "pauses", "paused")}
            rows.append(line | {"options": options})
            rows.sort(key=lambda row: order.index(row["figure"]))
            print(f"{number} of {len(todo)}: {figure}, {row}", file=sys.stderr)
    with open(CSV, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)] + ["| " + " | ".join(row) + " |" for row in rows])


def ms(row):
    return f"{float(row['time_ps']) / 1e9:.2f} ms"


def tables(rows):
    """The tables of the page, by figure."""
    of = lambda figure: [r for r in rows if r["figure"] == figure]
    share = lambda r, key: f"{100 * float(r[key]):.2g} %"
    rate = lambda r, key: f"{float(r[key]) / float(r['time_ps']) * 1e12 / 1e3:,.0f}"
    rate_of = lambda r: f"{float(r['out_of_sequence']) / float(r['time_ps']) * 1e12:,.0f}"
    first = float(of("qp")[0]["time_ps"])
    return {
        "max-mean": table(["flows on 16 links", "max-mean ratio"], [[f"{int(r['row']):,}", f"{float(r['max_mean_ratio']):.3f}"] for r in of("max-mean")]),
        "qp": table(["", "time", "faster than ECMP with 1", "fullest uplink over the mean"],
                    [[r["row"], ms(r), f"{100 * (first / float(r['time_ps']) - 1):.0f} %", f"{float(r['max_mean_ratio']):.2f}"] for r in of("qp")]),
        "qp-twice": table(["", "time", "faster than ECMP with 1", "fullest uplink over the mean"],
                          [[r["row"], ms(r), f"{100 * (float(of('qp-twice')[0]['time_ps']) / float(r['time_ps']) - 1):.0f} %", f"{float(r['max_mean_ratio']):.2f}"] for r in of("qp-twice")]),
        "pinned": table(["", "time", "fullest uplink over the mean"], [[r["row"], ms(r), f"{float(r['max_mean_ratio']):.2f}"] for r in of("pinned")]),
        "te": table(["", "time", "fullest cable upwards", "emptiest"], [[r["row"], ms(r), r["up_fullest"], r["up_emptiest"]] for r in of("te")]),
        "flowlet": table(["interval, us", "out of order, packets a second", "time", "fullest uplink over the mean"],
                         [[r["row"], rate_of(r), ms(r), f"{float(r['max_mean_ratio']):.2f}"] for r in of("flowlet")]),
        "flowlet-unequal": table(["interval, us", "out of order, packets a second", "time"], [[r["row"], rate_of(r), ms(r)] for r in of("flowlet-unequal")]),
        "staggered": table(["routing, stagger in us", "time", "fullest uplink over the mean"], [[r["row"], ms(r), f"{float(r['max_mean_ratio']):.2f}"] for r in of("staggered")]),
        "netreduce": table(["routing", "time", "packets out of order", "sent again"],
                           [[r["row"], ms(r), f"{float(r['out_of_sequence']):,.0f}", f"{float(r['again']):,.0f}"] for r in of("netreduce")]),
        "incast": table(["", "leaf stops spine, thousand a second", "spine stops leaf, thousand a second", "leaf stops senders, share of time", "receiver stops leaf, share of time", "goodput"],
                        [[r["row"], rate(r, "down_pauses"), rate(r, "up_pauses"), f"{100 * float(r['host_up_paused']) * 34 / 16:.2g} %",
                          f"{100 * float(r['host_down_paused']) * 34:.2g} %", f"{float(r['goodput_gbps']):.0f} Gb/s"] for r in of("incast")]),
        "cts": table(["class of clear to send", "median delay", "P90", "time"], [[r["row"], f"{float(r['cts_delay_p50_us']):.3g} us", f"{float(r['cts_delay_p90_us']):.3g} us", ms(r)] for r in of("cts")]),
        "ecn": table(["spine's thresholds", "time", "notifications", "spine stops leaf, share of time"], [[r["row"], ms(r), f"{float(r['cnps']):.0f}", share(r, "up_paused")] for r in of("ecn")]),
        "window": table(["credit us, window", "goodput"], [[r["row"], f"{8e3 * 33554432 / float(r['time_ps']):.1f} Gb/s"] for r in of("window")]),
    }


def read_rows():
    with open(CSV, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def with_tables(page, rows):
    """The page with its tables made anew."""
    for name, text in tables(rows).items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, rest = page.split(begin)
        page = before + begin + "\n" + text + "\n\n" + end + rest.split(end)[1]
    return page


def write():
    rows = read_rows()
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    points = [(int(r["row"]), float(r["max_mean_ratio"])) for r in rows if r["figure"] == "max-mean"]
    ratio = lines.Axis(1, 3.5, [(v, f"{v:g}") for v in (1, 1.5, 2, 2.5, 3, 3.5)], log=False)
    (ROOT / "docs/pictures/fabric-max-mean.svg").write_text(
        lines.picture("Flows on 16 links: the fullest over the mean", "One packet a flow, hash of the five-tuple, mean of 20 seeds", "Max-mean ratio by number of flows",
                      "tools/draw/fabric_figures.py", lines.Axis(FLOWS[0], FLOWS[-1], [(f, f"{f:,}") for f in FLOWS]), ratio, [("blue", "max-mean ratio", points)]), encoding="utf-8")
    points = [(float(r["row"]), max(1.0, float(r["out_of_sequence"]) / float(r["time_ps"]) * 1e12)) for r in rows if r["figure"] == "flowlet"]
    most = max(v for _, v in points)
    (ROOT / "docs/pictures/fabric-flowlets.svg").write_text(
        lines.picture("Flowlets: packets out of order by interval", "All-reduce of 64 hosts, 4 connections each; 1 a second stands for none", "Packets out of order by flowlet interval",
                      "tools/draw/fabric_figures.py", lines.Axis(0.1, 512, [(float(i), i) for i in INTERVALS]), lines.decades(1, most, lambda v: f"{v / 1e6:g}M/s" if v >= 1e6 else f"{v / 1e3:g}k/s" if v >= 1e3 else f"{v:g}/s"),
                      [("orange", "out of order", points)]), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weir", help="the program; measures")
    parser.add_argument("--only", metavar="FIGURE", help="measures this one, and leaves the others as they are")
    parser.add_argument("--tables", action="store_true", help="only writes the tables")
    arguments = parser.parse_args()
    if arguments.weir:
        measure(arguments.weir, arguments.only)
    elif not arguments.tables:
        parser.error("--weir or --tables")
    write()


if __name__ == "__main__":
    main()
