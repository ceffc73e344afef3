#!/usr/bin/env python3
"""Replays the captures of captures.csv through the Verilated device: traces that a broken rule does not survive.

The run must be clean, and hosts must get each result with the right sum. Once with each frame alone (10 us apart): then the device
must count what the protocol model of Weir's rules says: stored, duplicates, drops, results. Once as fast as the device takes them
with outputs held back: then frames of different ports may change places, so a late one may still be in time.
Usage: replays.py WEIR COMPARE      Prints `ok NAME` or `not ok NAME` for each; exit code 1 if one is not.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "..", "..", "sim", "captures", "synthetic")
PACES = {"alone": ["--pace", "recorded"], "in a row": ["--pace", "asap", "--stall", "0.5"]}


def counted(summary):
    """The counters that the model knows."""
    drops = summary["drops"]
    stored = summary["frames_in"] - summary["passed"] - summary["duplicates"] - sum(drops.values())
    known = {"frames": summary["frames_in"], "results": summary["results"], "stored": stored, "duplicates": summary["duplicates"],
             "stale": drops.get("stale", 0), "unknown": drops.get("unknown_message", 0), "passed": summary["passed"]}
    known["other drops"] = sum(drops.values()) - known["stale"] - known["unknown"]
    return known


def fault(weir, compare, row, pace):
    """What is wrong with the replay; empty if nothing is."""
    name = os.path.join(FOLDER, row["capture"])
    with tempfile.TemporaryDirectory() as folder:
        out, summary = os.path.join(folder, "out.pcapng"), os.path.join(folder, "json")
        arguments = [weir, "replay", f"{name}.in.pcapng", "--window", row["window"], "--out", out, "--json", summary]
        arguments += PACES[pace]
        done = subprocess.run(arguments, capture_output=True, text=True)
        if done.returncode != 0:
            return f"exit code {done.returncode}: {' '.join(arguments)}\n{done.stdout}{done.stderr}"
        same = subprocess.run([compare, "data", out, f"{name}.out.pcapng"], capture_output=True, text=True)
        if same.returncode != 0:
            return f"hosts did not get what they must: {same.stdout}{same.stderr}"
        with open(summary, encoding="utf-8") as f:
            found = counted(json.load(f))
    wanted = {key: int(row[key]) for key in found if key in row} | {"other drops": 0}
    if pace != "alone":
        found, wanted = ({key: counts[key] for key in ("frames", "stored", "passed")} for counts in (found, wanted))
    return "" if found == wanted else f"the device counts {found}, the model {wanted}"


def main():
    weir, compare = sys.argv[1:]
    with open(os.path.join(HERE, "captures.csv"), newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    bad = not rows
    for row in rows:
        for pace in PACES:
            why = fault(weir, compare, row, pace)
            print(f"not ok {row['capture']}, frames {pace}: {why}" if why else f"ok {row['capture']}, frames {pace}", flush=True)
            bad = bad or bool(why)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
