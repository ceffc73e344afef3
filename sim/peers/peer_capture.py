"""Captures in pcapng, gzipped or not: what the peer needs of them."""
import gzip
import struct

SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
ETHERNET, MAGIC, VERSION = 1, 0x1A2B3C4D, 1
# Bytes that a frame takes on the cable besides its own: preamble, FCS, gap.
OVERHEAD = 24


def frames(path):
    """(interface, bytes) of each frame, in their order."""
    with open(path, "rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    with (gzip.open if zipped else open)(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == PACKET:
            interface, _, _, size, _ = struct.unpack_from("<IIIII", data, at + 8)
            yield interface, data[at + 28 : at + 28 + size]
        elif kind not in (SECTION, INTERFACE):
            raise ValueError(f"{path}: block type {kind}")
        at += length


def at_line_rate(captured):
    """The same frames in the order in which they would start if every port got its own back to back."""
    time = {}
    timed = []
    for index, (port, frame) in enumerate(captured):
        start = time.get(port, 0)
        timed.append((start, index, port, frame))
        time[port] = start + len(frame) + OVERHEAD
    return [(port, frame) for _, _, port, frame in sorted(timed)]


def block(kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)


def write(path, ports, captured):
    """Writes (interface, bytes) frames as a capture with so many interfaces; all have time stamp 0."""
    with open(path, "wb") as file:
        file.write(block(SECTION, struct.pack("<IHHq", MAGIC, VERSION, 0, -1)))
        for _ in range(ports):
            file.write(block(INTERFACE, struct.pack("<HHI", ETHERNET, 0, 0)))
        for port, frame in captured:
            file.write(block(PACKET, struct.pack("<IIIII", port, 0, 0, len(frame), len(frame)) + frame))
