#!/usr/bin/env python3
"""Runs the rows of rows.csv (rings), locking/rows.csv (locked trees), classes/rows.csv (gathers) and induction/rows.csv (devices of trees), and compares each with the verdict that the row wants.

A row's columns `wrong` and `stuck` say how many events lead to the first wrong sum and to the first state that cannot complete,
or `no`. Quick rows must also find as many states as results.csv says: a search that suddenly sees less has become blind.
Rows with a `capture` write their trace as one, which must be the one in sim/captures/synthetic, byte by byte.
With --full all rows run; both results.csv, the tables in docs/protocol-check.md, the captures and captures.csv are written anew.
Usage: table.py [--full] [--only KIND] PROGRAM      Prints `ok ROW` or `not ok ROW` for each; exit code 1 if one is not.
"""
import argparse
import csv
import filecmp
import os
import shutil
import subprocess
import sys
import tempfile
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
CAPTURES = os.path.join(HERE, "captures.csv")
CAPTURE_FOLDER = os.path.join(HERE, "..", "..", "sim", "captures", "synthetic")
DOCUMENT = os.path.join(HERE, "..", "..", "docs", "protocol-check.md")
KEYS = ["rule", "tag", "clt", "hosts", "window", "msglen", "messages", "fifo", "timeout", "loss", "options"]
CAPTURE_COLUMNS = ["capture", "window", "frames", "of_trace", "results", "stored", "duplicates", "stale", "unknown", "passed"]
FOUND = ["states", "wrong", "stuck", "shortest", "seconds"]
BEGIN, END = "<!-- begin {}: make protocol-full -->\n", "<!-- end {} -->"


class Result(typing.NamedTuple):
    """What a row's search said."""
    fault: str              # what is wrong with it; empty if nothing is
    values: dict = {}       # line of results.csv
    capture: dict = None    # line of captures.csv
    words: str = ""         # shortest traces


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def write(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.DictWriter(f, columns, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def shortest(events):
    """In words: events to the first wrong sum and to the first stuck state."""
    return "; ".join(f"{what} {n}" for what, n in events.items() if n != "no")


class Rings:
    """Rings of hosts around a device, and two leaves below a spine (NetReduce)."""
    folder, keys, columns = HERE, KEYS, KEYS[:-1] + FOUND + ["options"]
    marks = ("table", "traces")
    head = "| what | free rule | tag | CLT | H,N,L,messages | hop | time-out | loss | more | states | wrong | stuck | events |"

    @staticmethod
    def command(program, row, folder):
        out = [program, "--csv"]
        for key in KEYS[:9]:
            out += [f"--{key}", row[key]]
        out.append("--loss" if row["loss"] == "yes" else "--no-loss")
        if row["capture"]:
            out += ["--capture", os.path.join(folder, row["capture"])]
        return out + [f"--{option}" for option in row["options"].split()]

    @staticmethod
    def name(row):
        return " ".join(row[k] for k in KEYS[:9]) + (" loss" if row["loss"] == "yes" else " no-loss") + f" {row['options']}".rstrip()

    @staticmethod
    def cells(row):
        size = ",".join(row[k] for k in ("hosts", "window", "msglen", "messages"))
        return [row[k] for k in ("rule", "tag", "clt")] + [size] + [row[k] for k in ("fifo", "timeout", "loss", "options")]

    @staticmethod
    def is_shown(row):
        return bool(row["capture"]) or ("two-level" in row["options"] and row["stuck"] != "no")


class LockedTrees:
    """Hosts of two groups below the nodes of a tree that is locked (SHARP)."""
    folder, keys, columns = os.path.join(HERE, "locking"), ["options"], ["options"] + FOUND
    marks = ("table of locked trees", "traces of locked trees")
    head = "| what | options | states | wrong | stuck | events |"

    @staticmethod
    def command(program, row, _):
        return [program, "locking", "--csv"] + [f"--{option}" for option in row["options"].split()]

    @staticmethod
    def name(row):
        return "locking " + row["options"]

    @staticmethod
    def cells(row):
        return [row["options"]]

    @staticmethod
    def is_shown(row):
        return row["trace"] == "yes"


class Gathers(LockedTrees):
    """Two nodes that read from each other through switches that push back (NetSparse)."""
    folder = os.path.join(HERE, "classes")
    marks = ("table of gathers", "traces of gathers")

    @staticmethod
    def command(program, row, _):
        return [program, "classes", "--csv"] + [f"--{option}" for option in row["options"].split()]

    @staticmethod
    def name(row):
        return "classes " + row["options"]


class Induction(LockedTrees):
    """A device of a tree between what its children and its parent are bound to (NetReduce)."""
    folder = os.path.join(HERE, "induction")
    marks = ("table of devices of trees", "traces of devices of trees")

    @staticmethod
    def command(program, row, _):
        return [program, "induction", "--csv"] + [f"--{option}" for option in row["options"].split()]

    @staticmethod
    def name(row):
        return "induction " + row["options"]


KINDS = (Rings, LockedTrees, Gathers, Induction)


def run(kind, program, row, folder):
    """A row's result."""
    arguments = kind.command(program, row, folder)
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return Result(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()}")
    line, _, words = done.stdout.partition("\n")
    states, _, wrong, stuck, to_wrong, to_stuck, seconds, *captured = line.split(",")
    events = {"wrong": to_wrong if int(wrong) else "no", "stuck": to_stuck if int(stuck) else "no"}
    values = {key: row[key] for key in kind.keys}
    values.update(states=states, wrong=wrong, stuck=stuck, shortest=shortest(events), seconds=seconds)
    capture = dict(zip(CAPTURE_COLUMNS, [row["capture"], row["window"]] + captured)) if captured else None
    faults = [f"{what} after {events[what]} events, not {row[what]}" for what in events if events[what] != row[what]]
    if (done.returncode == 0) != (events == {"wrong": "no", "stuck": "no"}):
        faults.append(f"exit code {done.returncode}")
    return Result("; ".join(faults), values, capture, words.strip())


def other_capture(capture, folder):
    """How a capture that was just made differs from the committed one; empty if it does not."""
    line = next((c for c in read(CAPTURES) if c["capture"] == capture["capture"]), None)
    if line != capture:
        return f"its capture is {capture}, not {line} as in captures.csv (make protocol-full)"
    for side in ("in", "out"):
        name = f"{capture['capture']}.{side}.pcapng"
        committed = os.path.join(CAPTURE_FOLDER, name)
        if not os.path.exists(committed) or not filecmp.cmp(os.path.join(folder, name), committed, shallow=False):
            return f"it makes another {name} than the one in sim/captures/synthetic (make protocol-full)"
    return ""


def count(text):
    return text if text == "0" else f"**{int(text):,}**"


def table(kind, rows, results):
    yield kind.head
    yield "|---" * (kind.head.count("|") - 1) + "|"
    for row, result in zip(rows, results):
        r = result.values
        cells = [row["what"].replace(";", ",")] + kind.cells(row)
        yield f"| {' | '.join(cells)} | {int(r['states']):,} | {count(r['wrong'])} | {count(r['stuck'])} | {r['shortest']} |"


def trace(kind, row, result):
    """The first trace of a row as the document shows it: the one that its capture is made of."""
    return f"{kind.name(row)}\n\n```\n{result.words.partition(chr(10) * 2)[0]}\n```\n"


def put(text, what, content):
    """The document's text with another content between two marks."""
    before, rest = text.split(BEGIN.format(what))
    return before + BEGIN.format(what) + content + END.format(what) + rest.split(END.format(what))[1]


def write_results(kind, rows, results):
    """The file, and the tables in the document."""
    write(os.path.join(kind.folder, "results.csv"), kind.columns, [r.values for r in results])
    with open(DOCUMENT, encoding="utf-8") as f:
        text = f.read()
    text = put(text, kind.marks[0], "\n".join(table(kind, rows, results)) + "\n")
    text = put(text, kind.marks[1], "\n".join(trace(kind, *pair) for pair in zip(rows, results) if kind.is_shown(pair[0])))
    with open(DOCUMENT, "w", encoding="utf-8") as f:
        f.write(text)


def unlike_committed(kind, row, result, folder, document):
    """How a result differs from what is committed; empty if it does not."""
    results = read(os.path.join(kind.folder, "results.csv"))
    known = next((r for r in results if all(r[k] == row[k] for k in kind.keys)), {"states": "none"})
    if known["states"] != result.values["states"]:
        return f"{result.values['states']} states, not {known['states']} as in results.csv (make protocol-full)"
    if kind.is_shown(row) and trace(kind, row, result) not in document:
        return "its trace is not the one in docs/protocol-check.md (make protocol-full)"
    return other_capture(result.capture, folder) if result.capture else ""


def search(kind, options, folder, document):
    """All rows of a kind, or the quick ones: rows, results, and whether one is not what it must be."""
    rows = [r for r in read(os.path.join(kind.folder, "rows.csv")) if options.full or r["run"] == "quick"]
    results, bad = [], not rows
    for row in rows:
        result = run(kind, options.program, row, folder)
        results.append(result)
        fault = result.fault or ("" if options.full else unlike_committed(kind, row, result, folder, document))
        bad = bad or bool(fault)
        said = fault or "{states} states, wrong {wrong}, stuck {stuck}, {seconds} s".format(**result.values)
        print(f"{'not ok' if fault else 'ok'} {kind.name(row)}: {said}", flush=True)
    return rows, results, bad


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--full", action="store_true", help="all rows; writes tables and captures")
    arguments.add_argument("--only", choices=[k.__name__ for k in KINDS], help="rows of this kind")
    arguments.add_argument("program")
    options = arguments.parse_args()
    kinds = [k for k in KINDS if options.only in (None, k.__name__)]
    with open(DOCUMENT, encoding="utf-8") as f:
        document = f.read()
    with tempfile.TemporaryDirectory() as folder:
        found = [(kind, *search(kind, options, folder, document)) for kind in kinds]
        bad = any(f[-1] for f in found)
        for kind, rows, results, _ in found if options.full and not bad else []:
            write_results(kind, rows, results)
            if kind is Rings:
                write(CAPTURES, CAPTURE_COLUMNS, [r.capture for r in results if r.capture])
                for name in os.listdir(folder):
                    shutil.copy(os.path.join(folder, name), CAPTURE_FOLDER)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
