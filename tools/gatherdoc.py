#!/usr/bin/env python3
"""Measures gathers and writes the tables of docs/gather.md anew, each with the command of its first row.

Usage: gatherdoc.py WEIR [FOLDER] [--only NAME,..]
FOLDER: real matrices (*.mtx.gz), for a table of theirs; without it that table stays as it is.
With --only no table but those of these names is made. The document's text between `<!-- NAME -->` and `<!-- end -->` is replaced.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

DOCUMENT = "docs/gather.md"
KINDS = {"power-law": ("arabic", 8192, 4), "road": ("europe", 4096, 2), "banded": ("queen", 8192, 16), "block": ("stokes", 8192, 4)}
PAPER = {  # NetSparse Tables 7, 1 and 4: F+C, PRs a packet, hits, redundancy of SU and SA, destinations among 64
    "power-law": ("97 %", "5.7", "26 %", "1947", "27", "2.5"),
    "road": ("8 %", "4.5", "5 %", "582", "0.02", "7.4"),
    "banded": ("95 %", "19.6", "50 %", "74", "25", "1.0"),
    "block": ("90 %", "12.1", "6 %", "32", "3.6", "1.9"),
}
CLUSTER = ["--nodes", "64", "--racks", "8", "--rate", "100"]


class Measure:
    def __init__(self, weir):
        self.weir = weir
        self.command = None
        self.known = {}

    def __call__(self, *options):
        """Summary of a run; the first command since `begin` is kept for the document."""
        options = [str(o) for o in options]
        if self.command is None:
            self.command = " ".join(["weir", "gather"] + [os.path.basename(o) if o.endswith(".gz") else o for o in options])
        key = " ".join(options)
        if key not in self.known:
            with tempfile.NamedTemporaryFile(suffix=".json") as file:
                subprocess.run([self.weir, "gather", *options, "--json", file.name], check=True, stdout=subprocess.DEVNULL)
                self.known[key] = json.load(open(file.name, encoding="utf-8"))
        return self.known[key]


def kind_options(kind, k=16):
    _, batch, sets = KINDS[kind]
    return ["--generate", kind, "--rows", 65536, *CLUSTER, "--k", k, "--batch", batch, "--cache-sets", sets]


def table(head, rows):
    out = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return out + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]


def percent(x):
    return f"{100 * x:.0f} %"


def kinds(run):
    rows = []
    for kind, (name, *_) in KINDS.items():
        s = run(*kind_options(kind))
        paper = PAPER[kind]
        measured = (percent(s["filter_rate"]), f"{s['prs_per_packet']:.1f}", percent(s["hit_rate"]), f"{s['redundant_su']:.0f}",
                    f"{s['redundant_sa']:.2g}", f"{s['locality']:.1f}")
        rows.append([kind, name] + [f"{m} ({p})" for m, p in zip(measured, paper)] +
                    [percent(s["header_share"]), f"{s['tail_less_than_su']:.0f}"])
    return table(["kind", "like", "F+C", "PRs a packet", "cache hits", "redundant, SU", "redundant, SA", "destinations of 64", "headers",
                  "tail node: less than SU"], rows)


def ablation(run):
    steps = [("RIG", ["filter", "coalesce", "concat-nic", "switch"]), ("+ filter", ["coalesce", "concat-nic", "switch"]),
             ("+ coalesce", ["concat-nic", "switch"]), ("+ concatenate in NICs", ["switch"]), ("+ switch", [])]
    rows = []
    for name, without in steps:
        row = [name]
        for kind in ("power-law", "road"):
            for k in (1, 16, 128):
                s = run(*kind_options(kind, k), *[w for m in without for w in ("--without", m)])
                row.append(f"{s['speedup_su']:.3g} / {s['tail_less_than_su']:.3g} / {percent(s['goodput'])}")
        rows.append(row)
    return table([""] + [f"{kind}, K={k}" for kind in ("power-law", "road") for k in (1, 16, 128)], rows)


def delays(run):
    rows = []
    alone = {kind: run(*kind_options(kind), "--without", "concat-nic", "--delay-switch", 0) for kind in KINDS}
    run.command = None
    for delay in (0, 50, 200, 500, 1000, 2000, 5000, 20000, 50000):
        row = [delay]
        for kind in KINDS:
            s = run(*kind_options(kind), "--delay-nic", delay, "--delay-switch", delay // 4)
            row.append(f"{alone[kind]['cycles'] / s['cycles']:.2f} ({s['prs_per_packet']:.1f})")
        rows.append(row)
    return table(["delay"] + list(KINDS), rows)


def caches(run):
    rows = []
    none = {}
    for sets in (0, 1, 2, 4, 8, 16, 64, 256, 4096):
        row = [f"{sets} ({8 * sets} KiB)"]
        for kind in KINDS:
            options = [o for o in kind_options(kind)][:-1] + [sets]
            s = run(*options)
            none.setdefault(kind, s)
            row.append(f"{none[kind]['cycles'] / s['cycles']:.2f} ({percent(s['hit_rate'])}, "
                       f"{none[kind]['bytes_on_links'] / s['bytes_on_links']:.2f})")
        rows.append(row)
    return table(["sets of a pipe"] + list(KINDS), rows)


def batches(run):
    rows = []
    for batch in (64, 256, 1024, 4096, 16384, 65536):
        row = [batch]
        for kind in KINDS:
            s = run(*kind_options(kind), "--batch", batch)
            row.append(f"{s['cycles']:,} ({percent(s['filter_rate'])})")
        rows.append(row)
    return table(["nonzeros"] + list(KINDS), rows)


def pools(run):
    rows = []
    static = run(*kind_options("power-law"))
    run.command = None
    for pieces in (32, 64, 128, 256, 512, 1536):
        s = run(*kind_options("power-law"), "--queues", "virtual", "--pieces", pieces)
        rows.append([pieces, f"{pieces * 128 // 1024} KiB", f"{s['prs_per_packet']:.2f}", f"{s['pool_flushes']:,}", f"{s['waits_pool']:,}",
                     f"{s['cycles']:,}"])
    rows.append(["static", f"{2 * 63 * 1500 // 1024} KiB", f"{static['prs_per_packet']:.2f}", "", "", f"{static['cycles']:,}"])
    return table(["pieces", "memory", "PRs a packet", "sent early", "cycles of waiting", "cycles"], rows)


def real(run, folder):
    rows = []
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".mtx.gz"):
            continue
        s = run(os.path.join(folder, name))
        rows.append([name[:-7], f"{s['rows']} x {s['columns']}", s["nonzeros"], s["prs_wanted"], s["prs_sent"], percent(s["filter_rate"]),
                     f"{s['prs_per_packet']:.1f}", percent(s["hit_rate"]), f"{s['less_than_su']:.2f}", f"{s['less_than_sa']:.1f}"])
    return table(["matrix", "size", "nonzeros", "wanted", "sent", "F+C", "PRs a packet", "hits", "less than SU", "less than per nonzero"],
                 rows)


def rtl(run):
    rows = []
    for kind in ("power-law", "block"):
        for k in (1, 16, 128):
            options = ["--generate", kind, "--rows", 1500, "--nodes", 8, "--racks", 2, "--batch", 64, "--k", k]
            for queues in ("static", "virtual"):
                r = run(*options, "--queues", queues, "--rtl", "switch")
                m = run(*options, "--queues", queues, "--cache-sets", 4)
                rows.append([kind, k, queues] + [f"{f(r)} ({f(m)})" for f in (
                    lambda s: f"{s['cycles']:,}", lambda s: f"{s['prs_per_packet']:.2f}", lambda s: percent(s["hit_rate"]),
                    lambda s: f"{s['cache_evicted']:,}", lambda s: f"{s['packets_switch']:,}", lambda s: f"{s['pool_flushes']:,}")])
    return table(["kind", "K", "queues", "cycles", "PRs a packet", "cache hits", "evicted", "packets of switches", "sent early"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--only", help="names of tables, with commas between them")
    arguments = parser.parse_args()
    run, folder = Measure(arguments.weir), arguments.folder
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    tables = {f.__name__: f for f in (kinds, ablation, delays, caches, batches, pools, rtl)}
    if folder:
        tables["real"] = lambda measure: real(measure, folder)
    chosen = arguments.only.split(",") if arguments.only else list(tables)
    if not set(chosen) <= set(tables):
        sys.exit(f"gatherdoc: there are the tables {', '.join(tables)}")
    for name in chosen:
        run.command = None
        print(name, file=sys.stderr, flush=True)
        lines = tables[name](run)
        block = "\n".join([f"`{run.command}`", "", *lines])
        text, count = re.subn(rf"<!-- {name} -->\n.*?<!-- end -->", lambda _, b=block: f"<!-- {name} -->\n{b}\n<!-- end -->", text,
                              flags=re.S)
        if count != 1:
            sys.exit(f"gatherdoc: {DOCUMENT} has no place for the table {name}")
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
