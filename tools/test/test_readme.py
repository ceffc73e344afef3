"""Figures that README.md shows are those of the committed reports."""
import csv
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def figure(name):
    """A measurement of `make bench`."""
    with open(ROOT / "docs/figures/performance.csv", encoding="utf-8") as file:
        return next(row["value"] for row in csv.DictReader(file) if row["name"] == name)


def alone(size, *algorithms):
    """Microseconds of an all-reduce of that many bytes by the best of these, each with the network that suits it."""
    with open(ROOT / "docs/figures/tree-peers.csv", encoding="utf-8") as file:
        return min(float(row["us"]) for row in csv.DictReader(file) if int(row["bytes"]) == size and row["who"] in algorithms)


def shown(begin):
    """What stands in the second column of README's row that begins so."""
    return re.search(rf"^\| {re.escape(begin)}.*?\| (.*) \|$", TEXT, re.M).group(1)


@pytest.mark.parametrize("row, words", [
    ("six ports, packets of 1 KB", "{payload_gbps_per_port_1k} Gb/s of payload a port"),
    ("from the last contribution", "{latency_idle_cycles} cycles"),
    ("packets of 256 B, 512 B", "{payload_gbps_per_port_256:.0f}, {payload_gbps_per_port_512:.0f} Gb/s"),
    ("frames of 64 B that pass", "{small_frames_mpps_per_port:.0f} Mpps a port, {small_frames_line_rate:.0f} % of line rate"),
    ("replay against cocotb", "{cocotb_ratio} times"),
    ("`weir fabric`", "{fabric_packets_per_second:,.0f} packets a second"),
    ("`weir fabric`", "{fabric_two_rank_ratio} times that on two"),
])
def test_measurements(row, words):
    for name, shape in re.findall(r"{(\w+):?([^}]*)}", words):
        value = figure(name)
        if shape == ",.0f":
            value = round(float(value), -4)   # of this machine: two digits are enough
        words = re.sub(rf"{{{name}[^}}]*}}", format(float(value), shape) if shape else value, words)
    assert words in shown(row), f"{words} is not in: {shown(row)}"


def test_trees_and_hosts_alone():
    trees, hosts = ("low latency", "streaming"), ("doubling", "rabenseifner", "ring")
    assert shown("all-reduce of 64 hosts").startswith(
        f"{alone(1024, *trees):.1f} and {alone(1 << 20, *trees):.0f} µs; hosts alone in SimGrid {alone(1024, *hosts):.0f} and {alone(1 << 20, *hosts):.0f} µs")
