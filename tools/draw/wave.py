#!/usr/bin/env python3
"""Draws a stretch of a waveform as SVG: the signals that a GTKWave save file lists, in its groups, between two times.

Usage: wave.py WAVES SAVEFILE --from NS --to NS [--title TEXT] [--mark NS=TEXT].. [--still] > PICTURE.svg
WAVES is FST or VCD of a clock of 250 MHz, as `weir --wave` writes it. Groups of the save file become headings, its comments notes. Vectors are
decimal where the save file says so (@24), else hexadecimal. A signal that does not change in that stretch is left out; --still draws it, too.
A mark is a line down the picture with a word at its head. Exit code 1 if the waves lack a signal of the save file.
"""
import argparse
import re
import sys
from html import escape
from typing import NamedTuple

import pywellen

CYCLE = 4             # ns
HALF = 2              # ns between the two edges of a clock: what a wave file steps by
LEFT, RIGHT, ROW = 232, 26, 18
TOP = 58              # of the first row; above it stand title, times and marks
CHARACTER = 6.7       # pixels, of the font of values and marks
DECIMAL, COMMENT, GROUP_BEGINS = 0x4, 0x200, 0x800000

STYLE = """
  :root { --ink: #1b2430; --dim: #5c6b7a; --paper: #ffffff; --wave: #0b6bcb; --fill: #dcebfa; --grid: #e3e9ef; --head: #b4540a; --mark: #b4540a; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e8edf2; --dim: #9fb0c0; --paper: #10161d; --wave: #6db3ff; --fill: #1d3247; --grid: #222d38; --head: #f0a35e; --mark: #f0a35e; }
  }
  .paper { fill: var(--paper); } text { font: 11px ui-monospace, monospace; fill: var(--ink); }
  .title { font: 600 14px system-ui, sans-serif; } .head { font: 600 12px system-ui, sans-serif; fill: var(--head); }
  .note { font: 11px system-ui, sans-serif; fill: var(--dim); } .head, .note { stroke: var(--paper); stroke-width: 4; paint-order: stroke; }
  .name { text-anchor: end; } .time { fill: var(--dim); text-anchor: middle; } .value { text-anchor: middle; }
  .bit { fill: none; stroke: var(--wave); stroke-width: 1.6; } .bus { fill: var(--fill); stroke: var(--wave); stroke-width: 1.1; }
  .grid { stroke: var(--grid); stroke-width: 1; }
  .mark { stroke: var(--mark); stroke-width: 1.4; } .word { fill: var(--mark); text-anchor: middle; }
"""


class Row(NamedTuple):
    """One line of a picture: a `heading`, a `note`, or a signal."""
    kind: str
    text: str
    decimal: bool = False


def rows_of(path):
    """The rows of a save file, in its order."""
    rows, flags = [], 0
    with open(path, encoding="utf-8") as file:
        for line in (one.strip() for one in file):
            if line.startswith("@"):
                flags = int(line[1:], 16)
            elif line.startswith("-") and flags & GROUP_BEGINS:
                rows.append(Row("heading", line[1:]))
            elif line.startswith("-") and flags & COMMENT:
                rows.append(Row("note", line[1:]))
            elif re.match(r"[A-Za-z_]", line):
                rows.append(Row("signal", line, bool(flags & DECIMAL)))
    return rows


def plain(name):
    """A name without the range of bits behind it, and without the dot in front of an index."""
    return re.sub(r"\[\d+:\d+\]$", "", name.replace(".[", "["))


def segments(signal, start, end):
    """[begin, end, value] in ns, one for each stretch of one value."""
    found = []
    for time in range(start, end, HALF):
        value = signal.value_at(time)
        if found and found[-1][2] == value:
            found[-1][1] = time + HALF
        else:
            found.append([time, time + HALF, value])
    return found


class Picture:
    """Grows from row to row."""

    def __init__(self, start, end, width):
        self.start, self.end, self.width = start, end, width
        self.scale = (width - LEFT - RIGHT) / (end - start)
        self.y = TOP
        self.parts = []

    def x(self, time):
        return round(LEFT + (time - self.start) * self.scale, 1)

    def text(self, kind, x, y, text):
        self.parts.append(f'<text class="{kind}" x="{x}" y="{y}">{escape(text)}</text>')

    def heading(self, text):
        self.y += 8
        self.text("head", 12, self.y + 12, text)
        self.y += ROW + 2

    def note(self, text):
        self.text("note", LEFT, self.y + 12, text)
        self.y += ROW

    def signal(self, name, var, pieces, decimal):
        self.text("name", LEFT - 8, self.y + 12, name)
        if var.bitwidth == 1:
            points = [f"{self.x(time)},{self.y + (2 if value else ROW - 5)}" for begin, stop, value in pieces for time in (begin, stop)]
            self.parts.append(f'<polyline class="bit" points="{" ".join(points)}"/>')
        else:
            for begin, stop, value in pieces:
                self.value(begin, stop, str(value) if decimal or not isinstance(value, int) else f"{value:x}")
        self.y += ROW

    def value(self, begin, stop, text):
        left, width = self.x(begin), round(self.x(stop) - self.x(begin), 1)
        self.parts.append(f'<rect class="bus" x="{left}" y="{self.y + 1}" width="{width}" height="{ROW - 5}" rx="3">'
                          f'<title>{escape(text)}</title></rect>')
        if len(text) * CHARACTER + 2 <= width:
            self.text("value", round(left + width / 2, 1), self.y + 12, text)

    def svg(self, title, marks):
        under = []   # what stands behind the rows
        for time in range(self.start, self.end + 1, 10 * CYCLE):
            under.append(f'<path class="grid" d="M{self.x(time)} {TOP - 6}V{self.y}"/>')
            under.append(f'<text class="time" x="{self.x(time)}" y="{TOP - 12}">{time:,}</text>')
        under.append(f'<text class="name time" x="{LEFT - 36}" y="{TOP - 12}">ns</text>')
        full = [0.0, 0.0]   # how far each of the lines below the rows is taken
        for time, word in sorted(marks):
            half = len(word) * CHARACTER / 2 + 4
            line = 0 if self.x(time) - half >= full[0] else 1
            full[line] = self.x(time) + half
            foot = self.y + 8 + 16 * line
            under.append(f'<path class="mark" d="M{self.x(time)} {TOP - 6}V{foot}"/>')
            under.append(f'<text class="word" x="{self.x(time)}" y="{foot + 12}">{escape(word)}</text>')
        height = self.y + (44 if marks else 10)
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height}" role="img" aria-label="{escape(title)}">',
            f"<!-- generated by tools/draw/wave.py -->\n<style>{STYLE}</style>",
            f'<rect class="paper" width="{self.width}" height="{height}"/>', f'<text class="title" x="12" y="24">{escape(title)}</text>',
            *under, *self.parts, "</svg>"])


def draw(rows, variables, options):
    """The picture's text. A heading or note with nothing below it is left out."""
    picture = Picture(options.start, options.end, options.width)
    waiting = []
    for row in rows:
        if row.kind == "heading":
            waiting = [row]
        elif row.kind == "note":
            waiting.append(row)
        else:
            var = variables[plain(row.text)]
            pieces = segments(var.signal, options.start, options.end)
            if len(pieces) == 1 and not options.still:
                continue
            for above in waiting:
                getattr(picture, above.kind)(above.text)
            waiting = []
            name = plain(row.text)
            for prefix in ("weir.", "weir_aggregator.", "u_core."):
                name = name.removeprefix(prefix)
            picture.signal(name, var, pieces, row.decimal)
    return picture.svg(options.title, options.mark)


def mark(text):
    """A time and a word, of `NS=TEXT`."""
    time, _, word = text.partition("=")
    return int(time), word


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("waves")
    arguments.add_argument("savefile")
    arguments.add_argument("--from", dest="start", metavar="NS", type=int, required=True)
    arguments.add_argument("--to", dest="end", metavar="NS", type=int, required=True)
    arguments.add_argument("--title", default="")
    arguments.add_argument("--mark", metavar="NS=TEXT", action="append", type=mark, default=[])
    arguments.add_argument("--still", action="store_true", help="also signals that do not change in that stretch")
    arguments.add_argument("--width", type=int, default=1180)
    options = arguments.parse_args()
    if options.end - options.start < CYCLE:
        sys.exit("wave.py: --to must be a cycle (4 ns) behind --from, or more")
    options.start -= options.start % CYCLE
    variables = {plain(var.full_name): var for var in pywellen.Waveform(options.waves).all_vars()}
    rows = rows_of(options.savefile)
    lacking = [row.text for row in rows if row.kind == "signal" and plain(row.text) not in variables]
    if lacking:
        sys.exit(f"wave.py: {options.waves} lacks signals of {options.savefile}:\n" + "\n".join(lacking))
    if not any(row.kind == "signal" for row in rows):
        sys.exit(f"wave.py: {options.savefile} names no signal")
    print(draw(rows, variables, options))


if __name__ == "__main__":
    main()
