"""Hosts alone beside trees: the page says what the figures do, the network is the tree's, and one that is not is noticed."""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "peers" / "hosts_alone"))
import page
import run
import smpi


def test_page_says_what_the_figures_say():
    rows, text = page.read_rows(), page.PAGE.read_text(encoding="utf-8")
    assert page.BEGIN + page.section(rows) + page.END in text, "make tree-peers, or sim/peers/hosts_alone/page.py"
    assert page.PICTURE.read_text(encoding="utf-8") == page.picture(rows)


def test_figures_are_those_of_the_closed_form():
    rows = [(row["who"], int(row["uplinks"]), row["hosts"], int(row["bytes"]), float(row["us"])) for row in page.read_rows()]
    assert not list(run.faults(rows))


@pytest.mark.parametrize("row", [("ring", 1, "free", 1 << 20, 486.0), ("doubling", 16, "free", 4, 9.6)], ids=lambda row: row[0])
def test_other_figures_are_noticed(row):
    assert len(list(run.faults([row]))) == 1


@pytest.mark.parametrize("uplinks", [1, 3])
def test_network(uplinks):
    """Two racks of three: eight cables, those above a leaf as fat as told; through the root, a path has four cables and three switches."""
    network = ElementTree.fromstring(smpi.platform("fat-tree:2x3", uplinks)).find("zone")
    links = {link.get("id"): link for link in network.iter("link")}
    assert [host.get("id") for host in network.iter("host")] == [f"h{i}" for i in range(6)] and len(links) == 16
    path = [links[name] for name in ("h0-up", "root.0-up", "root.1-down", "h5-down")]
    assert sum(int(link.get("latency").removesuffix("ns")) for link in path) == 4 * smpi.CABLE + 3 * smpi.NODE
    rates = [int(link.get("bandwidth").removesuffix("Bps")) for link in path]
    assert rates[0] == rates[3] and abs(rates[1] - uplinks * rates[0]) <= uplinks and rates[1] == rates[2]


@pytest.mark.parametrize("topology", ["fat-tree:4x", "leaf-spine:2x2", "fat-tree"])
def test_refused(topology):
    with pytest.raises(ValueError):
        smpi.shape(topology)
