"""A Clos network of hosts and switches: `weir fabric`. It is looked at what a network like that must do, with figures worked out by hand."""
import pytest

from conftest import CAPTURES
from fabric_runs import COLLECTIVES, ROUTINGS, WIRE, flows, good, quiet

# ------------------------------------------------------------------------------------------------------------ what runs

@pytest.mark.parametrize("load", ("permutation", "all-to-all", *COLLECTIVES))
@pytest.mark.parametrize("options", ["--topology clos:4x4x4", "--topology clos:2x2x2,2x2 --qps 4 --qp-mode split --mtu 1024", "--topology clos:4x4x4 --channels 4"])
def test_loads(fabric, load, options):
    quiet(fabric, f"--load {load} --size 1M --message 64K", options)


@pytest.mark.parametrize("load", ("permutation", "all-reduce", "netreduce"))
@pytest.mark.parametrize("window", ["4096", "5000", "64K --ack-every 64"])
def test_small_windows(fabric, load, window):
    """A window of fewer packets than those between two acknowledgements does not stand still."""
    quiet(fabric, f"--topology clos:3x2x2 --load {load} --size 100K --window {window}")


def test_admission_beside_other_traffic(fabric):
    """Other traffic asks for no clearance, so none of the channels is held for it."""
    quiet(fabric, "--topology clos:4x3x2 --ranks 4 --channels 1 --size 64K --message 4096 --background 100K")


@pytest.mark.parametrize("load", ("all-to-all", "all-reduce"))
def test_split_messages_beside_other_traffic(fabric, load):
    """Each load counts its own messages, so parts of one are not taken for those of another."""
    quiet(fabric, f"--topology clos:4x1x0 --load {load} --size 16K --message 4096 --qps 2 --qp-mode split --mtu 1024 --background 100K")


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


# -------------------------------------------------------------------------------------------------------------- figures

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


def test_clear_to_send_goes_first(fabric):
    """In a class of its own it does not wait behind bulk data (RoCE at Meta, 6.1: P90 from 43 to 4 us)."""
    bulk, urgent = (quiet(fabric, f"--topology clos:8x2x4 --rate 400 --load all-to-all --size 16M --message 256K --channels 8 --cts-class {c} --ack-class {c}") for c in ("bulk", "urgent"))
    assert bulk["cts_delay_p90_us"] > 4 * urgent["cts_delay_p90_us"] > 0


@pytest.mark.parametrize("alpha", [0.125, 1, 8])
@pytest.mark.parametrize("outputs", [1, 2])
def test_dynamic_threshold(fabric, tmp_path, alpha, outputs):
    """An output of a leaf may have alpha times what is free: n that are too full end at alpha / (1 + n alpha) of the buffer each."""
    lines = [f"{sender},{4 + sender // 2},8000000" for sender in range(2 * outputs)]
    s = fabric.summary(1, f"--topology clos:6x1x0 --no-pfc --leaf-buffer 1M --alpha {alpha} --window 16M --timeout 10000 --time 200", flows(tmp_path, *lines))
    assert s["leaf_buffer"] == pytest.approx(outputs * alpha * (1 << 20) / (1 + outputs * alpha), abs=outputs * WIRE) and s["dropped"] > 0


def test_carved_buffer(fabric, tmp_path):
    """An input of a spine has its share and no more: two of three inputs that are full have two thirds."""
    s = fabric.summary(1, "--topology clos:2x3x1 --no-pfc --spine-buffer 300K --window 16M --timeout 10000 --time 300", flows(tmp_path, "0,4,8000000", "2,5,8000000"))
    assert 2 * (100 << 10) - 2 * WIRE < s["spine_buffer"] <= 2 * (100 << 10) and s["dropped"] > 0


def test_credit_of_an_empty_queue(fabric):
    """A packet that finds its queue in the spine empty waits for a credit, data and acknowledgement: one at a time, 100 packets wait 199 times until the last one is there."""
    none, two = (quiet(fabric, f"--topology clos:1x2x1 --window 4096 --ack-every 1 --size 400K --credit {credit}") for credit in (0, 2))
    assert two["time_ps"] - none["time_ps"] == 199 * 2000000


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
