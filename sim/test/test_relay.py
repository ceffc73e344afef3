"""More than one rack: `weir ring --topology` over what its users may ask for. Each run compares all tensors with the sum computed directly in the
order of the tree; here it is looked at that it does, and that it tells what happened."""
import json
import re

import pytest

SMALL = "--msglen 4 --mtu 256 --tensor 30000"
BAD = "--loss 0.01 --dup 0.03 --reorder 0.05 --ber 0.02"
# Three levels, leaves of 3, 1, 2 and 2 hosts, one of them higher than the others; and as small as three levels can be, with a switch between
# the root and two of three leaves.
TREE = "--topology '{\"children\": [{\"children\": [{\"hosts\": 3}, {\"hosts\": 1}]}, {\"hosts\": 2}, {\"children\": [{\"hosts\": 2}]}]}'"
LEAST_TREE = "--topology '{\"children\": [{\"children\": [{\"hosts\": 2}, {\"hosts\": 1}]}, {\"hosts\": 3}]}'"


@pytest.fixture
def ring(weir):
    return weir("ring")


def spine(shape):
    return f"--topology leaf-spine:{shape}"


def shape_is_right(s, options):
    """The tree is the one that was named."""
    found = (s["levels"], s["switches"], s["hosts"])
    assert TREE not in options or found == (3, 7, 8)
    assert LEAST_TREE not in options or found == (3, 5, 6)


def rtl_is_compared(s, options):
    """Where all devices are RTL, all they send is compared, and all they decide and commit is followed."""
    if "--devices rtl" in options and "rtl-spine" not in options:
        assert s["rtl_compared"] >= s["packets_sent"] + s["to_parents"] + s["to_children"]
        assert s["rtl_followed"] > 2 * s["stored"] > 0


def right(s):
    assert s["tensors_done"] == s["tensors"] and s["mismatches"] == 0


@pytest.mark.parametrize("options", [
    *(f"{spine('2x2')} {SMALL} --verb {verb}" for verb in ("write", "write-imm", "send", "send-imm")),
    f"{spine('2x3')} {SMALL} --type bf16 --short-last --tensor 30002",
    f"{spine('3x2')} {SMALL} --rings 3 --window 4 --type int32 --op max",
    f"{spine('1x4')} --msglen 1 --mtu 1024 --tensor 40000",
    f"{TREE} {SMALL}",
    # The RTL in all places, each frame compared with the golden models': the paper's Table 3, two leaves of three, three levels.
    f"{spine('2x2')} {SMALL} --tensor 8000 --devices rtl",
    f"{spine('2x3')} {SMALL} --tensor 8000 --verb send-imm --rings 2 --devices rtl",
    f"{spine('3x1')} {SMALL} --tensor 8002 --short-last --type bf16 --verb send --devices rtl",
    f"{LEAST_TREE} {SMALL} --tensor 8000 --rings 2 --devices rtl",
    f"{spine('2x2')} {SMALL} --tensor 8000 --rings 2 --register --devices rtl",
    f"{LEAST_TREE} {SMALL} --tensor 4000 --register --verb send-imm --devices rtl",
    # All columns that the devices have, and a length that is no power of two; three levels.
    f"{spine('2x2')} --msglen 16 --mtu 256 --tensor 40000 --devices rtl",
    f"{LEAST_TREE} --msglen 13 --mtu 256 --tensor 20000 --devices rtl",
])
def test_nothing_goes_wrong(ring, options):
    """One packet a column up and down each cable between switches, and on each host's one; two notifications a message and connection between
    leaves. Nothing is repeated."""
    s = ring.summary(0, options)
    right(s)
    assert s["retransmissions"] == s["ack_timeouts"] == s["columns_again"] == s["dropped"] == s["notifications_refused"] == 0
    assert s["without_template"] == s["without_row"] == s["table_full"] == s["bad_of_parent"] == 0
    assert s["stored"] == s["packets_sent"] + s["to_parents"] and s["to_parents"] == s["from_parents"] == s["to_children"]
    assert s["results"] == s["packets_sent"] == s["packets_received"] > 0
    assert s["columns"] == s["packets_sent"] // s["hosts"] * s["switches"]
    assert s["to_parents"] == s["packets_sent"] // s["hosts"] * (s["switches"] - 1)
    assert s["cables"]["to_parent"]["most_bytes"] <= s["cables"]["host_to_leaf"]["most_bytes"] * 1.2
    shape_is_right(s, options)
    rtl_is_compared(s, options)


def mended(ring, options):
    """Something goes wrong, is seen to, and is mended. The summary."""
    s = ring.summary(0, options)
    right(s)
    assert s["retransmissions"] > 0 and s["columns_again"] > 0
    shape_is_right(s, options)
    rtl_is_compared(s, options)
    return s


@pytest.mark.parametrize("options", [
    *(options for hop in ("up", "to-parent", "from-parent", "down") for options in (
        f"{spine('2x2')} {SMALL} --tensor 6000 --loss 0.05 --hop {hop} --devices rtl",
        f"{LEAST_TREE} {SMALL} --tensor 4000 --loss 0.05 --hop {hop} --seed 2 --devices rtl")),
    f"{spine('2x3')} {SMALL} --tensor 6000 --rings 2 {BAD} --verb write --devices rtl",
    f"{LEAST_TREE} {SMALL} --tensor 4000 {BAD} --devices rtl",
    f"{LEAST_TREE} {SMALL} --tensor 4000 {BAD} --register --devices rtl",
    # A notification overtakes a result inside of a leaf; each of these seeds has it.
    *(f"{spine('2x2')} {SMALL} --loss 0.05 --hop to-parent --hop from-parent --seed {seed} --devices rtl" for seed in (1, 31, 39)),
    f"{spine('4x2')} {SMALL} --tensor 8000 --devices rtl-spine --loss 0.02",
    f"{spine('2x2')} --msglen 13 --mtu 256 --tensor 20000 {BAD} --devices rtl",
    *(options for hop in ("up", "to-device", "from-device", "down", "to-parent", "from-parent") for options in (
        f"{spine('2x3')} {SMALL} --loss 0.05 --hop {hop}",
        f"{spine('2x2')} {SMALL} --loss 0.01 --dup 0.1 --reorder 0.1 --hop {hop} --seed 2")),
    f"{spine('4x1')} {SMALL} {BAD}",
    f"{spine('2x3')} {SMALL} --rings 2 {BAD} --verb send-imm",
    f"{TREE} {SMALL} --loss 0.02",
    f"{TREE} {SMALL} {BAD} --rings 2 --type fp16 --op min",
])
def test_mended(ring, options):
    mended(ring, options)


@pytest.mark.parametrize("options", ["--seed 7", "--tensor 8000 --seed 8 --devices rtl"])
def test_lost_notifications(ring, options):
    """They are counted, and their messages come through all the same."""
    assert mended(ring, f"{spine('2x2')} {SMALL} --loss 0.05 --hop to-parent --hop from-parent {options}")["without_template"] > 0


@pytest.mark.parametrize("options", [
    f"{spine('2x3')} {SMALL} --rings 2 {BAD} --verb send-imm",
    f"{TREE} {SMALL} --loss 0.02 --verb write-imm --short-last",
    f"{spine('2x2')} {SMALL} --loss 0.02 --msglen 1 --verb write-imm",
    f"{LEAST_TREE} {SMALL} --tensor 4000 {BAD} --verb send-imm --devices rtl",
])
def test_marks(ring, options):
    """Hosts below any leaf get the mark of the leaf behind which the sender is, and take nothing without."""
    mended(ring, f"{options} --epoch 255")


@pytest.mark.parametrize("switch, seed", [(2, 3), (1, 5), (0, 7)])
def test_marks_after_a_reboot(ring, switch, seed):
    """A leaf is switched off and on below a ring that learns: the ring may stand still, and no host takes one worker's numbers."""
    s = ring.summary(0, f"{spine('3x2')} {SMALL} --tensor 4000 --rings 2 --loss 0.02 --timeout 50 --verb write-imm --epoch 255",
                     f"--reboot {switch} --seed {seed}")
    assert s["messages_taken"] > 0 and s["wrong_sums"] == 0


def rebooted(ring, options):
    """A device forgets all in the middle: what is done is right, and what is not is told. The summary."""
    done, s = ring.run_and_summary(0, f"{SMALL} --tensor 6000 --timeout 50", options)
    assert s["mismatches"] == 0
    assert s["tensors_done"] == s["tensors"] or re.search("^ring [0-9]*, host [0-9]*: ", done.stdout, re.M)
    shape_is_right(s, options)
    return s


@pytest.mark.parametrize("options", [
    f"{spine('2x3')} --devices rtl --reboot 0 --loss 0.02",
    # Above leaves.
    *(options for switch in (0, 1) for options in (f"{LEAST_TREE} --devices rtl --reboot {switch} --seed 3", f"{TREE} --reboot {switch} --loss 0.02")),
])
def test_rebooted(ring, options):
    rebooted(ring, options)


@pytest.mark.parametrize("options", ["", "--devices rtl", "--devices rtl --verb send"])
def test_leaf_rebooted(ring, options):
    """A leaf whose connections are registered knows them at once: what it cannot place is dropped, and no sum is wrong."""
    for seed in range(1, 7):
        rebooted(ring, f"{spine('3x2')} --tensor 4000 --rings 2 --loss 0.02 --reboot {1 + seed % 3} --seed {seed} --register {options}")


@pytest.mark.parametrize("options", ["", "--verb send"])
def test_root_rebooted(ring, options):
    """At the root, on sound cables, nothing but time is lost."""
    options = f"{spine('2x2')} --rings 2 --reboot 0 {options} --devices rtl"
    s = rebooted(ring, options)
    assert s["tensors_done"] == s["tensors"] and s["retransmissions"] > 0
    rtl_is_compared(s, options)


@pytest.mark.parametrize("options", [
    "--config tree4 --hosts 4 --rings 2 --loss 0.02 --dup 0.02 --reorder 0.02",
    "--config tree4 --hosts 3 --register --verb send-imm --restart --loss 0.01",
    "--config leaf3 --hosts 2 --loss 0.02",
    "--config spine2 --hosts 2 --rings 2 --loss 0.02",
])
def test_alone(ring, options):
    """A device for a tree as the only one of its rack, in lock step with the model of that."""
    right(ring.summary(0, options, SMALL))


def test_flat(ring):
    """The same time for 2 to 64 hosts (within 2 %), the same bytes on each cable, and less than a ring all-reduce takes from 4 hosts on."""
    of = {shape: ring.summary(0, spine(shape), "--short-last --plain-ring") for shape in ("2x1", "2x2", "4x4", "8x8")}
    s = of["8x8"]
    for shape in ("2x1", "2x2", "4x4"):
        assert abs(of[shape]["all_reduce_us"] / s["all_reduce_us"] - 1) < 0.02
        assert all(of[shape]["cables"][k]["most_bytes"] == s["cables"][k]["most_bytes"] for k in s["cables"])
    assert all(1 <= c["most_share"] < 1.02 for c in s["cables"].values())
    assert s["plain_ring_us"] > 1.7 * s["all_reduce_us"] and of["2x2"]["plain_ring_us"] > 1.3 * of["2x2"]["all_reduce_us"]


def test_levels(ring, tmp_path):
    """A level more takes the time of two cables, two frames, and two devices more, which is the same each time."""
    tree, of = {"children": [{"hosts": 2}, {"hosts": 2}]}, {}
    for levels in (2, 3, 4):
        (tmp_path / "tree.json").write_text(json.dumps(tree), encoding="utf-8")
        of[levels] = ring.summary(0, "--topology", tmp_path / "tree.json", SMALL)
        tree = {"children": [tree]}
    rtt = {levels: s["rtt_us"] for levels, s in of.items()}
    assert of[4]["levels"] == 4 and abs((rtt[4] - rtt[3]) - (rtt[3] - rtt[2])) < 0.01
    assert 0.5 < rtt[3] - rtt[2] < 1


def test_rate_of_a_leaf(ring):
    """A column more, of packets so small that the wire does not bound it, costs a leaf two takes of eleven cycles, that of its sum and that of its
    parent's result; each message has two notifications."""
    def microseconds(columns):
        return ring.summary(0, spine("2x2"), "--msglen 16 --mtu 256 --devices rtl --tensor", 256 * columns)["all_reduce_us"]

    assert (microseconds(512) - microseconds(256)) * 250 / 256 < 24


@pytest.mark.parametrize("options, faults", [
    (f"{spine('2x2')} {SMALL} --tensor 2000 --register --turns 4", ""),
    (f"{LEAST_TREE} {SMALL} --tensor 2000 --rings 2 --turns 3", BAD),
])
def test_jobs_in_turn(ring, options, faults):
    """Connections are registered, released, learned, flushed and learned again; in each job every column completes once."""
    sound = ring.summary(0, options, "--devices rtl")
    right(sound)
    assert sound["rtl_compared"] > 0 and sound["columns"] == sound["turns"] * one_turn(ring, options)
    assert sound["columns_again"] == sound["dropped"] == sound["notifications_refused"] == sound["without_template"] == 0
    if faults:
        s = ring.summary(0, options, faults, "--devices rtl")
        right(s)
        assert s["columns"] == sound["columns"] and s["columns_again"] > 0


def one_turn(ring, options):
    """Columns that the devices complete for one job of those."""
    return ring.summary(0, re.sub("--turns [0-9]+", "--turns 1", options))["columns"]


@pytest.mark.parametrize("options", ["", "--devices rtl"])
def test_dead_host(ring, options):
    """With devices in RTL, the model says whether RING_WAITS names the dead one's place and, elsewhere, the parent."""
    done, s = ring.run_and_summary(0, spine("2x2"), "--rings 2", SMALL, "--stop 1 --timeout 50", options)
    assert s["tensors"] == 8 and s["tensors_done"] == 4
    assert re.search("^ring 1 waits at switch 1 for children 0x2 ", done.stdout, re.M)


def test_slow_host(ring):
    s = ring.summary(0, spine("2x2"), "--msglen 4 --mtu 256 --tensor 8000 --slow 3 --timeout 20000")
    assert s["tensors_done"] == 4 and s["goodput_gbps"] < 0.1


def test_repeatable(ring):
    runs = []
    for seed in (5, 5, 6):
        s = ring.summary(0, spine("2x3"), SMALL, f"--loss 0.02 --seed {seed}")
        runs.append((s["packets_sent"], s["time_us"]))
    assert runs[0] == runs[1] != runs[2]


# --------------------------------------------------------------------------------------------------------- refusals

@pytest.mark.parametrize("word, options", [
    ("so many ports", f"{spine('7x1')} {SMALL} --devices rtl-spine"), ("so many ports", f"{spine('2x6')} {SMALL} --devices rtl"),
    ("two numbers", spine("2")), ("hosts each", spine("2x32")), ("more than 128", spine("16x16")), ("fewer than 2", spine("1x1")),
    ("No such file", "--topology /nowhere"), ("no tree", "--topology fat-tree:3"), ("one to eight", "--topology fat-tree:2xx2"),
    ("one to eight", "--topology fat-tree:1x1x1x1x1x1x1x1x2"), ("more than 64", "--topology fat-tree:9x9x2"), ("devices", "--devices model"), ("plain-ring", "--plain-ring"),
    ("turns", "--turns 2"), ("turns", f"{spine('2x2')} --turns 2"), ("turns", f"{spine('2x2')} --turns 2 --devices rtl --stop 1"),
    *((option.split()[0], f"{spine('2x2')} {option}") for option in (
        "--hosts 4", "--rtt 5", "--restart", "--hold 5", "--hostile 1", "--config tiny", "--stall 0.1", "--report x.html", "--wave x.fst")),
    ("slow", f"{spine('2x2')} --slow 4"), ("switches 0 to 2", f"{spine('2x2')} --reboot 3"), ("switch 0", "--reboot 1"),
])
def test_refused(ring, word, options):
    ring.refused(word, options)


@pytest.mark.parametrize("word, text", [
    ("no tree", '{"hosts": 3}'), ("a switch is", '{"children": [{"hosts": 2, "children": []}]}'), ("a switch is", "[]"),
    ("must be a list", '{"children": []}'), ("must be a number", '{"children": [{"hosts": "2"}]}'),
    ("1 to 31 hosts", '{"children": [{"hosts": 0}]}'), ("line 2", "{\n"),
])
def test_bad_tree(ring, tmp_path, word, text):
    """A file with this text is refused."""
    (tmp_path / "tree.json").write_text(text, encoding="utf-8")
    ring.refused(word, "--topology", tmp_path / "tree.json")
