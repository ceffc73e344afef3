"""Hosts in closed loop with the device: `weir ring` over what its users may ask for. Each run compares every tensor with the sum computed directly
and every packet with the golden model; here it is looked at that it does, and that it tells what happened."""
import re

import pytest

SMALL = "--config tiny --hosts 4 --msglen 4 --mtu 256"
TINY = SMALL + " --tensor 20000"
TWO_RINGS = "--config tiny --hosts 3 --rings 2 --msglen 4 --mtu 256"


@pytest.fixture
def ring(weir):
    return weir("ring")


def right(summary):
    """All tensors are reduced, and right."""
    assert summary["tensors_done"] == summary["tensors"] and summary["mismatches"] == 0


@pytest.mark.parametrize("options", [
    *(f"{TINY} --type {kind} --op {op}" for kind in ("fp32", "fp16", "bf16", "int32") for op in ("sum", "min", "max")),
    *(f"{TINY} --verb {verb} --register" for verb in ("write", "write-imm", "send", "send-imm")),
    f"{SMALL} --tensor 4 --short-last",
    f"{SMALL} --tensor 10001 --type fp16 --tensor 10002 --short-last",
    "--hosts 2 --tensor 100000",
    "--hosts 5 --rings 3 --msglen 20 --tensor 50000 --window 1",
    "--hosts 8 --mtu 4096 --msglen 10 --tensor 300000",
    "--tensor 1M --register",
    "--config small128 --hosts 4 --rings 2 --msglen 16 --tensor 100002 --type fp16 --short-last",
])
def test_nothing_goes_wrong(ring, options):
    """Nothing is sent twice, nobody waits for a clock, nothing is left undecided, and the witness need not guess what packets are."""
    s = ring.summary(0, options)
    right(s)
    assert s["retransmissions"] == s["ack_timeouts"] == s["sequence_naks"] == s["out_of_sequence"] == 0
    assert s["results"] == s["packets_sent"] == s["packets_received"] == s["senders_told"] > 0
    undecided = s["undecided"]
    assert not any(undecided["excused"].values()) and undecided["given_up"] == undecided["untried"] == undecided["incomplete"] == 0


@pytest.mark.parametrize("options", [
    *(f"{TINY} --loss 0.05 --hop {hop}" for hop in ("up", "to-device", "from-device", "down")),
    f"{TINY} --loss 0.05 --dup 0.05 --reorder 0.05 --ber 0.05",
    f"{TINY} --loss 0.02 --ber 0.05 --verb send-imm --type bf16 --stall 0.3 --ack-every 3",
    "--msglen 32 --tensor 200000 --loss 0.003 --reorder 0.01 --dup 0.01 --seed 2",
    "--hosts 4 --rings 2 --msglen 16 --tensor 60000 --loss 0.01 --register --seed 3",
    "--config small128 --hosts 4 --msglen 16 --tensor 60002 --type bf16 --loss 0.01 --dup 0.01 --reorder 0.01 --ber 0.01 --stall 0.1",
])
def test_mended(ring, options):
    """Something goes wrong, is seen to, and is mended."""
    s = ring.summary(0, options)
    right(s)
    assert s["retransmissions"] > 0 and s["results"] >= s["packets_received"] > 0


def test_gaps(ring):
    """Gaps are counted exactly: without reordering, each is told by one NAK."""
    s = ring.summary(0, SMALL, "--tensor 40000 --loss 0.02 --hop down")
    assert 0 < s["sequence_naks"] <= s["out_of_sequence"] and s["drops"]["bad_icrc"] == s["drops"]["frame_error"] == 0


def test_late_acks(ring):
    """A late ACK is no reason for a wrong sum, nor is a clock that runs out too soon."""
    s = ring.summary(0, TINY, "--ack-delay 30 --timeout 10")
    assert s["ack_timeouts"] > 0 and s["duplicates_received"] > 0 and s["tensors_done"] == 4


def test_receiver_not_ready(ring):
    s = ring.summary(0, TINY, "--verb send-imm --rnr 0.2")
    assert s["rnr_naks"] > 0 and s["tensors_done"] == 4


def test_slow_host(ring):
    """One host with a thousandth of the others' rate holds up its ring and breaks nothing."""
    s = ring.summary(0, SMALL, "--tensor 8000 --slow 2 --timeout 20000")
    assert s["tensors_done"] == 4 and s["goodput_gbps"] < 0.1


def test_dead_host(ring):
    """One host stops for ever: its ring stands still, the other does not, and the table says who is how far and who is missing."""
    done, s = ring.run_and_summary(0, TWO_RINGS, "--tensor 8000 --stop 1 --timeout 50")
    assert s["tensors"] == 6 and s["tensors_done"] == 3 and re.search("host 1: .*it stopped", done.stdout)
    assert [(w["ring"], w["ranks"]) for w in s["waiting"]] == [(1, [1])]
    assert re.search(r"^ring 1 waits for rank 1 \(", done.stdout, re.M)


# Jobs of hosts of their own, with types of their own; and jobs that share hosts, whose ranks are not in the order of their numbers.
APART = """--jobs '[{"hosts": [0, 1]}, {"hosts": [2, 3, 4], "type": "bf16", "op": "min", "tensor": "6K"}]'"""
SHARED = """--jobs '[{"hosts": [3, 0, 1], "type": "int32"}, {"hosts": [1, 3], "tensor": 10000}, {"hosts": [5, 1]}]'"""


def test_jobs_apart(ring):
    """Each job's tensors are reduced by themselves; the table and the summary tell of each."""
    done, s = ring.run_and_summary(0, "--config tiny --msglen 4 --mtu 256 --tensor 20000", APART)
    right(s)
    first, second = s["jobs"]
    assert (first["hosts"], first["type"], first["op"], first["tensor"]) == ([0, 1], "fp32", "sum", 20000)
    assert (second["hosts"], second["type"], second["op"], second["tensor"]) == ([2, 3, 4], "bf16", "min", 6144)
    assert s["tensors"] == 5 and (first["tensors_done"], second["tensors_done"]) == (2, 3)
    assert min(first["goodput_gbps"], second["goodput_gbps"]) > 1
    assert s["results"] == first["packets_sent"] + second["packets_sent"] == s["senders_told"]
    assert re.search("^5 hosts, 2 rings: ", done.stdout, re.M)
    assert re.search(r"^ring 2: min bf16 of 6144 bytes on hosts 2-4: \d+\.\d\d Gb/s$", done.stdout, re.M)


@pytest.mark.parametrize("options", ["", "--register", "--loss 0.02", "--stop 0 --timeout 50", "--restart --timeout 5000",
                                     "--hostile 2 --timeout 5000", "--offer 0.2 --storm --timeout 5000"])
def test_jobs_share_hosts(ring, options):
    """A host may be in several jobs, and others in none, whatever goes wrong."""
    s = ring.summary(0, "--config paper6 --msglen 10 --mtu 256 --tensor 24000", SHARED, options)
    assert s["mismatches"] == 0 and s["tensors"] == 7 and s["tensors_done"] == (4 if "stop" in options else 7)
    assert s["jobs"][0]["hosts"] == [3, 0, 1]
    assert "stop" not in options or [(w["ring"], w["ranks"]) for w in s["waiting"]] == [(1, [1])]


def test_jobs_of_a_file(ring, tmp_path):
    (tmp_path / "jobs.json").write_text('[{"hosts": [1, 0]}, {"hosts": [0, 1], "op": "max"}]', encoding="utf-8")
    s = ring.summary(0, "--config tiny --msglen 4 --mtu 256 --tensor 4000 --report", tmp_path / "page.html", "--jobs", tmp_path / "jobs.json")
    right(s)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert s["tensors"] == 4 and "ring 2: max fp32 of 4000 bytes on hosts 0-1" in page


@pytest.mark.parametrize("word, options", [
    ("no job", "--jobs []"), ("must be a list", "--jobs {}"), ("must be {", "--jobs [1]"), ("is missing", "--jobs [{}]"),
    ("fewer than 2 hosts", """--jobs '[{"hosts": [0]}]'"""), ("job 2: host 4 is named twice", """--jobs '[{"hosts": [0, 1]}, {"hosts": [4, 4]}]'"""),
    ("unknown member", """--jobs '[{"hosts": [0, 1], "window": 2}]'"""), ("nowhere", "--jobs /nowhere.json"),
    ("job 2: a tensor of 10: must be a whole number", """--jobs '[{"hosts": [0, 1]}, {"hosts": [0, 1], "op": "max", "tensor": 10}]'"""),
    ("not with --hosts", f"--hosts 6 {APART}"), ("not with --rings", f"--rings 2 {APART}"), ("not with --topology", f"--topology leaf-spine:2x2 {APART}"),
    ("--slow 5", f"--slow 5 {APART}"), ("--stop 2: is not in the first job", f"--stop 2 {APART}"), ("NumRings", f"--config tiny {SHARED}"),
])
def test_jobs_refused(ring, word, options):
    ring.refused(word, options)


def test_late_death(ring):
    """It may stop so late that all the others get done without it."""
    s = ring.summary(0, "--config tiny --hosts 3 --rings 2 --msglen 2 --mtu 256 --tensor 900 --stop 1 --timeout 50")
    assert s["tensors"] == 6 and 3 <= s["tensors_done"] <= 5 and s["waiting"] == []


@pytest.mark.parametrize("options, claim", [("", "rank_conflict"), ("--register", "unregistered")])
def test_hostile(ring, options, claim):
    """Hostile hosts send ten thousand frames: the ring is reduced and right, nothing is sent twice, and each frame has a name."""
    s = ring.summary(0, SMALL, "--tensor 40000 --timeout 5000 --hostile 3 --hostile-rate 100", options)
    fates = s["hostile_fates"]
    assert s["tensors_done"] == s["tensors"] and s["retransmissions"] == s["switch_drops"] == 0
    assert sum(fates.values()) == s["hostile_taken"] > 2000 and s["hostile_sent"] >= s["hostile_taken"]
    assert all(fates.get(f, 0) > 9 for f in ("passed", "stored", "duplicate", "stale", "bad_icrc", "bad_header"))
    assert fates["bad_length"] > 0 and fates[claim] > 500


@pytest.mark.parametrize("options", ["", "--register", "--hostile 2"])
def test_restart(ring, options):
    """A ring is torn down while its packets are under way, and reduces another tensor; the other ring does not notice. The round trip is long, so that
    packets are under way."""
    s = ring.summary(0, TWO_RINGS, "--tensor 20000 --timeout 5000 --rtt 4 --restart", options)
    assert s["tensors_done"] == 6 and s["retransmissions"] == 0 and s["waiting"] == []
    assert s["frames_in"] > s["packets_sent"] and s["strays"] + sum(s["drops"].values()) > 3


def test_restart_with_loss(ring):
    s = ring.summary(0, TWO_RINGS, "--tensor 20000 --timeout 40 --restart --loss 0.02")
    assert s["tensors_done"] == 6 and s["retransmissions"] > 0 and s["waiting"] == []


# Outputs held for 100,000 cycles, under a load that does not fit into device and switch.
HELD = "--config paper6 --hosts 2 --rings 2 --msglen 80 --tensor 200000 --offer 0.1 --hold 100000 --hostile 2 --hostile-rate 60"


def test_held_and_paused(ring):
    """With pause no frame is lost, and nothing is sent twice."""
    s = ring.summary(0, HELD, "--timeout 5000")
    assert s["held_cycles"] == 100000 and s["pauses"] > 1
    assert s["tensors_done"] == 4 and s["switch_drops"] == s["retransmissions"] == s["out_of_sequence"] == 0


def test_held_without_pause(ring):
    """Frames are lost, counted, and mended by go-back-N."""
    s = ring.summary(0, HELD, "--timeout 500 --no-pause")
    assert s["held_cycles"] == 100000 and s["pauses"] == 0
    assert s["tensors_done"] == 4 and s["switch_drops"] > 1000 and s["retransmissions"] > 0


# Two jobs on ports of their own, with more in flight than the device has room for in front of an output.
TENANTS = """--config paper6 --msglen 40 --tensor 512K --timeout 5000 --jobs '[{"hosts": [0, 1, 2]}, {"hosts": [3, 4, 5], "type": "int32"}]'"""


def test_held_port_of_another_job(ring):
    """An output of one job is held for long: that job waits and mends itself of it, the other one goes on as if nothing was."""
    free = ring.summary(0, TENANTS)
    s = ring.summary(0, TENANTS, "--pause-port 3:20:250")
    right(s)
    assert 50000 < s["port_held_cycles"] <= 57500 and free["port_held_cycles"] == 0
    assert s["retransmissions"] == s["switch_drops"] == s["out_of_sequence"] == 0
    held = (512 << 10) * 8e-9 / 250e-6  # Gb/s of a job that is done when the output goes on
    assert s["jobs"][1]["goodput_gbps"] < held < free["jobs"][1]["goodput_gbps"]
    assert s["jobs"][0]["goodput_gbps"] > 0.99 * free["jobs"][0]["goodput_gbps"]


def test_held_port_without_jobs(ring):
    """The one ring stands still meanwhile, and goes on."""
    s = ring.summary(0, TINY, "--timeout 5000 --pause-port 0:5:105")
    right(s)
    assert 23000 < s["port_held_cycles"] <= 25000 and s["retransmissions"] == 0 and s["time_us"] > 105


@pytest.mark.parametrize("options", [
    f"{TENANTS} --tensor 1M --flush-other 10",
    f"{TENANTS} --tensor 1M --flush-other 10 --register --rtt 5",
    """--config tiny --msglen 4 --mtu 256 --tensor 300000 --flush-other 100 --jobs '[{"hosts": [0, 1]}, {"hosts": [1, 0]}]'""",
    "--config tiny --hosts 4 --rings 2 --msglen 4 --mtu 256 --tensor 200000 --flush-other 100 --stall 0.5 --timeout 500",
    "--config tiny --hosts 4 --rings 2 --msglen 2 --mtu 256 --tensor 20000 --flush-other 50 --stall 0.5 --offer 0.5 --storm --rtt 15 --timeout 5000",
])
def test_flushed_beside_another_job(ring, options):
    """The last job's hosts stop, and its ring is flushed again and again in the other one's traffic, which loses no packet."""
    done, s = ring.run_and_summary(0, options)
    first, last = s["jobs"]
    assert first["tensors_done"] == len(first["hosts"]) and last["tensors_done"] == 0
    assert first["retransmissions"] == first["out_of_sequence"] == first["ack_timeouts"] == 0
    assert first["packets_received"] == first["packets_sent"] and s["waiting"] == []
    assert s["flushes"] == int(re.search(r"flush-other (\d+)", options)[1])
    assert 0 < s["flushes_from_us"] < s["flushes_to_us"] < s["time_us"]  # so it was beside the other one
    assert re.search("^ring 2, host 1: .*it stopped|^ring 2, host 3: .*it stopped", done.stdout, re.M)


def test_flushed_and_mended(ring):
    """A flush beside a job whose packets get lost takes nothing from what mends it."""
    s = ring.summary(0, "--config tiny --hosts 3 --rings 2 --msglen 4 --mtu 256 --tensor 200000 --loss 0.01 --timeout 30 --flush-other 100")
    assert s["flushes"] == 100 and s["flushes_to_us"] < s["time_us"] and s["jobs"][0]["tensors_done"] == 3 and s["jobs"][0]["retransmissions"] > 0


@pytest.mark.parametrize("word, options", [
    ("must be PORT:FROM:TO", "--pause-port 3"), ("must be PORT:FROM:TO", "--pause-port 3:1"), ("the port must be", "--pause-port x:1:2"),
    ("the port must be", "--pause-port 16:1:2"), ("times must be", "--pause-port 1:a:2"), ("times must be", "--pause-port 1:1:2:3"),
    ("times must be", "--pause-port 1:-1:2"), ("times must be", "--pause-port 1:0:1e7"), ("must end after", "--pause-port 1:2:2"),
    ("must end after", "--pause-port 1:2:1"), ("must end after", "--pause-port 1:0:0"), ("tiny has ports 0 to 1", f"{TINY} --pause-port 2:0:1"),
    ("--pause-port: not with --topology", "--topology leaf-spine:2x2 --pause-port 0:1:2"),
    ("--flush-other: not with --topology", "--topology leaf-spine:2x2 --flush-other 1"), ("two rings or more", "--flush-other 1"),
    ("not with --stop", "--rings 2 --flush-other 1 --stop 0"), ("not with --restart", "--rings 2 --flush-other 1 --restart"),
    ("not with --hostile", "--rings 2 --flush-other 1 --hostile 1"), ("not with --hold", "--rings 2 --flush-other 1 --hold 5"),
    ("not with --pause-port", "--rings 2 --flush-other 1 --pause-port 0:1:2"),
])
def test_tenants_refused(ring, word, options):
    ring.refused(word, options)


def test_storm(ring):
    """Everybody repeats all he sent, at line rate: new packets get through as if nobody did, and a copy is answered or counted."""
    s = ring.summary(0, "--hosts 4 --tensor 512K --msglen 40 --timeout 5000 --offer 0.2 --storm")
    assert s["goodput_ratio"] > 0.99
    assert s["retransmissions"] == 0 and s["duplicates"] > 3 * s["packets_sent"]
    assert s["duplicates"] + sum(s["drops"].values()) <= s["storm_copies"]


def test_round_trip(ring):
    """A message needs at least T = its time on the wire, and its round trip with a window of one: T / (T + RTT) of the rate."""
    s = ring.summary(0, "--window 1 --msglen 20 --tensor 404800 --rtt 6.3 --register")
    assert 0.98 < s["goodput_gbps"] / (92.586 * 20240 / 20480 * 20 * 88.48 / (20 * 88.48 + 6300)) < 1.02


def test_held_back(ring):
    """With outputs hardly ever ready the window holds hosts back, or the switch pauses them; nothing is lost or sent twice."""
    s = ring.summary(0, "--tensor 1M --stall 0.95 --timeout 5000")
    assert s["switch_drops"] == s["retransmissions"] == 0


def test_capture(ring, places, tool, tmp_path):
    """What each host receives can be looked at: results whose ICRC is good."""
    ring.summary(0, SMALL, "--tensor 4000 --out", tmp_path / "out.pcapng")
    assert "4 ports" in tool(places.build / "weir", "info", tmp_path / "out.pcapng")


def test_repeatable(ring):
    runs = []
    for seed in (5, 5, 6):
        s = ring.summary(0, SMALL, f"--tensor 10000 --loss 0.02 --stall 0.2 --seed {seed}")
        runs.append((s["cycles"], s["packets_sent"], s["time_us"]))
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("word, options", [
    ("tensor", "--tensor 10 --type fp32"), ("hosts", "--hosts 1"), ("mtu", "--mtu 1000"), ("fp32, fp16", "--type fp8"),
    ("NumSlots", "--window 64"), ("rtt", "--rtt 0.2"), ("loss", "--loss 1"), ("slow", "--slow 6"), ("hostile", "--hostile 9"),
    ("restart", "--restart --stop 1"), ("option", "--bogus"), ("argument", "file"),
])
def test_refused(ring, word, options):
    ring.refused(word, options)


REBOOT = "--config tiny --hosts 3 --mtu 256 --msglen 8 --tensor 16K --loss 0.02 --timeout 50 --ack-every 2 --reboot 0 --reboot-down 1"


def test_device_that_loses_its_memory(ring):
    """In the middle of a message, and opened at once: hosts of the paper take wrong sums, hosts that know marks none, and say why they give up."""
    for seed, why in ((1, "refused_raw"), (5, "refused_raw"), (103, "refused_raw"), (53, "refused_two_epochs")):
        if why == "refused_raw":
            assert ring.summary(1, REBOOT, f"--seed {seed}")["wrong_sums"] > 0
        s = ring.summary(0, REBOOT, f"--seed {seed} --epoch 255")
        assert s["wrong_sums"] == s["mismatches"] == 0 < s["messages_taken"] and s[why] > 0


@pytest.mark.parametrize("options", ["--verb send-imm --timeout 5 --reboot-at 5.41 --reboot-down 0.1 --pause-port 1:5.94:16.97 --seed 1290",
                                     "--verb write-imm --timeout 10 --reboot-at 4.23 --reboot-down 0.2 --pause-port 1:5.42:20.74 --seed 1312"])
def test_raw_packets_that_are_held(ring, options):
    """An output is held, with raw packets of an interrupted message in front of it, until their host has sent the message anew: in these runs one of them
    was taken behind the marked result of the first packet, as long as results and passed frames took turns."""
    s = ring.summary(0, "--config tiny --hosts 2 --mtu 256 --msglen 4 --window 1 --tensor 16K --loss 0.2 --dup 0.02 --ack-every 1 --reboot 0 --epoch 7", options)
    assert s["wrong_sums"] == s["mismatches"] == 0 < s["messages_taken"]


@pytest.mark.parametrize("options", [TINY + " --verb write", TINY + " --verb send-imm --loss 0.02", TINY + " --verb write-imm --register",
                                     SMALL + " --msglen 1 --tensor 5000"])
def test_marks(ring, options):
    """Marked results are taken by hosts that look for marks, and by those that know of none."""
    right(ring.summary(0, options, "--epoch 77"))


@pytest.mark.parametrize("word, options", [("switch 0 alone", "--reboot 1"), ("only with --reboot", "--reboot-at 5"), ("not with", "--reboot 0 --storm")])
def test_reboot_refused(ring, word, options):
    """What has no device to switch off, or another meaning then."""
    ring.refused(word, options)
