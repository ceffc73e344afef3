#!/usr/bin/env python3
"""Writes requirements.txt from a requirements.in: all that pip would install for it, with the version and the hash of each file.

Usage: pin.py REQUIREMENTS.in   (writes the .txt beside it; asks PyPI)

The files are those for the Python that runs this, 3.11, on Linux and x86-64.
"""
import json
import os
import re
import subprocess
import sys


def main():
    if len(sys.argv) != 2 or not sys.argv[1].endswith(".in"):
        sys.exit(__doc__)
    source = sys.argv[1]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    report = json.loads(subprocess.check_output([*pip, "--dry-run", "--ignore-installed", "--report", "-", "-r", source]))
    pins = {}
    for item in report["install"]:
        name = re.sub(r"[-_.]+", "-", item["metadata"]["name"]).lower()
        digest = item["download_info"]["archive_info"]["hashes"]["sha256"]
        pins[name] = f"{name}=={item['metadata']['version']} --hash=sha256:{digest}\n"
    path = source[:-3] + ".txt"
    with open(path + ".part", "w", encoding="utf-8") as out:
        out.write(f"# Generated from {source} by tools/pin.py; do not edit. For Python 3.11 on Linux and x86-64.\n")
        out.writelines(pins[name] for name in sorted(pins))
    os.replace(path + ".part", path)


if __name__ == "__main__":
    main()
