#!/usr/bin/env python3
"""Turns the tables of configurations of all devices, and of the aggregator in a tree, into what make, the bench and lint need.

Usage: configgen.py names | make | table | parameters NAME
  names       names of the aggregator's configurations, smallest first
  make        for mk/device.mk: the names of all devices' configurations, and a variable with Verilator's -G and -D switches for each
  table       C initializers of struct drive_config, gather_config, nic_config, node_config and uplink_config
  parameters  -G and -D switches of one configuration
"""
import csv
import re
import sys

AGGREGATOR = "rtl/top/configs.csv"
GATHER = "rtl/top/gather_configs.csv"
RELAY = "rtl/top/relay_configs.csv"
TREE = "rtl/top/tree_configs.csv"
TREE_ECC = "rtl/top/tree_ecc_configs.csv"
ECC = "rtl/top/ecc_configs.csv"
UPLINK = "rtl/top/uplink_configs.csv"
LEAN = "rtl/top/lean_configs.csv"
BEAT = "rtl/top/beat_configs.csv"
# A device each: its table and the name it has there, the variable of make, the macro of the C table, its fields.
DEVICES = (
    (AGGREGATOR, None, "CONFIGS", "CONFIG",
     ("NumPorts", "NumRanks", "SlotBytes", "NumSlots", "NumRings", "NumConns", "MaxWindow", "WideLanes")),
    (RELAY, None, "RELAY_CONFIGS", "RELAY_CONFIG",
     ("NumPorts", "NumRanks", "SlotBytes", "NumSlots", "NumRings", "NumConns", "MaxWindow", "WideLanes", "Spine",
      "Uplink", "NumRows")),
    (ECC, None, "ECC_CONFIGS", "ECC_CONFIG",
     ("NumPorts", "NumRanks", "SlotBytes", "NumSlots", "NumRings", "NumConns", "MaxWindow", "WideLanes", "Ecc")),
    (LEAN, None, "LEAN_CONFIGS", "LEAN_CONFIG",
     ("NumPorts", "NumRanks", "SlotBytes", "NumSlots", "NumRings", "NumConns", "MaxWindow", "WideLanes", "Without")),
    (BEAT, None, "BEAT_CONFIGS", "BEAT_CONFIG",
     ("NumPorts", "NumRanks", "SlotBytes", "NumSlots", "NumRings", "NumConns", "MaxWindow", "WideLanes", "BeatBytes")),
    (GATHER, "switch", "GATHER_CONFIGS", "GATHER_CONFIG",
     ("NumPorts", "NumPipes", "NumNodes", "Virtual", "VirtualRows", "ExpiryDepth", "CacheSets")),
    (GATHER, "nic", "NIC_CONFIGS", "NIC_CONFIG", ("NumUnits", "Pending", "NumNodes", "Virtual", "VirtualRows", "ExpiryDepth", "ReadQueue",
                                                  "HostBeats", "MergeSlots")),
    (TREE, None, "TREE_CONFIGS", "TREE_CONFIG", ("NumPorts", "WideLanes", "QueueRoom", "SendRoom", "MaxRows")),
    (TREE_ECC, None, "TREE_ECC_CONFIGS", "TREE_ECC_CONFIG", ("NumPorts", "WideLanes", "QueueRoom", "SendRoom", "MaxRows", "Ecc")),
    (UPLINK, None, "UPLINK_CONFIGS", "UPLINK_CONFIG", ("NumDown", "NumUp", "Places", "Overrides", "RoomDepth")),
)
BITS = ("Virtual",)
# What is no parameter of the top, but a macro that all of its modules see.
MACROS = {"BeatBytes": "WEIR_BEAT_BYTES"}
# The bits of Without, by name.
PACKAGE = "rtl/roce/roce_pkg.sv"


def without(names):
    """Names of what is left out, joined by +, as the number that the parameter is."""
    with open(PACKAGE, encoding="utf-8") as f:
        bits = {re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower(): int(bit)
                for name, bit in re.findall(r"localparam int unsigned Without(\w+) = (\d+);", f.read())}
    unknown = [name for name in names.split("+") if name not in bits]
    if unknown:
        sys.exit(f"configgen: {LEAN}: nothing is called {unknown[0]!r}; there are {', '.join(bits)}")
    return str(sum(1 << bits[name] for name in set(names.split("+"))))


def rows(source, device, fields):
    """The rows of one device; a field that the other device of the table has is empty."""
    with open(source, encoding="utf-8") as f:
        table = list(csv.DictReader(line for line in f if line.strip() and not line.startswith("#")))
    table = [row for row in table if device is None or row["device"] == device]
    for row in table:
        if "Without" in fields:
            row["Without"] = without(row["Without"])
        if not row["name"].isidentifier() or any(not row[field].isdigit() for field in fields):
            sys.exit(f"configgen: {source}: bad line for {row['name']!r}")
    if not table:
        sys.exit(f"configgen: {source}: no configurations")
    return table


def switches(fields, row):
    """For a shell. Verilator warns of a number without a width for a parameter of one bit."""
    return " ".join(f"\"-G{field}=1'b{row[field]}\"" if field in BITS else
                    f"-D{MACROS[field]}={row[field]}" if field in MACROS else f"-G{field}={row[field]}" for field in fields)


def main():
    what = sys.argv[1]
    if what == "names":
        source, device, _, _, fields = DEVICES[0]
        print(" ".join(row["name"] for row in rows(source, device, fields)))
    elif what == "make":
        for source, device, names, _, fields in DEVICES:
            for row in rows(source, device, fields):
                print(f"PARAMETERS_{row['name']} := {switches(fields, row)}")
            print(f"{names} := " + " ".join(row["name"] for row in rows(source, device, fields)))
    elif what == "table":
        for source, device, _, macro, fields in DEVICES:
            print(f"// Generated from {source} by tools/generate/configgen.py; do not edit.\n#ifdef {macro}")
            for row in rows(source, device, fields):
                print(f'{macro}({row["name"]}, {", ".join(row[field] for field in fields)})')
            print("#endif")
    elif what == "parameters":
        for source, device, _, _, fields in DEVICES:
            for row in rows(source, device, fields):
                if row["name"] == sys.argv[2]:
                    print(switches(fields, row))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
