"""Collectives over aggregation trees: `weir tree` over what its users may ask for. Each run compares each host's vector with one computed directly, and
what went over each cable with what must have; here it is looked at that it does, and that it tells what happened."""
import subprocess

import pytest

from conftest import ROOT

DEEP = "--topology '{\"children\": [{\"children\": [{\"hosts\": 3}, {\"hosts\": 1}]}, {\"hosts\": 2}, {\"children\": [{\"hosts\": 2}]}]}'"


@pytest.fixture
def tree(weir):
    return weir("tree")


def good(tree, *options):
    """A run in which every host has every result. The summary."""
    s = tree.summary(0, *options)
    assert s["mismatches"] == 0 and s["verdicts"]["ok"] == s["hosts"] and s["locks"] == s["unlocks"]
    assert s["cables_checked"] > 0 and s["silence_us"] <= s["bound_us"] and s["refused"] == s["teardowns"] == 0
    return s


def clean(tree, *options):
    """The same, and nothing had to be repeated."""
    s = good(tree, *options)
    assert s["repeats"] == s["timeouts"] == s["naks"] == s["rnrs"] == s["duplicates"] == 0
    return s


# ------------------------------------------------------------------------------------------------------- what runs

@pytest.mark.parametrize("options", [
    "--topology fat-tree:2 --size 4", "--topology fat-tree:31 --size 1024 --mtu 256",
    "--topology fat-tree:2x2x2x2 --size 1000 --mtu 512", f"{DEEP} --size 64", "--topology leaf-spine:4x4 --size 1024",
])
def test_low_latency(tree, options):
    """A vector of up to 1024 bytes takes the tree that needs no lock."""
    s = clean(tree, options)
    assert s["streams"] == 0 and s["locks"] == 0 and s["operations"] == 4
    assert s["compared"] == s["hosts"] * 4 * int(options.split("--size ")[1].split()[0])


@pytest.mark.parametrize("options", [
    "--topology fat-tree:2 --size 4 --mode sat", "--topology fat-tree:31 --size 1028 --mtu 256",
    "--topology fat-tree:2x2x2x2 --size 40000 --mtu 4096", f"{DEEP} --size 12K", "--size 992 --mode sat", "--size 996 --mode sat",
])
def test_streaming(tree, options):
    """Any vector streams, one row of packets after the other, under a lock of each node for each operation."""
    s = clean(tree, options)
    assert s["streams"] == 1 and s["operations"] == 4 and s["locks"] == 4 * s["nodes"] and s["columns"] > 0


@pytest.mark.parametrize("kind", ["fp32", "fp16", "bf16", "int32"])
@pytest.mark.parametrize("reduction", ["sum", "min", "max"])
@pytest.mark.parametrize("mode", ["llt", "sat"])
def test_types(tree, kind, reduction, mode):
    clean(tree, f"{DEEP} --size 1000 --type {kind} --reduction {reduction} --mode {mode}")


@pytest.mark.parametrize("mode", ["llt", "sat"])
@pytest.mark.parametrize("groups", [1, 3])
def test_operations(tree, mode, groups):
    """What goes up and down is what the operation needs: all-reduce both ways, the others once where there is something to carry."""
    of = {op: clean(tree, f"{DEEP} --size 800 --mode {mode} --groups {groups} --trees {groups} --cells 8 --op {op}") for op in ("all-reduce", "reduce", "broadcast")}
    assert of["reduce"]["up"] == of["all-reduce"]["up"] and of["reduce"]["down"] < of["all-reduce"]["down"]
    assert of["broadcast"]["up"] < of["all-reduce"]["up"] and of["reduce"]["compared"] == groups * 4 * 800
    assert of["broadcast"]["compared"] == (8 - groups) * 4 * 800


@pytest.mark.parametrize("options", ["--ipv6", "--vlan 7", "--ipv6 --vlan 4094 --loss 0.01 --damage 0.01"])
def test_headers(tree, options):
    good(tree, f"{DEEP} --size 10K", options)


def test_many_hosts(tree):
    """As many hosts, nodes and children as there may be."""
    for shape in ("32x32", "9x55x2", "16x63"):
        s = clean(tree, f"--topology fat-tree:{shape} --size 256 --operations 2")
        assert s["operations"] == 2 and s["compared"] == s["hosts"] * 512


def test_barrier(tree):
    s = clean(tree, "--op barrier --groups 3 --operations 20")
    assert s["compared"] == 0 and s["operations"] == 60 and s["most_up"] == 20 * 32 * 3


def test_once_up_once_down(tree):
    """However many hosts are below a cable, it carries a vector once."""
    s = clean(tree, "--topology fat-tree:4x8 --size 32K --operations 2")
    assert s["most_up"] == s["most_down"] == 2 * (32768 + 32) + 2 * 32
    assert s["up"] == s["down"] == 36 * s["most_up"]


def test_same_bits(tree, tmp_path):
    """Neither the mode, nor what cables do, nor who else runs changes a bit of a result: each is compared with the same one."""
    for options in ("--mode llt", "--mode sat", "--mode sat --loss 0.02 --reorder 0.05", "--mode sat --credits 1 --window 1"):
        good(tree, f"{DEEP} --size 1024 {options}")


def test_streams_at_line_rate(tree):
    """MTU-granular: twice the vector takes little more than the time of its bytes more, at any depth."""
    for shape in ("8", "4x4", "2x2x2"):
        one, two = (clean(tree, f"--topology fat-tree:{shape} --size {size} --operations 2 --mtu 4096")["operation_us"] for size in ("256K", "512K"))
        assert (two - one) * 100e3 / 8 < 262144 / 0.95, f"{shape}: {one} and {two} us"


@pytest.mark.parametrize("devices", ["model", "rtl"])
def test_parts(tree, devices):
    """A reduce-scatter carries a vector up each cable once and a part down, an all-gather a part up and all others down; no host gets what it gave."""
    for op, up, down in (("reduce-scatter", 4, 1), ("all-gather", 1, 3)):
        s = good(tree, f"--topology fat-tree:4 --op {op} --size 16K --operations 1 --devices {devices}")
        headers = 32 * (4 + 1)   # of parts, and of the lock
        assert (s["most_up"], s["most_down"]) == (4096 * up + headers, 4096 * down + headers)
    good(tree, f"--topology fat-tree:2x2 --groups 2 --op reduce-scatter --size 96 --loss 0.02 --devices {devices}")
    tree.refused("multiple of 16", "--topology fat-tree:2x2 --op reduce-scatter --size 6")


def test_cables(tree, tmp_path):
    """--out has what begins on each cable: of a vector of one packet below one node, up and down, as much at each host."""
    seen = tmp_path / "seen.pcapng"
    clean(tree, "--topology fat-tree:2x2 --size 256 --operations 1 --out", seen)
    fields = subprocess.run(["tshark", "-r", seen, "-Y", "infiniband.bth.opcode <= 4", "-T", "fields", "-e", "frame.interface_id"],
                            capture_output=True, text=True, check=True).stdout.split()
    assert {cable: fields.count(cable) for cable in set(fields)} == {str(cable): 2 for cable in range(6)}


def test_sizes(tree):
    """FROM..TO is a run for each size, doubled, and the last one: with the times of runs of their own."""
    s = tree.summary(0, "--size 4..6000 --operations 2")
    assert [p["size"] for p in s["sizes"]] == [4 << i for i in range(11)] + [6000] and [p["streams"] for p in s["sizes"]] == [False] * 9 + [True] * 3
    for p in s["sizes"][8:10]:
        alone = clean(tree, f"--size {p['size']} --operations 2")
        assert all(alone[name] == p[name] for name in ("operation_us", "lock_us", "bandwidth_gbps", "compared", "mismatches"))


def test_sizes_tell_what_fails(tree):
    """A run of a size that fails fails all: a lock that is asked for once is refused to one of two groups."""
    said, s = tree.run_and_summary(1, "--size 512..4K --groups 2 --tries 1")
    assert [p["mismatches"] > 0 for p in s["sizes"]] == [False, False, True, True] and "MISMATCH 4096 bytes: " in said.stdout and "FAILED" in said.stdout


def page(tree, kind, code, options):
    """A page that says what the summary says; its text."""
    path = tree.folder / "page.html"
    tree.summary(code, options, "--report", path)
    found = subprocess.run(["python3", ROOT / "tools/check_page.py", kind, path, tree.folder / "summary.json"], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("options", ["", "--op barrier --operations 3", f"{DEEP} --size 30K --loss 0.01 --hostile 0.2", "--topology fat-tree:2x2 --size 8K --devices rtl",
                                     "--topology fat-tree:2x2 --size 512 --wrong size@1", "--size 64K --kill-host 3@9 --patience 500"])
def test_page(tree, options):
    """--report is well-formed, refers to nothing outside, and has the summary's numbers."""
    assert "hosts below a tree" in page(tree, "--tree", 0, options)


def test_page_of_a_failure(tree):
    assert "no verdict" not in page(tree, "--tree", 1, "--groups 2 --size 64K --tries 1")


def test_page_of_sizes(tree):
    page(tree, "--tree-sizes", 0, "--size 64..10000")


# ------------------------------------------------------------------------------------------------------------- locks

def test_lock_for_several(tree):
    """A lock of three operations, four times, and the rest of the last one given back; or one without end."""
    s = clean(tree, "--topology fat-tree:4 --size 4K --operations 10 --lock 3")
    assert s["locks"] == s["unlocks"] == 4
    assert clean(tree, "--topology fat-tree:4 --size 4K --operations 10 --lock unlimited")["locks"] == 1


def test_lock_costs_a_barrier(tree):
    """SHARP 3.2: a lock takes about as long as a barrier on the same tree."""
    for shape in ("8", "4x4", "2x2x2"):
        barrier = clean(tree, f"--topology fat-tree:{shape} --op barrier --operations 20")["operation_us"]
        lock = clean(tree, f"--topology fat-tree:{shape} --size 4K --operations 20")["lock_us"]
        assert 0.9 <= lock / barrier <= 1.1, f"{shape}: {lock} and {barrier} us"


def test_credits_and_the_loop(tree):
    """SHARP 3.1: bandwidth grows with room until that covers the loop of a hop, and not from there on."""
    of = {n: clean(tree, f"--topology fat-tree:8 --size 1M --operations 1 --credits {n}")["bandwidth_gbps"] for n in (2, 8, 32, 128)}
    assert of[8] > 2 * of[2] and of[32] > 2 * of[8] and of[128] < 1.02 * of[32] and of[32] > 0.85 * 100


def test_groups_compete(tree):
    """Groups that want one tree, or more trees than a node has cells, fail, wait, and get it."""
    s = clean(tree, "--groups 4 --size 8K --operations 6")
    assert s["operations"] == 24 and s["lock_failures"] > 0
    s = clean(tree, "--groups 3 --trees 3 --size 8K --operations 6")
    assert s["operations"] == 18 and s["lock_failures"] > 0
    assert clean(tree, "--groups 2 --trees 2 --size 8K --operations 6")["lock_failures"] == 0


def test_lock_given_up(tree):
    """Who asks only once hears who holds the tree, and for how long."""
    done, s = tree.run_and_summary(1, "--groups 2 --size 1M --tries 1")
    assert s["verdicts"]["lock failed"] == 8 and s["verdicts"]["ok"] == 8
    failed = [end for end in s["ends"] if end["verdict"] == "lock failed"]
    assert len({(end["holder_tree"], end["holder_group"]) for end in failed}) == 1 and "is held by group" in done.stdout
    _, s = tree.run_and_summary(1, "--groups 2 --trees 2 --cells 1 --size 1M --tries 1")
    assert s["verdicts"]["no resource"] == 8 and s["verdicts"]["ok"] == 8


# ------------------------------------------------------------------------------------------------------------ faults

@pytest.mark.parametrize("fault", ["--loss 0.01", "--dup 0.05", "--reorder 0.05", "--damage 0.01", "--loss 0.01 --dup 0.02 --reorder 0.03 --damage 0.01",
                                   "--hostile 0.4", "--hostile 0.3 --loss 0.01"])
@pytest.mark.parametrize("shape", ["--topology fat-tree:8 --size 100000", "--size 512 --operations 50", f"{DEEP} --size 20000 --mtu 256 --groups 2"])
def test_faults(tree, fault, shape):
    """Cables lose, double, turn round and damage packets, or somebody else sends his own: each hop mends its own."""
    s = good(tree, fault, shape, "--seed 5")
    assert s["lost"] + s["doubled"] + s["overtaken"] + s["damaged"] + s["hostile"] > 0


@pytest.mark.parametrize("options", ["--credits 1 --window 1", "--credits 2 --window 9", "--credits 1 --no-credits", "--credits 100 --window 3"])
def test_little_room(tree, options):
    good(tree, "--size 50000", options)
    good(tree, "--size 50000 --loss 0.005 --operations 2", options)


def test_credits_hold_back(tree):
    """With credits nothing is sent for which there is no room, but for one packet; without, \"not ready\" says so again and again."""
    shape = "--topology fat-tree:4 --size 200K --credits 4 --groups 2"
    assert clean(tree, shape)["rnrs"] == 0
    assert good(tree, "--topology fat-tree:4 --size 200K --credits 4 --no-credits --window 64 --cable 5000")["repeats"] >= 0


@pytest.mark.parametrize("when", [0, 1, 3, 6, 9, 12, 20, 30, 45])
@pytest.mark.parametrize("options", ["--size 64K", "--size 64K --lock unlimited", "--size 512", f"{DEEP} --size 64K --lock 3"])
def test_dead_host(tree, when, options):
    """A host dies: every other one has a verdict, in time, and nothing stays locked."""
    s = tree.summary(0, options, f"--kill-host 1@{when}", "--patience 500 --operations 40")
    assert s["verdicts"]["lost"] + s["verdicts"]["time-out"] + s["verdicts"]["no tree"] == sum(s["verdicts"].values()) == s["hosts"] - 1
    assert s["silence_us"] <= s["bound_us"] and s["locks"] == s["unlocks"]


@pytest.mark.parametrize("when", [0, 2, 5, 8, 15, 40])
@pytest.mark.parametrize("options", ["--size 64K", "--size 300", "--topology fat-tree:2x2x2 --size 20K --lock unlimited"])
def test_cut_cable(tree, when, options):
    """A cable between nodes is cut: both sides hear of it."""
    s = tree.summary(0, options, f"--kill-link 1@{when}", "--patience 500 --operations 40")
    assert s["verdicts"]["ok"] == 0 and sum(s["verdicts"].values()) == s["hosts"] and s["locks"] == s["unlocks"]


@pytest.mark.parametrize("when", [0, 2, 5, 8, 15, 40])
@pytest.mark.parametrize("options", ["--size 64K", "--size 300", "--topology fat-tree:5 --size 20K --lock unlimited"])
def test_cut_host(tree, when, options):
    """A host's cable is cut: it hears of it, by itself, and the others do."""
    s = tree.summary(0, options, f"--kill-link h1@{when}", "--patience 500 --operations 40")
    assert s["verdicts"]["ok"] == 0 and sum(s["verdicts"].values()) == s["hosts"] and s["locks"] == s["unlocks"]
    assert s["ends"][1]["verdict"] in ("lost", "time-out")


def test_tree_ends_in_a_pause(tree):
    """Whoever waits to ask for a lock again when its tree ends hears so when it asks."""
    s = tree.summary(0, "--topology fat-tree:4 --groups 2 --size 5692 --operations 10 --lock 5 --cells 1 --patience 3000 --seed 1384 --kill-link h0@0")
    assert s["verdicts"]["no tree"] >= 1 and sum(s["verdicts"].values()) == 4


def test_other_tree_runs_on(tree):
    """A dead host ends the tree of its group; the group in the other tree has all its results."""
    s = tree.summary(0, "--groups 2 --trees 2 --size 64K --operations 6 --kill-host 4@20 --patience 500")
    assert all((end.get("verdict") == "ok") == (host % 2 == 1) for host, end in enumerate(s["ends"]) if host != 4)
    assert s["operations"] >= 6


def test_cut_behind_the_last_result(tree):
    """All have ended well, but an ACK is lost: the tree is torn down, and no host's verdict changes."""
    s = tree.summary(0, "--topology fat-tree:5 --seed 2142 --op barrier --groups 3 --trees 3 --mtu 512 --kill-link h0@4.519")
    assert s["verdicts"]["ok"] == 5 and s["teardowns"] == 1


def test_answer_to_who_has_given_up(tree):
    """A host that has lost its connection still hears of a good end, on the half that works: no node has sent what it should not."""
    tree.summary(0, "--topology fat-tree:2x3 --seed 5 --size 3524 --operations 30 --mtu 256 --window 1 --patience 5 --timeout 2 --retries 1 --damage 0.05 --kill-host 4@5000")


# --------------------------------------------------------------------------------------------------------- mistakes

# What the others hear, and whoever did it, for both kinds of trees; --patience is how long the others wait for him.
ALONE = {"denied": 1, "time-out": 3}
TOGETHER = {"denied": 4}
UNTOUCHED = {"ok": 4}
MISTAKES = [("group", ALONE, ALONE), ("size", TOGETHER, TOGETHER), ("type", TOGETHER, TOGETHER), ("op", TOGETHER, TOGETHER), ("early", ALONE, TOGETHER),
            ("2g", ALONE, ALONE), ("2g+1", ALONE, ALONE), ("twice", UNTOUCHED, UNTOUCHED), ("busy", UNTOUCHED, UNTOUCHED), ("no-lock", None, ALONE)]


@pytest.mark.parametrize("devices, host", [("model", 0), ("model", 3), ("rtl", 3)])
@pytest.mark.parametrize("what, low, streaming", MISTAKES)
def test_mistakes(tree, what, low, streaming, devices, host):
    """A host does something wrong in the third of four operations: every host has a named verdict in time, nothing stays locked, and the fourth one is
    right, but where the streaming tree was torn down: then every host hears that it is no more."""
    for size, want in ((512, low), (8192, streaming)):
        if want is None:
            continue
        s = tree.summary(0, f"--topology fat-tree:2x2 --size {size} --wrong {what}@{host} --patience 100 --timeout 10 --devices {devices}")
        assert {verdict: count for verdict, count in s["wrong_verdicts"].items() if count} == want
        torn = size > 1024 and want != UNTOUCHED and what != "no-lock"
        assert s["verdicts"]["no tree" if torn else "ok"] == 4 and s["teardowns"] == (3 if torn else 0) and s["locks"] == s["unlocks"]
        assert s["operations"] == (2 if torn else 4 if want == UNTOUCHED else 3) and s["compared"] == s["operations"] * 4 * size
        assert s["silence_us"] <= s["bound_us"] and s["denied_besides"] == (want == UNTOUCHED)


@pytest.mark.parametrize("options", ["--topology fat-tree:4x4 --groups 2 --trees 2", f"{DEEP} --groups 2 --trees 2 --loss 0.01"])
def test_mistakes_hurt_nobody_else(tree, options):
    """Of two groups the other one, in its own tree, has all its results."""
    s = tree.summary(0, options, "--size 20K --wrong size@2 --patience 500")
    assert all((end["verdict"] == "ok") == (host % 2 == 1) for host, end in enumerate(s["ends"]))


def test_late_fault(tree):
    """What happens when all are done changes nothing."""
    assert tree.summary(0, "--size 4K --kill-host 1@10000 --kill-link 1@10000")["verdicts"]["ok"] == 16


# ---------------------------------------------------------------------------------------------------------- devices

# A device of four ports is all of them; its model is beside it.
TWO_RACKS = "--topology fat-tree:2x2 --devices rtl"


def compared(s, nodes):
    """Devices there were, and what left them was compared."""
    assert s["devices"] == nodes and s["devices_compared"] > 0 and s["devices_cycles"] > 0
    return s


@pytest.mark.parametrize("options", [
    "--topology fat-tree:4 --size 20000 --type bf16 --vlan 7", "--topology fat-tree:3 --op reduce --size 512 --type fp16 --ipv6",
    "--topology fat-tree:4 --op broadcast --size 9000 --mtu 4096", "--topology fat-tree:3 --op barrier --groups 3 --operations 6",
    "--topology fat-tree:4 --size 3000 --groups 4 --lock 2 --operations 5 --mtu 256", "--topology fat-tree:2 --size 12000 --credits 2 --no-credits",
])
def test_device(tree, options):
    """One node that is a device does all that the model does, message by message."""
    compared(good(tree, options, "--devices rtl"), 1)


@pytest.mark.parametrize("options", ["--size 30000", "--size 700 --op reduce", "--size 10000 --groups 2 --operations 3 --lock unlimited"])
def test_devices(tree, options):
    """A root and two leaves, all devices, or one of them: results have the same bits."""
    compared(good(tree, TWO_RACKS, options), 3)
    compared(good(tree, "--topology fat-tree:2x2 --devices 1", options), 1)


@pytest.mark.parametrize("options", ["--size 20000 --loss 0.01 --hostile 0.3", "--size 512 --operations 10 --loss 0.02 --dup 0.02 --reorder 0.02 --damage 0.02"])
def test_devices_faults(tree, options):
    s = compared(good(tree, TWO_RACKS, options, "--seed 5"), 3)
    assert s["repeats"] > 0


@pytest.mark.parametrize("options", ["--size 64K --kill-host 1@12", "--size 300 --kill-host 3@4", "--size 64K --kill-link 2@12", "--size 20K --kill-link h0@9"])
def test_devices_dead(tree, options):
    """Somebody dies, or a cable: devices tear their trees down as models do, each host that lives has a verdict, and no lock is left."""
    s = compared(tree.summary(0, TWO_RACKS, options, "--patience 100 --timeout 10 --operations 20"), 3)
    assert s["verdicts"]["ok"] == 0 and s["verdicts"]["lost"] + s["verdicts"]["time-out"] >= 3 and s["locks"] == s["unlocks"]


def test_device_waits_for_its_parent(tree):
    """A leaf's patience ends before it has found that its parent does not answer any more: its hosts hear who is to blame."""
    s = compared(tree.summary(0, TWO_RACKS, "--size 300 --kill-link 1@4 --patience 20 --timeout 60 --retries 3 --operations 20"), 3)
    assert s["verdicts"]["time-out"] == 4 and {(end["node"], end["port"]) for end in s["ends"][:2]} == {(1, 4)}


# ------------------------------------------------------------------------------------------------- several processes

@pytest.mark.parametrize("options", [
    "--topology fat-tree:2x2x3 --size 20K --loss 0.01 --dup 0.02 --reorder 0.03 --damage 0.01 --hostile 0.1 --groups 2", "--size 64K --kill-host 3@9 --patience 500",
    "--size 64K --kill-link 1@9 --patience 500", f"{DEEP} --op reduce-scatter --size 8K --cable 0 --node 0",
])
def test_processes(tree, options):
    """The same to the bit on 1 to 4 processes, however hosts and nodes are dealt out to them: every frame, every time, every verdict."""
    want = tree.summary(0, options)
    for processes in (1, 2, 3, 4):
        for partition in ("racks", "scatter"):
            assert tree.on_processes(processes, options, "--partition", partition) == want
    assert tree.summary(0, options, "--seed 2")["events_hash"] != want["events_hash"]


@pytest.mark.parametrize("options", ["--size 20K", "--size 3000 --loss 0.02 --hostile 0.2"])
def test_devices_on_processes(tree, options):
    """Two leaves and a root in RTL on three processes, a device on each: frame by frame as on one."""
    want = compared(tree.summary(0, TWO_RACKS, options), 3)
    assert tree.on_processes(3, TWO_RACKS, options) == want


def test_found_by_any_process(tree):
    """What a process finds wrong is known to all: the hosts of the second group, of which some are on each, do not get their lock."""
    options = "--groups 2 --size 256K --tries 1"
    _, want = tree.run_and_summary(1, options)
    assert want["mismatches"] == 8
    assert tree.on_processes(2, options, code=1) == want


# --------------------------------------------------------------------------------------------------------- refusals

@pytest.mark.parametrize("word, options", [
    ("multiple of 4", "--size 1022"), ("up to 1024", "--size 1028 --mode llt"), ("no vector", "--op barrier --size 4"),
    ("low-latency", "--op barrier --mode sat"), ("16 hosts", "--groups 17"),
    ("unlimited", "--lock 0"), ("unlimited", "--lock 4294967295"), ("0 to 15", "--kill-host 16@1"), ("0 to 15", "--kill-host 1"),
    ("0 to 15", "--kill-host 1@x"), ("0 to 15", "--kill-host 1@-1"), ("1 to 4", "--kill-link 0@1"), ("1 to 4", "--kill-link 5@1"),
    ("one node", "--topology fat-tree:4 --kill-link 1@1"), ("h0 to h15", "--kill-link h16@1"), ("h0 to h15", "--kill-link h@1"), ("1 to 63", "--topology fat-tree:4x64"), ("numbers", "--topology fat-tree:"),
    ("more than 1024", "--topology fat-tree:32x33"), ("more than 512", "--topology fat-tree:32x16x1"), ("fewer than 2", "--topology fat-tree:1x1"),
    ("one pair", "--trees 2 --devices rtl"), ("--cells 2", "--cells 3 --devices 0"), ("nodes from 0 to 4", "--devices 5"), ("nodes from 0 to 4", "--devices 0,,1"),
    ("whole microseconds", "--timeout 2.5 --devices rtl"), ("up to 3355443", "--patience 4e6 --devices rtl"), ("room for 64", "--credits 65 --devices rtl"),
    ("more than the 16 ports of node16", "--topology fat-tree:17 --devices rtl"), ("4 at most", "--groups 5 --devices 0"),
    ("4 to 256M", "--size 64..64"), ("4 to 256M", "--size 64..x"), ("4 to 256M", "--size 3..64"), ("4 to 256M", "--size 512M"), ("without --out", "--size 4..64 --out x.pcapng"),
    ("up to 1024", "--size 64..2K --mode llt"), ("multiple of 4", "--size 64..102"),
    ("must be group", "--wrong nothing@1"), ("must be group", "--wrong size"), ("0 to 15", "--wrong size@16"), ("all-reduces", "--op reduce --wrong size@1"),
    ("all-reduces", "--size 4 --wrong size@1"), ("all-reduces", "--operations 1 --wrong size@1"), ("--lock 1", "--wrong no-lock@1 --lock 2"), ("--lock 1", "--wrong no-lock@1 --size 64"),
    ("up to 2125000", "--patience 1e7"), ("0 to 15", "--kill-host 1@1e8"), ("No such file", "--topology nowhere.json"), ("a switch is", "--topology '{\"hosts\": 2, \"x\": 1}'"),
])
def test_refused(tree, word, options):
    tree.refused(word, options)
