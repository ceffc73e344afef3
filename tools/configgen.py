#!/usr/bin/env python3
"""Turns rtl/top/configs.csv into what make, the bench and lint need.

Usage: configgen.py names | make | table | parameters NAME
  names       names of the configurations, smallest first
  make        one variable a configuration with Verilator's -G switches
  table       C initializers of struct drive_config and of the open functions (tb/drive/drive.c)
  parameters  -G switches of one configuration

The environment variable WEIR_CONFIGS (names, with blanks between) leaves out all others: for builds that need one device only.
"""
import csv
import os
import sys

SOURCE = "rtl/top/configs.csv"
FIELDS = ("NumPorts", "NumRanks", "SlotBytes", "NumSlots", "NumRings", "NumConns", "MaxWindow", "WideLanes")


def rows():
    with open(SOURCE, encoding="utf-8") as f:
        table = list(csv.DictReader(line for line in f if line.strip() and not line.startswith("#")))
    for row in table:
        if not row["name"].isidentifier() or any(not row[field].isdigit() for field in FIELDS):
            sys.exit(f"configgen: {SOURCE}: bad line for {row['name']!r}")
    only = os.environ.get("WEIR_CONFIGS", "").split()
    table = [row for row in table if not only or row["name"] in only]
    if not table:
        sys.exit(f"configgen: {SOURCE}: no configurations")
    return table


def switches(row):
    return " ".join(f"-G{field}={row[field]}" for field in FIELDS)


def main():
    what = sys.argv[1]
    if what == "names":
        print(" ".join(row["name"] for row in rows()))
    elif what == "make":
        for row in rows():
            print(f"PARAMETERS_{row['name']} := {switches(row)}")
        print("CONFIGS := " + " ".join(row["name"] for row in rows()))
    elif what == "table":
        print(f"// Generated from {SOURCE} by tools/configgen.py; do not edit.")
        for row in rows():
            print(f'CONFIG({row["name"]}, {", ".join(row[field] for field in FIELDS)})')
    elif what == "parameters":
        for row in rows():
            if row["name"] == sys.argv[2]:
                print(switches(row))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
