#!/usr/bin/env python3
"""How the simulation scales over processes: measures, writes docs/figures/cluster.csv, and fills the tables of docs/cluster.md.

  tools/draw/fabric_cluster.py --weir build/weir-mpi      measures all (a minute), and writes both
  tools/draw/fabric_cluster.py --tables                   writes the tables from the CSV"""
import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]
CSV, PAGE = ROOT / "docs/figures/cluster.csv", ROOT / "docs/cluster.md"
RUNS = {
    "128 hosts, permutation of 16 MB": "fabric --topology clos:16x8x16 --size 16M",
    "1,024 hosts, permutation of 1 MB": "fabric --topology clos:32x32x32 --size 1M",
    "1,024 hosts, SHARP tree of 512 KB": "fabric --topology clos:32x32x32 --load nodes --size 512K --window 128K",
    "gather, 128 nodes": "gather --generate power-law --rows 131072 --nodes 128 --racks 8",
}
# Hardly anything happens between two exchanges: one packet is under way at a time.
EMPTY = "fabric --topology clos:4x4x1 --load incast --senders 1 --size 1M --message 1024 --mtu 1024 --window 4096 --ack-every 1"
PROCESSES = (1, 2, 3, 4)


def run(weir, processes, options):
    """Wall seconds, events hash and exchanges of a run."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "summary.json"
        start = time.monotonic()
        subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(processes), weir, *options.split(), "--partition", "scatter" if options == EMPTY else "racks",
                        "--json", path], check=True, stdout=subprocess.DEVNULL)
        took = time.monotonic() - start
        text = path.read_text(encoding="utf-8")
    of = lambda key: re.search(rf'"{key}": "?([\w.]+)', text)
    # Without the start of processes, where the run says how long it took itself.
    seconds = float(of("wall_seconds").group(1)) if of("wall_seconds") else took - START[processes]
    return seconds, of("events_hash").group(1), int(of("turns").group(1)) if of("turns") else 0


START = {}


def measure(weir, repeats):
    rows = []
    for processes in PROCESSES:
        START[processes] = 0
        START[processes] = min(run(weir, processes, "tree --topology fat-tree:2x2 --size 4 --operations 1")[0] for _ in range(3))
    for name, options in [*RUNS.items(), ("empty", EMPTY)]:
        hashes = set()
        for processes in PROCESSES:
            results = [run(weir, processes, options) for _ in range(repeats)]
            hashes |= {r[1] for r in results}
            rows.append({"run": name, "processes": processes, "seconds": f"{min(r[0] for r in results):.3f}", "exchanges": results[0][2], "options": options})
            print(f"{name}, {processes}: {rows[-1]['seconds']} s", file=sys.stderr)
        if len(hashes) != 1:
            sys.exit(f"{name}: events are not the same on all numbers of processes")
    with open(CSV, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_rows():
    with open(CSV, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def tables(rows):
    seconds = {(r["run"], int(r["processes"])): float(r["seconds"]) for r in rows}
    exchanges = {(r["run"], int(r["processes"])): int(r["exchanges"]) for r in rows}
    lines = ["| | 1 process | 2 | 3 | 4 | exchanges |", "|---|---:|---:|---:|---:|---:|"]
    for name in RUNS:
        cells = [f"{seconds[name, 1]:.2f} s"] + [f"{seconds[name, 1] / seconds[name, p]:.2f} times as fast" for p in PROCESSES[1:]]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {exchanges[name, 2]:,} |" if exchanges[name, 2] else f"| {name} | " + " | ".join(cells) + " | – |")
    cost = ["| processes | exchanges | one takes |", "|---|---:|---:|"]
    for p in PROCESSES[1:]:
        cost.append(f"| {p} | {exchanges['empty', p]:,} | {1e6 * seconds['empty', p] / exchanges['empty', p]:.1f} us |")
    return {"scaling": "\n".join(lines), "exchange": "\n".join(cost)}


def with_tables(page, rows):
    """The page with its tables made anew."""
    for name, text in tables(rows).items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        page = page[:page.index(begin) + len(begin)] + f"\n{text}\n\n" + page[page.index(end):]
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weir", help="the program for several processes")
    parser.add_argument("--repeats", type=int, default=3, help="of each run, of which the fastest counts")
    parser.add_argument("--tables", action="store_true", help="only the tables")
    arguments = parser.parse_args()
    if not arguments.tables:
        measure(os.path.abspath(arguments.weir), arguments.repeats)
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), read_rows()), encoding="utf-8")


if __name__ == "__main__":
    main()
