"""Replays each capture of sim/captures in each configuration that holds it, at several paces and with outputs held back. Each run must end with
code 0, and what hosts receive must be what they received from the reference switch."""
import hashlib
import json
import os
import re
import struct
import zlib

import pytest
import pywellen

from conftest import CAPTURES

NAMES = sorted(path.name.removesuffix(".in.pcapng.gz") for path in CAPTURES.glob("*.in.pcapng.gz"))
PACES = ("--pace asap", "--pace line", "--stall 0.3 --seed 1", "--stall 0.3 --seed 2", "--stall 0.3 --seed 3")
RING4 = CAPTURES / "ring4.in.pcapng.gz"


@pytest.fixture
def replay(weir):
    return weir("replay")


@pytest.fixture
def matches(places, tool):
    """`matches(out, capture)`: what hosts received is what the reference switch sent them."""
    return lambda out, capture: tool(places.build / "sim/compare", "data", out, CAPTURES / f"{capture}.out.pcapng.gz")


@pytest.mark.parametrize("capture", NAMES)
@pytest.mark.parametrize("config", ["wide8", "paper6"])
@pytest.mark.parametrize("pace", PACES)
def test_capture(replay, matches, tmp_path, capture, config, pace):
    out = tmp_path / "out.pcapng"
    replay.run(0, CAPTURES / f"{capture}.in.pcapng.gz", f"--config {config}", pace, "--out", out)
    matches(out, capture)


# What prototype6 can do, and what it cannot.
SUMS_ALONE = ["ring4", "ring4-loss", "ring4-two-rings-psn-wrap", "ring6-paper"]


@pytest.mark.parametrize("capture", NAMES)
@pytest.mark.parametrize("pace", ["--pace line", "--stall 0.3 --seed 1"])
def test_prototype(replay, matches, tmp_path, capture, pace):
    """FP32 over IPv4 is summed as by a device that has everything. What needs more is refused by name, no result of it leaves, and the run says why."""
    out = tmp_path / "out.pcapng"
    done, s = replay.run_and_summary(0, CAPTURES / f"{capture}.in.pcapng.gz", "--config prototype6", pace, "--out", out)
    assert "\nprototype6 is without icrc_check, ipv6, vlan, fp16, bf16, int32, min_max, wide_counters\n" in done.stdout
    if capture in SUMS_ALONE:
        matches(out, capture)
    else:
        assert s["results"] == 0 and s["drops"]["bad_header"] > 0 and "that the device has not" in done.stdout


@pytest.mark.parametrize("capture", [name for name in NAMES if name != "ring6-paper"])
@pytest.mark.parametrize("pace", ["--pace line", "--stall 0.3 --seed 1"])
def test_large_beats(replay, matches, tmp_path, capture, pace):
    """Ports of 128 bytes a cycle."""
    out = tmp_path / "out.pcapng"
    replay.run(0, CAPTURES / f"{capture}.in.pcapng.gz", "--config small128", pace, "--out", out)
    matches(out, capture)


def test_recorded(replay, matches, tmp_path):
    out = tmp_path / "out.pcapng"
    replay.run(0, RING4, "--config paper6 --pace recorded --out", out)
    matches(out, "ring4")


@pytest.mark.parametrize("capture", NAMES)
def test_too_small(replay, tmp_path, capture):
    """A configuration that is too small is refused, with one line that says what to raise."""
    out = tmp_path / "out.pcapng"
    done = replay.run(2, CAPTURES / f"{capture}.in.pcapng.gz", "--config tiny --out", out)
    assert done.stderr.count("\n") == 1 and re.search("tiny.*(Num|SlotBytes)", done.stderr)
    assert not out.exists() and not done.stdout


@pytest.mark.parametrize("code, capture, options", [
    (0, "ring4-loss.in.pcapng.gz", "--config paper6"), (0, "ring4.in.pcapng.gz", "--config paper6 --pace recorded"), (1, "synthetic/synthetic-short-messages.in.pcapng", "--config wide8 --window 1")])
def test_on_one_processor(replay, tmp_path, code, capture, options):
    """Whether checks have a thread of their own or not: all that is said, written and counted is the same, but for how long it took."""
    found, all_of_them = [], os.sched_getaffinity(0)
    out, page = tmp_path / "out.pcapng", tmp_path / "page.html"
    for processors in (all_of_them, {min(all_of_them)}):
        os.sched_setaffinity(0, processors)
        try:
            done, s = replay.run_and_summary(code, CAPTURES / capture, options, "--out", out, "--report", page)
        finally:
            os.sched_setaffinity(0, all_of_them)
        said = re.sub("^frames a second.*$", "", done.stdout, flags=re.M)
        found.append([said, done.stderr, {key: s[key] for key in s if key not in ("frames_per_second", "bench_share")},
                      out.read_bytes(), page.read_bytes()])
    assert found[0] == found[1]


def test_by_default(replay):
    """Nothing but the capture is named: the smallest configuration, no files."""
    said = replay.run(0, CAPTURES / "ring4-loss.in.pcapng.gz").stdout
    assert re.search("^configuration paper6", said, re.M) and "\nOK: every packet that left is right\n" in said


@pytest.mark.parametrize("config", ["tiny", "wide8"])
@pytest.mark.parametrize("pace", ["", *PACES[1:]])
def test_short_messages(replay, config, pace):
    """Two rings of two hosts with messages of one packet, five each, that come as fast as the device takes them: none overtakes the result that its
    sender waited for, so no column loses its slot."""
    done, s = replay.run_and_summary(0, CAPTURES / "synthetic/synthetic-short-messages.in.pcapng", f"--config {config}", pace)
    assert s["frames_in"] == 22 and s["results"] == 20 and "given up" not in done.stdout


def in_vlan(frame, vid):
    """The IPv4 RoCEv2 frame behind a tag with priority 3, for queue pair 0x12, with its ICRC (docs/wire.md)."""
    frame = bytearray(frame[:12] + struct.pack(">HH", 0x8100, 3 << 13 | vid) + frame[12:])
    frame[18 + 28 + 5:18 + 28 + 8] = (0x12).to_bytes(3, "big")
    masked = bytearray(frame[18:-4])
    for at in (1, 8, 10, 11, 26, 27, 32):
        masked[at] = 0xFF
    return bytes(frame[:-4]) + struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked))


def test_equal_connections_in_two_vlans(replay, tmp_path):
    """Two jobs with the same addresses, queue pairs and PSNs in two VLANs are two jobs. The second ring's packets get a tag and the queue pairs of the
    first one's."""
    data, at, out, moved = (CAPTURES / "synthetic/synthetic-short-messages.in.pcapng").read_bytes(), 0, b"", 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        block, at = data[at:at + length], at + length
        size = struct.unpack_from("<I", block, 20)[0] if kind == 6 else 0
        frame = block[28:28 + size]
        if kind == 6 and frame[12:14] == b"\x08\x00" and frame[47:50] == b"\x00\x00\x13":
            frame = in_vlan(frame, 7)
            body = block[8:20] + struct.pack("<II", len(frame), len(frame)) + frame + b"\0" * (-len(frame) % 4)
            block = struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)
            moved += 1
        out += block
    (tmp_path / "two.pcapng").write_bytes(out)
    s = replay.summary(0, tmp_path / "two.pcapng")
    assert moved == 10 and s["frames_in"] == 22 and s["results"] == 20 and sum(s["drops"].values()) == 0
    # And so they are where the control plane names them.
    conns = [{"src": f"10.0.0.{1 + r}", "dst": f"10.0.0.{2 - r}", "qpn": 0x12, "rank": r} for r in range(2)]
    rings = [{"ring": 1, "workers": 2, "msglen": 1, "window": 2, "connections": conns},
             {"ring": 2, "workers": 2, "msglen": 1, "window": 2, "connections": [{**c, "vlan": 7} for c in conns]}]
    (tmp_path / "rings.json").write_text(json.dumps(rings), encoding="utf-8")
    assert replay.summary(0, tmp_path / "two.pcapng", "--rings", tmp_path / "rings.json")["results"] == 20


def test_one_interface(replay, matches, tool, tmp_path):
    """What tcpdump would have written: one interface only, so ports are told by source MAC."""
    tool("editcap", "-F", "nsecpcap", RING4, tmp_path / "one.pcap")
    replay.run(0, tmp_path / "one.pcap", "--out", tmp_path / "out.pcapng")
    matches(tmp_path / "out.pcapng", "ring4")


def test_named_rings(replay, matches, tmp_path):
    """The ring and its connections are named; the device learns nothing. Addresses and QP as in the captures' README."""
    names = [{"src": f"10.0.0.{r + 1}", "dst": f"10.0.0.{(r + 1) % 4 + 1}", "qpn": 18, "rank": r} for r in range(4)]
    rings = [{"ring": 1, "workers": 4, "msglen": 32, "window": 2, "connections": names}]
    (tmp_path / "rings.json").write_text(json.dumps(rings), encoding="utf-8")
    replay.run(0, RING4, "--rings", tmp_path / "rings.json", "--out", tmp_path / "out.pcapng")
    matches(tmp_path / "out.pcapng", "ring4")


def test_no_rings(replay, places, tool, tmp_path):
    """No ring is named, so every frame passes as it came."""
    (tmp_path / "rings.json").write_text("[]", encoding="utf-8")
    s = replay.summary(0, RING4, "--rings", tmp_path / "rings.json", "--out", tmp_path / "out.pcapng")
    tool(places.build / "sim/compare", "frames", tmp_path / "out.pcapng", RING4)
    assert s["passed"] == 895 and s["results"] == 0 and s["latency_cycles"]["p50"] is None


def test_undecided(replay):
    """What could not be decided is told. Hosts that are not said to have the window they have make columns without results, and that is a failure:
    the messages of synthetic-short-messages are sent two at a time."""
    done, s = replay.run_and_summary(1, CAPTURES / "synthetic/synthetic-short-messages.in.pcapng", "--window 1")
    excused = s["undecided"]["excused"]
    assert excused["window"] == 6 and excused["gap"] == 2 and re.search("^excused: window  *6  ", done.stdout, re.M)
    assert "gave no results, 0 of them complete in the device: messages out of the window" in done.stdout


def test_begun_late(replay, tool, tmp_path):
    """A capture that begins in the middle, and in a repetition, has columns of which packets are missing; that is told, and no failure."""
    tool("editcap", "-r", CAPTURES / "ring4-loss.in.pcapng.gz", tmp_path / "late.pcapng", "450-2000")
    undecided = replay.summary(0, tmp_path / "late.pcapng")["undecided"]
    assert undecided["incomplete"] == 32 and undecided["excused"] == {"contradiction": 0, "ports": 0, "gap": 2, "window": 0}


@pytest.mark.parametrize("first", range(200, 321, 30))
def test_begun_in_a_message(replay, tool, tmp_path, first):
    """Whatever frame a capture of hosts that lose nothing begins with, all columns of which it has every packet have results: those that lack
    packets of before do not stand in the way of messages behind them."""
    tool("editcap", "-r", RING4, tmp_path / "late.pcapng", f"{first}-2000")
    s = replay.summary(0, tmp_path / "late.pcapng")
    assert s["results"] >= 384 and sum(s["undecided"]["excused"].values()) == 0
    assert 0 < s["frames_in"] - s["passed"] - s["results"] <= 3 * s["undecided"]["incomplete"]


def interfaces(path):
    """How many a pcapng file describes."""
    data, at, count = path.read_bytes(), 0, 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        count += kind == 1
        at += length
    return count


def test_floods_to_hosts(replay, matches, tmp_path):
    """What the switch floods goes to the hosts of the capture, not to ports of the device that nobody is behind."""
    replay.run(0, RING4, "--config paper6 --out", tmp_path / "out.pcapng")
    matches(tmp_path / "out.pcapng", "ring4")
    assert interfaces(tmp_path / "out.pcapng") == 4


@pytest.mark.parametrize("pace", ["--pace asap", "--pace line", "--stall 0.9 --seed 1", "--stall 0.9 --seed 2", "--stall 0.9 --seed 3"])
def test_learns_as_frames_come_in(replay, tool, tmp_path, pace):
    """A host that has sent is no longer flooded to, however long the device holds what it sent, and even if it drops that."""
    def frame(to, sender, kind, payload):
        return bytes([2, 0, 0, 0, 0, to, 2, 0, 0, 0, 0, sender]) + kind + payload
    heard = [(port, frame(9, port, b"\x88\xb5", bytes(4000))) for port in range(3)]
    heard += [(3, frame(9, 3, b"\x88\xb5", bytes(9800)))]   # longer than what passes
    told = [(port, frame(to, port, b"\x88\xb6", bytes([i] * 46))) for i in range(8) for port in range(4) for to in range(4) if to != port]
    block = lambda kind, body: struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)
    data = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + 4 * block(1, struct.pack("<HHI", 1, 0, 0))
    for port, sent in heard + told:
        data += block(6, struct.pack("<IIIII", port, 0, 0, len(sent), len(sent)) + sent + bytes(-len(sent) % 4))
    (tmp_path / "in.pcapng").write_bytes(data)
    replay.run(0, tmp_path / "in.pcapng", "--config paper6", pace, "--out", tmp_path / "out.pcapng")
    for to in range(4):
        fields = ("-T", "fields", "-Y", f"frame.interface_id == {to} && eth.type == 0x88b6", "-e", "eth.dst")
        assert set(tool("tshark", "-r", tmp_path / "out.pcapng", *fields).split()) == {f"02:00:00:00:00:0{to}"}


def test_summary(replay):
    """Numbers that follow from the capture alone (sim/captures/README.md)."""
    s = replay.summary(0, RING4)
    assert sorted(s) == ["bench_share", "cycles", "drops", "duplicates", "frames_in", "frames_out", "frames_per_second", "latency_cycles",
                         "mismatches", "passed", "results", "undecided"]
    latency = s["latency_cycles"]
    assert list(latency) == ["min", "p50", "p99", "max"] and latency["min"] <= latency["p50"] <= latency["p99"]
    assert (s["frames_in"], s["results"], s["passed"], s["frames_out"]) == (895, 768, 127, 895)
    assert sum(s["drops"].values()) == s["mismatches"] == 0


def test_line_rate(replay):
    """The hosts' packets come in bursts, which a device takes faster than 100 Gb/s; at line rate they take longer."""
    asap = replay.summary(0, RING4)["cycles"]
    assert replay.summary(0, RING4, "--pace line")["cycles"] > asap


def test_repeatable(replay, tmp_path):
    """One seed, one run, cycle by cycle; another seed, another run."""
    runs = []
    for seed in (5, 5, 6):
        s = replay.summary(0, RING4, f"--stall 0.5 --seed {seed} --out", tmp_path / "out.pcapng")
        runs.append((s["cycles"], hashlib.md5((tmp_path / "out.pcapng").read_bytes()).hexdigest()))
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("pace", PACES)
def test_fates_are_those_of_the_capture(replay, pace):
    """Ports take their own frames as fast as they can, but what is a repeat, late, or of a message that nobody knows does not depend on that."""
    s = replay.summary(0, CAPTURES / "ring4-loss.in.pcapng.gz", pace)
    assert (s["passed"], s["duplicates"]) == (173, 964)
    assert {name: count for name, count in s["drops"].items() if count > 0} == {"unknown_message": 30}


def test_ports_do_not_wait_for_each_other(replay):
    """Four ports take 895 frames beside each other; one behind the other they would need twice as long."""
    assert replay.summary(0, RING4)["cycles"] < 6000


def test_first_frames(replay):
    assert replay.summary(0, RING4, "--limit 300")["frames_in"] == 300


def test_hardly_ready(replay, tmp_path):
    """Outputs that are ready in one cycle of fifty: slow, but no hang."""
    replay.run(0, RING4, "--limit 250 --stall 0.98 --out", tmp_path / "out.pcapng")


def test_waves(replay, tmp_path):
    wave = tmp_path / "wave.fst"
    replay.run(0, RING4, "--limit 200 --wave", wave)
    assert wave.stat().st_size > 100000 and [path.name for path in tmp_path.glob("wave*")] == ["wave.fst"]


def test_waves_have_what_gtkwave_is_to_show(replay, places, tmp_path):
    """The signals that sim/waves/*.gtkw ask for, as wide as it has them."""
    replay.run(0, RING4, "--limit 20 --wave", tmp_path / "wave.fst")
    # An element of an array is `name.[0]` here.
    bits = {signal.full_name.replace(".[", "["): signal.bitwidth for signal in pywellen.Waveform(str(tmp_path / "wave.fst")).all_vars()}
    missing = []
    for path in (places.root / "sim/waves").glob("*.gtkw"):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("weir")]
        for line in lines:
            name, most = re.fullmatch(r"(.*?)(?:\[(\d+):0\])?", line).groups()
            if bits.get(name) != int(most or 0) + 1:
                missing.append(line)
        assert lines, path
    assert not missing


def test_demo(places, tool):
    assert "\nOK: every packet that left is right\n" in tool(places.root / "sim/cli/demo.sh", places.build / "weir")
