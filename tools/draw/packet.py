#!/usr/bin/env python3
"""Draws docs/pictures/packet.svg: the way of a gradient packet through the aggregator.

Standard output gets the SVG."""
from drawing import Drawing

d = Drawing(980, 470, "weir_aggregator: the way of a gradient packet", "Way of a gradient packet through the aggregator",
            "tools/draw/packet.py")

d.box(30, 60, 150, 88, "roce_ingress", "parse, check ICRC", "frame FIFO: commit", "or roll back")
d.box(240, 60, 130, 88, "agg_port", "in order; aligns", "tensor to 64 B rows", "one per port")
d.box(790, 60, 150, 88, "roce_out", "frames in turn", "to the same port")
d.box(240, 210, 130, 74, "agg_lookup", "connection, message,", "offset of the PSN")
d.box(430, 210, 150, 74, "agg_slot_state", "one op a cycle: decide,", "commit, take, free")
d.box(640, 210, 110, 74, "agg_emit", "lock, take,", "read")
d.box(240, 350, 130, 74, "agg_bank", "one a rank: rows and", "header records")
d.box(470, 350, 150, 74, "agg_reduce", "tree over ranks, a row", "a cycle")
d.box(790, 350, 150, 74, "roce_egress", "own header, sum,", "pad, new ICRC")

d.arrow("data", (0, 104), (28, 104))
d.label(14, 94, "in")
d.arrow("data", (180, 104), (238, 104))
d.arrow("data", (370, 90), (788, 90))
d.label(580, 82, "not a gradient of a known ring: unmodified, in order")
d.arrow("state", (290, 148), (290, 208))
d.label(255, 182, "what is it?")
d.arrow("state", (370, 247), (428, 247))
d.arrow("state", (500, 210), (500, 125), (372, 125))
d.label(508, 170, "verdict: store, duplicate, drop", side=True)
d.arrow("state", (580, 236), (638, 236))
d.label(609, 228, "column full")
d.arrow("state", (640, 264), (582, 264))
d.label(609, 279, "take")
d.arrow("data", (240, 130), (212, 130), (212, 387), (238, 387))
d.arrow("out", (370, 387), (468, 387))
d.label(419, 379, "all ranks at once")
d.arrow("state", (695, 284), (695, 318), (305, 318), (305, 348))
d.label(500, 312, "slot, row")
d.arrow("out", (620, 387), (788, 387))
d.label(704, 379, "one row to every connection")
d.arrow("out", (865, 350), (865, 150))
d.label(873, 250, "results", side=True)
d.arrow("out", (940, 104), (974, 104))
d.label(957, 94, "out")

print(d.text())
