#!/usr/bin/env python3
"""Draws the losses that tools/test/host/torch_train.py has written down: those of sums by the device and by Gloo, and how far they are from each other. Both pictures go into the page of the
run (weir live --report), above the device's own, and beside it.

Usage: tools/draw/training.py FOLDER PAGE.html
"""
import base64
import math
import pathlib
import sys

import lines as draw

PROGRAM = "tools/draw/training.py"
LEAST = 1e-9   # of a logarithmic axis: below are those that are the same
KINDS = (("fp32", "FP32", "blue"), ("fp16", "FP16", "green"), ("bf16", "BF16", "orange"))


def read(path):
    """Losses by step."""
    return [float.fromhex(line) for line in path.read_text(encoding="ascii").split()]


def pictures(folder):
    """(name, SVG) of both."""
    gloo, ours = read(folder / "gloo.fp32"), {kind: read(folder / f"weir.{kind}") for kind, _, _ in KINDS}
    steps = len(gloo)
    x = draw.Axis(0, steps - 1, [(step, str(step)) for step in range(0, steps, max(1, steps // 8))], log=False)
    marks = range(math.ceil(20 * max(max(gloo), *(max(losses) for losses in ours.values()))) + 1)   # of 0.05
    note = "mean squared error by step; the lines of FP32, FP16 and BF16 lie on Gloo's"
    yield "training-loss", draw.picture(
        "Training through the device, and through Gloo", note, "Loss by step, of sums by the device and by Gloo", PROGRAM, x,
        draw.Axis(0, marks[-1] / 20, [(i / 20, f"{i / 20:.2f}") for i in marks], log=False),
        [("grey", "Gloo, FP32", list(enumerate(gloo))), *((f"{colour} dashed", f"device, {name}", list(enumerate(ours[kind]))) for kind, name, colour in KINDS)])
    far = {kind: [max(LEAST, abs(a - b) / b) for a, b in zip(losses, gloo)] for kind, losses in ours.items()}
    yield "training-difference", draw.picture(
        "How far the losses are from Gloo's of FP32", "relative difference by step; NetReduce (5.3) claims less than 0.2 % for its own sums", "Relative difference of losses by step", PROGRAM, x,
        draw.decades(LEAST, 0.01, lambda value: "none" if value <= LEAST else f"{value:.0e}"),
        [("grey dashed", "0.2 %", [(0, 0.002), (steps - 1, 0.002)]), *((colour, name, list(enumerate(far[kind]))) for kind, name, colour in KINDS)])


def main():
    """Writes them, and the page anew."""
    folder, page = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    section = '<section id="training">\n<h2>Training</h2>\n'
    for name, svg in pictures(folder):
        (page.parent / f"{name}.svg").write_text(svg, encoding="utf-8")
        # An image of its own: it follows the reader's theme, and its styles are not the page's.
        section += f'<p><img alt="{name}" style="max-width: 100%" src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"/></p>\n'
    text = page.read_text(encoding="utf-8")
    before, mark, behind = text.partition("<main>\n")
    if not mark:
        sys.exit(f"training.py: {page}: no page of a run")
    page.write_text(before + mark + section + "</section>\n" + behind, encoding="utf-8")


main()
