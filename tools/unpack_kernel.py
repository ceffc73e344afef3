#!/usr/bin/env python3
"""Takes the kernel out of a bzImage: unpack_kernel.py BZIMAGE VMLINUX.

Guests of `weir live` mostly run without hardware's help, where unpacking takes a guest as long as all the rest of its boot. So it is done
once, here, and QEMU loads the kernel's ELF file (its PVH entry). Where the packed part lies is what the kernel's documentation calls
payload_offset and payload_length (Documentation/x86/boot.rst). A kernel packed otherwise than with xz or gzip stays as it is: QEMU boots
that too.
"""
import lzma
import struct
import sys
import zlib

UNPACK = {b"\xfd7zXZ\0": lambda data: lzma.LZMADecompressor().decompress(data), b"\x1f\x8b": lambda data: zlib.decompressobj(31).decompress(data)}
SECTOR = 512
SETUP_SECTS, PAYLOAD_OFFSET = 0x1F1, 0x248   # where the header has them


def unpacked(image):
    """The kernel's ELF file; the image itself if it cannot be unpacked."""
    setup_sectors = image[SETUP_SECTS] or 4
    offset, length = struct.unpack_from("<II", image, PAYLOAD_OFFSET)
    start = (setup_sectors + 1) * SECTOR + offset
    payload = image[start:start + length]
    for magic, unpack in UNPACK.items():
        if payload.startswith(magic):
            kernel = unpack(payload)
            return kernel if kernel.startswith(b"\x7fELF") else image
    return image


def main():
    source, target = sys.argv[1:]
    with open(source, "rb") as f:
        image = f.read()
    with open(target, "wb") as f:
        f.write(unpacked(image))


if __name__ == "__main__":
    main()
