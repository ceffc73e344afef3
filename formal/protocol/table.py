#!/usr/bin/env python3
"""Runs the rows of rows.csv and compares each with the verdict that the row wants.

A row's columns `wrong` and `stuck` say how many events lead to the first wrong sum and to the first state that cannot complete,
or `no`. Quick rows must also find as many states as results.csv says: a search that suddenly sees less has become blind.
Rows with a `capture` write their trace as one, which must be the one in sim/captures, byte by byte.
With --full all rows run; results.csv, the table in docs/protocol-check.md, the captures and captures.csv are written anew.
Usage: table.py [--full] PROGRAM      Prints `ok ROW` or `not ok ROW` for each; exit code 1 if one is not.
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
ROWS = os.path.join(HERE, "rows.csv")
RESULTS = os.path.join(HERE, "results.csv")
CAPTURES = os.path.join(HERE, "captures.csv")
CAPTURE_FOLDER = os.path.join(HERE, "..", "..", "sim", "captures")
DOCUMENT = os.path.join(HERE, "..", "..", "docs", "protocol-check.md")
KEYS = ["rule", "tag", "clt", "hosts", "window", "msglen", "messages", "fifo", "timeout", "loss", "options"]
CAPTURE_COLUMNS = ["capture", "window", "frames", "of_trace", "results", "stored", "duplicates", "stale", "unknown", "passed"]
COLUMNS = KEYS[:-1] + ["states", "wrong", "stuck", "shortest", "seconds", "options"]
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


def command(program, row, folder):
    out = [program, "--csv"]
    for key in KEYS[:9]:
        out += [f"--{key}", row[key]]
    out.append("--loss" if row["loss"] == "yes" else "--no-loss")
    if row["capture"]:
        out += ["--capture", os.path.join(folder, row["capture"])]
    return out + [f"--{option}" for option in row["options"].split()]


def shortest(events):
    """In words: events to the first wrong sum and to the first stuck state."""
    return "; ".join(f"{what} {n}" for what, n in events.items() if n != "no")


def run(program, row, folder):
    """A row's result."""
    arguments = command(program, row, folder)
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return Result(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()}")
    line, _, words = done.stdout.partition("\n")
    states, _, wrong, stuck, to_wrong, to_stuck, seconds, *captured = line.split(",")
    events = {"wrong": to_wrong if int(wrong) else "no", "stuck": to_stuck if int(stuck) else "no"}
    values = {key: row[key] for key in KEYS}
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
            return f"it makes another {name} than the one in sim/captures (make protocol-full)"
    return ""


def name_of(row):
    return " ".join(row[k] for k in KEYS[:9]) + (" loss" if row["loss"] == "yes" else " no-loss") + f" {row['options']}".rstrip()


def count(text):
    return text if text == "0" else f"**{int(text):,}**"


def table(rows, results):
    yield "| what | free rule | tag | CLT | H,N,L,messages | hop | time-out | loss | more | states | wrong | stuck | events |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    for row, result in zip(rows, results):
        r = result.values
        size = ",".join(r[k] for k in ("hosts", "window", "msglen", "messages"))
        yield (f"| {row['what'].replace(';', ',')} | {r['rule']} | {r['tag']} | {r['clt']} | {size} | {r['fifo']} | {r['timeout']} | "
               f"{r['loss']} | {r['options']} | {int(r['states']):,} | {count(r['wrong'])} | {count(r['stuck'])} | {r['shortest']} |")


def trace(row, result):
    """The first trace of a row as the document shows it: the one that its capture is made of."""
    return f"{name_of(row)}\n\n```\n{result.words.partition(chr(10) * 2)[0]}\n```\n"


def is_shown(row):
    return bool(row["capture"]) or ("two-level" in row["options"] and row["stuck"] != "no")


def put(text, what, content):
    """The document's text with another content between two marks."""
    before, rest = text.split(BEGIN.format(what))
    return before + BEGIN.format(what) + content + END.format(what) + rest.split(END.format(what))[1]


def write_document(rows, results):
    with open(DOCUMENT, encoding="utf-8") as f:
        text = f.read()
    text = put(text, "table", "\n".join(table(rows, results)) + "\n")
    text = put(text, "traces", "\n".join(trace(*pair) for pair in zip(rows, results) if is_shown(pair[0])))
    with open(DOCUMENT, "w", encoding="utf-8") as f:
        f.write(text)


def unlike_committed(row, result, folder, document):
    """How a result differs from what is committed; empty if it does not."""
    known = next((r for r in read(RESULTS) if all(r[k] == row[k] for k in KEYS)), {"states": "none"})
    if known["states"] != result.values["states"]:
        return f"{result.values['states']} states, not {known['states']} as in results.csv (make protocol-full)"
    if is_shown(row) and trace(row, result) not in document:
        return "its trace is not the one in docs/protocol-check.md (make protocol-full)"
    return other_capture(result.capture, folder) if result.capture else ""


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--full", action="store_true", help="all rows; writes tables and captures")
    arguments.add_argument("program")
    options = arguments.parse_args()
    rows = [r for r in read(ROWS) if options.full or r["run"] == "quick"]
    with open(DOCUMENT, encoding="utf-8") as f:
        document = f.read()
    results, bad = [], not rows
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            result = run(options.program, row, folder)
            results.append(result)
            fault = result.fault or ("" if options.full else unlike_committed(row, result, folder, document))
            bad = bad or bool(fault)
            said = fault or "{states} states, wrong {wrong}, stuck {stuck}, {seconds} s".format(**result.values)
            print(f"{'not ok' if fault else 'ok'} {name_of(row)}: {said}", flush=True)
        if options.full and not bad:
            write(RESULTS, COLUMNS, [r.values for r in results])
            write(CAPTURES, CAPTURE_COLUMNS, [r.capture for r in results if r.capture])
            write_document(rows, results)
            for name in os.listdir(folder):
                shutil.copy(os.path.join(folder, name), CAPTURE_FOLDER)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
