"""`weir fabric --uplink --rtl uplink0`: the Verilated uplink device in front of a leaf's uplinks. The run itself compares: each frame that leaves the device with what its
golden model says, its port with the one that the model of --uplink would take, and what is missing with the device's counters."""
import pytest

from fabric_runs import good

LEAVES = "--topology clos:3x3x4 --mtu 1024 --size 48K --uplink"
SAME = ("events_hash", "uplink_frames", "device_cycles", "time_ps", "again")


@pytest.mark.parametrize("rtl", ["uplink0", "uplink0,uplink1,uplink2"])
@pytest.mark.parametrize("routing", ["ecmp", "e-ecmp --qps 4", "flowlet --flowlet 0.2"])
def test_in_front_of_a_leaf(fabric, rtl, routing):
    """All to all: each of nine hosts sends six times 48 KB / 9 to other racks, which a leaf's device sees once on their way up and once on their way down, and
    acknowledgements as well."""
    options = f"{LEAVES} --load all-to-all --routing {routing}"
    s, model = good(fabric, options, f"--rtl {rtl}"), good(fabric, options)
    assert s["dropped"] == s["unreachable"] == s["uplink_dropped"] == 0 and s["uplink_frames"] > len(rtl.split(",")) * 2 * 3 * 6 * 6 and s["device_cycles"] > 0
    assert s["packets_delivered"] == model["packets_delivered"] and model["uplink_frames"] == 0
    assert (s["again"] > 0) <= ("flowlet" in routing)


@pytest.mark.parametrize("routing", ["e-ecmp", "flowlet --flowlet 20"])
def test_a_link_goes_down(fabric, routing):
    """The device sends nothing more by a dead link, and what it drops is counted."""
    s = good(fabric, f"--topology clos:4x3x4 --mtu 1024 --load permutation --size 128K --uplink --routing {routing} --rtl uplink0 --cut s0-s4@5 --timeout 100")
    assert s["unreachable"] > 0 and s["again"] > 0 and s["uplink_frames"] > 500


def test_on_processes(fabric):
    """Two leaves with devices, on two processes: frame by frame as on one."""
    options = f"{LEAVES} --load permutation --rtl uplink0,uplink2"
    want = good(fabric, options)
    got = fabric.on_processes(2, options)
    assert {key: got[key] for key in SAME} == {key: want[key] for key in SAME}


def test_beside_an_aggregator(fabric):
    """A leaf with both devices: gradients are summed by one of them, and results for another rack go through the other one."""
    s = good(fabric, "--topology clos:3x2x2 --load netreduce --mtu 256 --message 1K --size 8K --uplink --rtl uplink0,leaf0")
    assert s["uplink_frames"] > 0 and s["device_results"] > 0 and s["device_compared"] > 0


def test_refused(fabric):
    for word, options in (("only there with --uplink", "--topology clos:3x2x4 --rtl uplink0"), ("as leaf0, spine0, s5 or uplink0", f"{LEAVES} --rtl uplink3"),
                          ("as leaf0, spine0, s5 or uplink0", f"{LEAVES} --rtl uplink"), ("has 4 uplinks", "--topology clos:3x2x5 --uplink --rtl uplink0"),
                          ("not with --cut", f"{LEAVES} --rtl uplink0,uplink1 --cut s0-s3@5"), ("not with --rtl", f"{LEAVES} --rtl uplink0 --reboot s0@5:10"),
                          ("without --load netreduce", f"{LEAVES} --rtl uplink0,leaf0")):
        fabric.refused(word, options)
