#!/usr/bin/env python3
"""Draws docs/pictures/vector.svg: the life of one vector in an aggregation tree, from what was sent on its cables.

Usage: vector.py CAPTURE.pcapng > PICTURE.svg
CAPTURE is what `weir tree --topology fat-tree:2x2 --out CAPTURE.pcapng` wrote: of four hosts, two leaves and a root. Each line is a packet, from when its
first bit leaves to when its last bit arrives.
"""
import subprocess
import sys

from drawing import STYLE

MORE = """
  .life { stroke: var(--edge); stroke-width: 1.2; } .grid { stroke: var(--box); stroke-width: 1; }
  .p { stroke-width: 1.6; } .ack { stroke: var(--dim); stroke-width: 0.6; stroke-dasharray: 2 2; }
"""
# Lifelines from the left: hosts and nodes beside whom they talk to. Cables as the capture numbers them: above each host, then above each leaf.
ACTORS = ["host 0", "host 1", "leaf 1", "root", "leaf 2", "host 2", "host 3"]
CABLES = [("host 0", "leaf 1"), ("host 1", "leaf 1"), ("host 2", "leaf 2"), ("host 3", "leaf 2"), ("leaf 1", "root"), ("leaf 2", "root")]
CABLE_US, GBPS, ACK = 0.45, 100, 17
LEFT, TOP, WIDTH, HEIGHT, STEP = 64, 60, 940, 900, 134
FIELDS = ("frame.interface_id", "frame.time_epoch", "frame.len", "infiniband.bth.opcode", "ip.src", "infiniband.bth.destqp", "data.data")


def packets(capture):
    """Of each packet: who sends, who receives, when its first bit leaves and its last one arrives (us), what it is."""
    words = [word for field in FIELDS for word in ("-e", field)]
    rows = subprocess.run(["tshark", "-r", capture, "-T", "fields", *words], capture_output=True, text=True, check=True).stdout.splitlines()
    first, found = None, []
    for row in rows:
        cable, time, length, opcode, source, pair = row.split("\t")[:6]
        low, high = CABLES[int(cable)]
        # Hosts have addresses of 10.0, nodes of 10.1; a leaf is above the root in none.
        up = source.startswith("10.0.") if low.startswith("host") else source != "10.1.0.1"
        first = float(time) if first is None else first
        at = (float(time) - first) * 1e6
        arrives = at + (int(length) + 24) * 8 / GBPS / 1000 + CABLE_US
        streams = int(pair, 16) // 256 % 2 == 1
        what = "ack" if int(opcode) == ACK else "state" if not streams else "data" if up else "out"
        found.append((low if up else high, high if up else low, at, arrives, what))
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sent = packets(sys.argv[1])
    end = max(arrives for _, _, _, arrives, _ in sent)
    x = {name: LEFT + i * STEP + 30 for i, name in enumerate(ACTORS)}

    def y(time):
        return TOP + 14 + (HEIGHT - TOP - 60) * time / end

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Life of a vector in an aggregation tree">',
           f"<!-- drawn by tools/draw/vector.py -->\n<style>{STYLE}{MORE}</style>", f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>']
    for us in range(int(end) + 1):
        out.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - 10}" y1="{y(us):.1f}" y2="{y(us):.1f}"/>')
        out.append(f'<text class="note" x="{LEFT - 24}" y="{y(us) + 4:.1f}">{us} µs</text>')
    for name in ACTORS:
        out.append(f'<line class="life" x1="{x[name]}" x2="{x[name]}" y1="{TOP}" y2="{HEIGHT - 40}"/><text class="name" x="{x[name]}" y="{TOP - 12}">{name}</text>')
    for source, to, at, arrives, what in sorted(sent, key=lambda one: one[4] != "ack"):
        kind = "ack" if what == "ack" else f"p {what}"
        out.append(f'<line class="{kind}" x1="{x[source]}" y1="{y(at):.1f}" x2="{x[to]}" y2="{y(arrives):.1f}"/>')
        if what != "ack":
            out.append(f'<circle cx="{x[to]}" cy="{y(arrives):.1f}" r="2" class="{what}" fill="none"/>')
    legend = ((0, "state", "lock request and its answer"), (245, "data", "contributions and sums, up"), (490, "out", "result, down"), (640, "ack", "ACKs with credits"))
    for right, what, text in legend:
        at = LEFT + right
        out.append(f'<line class="{"ack" if what == "ack" else "p " + what}" x1="{at}" x2="{at + 26}" y1="{HEIGHT - 16}" y2="{HEIGHT - 16}"/>'
                   f'<text class="side" x="{at + 34}" y="{HEIGHT - 12}">{text}</text>')
    print("\n".join(out) + "\n</svg>")


if __name__ == "__main__":
    main()
