#!/usr/bin/env python3
"""How long an all-reduce takes hosts alone (SimGrid's SMPI), beside trees of Weir with the same cables.

Usage: run.py BUILD [LARGEST]
  BUILD     folder in which weir is built; what is made on the way goes to BUILD/peers
  LARGEST   leaves out vectors of more bytes, and then writes nothing but standard output

Run it in the project's root. Writes docs/figures/tree-peers.csv (who, uplinks, hosts, bytes, us), and from it the table in docs/tree.md and
docs/pictures/tree-peers.svg. All times are simulated: they are the same on every machine. 16 MB take 5 GB of memory.
Exit code: 0, or 1 if a sum is wrong or SMPI's times are not those of a closed form.
"""
import json
import pathlib
import subprocess
import sys

import page
import smpi

TOPOLOGY, UPLINKS = "fat-tree:4x16", (1, 16)
# As many hosts in racks of 8: a switch has at most 16 cables to its aggregator, and 16 hosts with a parent need one more.
RELAY = "leaf-spine:8x8"
SIZES = (4, 64, 256, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20)
SHORT, SHORT_MOST, RELAY_LEAST = 1 << 10, 16 << 10, 64 << 10   # a low-latency vector; up to where several of them are tried
NEAR = 0.01   # of the closed form
HERE = pathlib.Path(__file__).parent


def weir(build, *arguments):
    """The summary of a run."""
    summary = build / "peers" / "summary.json"
    subprocess.run([build / "weir", *map(str, arguments), "--json", summary], check=True, stdout=subprocess.DEVNULL)
    return json.loads(summary.read_text(encoding="utf-8"))


def trees(build, sizes):
    """Rows of `weir tree`, and of aggregators where vectors are long enough that the delay of cables, which these have not, is nothing."""
    base = ("tree", "--topology", TOPOLOGY, "--mtu", smpi.MTU, "--rate", smpi.RATE, "--cable", smpi.CABLE, "--node", smpi.NODE)
    for size in sizes:
        if size <= SHORT_MOST:
            # A longer vector is several operations, one behind the other.
            count = -(-size // SHORT)
            summary = weir(build, *base, "--mode", "llt", "--size", min(size, SHORT), "--operations", count)
            yield "low latency", size, summary["operation_us"] * count
        if size >= SHORT:
            operations = 2 if size < 1 << 20 else 1
            summary = weir(build, *base, "--mode", "sat", "--lock", "unlimited", "--size", size, "--operations", operations)
            yield "streaming", size, summary["operation_us"]
        if size >= RELAY_LEAST:
            yield "aggregators", size, weir(build, "ring", "--topology", RELAY, "--short-last", "--tensor", size)["all_reduce_us"]


def hosts_alone(folder, sizes):
    """Rows of SMPI: who, uplinks, hosts, bytes, microseconds. A ring cannot have fewer numbers than hosts."""
    racks, hosts = smpi.shape(TOPOLOGY)
    program = smpi.compile_program(HERE / "allreduce.c", folder)
    for uplinks in UPLINKS:
        for algorithm in smpi.ALGORITHMS:
            for cost in smpi.COSTS:
                able = [size for size in sizes if algorithm != "ring" or size >= 4 * racks * hosts]
                found = smpi.times(program, folder, TOPOLOGY, uplinks, algorithm, cost, able)
                for size, took in found.items():
                    yield algorithm, uplinks, cost, size, took
    for pace in smpi.PACES if page.PACED in sizes else ():
        found = smpi.times(program, folder, TOPOLOGY, UPLINKS[-1], "rabenseifner", pace, [page.PACED])
        yield "rabenseifner", UPLINKS[-1], pace, page.PACED, found[page.PACED]


def faults(rows):
    """What SMPI tells otherwise than the closed form: then it was told another network or other costs than the page says."""
    for who, uplinks, cost, size, took in rows:
        if cost == "free" and (who == "ring" or (who == "doubling" and size == 4)):
            wanted = smpi.expected(TOPOLOGY, who, size)
            if abs(took / wanted - 1) > NEAR:
                yield f"{who}, {uplinks} up, {size} bytes: {took:.3f} us, not {wanted:.3f}"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    sizes = [size for size in SIZES if len(sys.argv) < 3 or size <= int(sys.argv[2])]
    folder = build / "peers" / "hosts_alone"
    folder.mkdir(parents=True, exist_ok=True)
    alone = list(hosts_alone(folder, sizes))
    found = [(who, 1, "free", size, took) for who, size, took in trees(build, sizes)] + alone
    rows = [{"who": who, "uplinks": uplinks, "hosts": cost, "bytes": size, "us": f"{took:.3f}"} for who, uplinks, cost, size, took in found]
    if len(sys.argv) == 2:
        page.write_rows(rows)
        page.write()
    print(page.table(rows))
    wrong = list(faults(alone))
    for line in wrong:
        print(f"FAILED: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
