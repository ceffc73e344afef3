"""Sums inside the fabric of `weir fabric`: NetReduce, tree nodes, devices in RTL beside their models; and leaves that choose as the uplink device does."""
import pytest

from fabric_runs import flows, good, quiet

# -------------------------------------------------------------------------------------------------- sums in the network

@pytest.mark.parametrize("shape", ["8x1x0", "4x4x2", "1x4x1", "4x2x2,2x2", "2x1x1,3x1"])
@pytest.mark.parametrize("options", ["", "--loss 0.003 --timeout 200", "--inflight 5 --message 5000 --mtu 1024 --loss 0.001 --timeout 200"])
def test_netreduce(fabric, shape, options):
    """Each rank gets the sum over all of them, once, also when packets are lost and come again (NetReduce 3)."""
    s = good(fabric, f"--topology clos:{shape} --load netreduce --size 300001 --message 40000", options)
    assert (s["summed_again"] > 0) == ("loss" in options) and s["summed"] > 0


def test_netreduce_halves_the_ring(fabric):
    """A rank sends and receives its vector once, and not twice (NetReduce 2.3)."""
    shape = "--topology clos:16x1x0 --size 16M --message 170K"
    ring, inside = quiet(fabric, f"{shape} --load all-reduce"), quiet(fabric, f"{shape} --load netreduce")
    assert inside["time_ps"] == pytest.approx(ring["time_ps"] / 2 * 16 / 15, rel=0.03)
    assert inside["bytes_delivered"] == 16 * (16 << 20)


@pytest.mark.parametrize("load", ["all-reduce", "netreduce", "nodes", "rabenseifner"])
def test_beside_other_traffic(fabric, load):
    """Hosts that also send to each other: both are done, and the collective is slower."""
    run = f"--topology clos:4x4x4 --load {load} --size 2M --message 64K"
    alone, beside = quiet(fabric, run), quiet(fabric, f"{run} --background 4M")
    assert beside["time_ps"] > 1.2 * alone["time_ps"] and beside["done"] == alone["done"]
    assert beside["bytes_delivered"] == alone["bytes_delivered"] + 16 * (4 << 20)


@pytest.mark.parametrize("window,full", [(1, False), (2, True)])
def test_netreduce_window(fabric, window, full):
    """One message in flight leaves the cable idle for a round trip each; two fill it (NetReduce 3.2)."""
    s = quiet(fabric, f"--topology clos:6x1x0 --load netreduce --size 4M --message 16K --mtu 1024 --inflight {window}")
    assert (s["goodput_gbps"] > 90) == full


def test_flow_control_loses_no_sum(fabric):
    """One packet from above becomes one for each child: more than headroom is for. What the switch has no room for waits where it was made."""
    s = quiet(fabric, "--topology clos:3x2x2 --load netreduce --mtu 256 --message 1K --size 256K --leaf-buffer 64K --spine-buffer 200K --background 1M")
    assert s["waited_beside"] > 0 and sum(way["pauses"] for way in s["cables"].values()) > 0


@pytest.mark.parametrize("shape", ["8x1x0", "4x4x2", "4x2x2,2x2"])
@pytest.mark.parametrize("ranks", [2, 7])
def test_nodes(fabric, shape, ranks):
    """Up once to the node of its switch, and down once (SHARP streaming aggregation, 3)."""
    s = quiet(fabric, f"--topology clos:{shape} --load nodes --ranks {ranks} --placement spread --size 1M")
    assert s["goodput_gbps"] > 80


# -------------------------------------------------------------------------------------------------------------- devices

TWO_RACKS = "--topology clos:3x2x2 --load netreduce --mtu 256 --message 1K --size 64K"


@pytest.mark.parametrize("rtl", ["none", "leaf0", "s1,spine0", "leaf0,leaf1,spine0"])
@pytest.mark.parametrize("options", ["", "--loss 0.002 --timeout 100 --inflight 1 --message 512", "--background 100K --routing spray --loss 0.005 --timeout 100 --message 960"])
def test_devices(fabric, rtl, options):
    """Golden models of the aggregator and its relay beside switches, and the RTL in the places that are named: each frame of it is its model's, and each packet
    that a rank gets is the sum over all ranks, also when packets are lost and when they overtake each other (NetReduce 3.3)."""
    s = good(fabric, TWO_RACKS, options, f"--rtl {rtl}")
    assert (s["again"] > 0) == ("loss" in options) and s["device_results"] >= 6 * 64 * 1024 / 256
    assert (s["device_compared"] >= s["device_results"] / 2) == (rtl != "none") == (s["device_cycles"] > 0)


@pytest.mark.parametrize("rtl,mtu", [("none", 1024), ("leaf0", 256), ("leaf0", 1024)])
@pytest.mark.parametrize("options", ["", "--loss 0.003 --timeout 100", "--inflight 1 --background 100K --routing spray --loss 0.005 --timeout 100"])
def test_device_of_one_rack(fabric, rtl, mtu, options):
    """The aggregator is the only device of its rack (NetReduce 3.1): tiny for packets of 256 bytes, paper6 for those of 1,024."""
    s = good(fabric, f"--topology clos:4x1x0 --load netreduce --mtu {mtu} --message {4 * mtu} --size 64K", options, f"--rtl {rtl}")
    assert (s["again"] > 0) == ("loss" in options) and s["device_results"] >= 4 * 64 * 1024 / mtu
    assert s["device_compared"] == (s["device_results"] if rtl == "leaf0" else 0)


def test_a_tree_of_devices(fabric):
    """Between leaves and root, too: s0 and s1 are leaves below s2, which is below s6."""
    s = quiet(fabric, "--topology clos:2x2x1,2x1 --load netreduce --mtu 256 --message 1K --size 16K --rtl s0,s2,s6")
    assert s["device_results"] == 8 * 64 and s["device_compared"] > 0


def test_model_and_reducer_agree(fabric):
    """Sums by packets and sums by bytes take about the same time: the first packet's way is what differs."""
    run = "--topology clos:8x4x4 --load netreduce --size 4M --message 128K"
    by_packets, by_bytes = quiet(fabric, run), quiet(fabric, f"{run} --rtl none")
    assert by_bytes["time_ps"] == pytest.approx(by_packets["time_ps"], rel=0.03)
    assert by_bytes["messages"] == by_packets["messages"]


def test_devices_on_processes(fabric):
    """Two leaves and a root in RTL on three processes: frame by frame as on one."""
    options = f"{TWO_RACKS} --rtl leaf0,leaf1,spine0 --loss 0.002 --timeout 100 --size 16K"
    want = good(fabric, options)
    for partition in ("racks", "scatter"):
        got = fabric.on_processes(3, options, "--partition", partition)
        assert {key: got[key] for key in ("events_hash", "device_compared", "time_ps", "again")} == {key: want[key] for key in ("events_hash", "device_compared", "time_ps", "again")}


def test_refused_devices(fabric):
    for word, options in (("without --load netreduce", "--rtl leaf0"), ("places", f"{TWO_RACKS} --rtl leaf2"), ("places", f"{TWO_RACKS} --rtl h0"), ("sums nothing", f"{TWO_RACKS} --rtl spine1"),
                          ("has not so many children", "--topology clos:9x1x0 --load netreduce --rtl leaf0 --mtu 256 --message 1K --size 16K"), ("multiples of 64", f"{TWO_RACKS} --rtl none --size 100"),
                          ("neighbours", f"{TWO_RACKS} --rtl none --placement spread"), ("has not so many", f"{TWO_RACKS} --rtl leaf0 --mtu 4096"),
                          ("power of two", f"{TWO_RACKS} --rtl none --inflight 3"), ("not with --cut", f"{TWO_RACKS} --rtl none --cut s0-s2@5")):
        fabric.refused(word, options)


# ---------------------------------------------------------------------------------------------------- the uplink device

@pytest.mark.parametrize("routing", ["ecmp", "e-ecmp", "flowlet --flowlet 32"])
def test_uplink(fabric, routing):
    """Leaves that choose as the uplink device does: a flow keeps its way, a cable that is cut gets nothing, and it is the same on two processes."""
    options = f"--topology clos:16x4x16 --load all-reduce --placement spread --size 2M --message 64K --qps 4 --uplink --routing {routing}"
    s = quiet(fabric, options) if "ecmp" in routing else good(fabric, options)
    assert 1 < s["max_mean_ratio"] < 3 and (s["flowlets"] > 0) == ("flowlet" in routing)
    assert fabric.on_processes(2, options)["events_hash"] == s["events_hash"] != good(fabric, options.replace("--uplink", ""))["events_hash"]
    cut = good(fabric, f"{options} --cut s0-s4,s0-s5@20 --timeout 500")
    assert cut["unreachable"] > 0 and cut["lost"] == 0


def test_uplink_hash_is_even(fabric, tmp_path):
    """A thousand flows on 16 links: as even as a thousand balls in 16 bins (RoCE at Meta, 4.1.1)."""
    load = flows(tmp_path, *(f"{i % 64},{64 + (i + i // 64) % 64},4096" for i in range(1000)))
    ratios = [good(fabric, f"--topology clos:64x2x16 --message 4096 --uplink --routing e-ecmp --seed {seed}", load)["max_mean_ratio"] for seed in range(1, 21)]
    assert sum(ratios) / 20 == pytest.approx(1.23, abs=0.02)


def test_refused_uplink(fabric):
    fabric.refused("with --routing", "--uplink --routing spray")
    fabric.refused("17 uplinks", "--uplink --topology clos:2x2x17")
