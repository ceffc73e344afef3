"""A Clos network of hosts and switches: `weir fabric`. Each run compares what collectives bring with what they must, and accounts for every packet; here it is
looked at what a network like that must do, with figures worked out by hand."""
import json
import subprocess

import pytest

from conftest import BUILD, CAPTURES, ROOT, words

# Wire bytes of a packet of 4096, in the middle of a message.
WIRE = 4096 + 82
ROUTINGS = ("ecmp", "e-ecmp", "pinned", "te", "flowlet", "spray")
COLLECTIVES = ("all-reduce", "tree-all-reduce", "rabenseifner", "nodes", "reduce-scatter", "all-gather")


@pytest.fixture
def fabric(weir):
    return weir("fabric")


def good(fabric, *options):
    s = fabric.summary(0, *options)
    assert s["open"] == s["wrong"] == s["mismatches"] == 0 and s["packets_delivered"] > 0
    return s


def quiet(fabric, *options):
    """The same, and nothing was lost or sent twice."""
    s = good(fabric, *options)
    assert s["again"] == s["timeouts"] == s["dropped"] == s["unreachable"] == s["duplicates"] == s["lost"] == 0
    return s


def flows(tmp_path, *lines):
    path = tmp_path / "flows.csv"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return f"--load matrix --matrix {path}"


# ------------------------------------------------------------------------------------------------------- what runs

@pytest.mark.parametrize("load", ("permutation", "all-to-all", *COLLECTIVES))
@pytest.mark.parametrize("options", ["--topology clos:4x4x4", "--topology clos:2x2x2,2x2 --qps 4 --qp-mode split --mtu 1024", "--topology clos:4x4x4 --channels 4"])
def test_loads(fabric, load, options):
    quiet(fabric, f"--load {load} --size 1M --message 64K", options)


@pytest.mark.parametrize("load", ("all-reduce", "tree-all-reduce", "reduce-scatter", "all-gather", "all-to-all"))
@pytest.mark.parametrize("ranks", [2, 3, 13])
@pytest.mark.parametrize("size", [1, 100, 100001])
def test_any_number_of_ranks(fabric, load, ranks, size):
    quiet(fabric, f"--topology clos:4x4x2 --load {load} --ranks {ranks} --size {size} --message 4000 --placement random")


@pytest.mark.parametrize("routing", ROUTINGS)
def test_routings(fabric, routing):
    """All of them carry everything; only those that send a flow's packets different ways make receivers see gaps."""
    s = good(fabric, f"--topology clos:8x8x8 --routing {routing} --qps 2 --flowlet 0.3")
    assert (s["out_of_sequence"] > 0) == (routing in ("flowlet", "spray"))


# ------------------------------------------------------------------------------------------------------- figures

def test_line_rate(fabric, tmp_path):
    """One flow is as fast as its cable: a message of 1 MB is 256 packets, one with RETH, one with immediate data."""
    s = quiet(fabric, "--topology clos:2x2x1 --message 1M --window 16M", flows(tmp_path, "0,2,1048576"))
    wire = 256 * WIRE + 16 + 4
    # Three switches store and forward the first packet, and send the others behind it; cables and pipelines take 15 + 250 + 250 + 15 + 3 * 600 ns.
    assert s["time_ps"] == wire * 80 + 3 * (WIRE + 16) * 80 + 530e3 + 1800e3


def test_two_flows_share_a_cable(fabric, tmp_path):
    """Two hosts that send to a third get half of its cable each."""
    one = quiet(fabric, "--topology clos:4x1x0", flows(tmp_path, "0,2,16777216"))
    two = quiet(fabric, "--topology clos:4x1x0", flows(tmp_path, "0,2,16777216", "1,2,16777216"))
    assert two["median_us"] == pytest.approx(2 * one["median_us"], rel=0.01) == two["p99_us"]


@pytest.mark.parametrize("ranks", [2, 4, 8, 16])
def test_ring_takes_twice_the_vector(fabric, ranks):
    """A ring all-reduce sends 2 (H - 1) / H of the vector (NetReduce 1), whatever H is."""
    s = quiet(fabric, f"--topology clos:16x1x0 --load all-reduce --size 64M --message 64K --ranks {ranks}")
    chunk = -(-(64 << 20) // ranks)
    assert s["bytes_delivered"] == 2 * (ranks - 1) * chunk * ranks
    assert s["time_ps"] == pytest.approx(2 * (ranks - 1) * chunk * 80 * (WIRE + 20 / 16) / 4096, rel=0.03)


def test_incast(fabric):
    """The receiver's cable is full, and flow control keeps the rest waiting without a loss."""
    s = quiet(fabric, "--topology clos:8x4x4 --load incast --senders 16 --size 4M --leaf-buffer 2M --spine-buffer 4M --window 8M")
    assert s["goodput_gbps"] == pytest.approx(100 * 4096 / WIRE, rel=0.01)
    assert s["cables"]["host_up"]["pauses"] > 0 and 2 * s["cables"]["host_up"]["paused"] > 0.6


def test_incast_without_flow_control(fabric):
    """Then the buffer's end is reached: packets are dropped, and go-back-N brings them again."""
    s = good(fabric, "--topology clos:8x4x4 --load incast --senders 16 --size 1M --leaf-buffer 2M --spine-buffer 4M --no-pfc")
    assert s["dropped"] > 0 and s["again"] > 0 and s["out_of_sequence"] > 0
    assert s["cables"]["host_up"]["pauses"] == s["cables"]["up"]["pauses"] == 0


def test_admission_keeps_the_network_empty(fabric):
    """What a receiver has not cleared is not sent (RoCE at Meta, 5.2.2): no pause anywhere, where the same incast has many without."""
    incast = "--topology clos:8x4x4 --load incast --senders 16 --size 4M --message 128K --leaf-buffer 2M --spine-buffer 4M --window 8M"
    wild, asked = quiet(fabric, incast), quiet(fabric, f"{incast} --channels 2")
    assert sum(wild["cables"][way]["pauses"] for way in wild["cables"]) > 0
    assert sum(asked["cables"][way]["pauses"] for way in asked["cables"]) == 0
    assert asked["leaf_buffer"] <= 2 * 128 * 1024 * WIRE / 4096 * 1.01 < wild["leaf_buffer"]
    assert asked["goodput_gbps"] > 0.8 * wild["goodput_gbps"]


def test_slow_receiver(fabric):
    """A host that takes a quarter stops its cable three quarters of the time (RoCE at Meta, 5.2.2)."""
    s = quiet(fabric, "--topology clos:8x2x4 --load incast --senders 8 --size 8M --drain 0.25")
    assert s["goodput_gbps"] == pytest.approx(25 * 4096 / WIRE, rel=0.02)
    assert 16 * s["cables"]["host_down"]["paused"] == pytest.approx(0.75, abs=0.02)


def test_marks_slow_senders(fabric):
    """With ECN and DCQCN queues stay short, and there are fewer pauses."""
    incast = "--topology clos:8x4x4 --load incast --senders 8 --size 8M --leaf-buffer 4M --spine-buffer 16M --window 4M"
    plain = quiet(fabric, incast)
    marked = quiet(fabric, f"{incast} --dcqcn --leaf-mark 100K --leaf-mark-all 400K --spine-mark 100K --spine-mark-all 400K")
    assert marked["cnps"] > 0 and plain["cnps"] == 0
    assert sum(w["pauses"] for w in marked["cables"].values()) < sum(w["pauses"] for w in plain["cables"].values())


def test_more_connections_spread_better(fabric):
    """Connections that share a UDP port are one flow to ECMP, and many to E-ECMP (RoCE at Meta, 4.2.2)."""
    run = "--topology clos:16x4x16 --load permutation --placement spread --size 4M --message 64K --share-port"
    ratio = {(routing, qps): quiet(fabric, f"{run} --routing {routing} --qps {qps}")["max_mean_ratio"] for routing in ("ecmp", "e-ecmp") for qps in (1, 16)}
    assert ratio["ecmp", 16] > 0.99 * ratio["ecmp", 1]
    assert ratio["e-ecmp", 16] < 0.7 * ratio["e-ecmp", 1]


def test_layers_that_hash_alike_polarize(fabric):
    """With one seed for all switches the second layer has no choice left."""
    run = "--topology clos:4x4x4,4x4 --size 1M --qps 16 --message 64K"
    apart, alike = quiet(fabric, run), quiet(fabric, f"{run} --one-seed")
    assert alike["cables"]["up"]["fullest"] > 1.5 * apart["cables"]["up"]["fullest"]


def test_capture_of_a_cable(fabric, tmp_path, tool):
    """Wireshark reads what was sent on a cable: data, acknowledgements, pause; and with a right ICRC it can be flows again."""
    path = tmp_path / "cable.pcapng.gz"
    s = quiet(fabric, f"--topology clos:4x2x2 --load incast --senders 6 --size 64K --message 32K --leaf-buffer 256K --tap h0-s0,s0-s2,s0-s3 --out {path}")
    kinds = tool("tshark", "-r", path, "-T", "fields", "-e", "frame.interface_id", "-e", "infiniband.bth.opcode", "-e", "macc.cbfc.pause_time.c3").splitlines()
    # To host 0: 6 flows of 2 messages of 8 packets, and from it their acknowledgements, one for four packets.
    data = [line for line in kinds if line.startswith("1\t") and line.split("\t")[1] in ("6", "7", "9")]
    assert len(data) == 6 * 2 * 8 == s["packets_delivered"]
    assert sum(line.startswith("0\t17") for line in kinds) == s["acks"]
    # The leaf stops both spines, each time with the longest time for class 3.
    stops = [line for line in kinds if line.endswith("\t65535")]
    assert len(stops) == s["cables"]["down"]["pauses"] > 0 and {line[0] for line in stops} <= {"2", "4"}
    again = quiet(fabric, f"--topology clos:8x1x0 --load capture --matrix {path}")
    assert again["messages"] >= 12 and again["bytes_delivered"] >= 6 * 65536


def test_flows_of_a_recorded_ring(fabric):
    """A capture of four hosts that others made with real messages: each is sent again between hosts of the fabric."""
    s = quiet(fabric, f"--topology clos:2x2x2 --load capture --matrix {CAPTURES / 'ring4.in.pcapng.gz'}")
    assert s["done"] == s["messages"] > 0
    fabric.refused("addresses", f"--topology clos:2x1x0 --load capture --matrix {CAPTURES / 'ring4.in.pcapng.gz'}")


def test_flowlets_keep_their_order(fabric):
    """The longer the gap that begins a flowlet, the fewer packets overtake others (RoCE at Meta, 4.5); with one longer than the run none does, although flows share entries
    of the table."""
    run = "--topology clos:16x4x16 --load all-reduce --placement spread --size 32M --message 64K --qps 4 --routing flowlet --timeout 1000"
    late = [good(fabric, f"{run} --flowlet {interval}")["out_of_sequence"] for interval in (4, 16, 10000000)]
    assert late[0] > late[1] > late[2] == 0


# ------------------------------------------------------------------------------------------------------- sums in the network

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


@pytest.mark.parametrize("shape", ["8x1x0", "4x4x2", "4x2x2,2x2"])
@pytest.mark.parametrize("ranks", [2, 7])
def test_nodes(fabric, shape, ranks):
    """Up once to the node of its switch, and down once (SHARP streaming aggregation, 3)."""
    s = quiet(fabric, f"--topology clos:{shape} --load nodes --ranks {ranks} --placement spread --size 1M")
    assert s["goodput_gbps"] > 80


# ------------------------------------------------------------------------------------------------------- devices

TWO_RACKS = "--topology clos:3x2x2 --load netreduce --mtu 256 --message 1K --size 64K"


@pytest.mark.parametrize("rtl", ["none", "leaf0", "s1,spine0", "leaf0,leaf1,spine0"])
@pytest.mark.parametrize("options", ["", "--loss 0.002 --timeout 100 --inflight 1 --message 512", "--background 100K --routing spray --loss 0.005 --timeout 100 --message 960"])
def test_devices(fabric, rtl, options):
    """Golden models of the aggregator and its relay beside switches, and the RTL in the places that are named: each frame of it is its model's, and each packet
    that a rank gets is the sum over all ranks, also when packets are lost and when they overtake each other (NetReduce 3.3)."""
    s = good(fabric, TWO_RACKS, options, f"--rtl {rtl}")
    assert (s["again"] > 0) == ("loss" in options) and s["device_results"] >= 6 * 64 * 1024 / 256
    assert (s["device_compared"] >= s["device_results"] / 2) == (rtl != "none") == (s["device_cycles"] > 0)


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
    for word, options in (("only with", "--rtl leaf0"), ("places", f"{TWO_RACKS} --rtl leaf2"), ("places", f"{TWO_RACKS} --rtl h0"), ("sums nothing", f"{TWO_RACKS} --rtl spine1"),
                          ("one rack", "--topology clos:4x1x0 --load netreduce --rtl none"), ("multiples of 64", f"{TWO_RACKS} --rtl none --size 100"),
                          ("neighbours", f"{TWO_RACKS} --rtl none --placement spread"), ("has not so many", f"{TWO_RACKS} --rtl leaf0 --mtu 1024"),
                          ("power of two", f"{TWO_RACKS} --rtl none --inflight 3"), ("not with --cut", f"{TWO_RACKS} --rtl none --cut s0-s2@5")):
        fabric.refused(word, options)


# ------------------------------------------------------------------------------------------------------- the uplink device

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


# ------------------------------------------------------------------------------------------------------- machines with accelerators

# Those of NetReduce 3.4: flat ring, Tencent's, parallel rings, parallel NetReduce. The model has whole chunks in a flat ring.
MACHINES = {"all-reduce": "1024M", "master-ring": "170K", "parallel-ring": "170K", "parallel-netreduce": "170K"}


@pytest.mark.parametrize("load", MACHINES)
@pytest.mark.parametrize("shape", ["2x2", "5x4", "16x1"])
@pytest.mark.parametrize("options", ["", "--prepare 3 --message 5000 --inflight 3", "--loss 0.001 --timeout 200 --message 40000 --mtu 1024",
                                     "--qps 3 --qp-mode split --channels 2 --message 50000"])
def test_machines(fabric, load, shape, options):
    """Every accelerator gets the sum over all of them, whatever the way, also when packets are lost."""
    if load == "parallel-netreduce" and "qps" in options:
        fabric.refused("netreduce", f"--topology machines:{shape} --load {load}", options)
        return
    s = good(fabric, f"--topology machines:{shape} --load {load} --size 300001", options)
    assert (s["again"] > 0) == ("loss" in options) and (s["summed"] > 0) == (load == "parallel-netreduce")


@pytest.mark.parametrize("load,cable,inner", [("all-reduce", 2 * 31 / 32, 2 * 31 / 32), ("master-ring", 2 * 3 / 4, None), ("parallel-ring", 2 * 3 / 4, 2 * 7 / 8 + 2 * 3 / 4 / 8),
                                              ("parallel-netreduce", 1, 2 * 7 / 8 + 1 / 8)])
def test_bytes_of_machines(fabric, load, cable, inner):
    """What goes over a machine's cable and over an accelerator's is what the model's M terms say (NetReduce A), each way; and 82 bytes a packet."""
    size, share = 16 << 20, 4096 / WIRE
    s = quiet(fabric, f"--topology machines:4x8 --load {load} --size {size} --message {MACHINES[load]} --ack-every 64")
    for way in ("up", "down"):
        assert s["cables"][way]["bytes"] * share == pytest.approx(4 * cable * size, rel=0.003)
    if inner is not None:
        assert s["cables"]["host_up"]["bytes"] * share == pytest.approx(32 * inner * size, rel=0.003)
    # A master sends its part of the ring, and its part of the broadcast.
    fullest = inner or (2 * 3 / 4 + 7 / 8 + 7 / 8 + 7 / 8)
    assert s["cables"]["host_up"]["fullest"] * s["cables"]["host_up"]["bytes"] / 32 * share == pytest.approx(fullest * size, rel=0.003)


@pytest.mark.parametrize("load,machines,n,size", [("all-reduce", 32, 1, 64 << 20), ("master-ring", 4, 8, 32 << 20), ("parallel-netreduce", 4, 8, 32 << 20),
                                                  ("parallel-netreduce", 64, 8, 8 << 20)])
@pytest.mark.parametrize("alpha", [0, 10, 100])
def test_time_of_machines(fabric, load, machines, n, size, alpha):
    """Formulas (1) to (3) of NetReduce A, with the first part of (2) as its total has it; rates are of payload."""
    inner, outer, logarithm = 32e3 * 4096 / WIRE, 12.5e3 * 4096 / WIRE, n.bit_length() - 1
    ranks = machines * n
    wanted = {"all-reduce": 2 * (ranks - 1) * alpha + 2 * (ranks - 1) / ranks * size / outer,
              "master-ring": (2 * logarithm + 2 * (machines - 1) + logarithm + n - 1) * alpha + 4 * (n - 1) / n * size / inner + 2 * (machines - 1) / machines * size / outer,
              "parallel-netreduce": (2 * n - 1) * alpha + 2 * (n - 1) / n * size / inner + size / outer}[load]
    s = quiet(fabric, f"--topology machines:{machines}x{n} --inner-rate 256 --cable 1 --latency 1 --load {load} --size {size} --message {MACHINES[load]} --prepare {alpha}")
    assert s["time_ps"] / 1e6 == pytest.approx(wanted, rel=0.01)


def test_refused_machines(fabric):
    for options in ("--topology machines:4", "--topology machines:0x4", "--topology machines:4x4x4", "--topology machines:1x8 --load parallel-ring",
                    "--topology machines:4x6 --load master-ring", "--topology clos:4x4x2 --load parallel-netreduce", "--topology machines:129x1 --load parallel-netreduce",
                    "--topology machines:4x4 --load parallel-ring --ranks 6", "--topology machines:4x4 --load parallel-ring --placement spread"):
        fabric.refused("", options)


# ------------------------------------------------------------------------------------------------------- faults

@pytest.mark.parametrize("load", ("permutation", "all-to-all", *COLLECTIVES))
def test_loss(fabric, load):
    """Go-back-N and time-outs bring everything, once and in order."""
    s = good(fabric, f"--topology clos:4x4x4 --load {load} --size 1M --message 64K --loss 0.002 --timeout 200 --qps 2")
    assert s["lost_on_cables"] > 0 and s["again"] > 0 and s["lost"] == 0


def test_a_cable_is_cut(fabric):
    """What was on it is sent again, another way; nobody is lost."""
    s = good(fabric, "--topology clos:4x2x2 --load permutation --size 8M --qps 4 --message 64K --cut s0-s2@100 --timeout 500")
    assert s["unreachable"] > 0 and s["again"] > 0 and s["lost"] == 0


@pytest.mark.parametrize("routing", ROUTINGS)
def test_cut_for_all_routings(fabric, routing):
    """What a controller placed before, and what flowlets keep, does not lead in circles behind a cut."""
    s = good(fabric, f"--topology clos:4x4x4 --load all-reduce --placement spread --size 1M --message 16K --qps 4 --routing {routing} --cut s0-s4,s0-s5@20 --timeout 500 --time 100000")
    assert s["unreachable"] > 0


@pytest.mark.parametrize("load", ["permutation", "all-reduce", "netreduce", "nodes", "incast --senders 12 --leaf-buffer 1M --spine-buffer 2M"])
@pytest.mark.parametrize("switch", ["leaf0", "spine1", "s1"])
def test_a_switch_reboots(fabric, load, switch):
    """What was in it is sent again, what it had stopped goes on, and no result is wrong, also on two processes."""
    options = f"--topology clos:8x4x2 --routing flowlet --load {load} --size 4M --reboot {switch}@20:120 --timeout 200 --retries 7 --time 1000000"
    s = good(fabric, options)
    # The way of NetReduce's sums and of a tree's is one spine's alone.
    assert (s["unreachable"] > 0 and s["again"] > 0) or (switch == "spine1" and load in ("netreduce", "nodes"))
    assert fabric.on_processes(2, options)["events_hash"] == s["events_hash"]


def test_a_host_dies(fabric):
    """Who sends to it gives up after its retries, and the run fails."""
    s = fabric.summary(1, "--topology clos:4x1x0 --load all-reduce --size 1M --kill-host 1@50 --timeout 100")
    assert s["open"] == 4 and s["lost"] >= 1 and s["timeouts"] >= 8 and s["wrong"] == s["mismatches"] == 0


@pytest.mark.parametrize("until,events", [(1010, 0), (1012, 1)])
def test_watchdog(fabric, tmp_path, until, events):
    """It sees a pause that is longer than its time, and none that is not. The frames take 7 ns longer than the storm at each end."""
    s = good(fabric, f"--topology clos:4x1x0 --watchdog 1 --storm 1@10:{until} --time 100000 --timeout 5000", flows(tmp_path, "0,2,1000000", "0,3,100000"))
    assert s["watchdogs"] == events and s["watchdog_drops"] == 0


def test_deadlock_is_said(fabric, tmp_path):
    """Five switches in a ring, each with three hosts that send to the second next: all buffers wait for each other."""
    cables = [[f"h{3 * s + h}", f"s{s}", 100, 100] for s in range(5) for h in range(3)] + [[f"s{s}", f"s{(s + 1) % 5}", 100, 500] for s in range(5)]
    net = {"hosts": 15, "switches": [1] * 5, "cables": cables}
    path = tmp_path / "ring.json"
    path.write_text(json.dumps(net), encoding="utf-8")
    fabric.refused("no Clos: 5 cables", f"--topology {path}")
    path.write_text(json.dumps({**net, "cyclic": True}), encoding="utf-8")
    load = flows(tmp_path, *(f"{h},{(h + 6) % 15},20000000" for h in range(15)))
    done, s = fabric.run_and_summary(1, f"--topology {path} --leaf-buffer 1M --window 16M", load)
    assert "deadlock of flow control" in done.stdout and len(s["deadlock"]) == 5 == s["watchdogs"]


def test_time_ends_a_run(fabric):
    """Then it is over, with what is not done, on one process and on two."""
    options = "--topology clos:4x4x4 --time 50"
    s, two = fabric.summary(1, options), fabric.on_processes(2, options, code=1)
    assert s["open"] == 16 == two["open"] and s["mismatches"] == 0 and s["packets_delivered"] == two["packets_delivered"] > 0 and s["events_hash"] == two["events_hash"]


# ------------------------------------------------------------------------------------------------------- the same again

def test_the_same_seed_is_the_same_run(fabric):
    one, two, other = (fabric.summary(0, f"--topology clos:4x4x4 --routing flowlet --size 1M --seed {seed}") for seed in (7, 7, 8))
    for s in (one, two, other):
        del s["wall_seconds"], s["packets_per_second"]
    assert one == two and one["events_hash"] != other["events_hash"]


def test_refused_networks(fabric):
    """No Clos, rates of zero, hosts that nobody reaches or that have no cable: a line that says which."""
    good_net = {"hosts": 2, "switches": [1, 1, 2], "cables": [["h0", "s0", 100, 15], ["h1", "s1", 100, 15], ["s0", "s2", 100, 250], ["s1", "s2", 100, 250]]}
    assert fabric.summary(0, f"--topology '{json.dumps(good_net)}'", "--size 64K")["done"] == 2
    for word, change in (("cable 2: a rate of 0 Gb/s", {"cables": [*good_net["cables"][:2], ["s0", "s2", 0, 250], good_net["cables"][3]]}),
                         ("cannot reach host 1", {"cables": good_net["cables"][:3]}), ("host 1 has no cable", {"cables": [good_net["cables"][0], *good_net["cables"][2:]]}),
                         ("delay", {"cables": [["h0", "s0", 100, 0]]}), ("two ends", {"cables": [["h0", "s9", 100, 15]]}), ("two hosts", {"cables": [["h0", "h1", 100, 15]]}),
                         ("another cable", {"cables": [*good_net["cables"], ["h0", "s1", 100, 15]]}), ("tier", {"switches": [1, 0, 2]}), ("hosts", {"hosts": 0})):
        fabric.refused(word, f"--topology '{json.dumps(good_net | change)}'")
    for options in ("--rate 0", "--leaf-rate 0", "--spine-rate 0", "--inner-rate 0", "--cable 0", "--topology clos:4x4x0", "--topology nowhere.json", "--topology clos:9999x9999x9999"):
        fabric.refused("", options)


def test_refused(fabric, tmp_path):
    for options in ("--topology clos:0x1x1", "--load matrix", "--load incast --senders 32", "--load rabenseifner --ranks 5", "--cut s0-s1@5", "--cut h0-s1@5",
                    "--cut s0-s4", "--kill-host 32@1", "--storm 0@5:5", "--reboot s99@1:2", "--reboot s0@2:2", "--reboot s0", "--reboot h0@1:2", "--leaf-mark 5K", "--leaf-mark 5K --leaf-mark-all 1K", "--ranks 33",
                    "--size 1024M --message 1"):
        fabric.refused("", options)
    for line in ("0,0,5", "0,1", "0,99,5", "x", "0,1,0", "0,1,5,-1", "0,1,5,6,7", ""):
        fabric.refused("flows.csv", flows(tmp_path, line))


# ------------------------------------------------------------------------------------------------------- several processes

@pytest.mark.parametrize("options", ["--topology clos:4x8x4 --routing flowlet --size 1M", "--topology clos:2x4x2,4x2 --load all-reduce --size 512K --channels 2",
                                     "--topology clos:2x4x2,2x2 --load nodes --size 512K --loss 0.001 --timeout 200", "--topology clos:4x4x2 --load netreduce --size 512K --loss 0.001 --timeout 200",
                                     "--topology machines:4x4 --load parallel-netreduce --size 512K --message 40000 --prepare 2 --loss 0.001 --timeout 200",
                                     "--topology clos:4x8x4 --load incast --senders 16 --size 1M --leaf-buffer 2M --dcqcn --leaf-mark 100K --leaf-mark-all 400K"])
def test_processes(fabric, options):
    """The same to the bit on 1 to 4 processes, however parts are dealt out to them."""
    want = fabric.summary(0, options)
    for processes in (1, 2, 3, 4):
        for partition in ("racks", "scatter"):
            got = fabric.on_processes(processes, options, "--partition", partition)
            assert got["ranks"] == processes
            for key in ("wall_seconds", "packets_per_second", "ranks", "turns"):
                del got[key]
            assert got == {key: want[key] for key in got}
