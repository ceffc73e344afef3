#!/usr/bin/env python3
"""Turns the tables of configurations of both devices into what make, the bench and lint need.

Usage: configgen.py names | make | table | parameters NAME
  names       names of the aggregator's configurations, smallest first
  make        one variable a configuration with Verilator's -G switches, of both devices
  table       C initializers of struct drive_config and of the open functions (tb/drive/drive.c), and of struct gather_config
  parameters  -G switches of one configuration

The environment variable WEIR_CONFIGS (names, with blanks between) leaves out all others: for builds that need one device only.
"""
import csv
import os
import sys

AGGREGATOR = "rtl/top/configs.csv"
GATHER = "rtl/top/gather_configs.csv"
FIELDS = {
    AGGREGATOR: ("NumPorts", "NumRanks", "SlotBytes", "NumSlots", "NumRings", "NumConns", "MaxWindow", "WideLanes"),
    GATHER: ("NumPorts", "NumPipes", "NumNodes", "Virtual", "VirtualRows", "ExpiryDepth", "CacheSets"),
}
BITS = ("Virtual",)


def rows(source):
    with open(source, encoding="utf-8") as f:
        table = list(csv.DictReader(line for line in f if line.strip() and not line.startswith("#")))
    for row in table:
        if not row["name"].isidentifier() or any(not row[field].isdigit() for field in FIELDS[source]):
            sys.exit(f"configgen: {source}: bad line for {row['name']!r}")
    only = os.environ.get("WEIR_CONFIGS", "").split()
    table = [row for row in table if not only or row["name"] in only]
    if not table and source == AGGREGATOR:
        sys.exit(f"configgen: {source}: no configurations")
    return table


def switches(source, row):
    """For a shell. Verilator warns of a number without a width for a parameter of one bit."""
    return " ".join(f"\"-G{field}=1'b{row[field]}\"" if field in BITS else f"-G{field}={row[field]}" for field in FIELDS[source])


def main():
    what = sys.argv[1]
    if what == "names":
        print(" ".join(row["name"] for row in rows(AGGREGATOR)))
    elif what == "make":
        for source, names in ((AGGREGATOR, "CONFIGS"), (GATHER, "GATHER_CONFIGS")):
            for row in rows(source):
                print(f"PARAMETERS_{row['name']} := {switches(source, row)}")
            print(f"{names} := " + " ".join(row["name"] for row in rows(source)))
    elif what == "table":
        for source, macro in ((AGGREGATOR, "CONFIG"), (GATHER, "GATHER_CONFIG")):
            print(f"// Generated from {source} by tools/configgen.py; do not edit.\n#ifdef {macro}")
            for row in rows(source):
                print(f'{macro}({row["name"]}, {", ".join(row[field] for field in FIELDS[source])})')
            print("#endif")
    elif what == "parameters":
        for source in FIELDS:
            for row in rows(source):
                if row["name"] == sys.argv[2]:
                    print(switches(source, row))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
