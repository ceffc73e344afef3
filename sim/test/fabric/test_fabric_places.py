"""`weir fabric` with devices in the places of hosts and nodes: aggregation trees (--load nodes --rtl) and gathers (--load gather), as golden models and
Verilated, whose frames go over the fabric's cables. The run itself compares each result with what is computed directly, each Verilated device with its
model, and accounts for every packet."""
import pytest

from fabric_runs import good

TREE = "--topology clos:3x2x2 --load nodes --mtu 1024 --size 32K"
GATHER = "--topology clos:4x2x2 --load gather --size 8K"
SAME = ("events_hash", "packets_delivered", "result_bytes", "device_compared", "device_cycles", "time_ps", "again")


@pytest.mark.parametrize("size, results", [("32K", 6 * 32768), ("512", 6 * 512), ("1028", 6 * 1028)])
@pytest.mark.parametrize("rtl", ["none", "leaf0", "s0,s1,spine0"])
def test_tree(fabric, rtl, size, results):
    """Short vectors take the low-latency tree, longer ones stream through the other one."""
    s = good(fabric, TREE, f"--rtl {rtl} --size {size}")
    assert s["result_bytes"] == results and s["again"] == s["dropped"] == 0
    assert (s["device_compared"] > 0) == (s["device_cycles"] > 0) == (rtl != "none")


def test_tree_of_three_tiers(fabric):
    """Racks in two pods, whose ranks are dealt out to them in turn."""
    s = good(fabric, "--topology clos:4x4x2,2x2 --load nodes --mtu 4096 --size 256K --placement spread --rtl none")
    assert s["result_bytes"] == 32 * 262144


@pytest.mark.parametrize("fault", ["--loss 0.005", "--reboot spine0@4:20", "--cut s0-s2@4", "--background 64K --routing spray"])
def test_tree_and_faults(fabric, fault):
    """What is lost or overtaken is sent again, and no sum changes."""
    s = good(fabric, TREE, f"--rtl leaf0,spine0 --timeout 20 {fault}")
    assert s["again"] > 0 and s["result_bytes"] == 6 * 32768


def test_tree_without_a_host(fabric):
    """A host that stops has nobody get a sum; each of the others is told so, in time, and the run does not end well."""
    s = fabric.summary(1, TREE, "--rtl leaf0 --kill-host 2@3 --timeout 20 --retries 2")
    assert s["open"] == 6 and s["mismatches"] == 0 and s["result_bytes"] == 0


@pytest.mark.parametrize("rtl", ["none", "leaf0,h0,h5"])
def test_gather(fabric, rtl):
    """NICs and the switch of a rack, each asked for properties by all; some are asked for twice, and answered by the switch."""
    s = good(fabric, GATHER, f"--rtl {rtl}")
    assert s["result_bytes"] == 64 * s["gather_wanted"] and 0 < s["gather_hits"] and s["dropped"] == 0
    assert (s["device_compared"] > 0) == (s["device_cycles"] > 0) == (rtl != "none")


@pytest.mark.parametrize("shape", ["4x2x2,2x2 --rtl leaf1,h0", "2x2x3,3x1", "4x2x2 --placement spread --rtl leaf0,h5", "4x2x2 --placement random", "4x4x2 --placement spread --ranks 8",
                                   "4x2x2 --placement half"])
def test_gather_elsewhere(fabric, shape):
    """Three tiers, where what goes up a plane comes down from it, and its response too; and ranks that do not fill one rack after the other."""
    s = good(fabric, f"--topology clos:{shape} --load gather --size 8K")
    assert s["result_bytes"] == 64 * s["gather_wanted"] > 0 and s["dropped"] == 0
    if "random" in shape and "ranks" not in shape:
        assert s["gather_wanted"] == good(fabric, "--topology clos:4x2x2 --load gather --size 8K")["gather_wanted"]


def test_gather_and_flow_control(fabric):
    """Beside other traffic, in buffers so small that everybody is stopped again and again: what comes down to a rack does not wait for what leaves it, so no
    two switches wait for each other."""
    s = good(fabric, "--topology clos:8x2x2 --load gather --size 64K --background 1M --timeout 1000 --leaf-buffer 400K --spine-buffer 600K")
    assert s["cables"]["down"]["paused"] > 0 and s["dropped"] == s["timeouts"] == s["watchdogs"] == 0


def test_gather_and_loss(fabric):
    """A batch of which something was lost is tried again."""
    s = good(fabric, "--topology clos:8x4x4 --load gather --size 16K --loss 0.001 --timeout 100")
    assert s["lost_on_cables"] > 0 and s["result_bytes"] == 64 * s["gather_wanted"]


@pytest.mark.parametrize("options", [f"{TREE} --cable 1000 --rtl leaf0,spine0 --loss 0.003 --timeout 20", f"{GATHER} --cable 1000 --rtl leaf1,h0", f"{GATHER} --background 64K"])
def test_on_processes(fabric, options):
    """Devices on several processes, however parts are dealt out: frame by frame as on one. Where hosts are on other processes than their leaves their cables say how
    often processes meet, so that of two runs is longer."""
    want = good(fabric, options)
    for processes, more in ((2, ""), (3, "--partition scatter")):
        got = fabric.on_processes(processes, options, more)
        assert {key: got[key] for key in SAME} == {key: want[key] for key in SAME}


def test_refused(fabric):
    for word, options in (("no node that takes part", f"{TREE} --rtl spine1"), ("more than any device", "--topology clos:16x2x2 --load nodes --rtl leaf0"),
                          ("no such connections", f"{TREE} --rtl none --qps 2"), ("4 bytes to 256M", f"{TREE} --rtl none --size 6"),
                          ("whole microseconds", f"{TREE} --rtl none --timeout 20.5"), ("up to 17 s", f"{TREE} --rtl none --timeout 1000000"),
                          ("63 children", "--topology clos:64x2x2 --load nodes --rtl none"),
                          ("or h3", f"{GATHER} --rtl h8"), ("as leaf0, spine0, s5 or uplink0", f"{TREE} --rtl h1"), ("know one way", f"{GATHER} --cut s0-s2@1"),
                          ("as many ranks each", "--topology clos:4x4x2 --load gather --size 8K --placement random --ranks 6"),
                          ("one into each plane", """--load gather --topology '{"hosts": 4, "switches": [1, 1, 2, 2, 3], "cables": [["h0", "s0", 100, 15], ["h1", "s0", 100, 15], ["h2", "s1", 100, 15], ["h3", "s1", 100, 15], ["s0", "s2", 100, 250], ["s0", "s3", 100, 250], ["s1", "s2", 100, 250], ["s1", "s3", 100, 250], ["s2", "s4", 100, 500], ["s3", "s4", 100, 500]]}'"""),
                          ("4 to 512 bytes", f"{GATHER} --message 1K"), ("NIC knows 16 nodes", "--topology clos:4x5x2 --load gather --rtl h0"),
                          ("the switch has 8 ports", "--topology clos:4x2x5 --load gather --rtl leaf0")):
        fabric.refused(word, options)
