#!/usr/bin/env python3
"""Runs the rows of rows.csv and compares each with the verdict that the row wants.

A row's columns `wrong` and `stuck` say how many events lead to the first wrong sum and to the first state that cannot complete,
or `no`. Quick rows must also find as many states as results.csv says: a search that suddenly sees less has become blind.
With --full all rows run, results.csv is written anew, and so is the table in docs/protocol-check.md.
Usage: table.py [--full] PROGRAM      Prints `ok ROW` or `not ok ROW` for each; exit code 1 if one is not.
"""
import argparse
import csv
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = os.path.join(HERE, "rows.csv")
RESULTS = os.path.join(HERE, "results.csv")
DOCUMENT = os.path.join(HERE, "..", "..", "docs", "protocol-check.md")
KEYS = ["rule", "tag", "clt", "hosts", "window", "msglen", "messages", "fifo", "timeout", "loss", "options"]
COLUMNS = KEYS[:-1] + ["states", "wrong", "stuck", "shortest", "seconds", "options"]
BEGIN, END = "<!-- begin table: make protocol-full -->", "<!-- end table -->"


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def command(program, row):
    out = [program, "--csv"]
    for key in KEYS[:9]:
        out += [f"--{key}", row[key]]
    out.append("--loss" if row["loss"] == "yes" else "--no-loss")
    return out + [f"--{option}" for option in row["options"].split()]


def shortest(events):
    """In words: events to the first wrong sum and to the first stuck state."""
    return "; ".join(f"{what} {n}" for what, n in events.items() if n != "no")


def run(program, row):
    """The row's result, as results.csv has it, and what is wrong with it, if anything."""
    done = subprocess.run(command(program, row), capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return None, f"{' '.join(command(program, row))}: exit code {done.returncode}: {done.stderr.strip()}"
    states, wrong, stuck, to_wrong, to_stuck, seconds = done.stdout.strip().split(",")
    events = {"wrong": to_wrong if int(wrong) else "no", "stuck": to_stuck if int(stuck) else "no"}
    result = {key: row[key] for key in KEYS}
    result.update(states=states, wrong=wrong, stuck=stuck, shortest=shortest(events), seconds=seconds)
    faults = [f"{what} after {events[what]} events, not {row[what]}" for what in events if events[what] != row[what]]
    if (done.returncode == 0) != (events == {"wrong": "no", "stuck": "no"}):
        faults.append(f"exit code {done.returncode}")
    return result, "; ".join(faults)


def markdown(rows, results):
    def count(text):
        return text if text == "0" else f"**{int(text):,}**"

    yield "| what | free rule | tag | CLT | H,N,L,messages | hop | time-out | loss | more | states | wrong | stuck | events |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    for row, r in zip(rows, results):
        size = ",".join(r[k] for k in ("hosts", "window", "msglen", "messages"))
        yield (f"| {row['what']} | {r['rule']} | {r['tag']} | {r['clt']} | {size} | {r['fifo']} | {r['timeout']} | {r['loss']} | "
               f"{r['options']} | {int(r['states']):,} | {count(r['wrong'])} | {count(r['stuck'])} | {r['shortest']} |")


def write(rows, results):
    with open(RESULTS, "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(results)
    with open(DOCUMENT, encoding="utf-8") as f:
        text = f.read()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    with open(DOCUMENT, "w", encoding="utf-8") as f:
        f.write(before + BEGIN + "\n" + "\n".join(markdown(rows, results)) + "\n" + END + after)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--full", action="store_true", help="all rows; writes results.csv and the table of the document")
    arguments.add_argument("program")
    options = arguments.parse_args()
    known = {tuple(r[k] for k in KEYS): r["states"] for r in read(RESULTS)}
    rows = [r for r in read(ROWS) if options.full or r["run"] == "quick"]
    results, bad = [], not rows
    for row in rows:
        result, fault = run(options.program, row)
        states = known.get(tuple(row[k] for k in KEYS))
        if not fault and not options.full and states != result["states"]:
            fault = f"{result['states']} states, not {states} as in results.csv (make protocol-full)"
        name = " ".join(row[k] for k in KEYS[:9]) + (" loss" if row["loss"] == "yes" else " no-loss") + f" {row['options']}".rstrip()
        said = "" if result is None else f": {result['states']} states, wrong {result['wrong']}, stuck {result['stuck']}, {result['seconds']} s"
        print(f"not ok {name}: {fault}" if fault else f"ok {name}{said}", flush=True)
        bad = bad or bool(fault)
        results.append(result)
    if options.full and not bad:
        write(rows, results)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
