"""Frames of a pcapng file, gzipped or not: (interface, bytes) in their order."""
import gzip
import struct

SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6


def frames(path):
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
