"""Sparse gathers through the Verilated switch and network interfaces: what is asked for is what the models ask for, and takes as long."""
import re

import pytest

from conftest import GATHER_SMALL as SMALL, one_response_each

RACK = "--rows 600 --degree 8 --nodes 8 --racks 2 --batch 64"
NIC_RACK = "--rows 300 --degree 8 --nodes 4 --racks 2 --batch 64"
QUEUES = ("static", "virtual")
SAME = ("prs_wanted", "prs_needed", "tiles", "compared")


def plain(gather, said, *options):
    """A run in which nothing goes wrong (one_response_each); queues leave when the pipeline and the cables let them. The summary."""
    done, s = gather.run_and_summary(0, *options)
    one_response_each(s)
    assert said in done.stdout
    return s


def near(a, b, share):
    return abs(a / b - 1) < share


def switch(gather, *options):
    """The RTL of the switch: the same product, nearly as fast as the model; every look-up is compared in the run itself."""
    s = plain(gather, "ToRs of RTL", *options, "--rtl switch")
    model = gather.summary(0, "--cache-sets 4", *options)
    assert list(s) == list(model) and all(s[k] == model[k] for k in SAME)
    assert near(s["cycles"], model["cycles"], 0.15) and abs(s["hit_rate"] - model["hit_rate"]) < 0.05
    assert near(s["prs_per_packet"], model["prs_per_packet"], 0.15)
    return s


@pytest.mark.parametrize("options", [
    # Each mode of its caches, both kinds of queues.
    *(f"--generate power-law {RACK} --k {k} --queues {queues}" for k in (4, 8, 16, 32, 64, 128) for queues in QUEUES),
    # Cables take a tenth of what a port can send, so the switch waits for them.
    *(f"--generate block {RACK} --k 64 --queues {queues} --rate 100" for queues in QUEUES),
    f"--generate hot {RACK} --k 200 --queues virtual",
    f"--generate banded {RACK} --k 4 --mode 512 --cache-from uplinks",
    f"--generate banded {RACK} --racks 1 --k 3",
    f"--generate road {RACK} --nodes 16 --racks 4 --routing dest",
    # Responses in each pipe have ports of their own: nodes in both, and two spines.
    f"--generate block {RACK} --nodes 12 --racks 2 --spines 2 --k 16 --routing spread",
])
def test_switch(gather, options):
    switch(gather, options)


@pytest.mark.parametrize("queues", QUEUES)
def test_switch_evicts(gather, queues):
    """Lines are evicted, in all pipes of both racks; and none without a cache."""
    options = f"--generate power-law {RACK} --rows 1200 --k 64 --queues {queues}"
    s = switch(gather, options)
    assert s["cache_evicted"] > 200 and s["cache_hits"] > 50
    assert switch(gather, options, "--without cache")["cache_lookups"] == 0


def test_switch_at_once(gather):
    """A queue of the RTL stays open for its pipeline, nine cycles at most, also without a delay: it packs no less than the model, and no more than
    the model with those nine."""
    options = f"--generate block {RACK} --delay-nic 0 --delay-switch 0"
    s = plain(gather, "", options, "--rtl switch")
    model = gather.summary(0, "--cache-sets 4", options)
    late = gather.summary(0, "--cache-sets 4", options, "--delay-switch 9")
    assert all(s[k] == model[k] for k in SAME)
    assert model["prs_per_packet"] <= s["prs_per_packet"] <= late["prs_per_packet"]
    assert near(s["cycles"], model["cycles"], 0.15) and abs(s["hit_rate"] - model["hit_rate"]) < 0.05


def test_switch_pool(gather):
    """A pool of 64 pieces is too small for what waits in a pipe: queues leave early, and nothing is lost."""
    options = f"--generate power-law {RACK} --rows 2000 --degree 16 --nodes 16 --racks 4 --batch 512 --delay-switch 512"
    assert switch(gather, options, "--queues virtual")["pool_flushes"] > 10


def lost(gather, packet, *options):
    """It fails once, and is done again."""
    s = gather.summary(0, SMALL, f"--lose {packet} --watchdog 50000", *options)
    assert s["packets_lost"] == 1 and 1 <= s["watchdog_failures"] <= 4 and s["given_up"] == 0 and s["mismatches"] == 0


def late(gather, packet, *options):
    s = gather.summary(0, SMALL, f"--hold {packet} --watchdog 50000", *options)
    assert s["packets_held"] == 1 and 1 <= s["watchdog_failures"] <= 4 and s["late_responses"] > 0 and s["mismatches"] == 0


def late_generation(gather, packet, *options):
    """One comes in a later product than its own, in which nothing is drained before."""
    s = gather.summary(0, SMALL, f"--hold {packet} --watchdog 50000 --iterations 3", *options)
    assert s["packets_held"] == 1 and s["mismatches"] == 0 and s["given_up"] == 0


def test_switch_and_faults(gather):
    """A packet that is lost or late is none of the switch's: it is asked for again, and its counters still tell the truth."""
    lost(gather, 70, "--rtl switch")
    late_generation(gather, 101, "--rtl switch")
    late(gather, 70, "--rtl switch")


STOPPED = ("--generate block --rows 1200 --nodes 6 --racks 2 --batch 300 --k 128 --buffers 32 --pause-limit 4000 --watchdog 30000 "
           "--stop 3 --stop-at 4000")


def test_switch_and_a_stopped_receiver(gather):
    """A receiver stops: the pause watchdog of the RTL throws away what is for it, and nobody else is held up. When it takes again all is asked for again."""
    s = gather.summary(0, STOPPED, "--rtl switch --tries 1")
    model = gather.summary(0, STOPPED, "--tries 1")
    assert s["mismatches"] == 0 and s["rows_refused"] > 200 and s["compared"] > 0
    # Four packets wait in front of the cable; all others are the device's.
    assert s["packets_stopped"] > 20 and near(s["packets_stopped"], model["packets_stopped"], 0.2)
    s = gather.summary(0, STOPPED, "--rtl switch --stop-for 80000 --tries 10")
    assert s["packets_stopped"] > 20 and s["mismatches"] == s["rows_refused"] == s["given_up"] == 0


def write_matrix(path, rows, places):
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n" + f"{rows} {rows} {len(places)}\n" +
                    "".join(f"{row + 1} {column + 1}\n" for row, column in places))
    return path


@pytest.fixture
def one(tmp_path):
    """Of 15 nodes all ask the first, for one property a row."""
    return write_matrix(tmp_path / "one.mtx", 15000, [(row, row * 7 % 1000) for row in range(1000, 15000)])


@pytest.fixture
def others(tmp_path):
    """The first of 15 nodes asks all others."""
    return write_matrix(tmp_path / "others.mtx", 7500, sorted({(row, 500 + (row * 11 + i * 1237) % 7000) for row in range(500) for i in range(10)}))


def test_reads_are_paused(gather, one):
    """All ask one node, whose NIC asks the network for no more reads most of the time: none is lost."""
    s = gather.summary(0, one, "--nodes 15 --racks 3 --batch 500 --k 128 --rtl nic --rtl-nics 1 --units 2 --pending 64")
    assert s["reads_paused"] > s["cycles"] / 2 and s["mismatches"] == 0 and s["watchdog_failures"] == 0


@pytest.mark.parametrize("options, rtl", [
    # Tiles, one property a packet, models beside them, cables that are slow, the switch too.
    *((f"--generate power-law {NIC_RACK} --k {k}", "--rtl nic") for k in (1, 16, 256)),
    (f"--generate block {NIC_RACK}", "--rtl nic --rtl-nics 1"),
    (f"--generate hot {NIC_RACK} --rate 50", "--rtl nic"),
    (f"--generate road {NIC_RACK} --delay-nic 0 --delay-switch 0", "--rtl nic"),
    (f"--generate banded {NIC_RACK} --rows 900 --nodes 12 --racks 3 --k 64", "--rtl all"),
    # Virtual queues in NICs, then in both devices.
    (f"--generate block {NIC_RACK} --k 16 --queues virtual", "--rtl nic"),
    (f"--generate power-law {NIC_RACK} --rows 900 --nodes 12 --racks 3 --k 64 --queues virtual", "--rtl all"),
])
def test_nic(gather, options, rtl):
    """The RTL of the NICs, two units each, of all nodes or of some."""
    s = plain(gather, "NICs of RTL", options, rtl)
    model = gather.summary(0, "--cache-sets 4", options, "--units 2 --pending 64")
    assert list(s) == list(model) and all(s[k] == model[k] for k in SAME)
    assert near(s["cycles"], model["cycles"], 0.15) and near(s["prs_sent"], model["prs_sent"], 0.05)
    assert abs(s["filter_rate"] - model["filter_rate"]) < 0.05
    assert near(s["prs_per_packet"], model["prs_per_packet"], 0.15)


@pytest.mark.parametrize("options", [f"--generate hot {NIC_RACK} --k 16 --queues static", f"--generate block {NIC_RACK} --k 128 --queues virtual"])
def test_nic_merges(gather, options):
    """Its two units share reads, and what becomes of each is compared with the golden model in the run itself."""
    s = plain(gather, "NICs of RTL", options, "--rtl nic --merge 128")
    model = gather.summary(0, options, "--cache-sets 4 --units 2 --pending 64 --merge 128")
    assert all(s[k] == model[k] for k in SAME) and s["merged"] > 0 and model["merged"] > 0
    assert near(s["cycles"], model["cycles"], 0.15) and near(s["prs_sent"], model["prs_sent"], 0.05)


def test_nic_merges_and_faults(gather):
    """What a unit waits for that another one has asked for is lost, late or there twice: its watchdog ends that gather, and another try brings it."""
    for fault in ("--faults 0.02 --seed 3", "--faults 0.02 --seed 4 --k 64", "--hold 21"):
        s = gather.summary(0, "--generate hot", NIC_RACK, f"--rtl nic --merge 128 --tries 100 --iterations 2 --watchdog 12000 {fault}")
        assert s["merged"] > 0 and s["watchdog_failures"] > 0 and s["mismatches"] == s["given_up"] == 0


def loaded(gather, *options):
    """Under load a NIC of RTL takes as long as its model, which has the port of 64 bytes a cycle to host memory that RTL has. The models' summary."""
    s = plain(gather, "NICs of RTL", *options, "--nodes 15 --racks 3 --batch 500 --without cache --rtl nic --rtl-nics 1")
    model = gather.summary(0, *options, "--nodes 15 --racks 3 --batch 500 --without cache --units 2 --pending 64 --pcie 128")
    assert all(s[k] == model[k] for k in SAME) and near(s["cycles"], model["cycles"], 0.05)
    return model


@pytest.mark.parametrize("k, memory", [(1, 200), (16, 200), (64, 200), (64, 1000)])
def test_server_hides_memory(gather, one, k, memory):
    """All ask one node: what takes the time is 128 requests of each on their way or, with properties of 256 bytes, the node's cable of 400 Gb/s."""
    model = loaded(gather, one, f"--k {k} --memory {memory}")
    assert (model["busiest_from_nodes"] > 0.8 * 25 * model["cycles"]) == (k == 64)


def test_units_hide_memory(gather, others):
    """Two units fill a cable of 100 Gb/s with 128 requests under way."""
    model = loaded(gather, others, "--k 128 --rate 100")
    assert model["busiest_to_nodes"] > 0.8 * 6.25 * model["cycles"]


def test_nic_and_faults(gather):
    """The watchdog of the RTL ends what a lost or late packet was for, and the batch is gathered again; nobody hangs."""
    lost(gather, 30, "--rtl nic")
    late_generation(gather, 101, "--rtl nic --iterations 2")   # each costs 8 s of processor time
    late(gather, 30, "--rtl nic")
    lost(gather, 30, "--rtl all --rtl-nics 2")
    assert "never has all that it wants" in gather.run(1, SMALL, "--rtl nic --lose 100 --watchdog 0").stdout
    s = gather.summary(1, SMALL, "--rtl nic --watchdog 3000")
    assert s["given_up"] > 0 and s["late_responses"] > 0


def test_nic_dies(gather):
    """One of two NICs of RTL dies, and the other says so."""
    options = "--generate block --rows 120 --degree 6 --nodes 3 --racks 1 --batch 100 --kill 1 --kill-at 6000 --watchdog 12000 --rtl all --rtl-nics 2"
    done, s = gather.run_and_summary(0, options)
    assert s["mismatches"] == 0 and s["rows_refused"] >= 40 and s["compared"] > 0
    assert re.findall(r"^  node (\d+) does not answer", done.stdout, re.M) == ["1"]


def test_waves(gather, tmp_path):
    """Waves of the first rack's switch, or of the first NIC."""
    for name, rtl in (("a.fst", "--rtl switch"), ("n.fst", "--rtl nic --rtl-nics 1")):
        gather.run(0, "--generate road --rows 100 --nodes 4", rtl, "--wave", tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    gather.refused("only with --rtl", "--generate road --wave", tmp_path / "b.fst")
    assert not (tmp_path / "b.fst").exists()


@pytest.mark.parametrize("word, options", [
    ("switch has 8 ports", "--rtl switch"), ("switch knows 16 nodes", "--nodes 17 --racks 5 --rtl switch"),
    ("delays up to 512", "--nodes 8 --delay-switch 513 --rtl switch"), ("must be 4 or 0", "--nodes 8 --cache-sets 8 --rtl switch"),
    ("up to 1024 bytes", "--nodes 8 --without cache --k 257 --rtl switch"), ("mtu and", "--nodes 8 --mtu 1400 --rtl switch"),
    ("not with", "--nodes 8 --without switch --rtl switch"), ("NIC has 2 RIG units", "--units 3 --rtl nic"),
    ("pending 32 must be 64", "--pending 32 --rtl nic"), ("NIC knows 16 nodes", "--nodes 17 --rtl nic"),
    ("delays up to 512", "--delay-nic 513 --rtl nic"), ("not with --without filter", "--without filter --rtl nic"),
    ("only 4 nodes", "--nodes 4 --rtl nic --rtl-nics 5"), ("only with --rtl nic", "--rtl-nics 5"),
    ("must be 0 or 128", "--merge 64 --rtl nic"), ("counts 32 bits", "--watchdog 4294967296 --rtl nic"),
])
def test_refused(gather, word, options):
    gather.refused(word, "--generate road", options)
