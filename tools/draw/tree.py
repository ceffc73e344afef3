#!/usr/bin/env python3
"""Draws docs/pictures/tree.svg: two leaves below a spine, and the life of one column (NetReduce Figure 5).

Standard output gets the SVG."""
from drawing import Drawing

d = Drawing(980, 560, "Two racks: the life of one column", "Two leaves below a spine, and the packets of one column", "tools/draw/tree.py")

d.box(370, 60, 240, 92, "spine S", "one contribution a leaf; the last one", "completes the column: one packet", "down to each leaf")
for x, leaf, workers in ((110, "leaf L1", "W1 + W2"), (630, "leaf L2", "W3 + W4")):
    d.box(x, 240, 240, 92, leaf, f"sums {workers}; one packet up.", "Result: headers kept of each", "connection, the parent's tensor")
for x, name in ((80, "W1"), (260, "W2"), (600, "W3"), (780, "W4")):
    d.box(x, 440, 110, 56, name, "RC queue pairs")

# up
for x, to in ((110, 150), (290, 250), (630, 670), (810, 770)):
    d.arrow("data", (x, 440), (to, 334))
d.label(20, 392, "1 gradients", side=True)
d.arrow("data", (190, 240), (390, 154))
d.arrow("data", (790, 240), (590, 154))
d.label(120, 190, "2 W1+W2, on L1→S", side=True)
d.label(720, 190, "2 W3+W4, on L2→S", side=True)
# down
d.arrow("out", (420, 152), (270, 238))
d.arrow("out", (560, 152), (710, 238))
d.label(372, 212, "3 all, on S→L1", side=True)
d.label(530, 212, "3 all, on S→L2", side=True)
for x, start in ((165, 190), (335, 300), (685, 710), (865, 820)):
    d.arrow("out", (start, 334), (x, 438))
d.label(870, 392, "4 results", side=True)
# notification
d.arrow("state", (350, 290), (628, 290))
d.label(490, 280, "headers of W2→W3, ahead of any result")
d.arrow("state", (630, 318), (352, 318))
d.label(490, 336, "headers of W4→W1")
d.label(490, 524, "W1→W2→W3→W4→W1 is the ring: the result that W3 gets is W2's packet with the sum in it, written by L2.")
d.label(490, 542, "Each cable carries each column once up and once down, however many workers there are.")

print(d.text())
