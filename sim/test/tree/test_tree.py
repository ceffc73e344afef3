"""Collectives over aggregation trees: `weir tree` over what its users may ask for, and that it tells what happened."""
import shlex
import subprocess

import pytest

from conftest import BUILD, ROOT
from tree_runs import DEEP, clean, good

# ------------------------------------------------------------------------------------------------------------ what runs

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


@pytest.mark.parametrize("options", ["", "--devices rtl", "--devices rtl --size 30000 --type fp16", "--size 30000 --groups 2"])
def test_chosen_ports(tree, options):
    """Children stand at the ports that the topology names: sums are those of these half rings, which with other ports are others."""
    shape = '{"hosts": 3, "radix": 4, "ports": [3, 0, 2]}'
    clean(tree, f"--topology '{shape}' --size 512 {options}")
    inner = '{"radix": 4, "ports": [2, 0], "children": [{"hosts": 2, "radix": 4, "ports": [2, 0]}, {"hosts": 1}]}'
    clean(tree, f"--topology '{inner}' --size 512 {options}")


@pytest.mark.parametrize("options", ["--size 512", "--topology fat-tree:3 --op barrier --operations 9 --ipv6", "--op reduce --size 900 --vlan 3"])
def test_multicast(tree, options):
    """Each host and node takes each result from the multicast, and knows its reliable copy, which comes once more."""
    s = clean(tree, options, "--multicast")
    assert s["casts_taken"] == s["copies"] == s["hosts"] * s["operations"] and s["duplicates"] == 0
    assert s["casts"] == (s["hosts"] + s["nodes"] - 1) * s["operations"]


def test_multicast_and_faults(tree):
    """Either may be lost, late or twice; a result comes sooner by two than by one. What does not fit one packet goes reliably alone."""
    faults = "--size 512 --operations 50 --loss 0.02"
    both, one = good(tree, faults, "--multicast"), good(tree, faults)
    assert 0 < both["casts_taken"] == both["copies"] < both["casts"] and both["operation_us"] < 0.8 * one["operation_us"]
    good(tree, "--groups 2 --size 2924 --mtu 256 --loss 0.02 --multicast")   # locks go by it, and their copies come while vectors stream
    s = good(tree, "--size 512 --operations 50 --dup 0.1 --reorder 0.1 --ber 0.02 --hostile 0.2 --multicast")
    assert 0 < s["casts_taken"] == s["copies"] < s["casts"]
    assert clean(tree, "--size 1024 --mtu 1024 --multicast")["casts"] == 0 and clean(tree, "--size 992 --mtu 1024 --multicast")["casts"] == 80


def test_multicast_of_devices(tree):
    """Devices multicast to hosts and devices, frame by frame as the models beside them, and take their parent's; so a loss on its way down costs no time-out.
    How long operations take is that of all seeds together: a contribution that is lost costs one all the same."""
    s = clean(tree, "--topology fat-tree:2x2 --size 512 --devices rtl --multicast")
    assert s["casts_taken"] == s["copies"] == s["hosts"] * s["operations"] and s["casts_taken_nodes"] == 2 * s["operations"]
    assert s["casts"] == s["casts_taken"] + s["casts_taken_nodes"]
    lossy = [f"--topology fat-tree:2x2 --size 512 --devices rtl --operations 40 --loss 0.02 --seed {seed}" for seed in (1, 2, 3)]
    both, one = ([good(tree, options, way) for options in lossy] for way in ("--multicast", ""))
    assert sum(s["operation_us"] for s in both) < 0.8 * sum(s["operation_us"] for s in one)
    assert all(0 < s["casts_taken_nodes"] < 2 * s["operations"] for s in both)
    faults = "--loss 0.03 --dup 0.1 --reorder 0.1 --ber 0.02 --hostile 0.2"
    s = good(tree, "--topology fat-tree:2x2 --size 512 --operations 20 --devices 1 --multicast", faults)
    assert 0 < s["casts_taken"] == s["copies"] < s["casts"] == (4 + 2) * s["operations"] and s["casts_taken_nodes"] > 0


def test_multicast_of_groups(tree):
    """Multicasts of several groups pass each other, and a group that is made anew waits for the copies that are to come."""
    for seed in (1, 2, 3):
        options = f"--topology fat-tree:2x4 --groups 4 --size 256 --operations 20 --loss 0.03 --reorder 0.1 --dup 0.05 --multicast --regroup 3 --seed {seed}"
        assert good(tree, options)["casts_taken_nodes"] > 0


@pytest.mark.parametrize("options, times", [
    ("--size 512 --operations 12 --regroup 3", 3), ("--size 20K --operations 6 --regroup 1 --groups 3 --loss 0.02 --trees 2", 15),
    ("--op barrier --operations 9 --regroup 4 --multicast", 2), ("--op reduce-scatter --size 1K --regroup 2 --operations 6 --loss 0.01", 2),
    ("--topology fat-tree:3 --size 512 --operations 6 --regroup 2 --devices rtl", 2),
    ("--topology fat-tree:2x2 --size 5000 --operations 4 --regroup 1 --groups 2 --devices rtl", 6)])
def test_regroup(tree, options, times):
    """Groups are destroyed and made anew, with another number, while others run: at models, and by registers at devices, whose models do it in step."""
    assert good(tree, options)["regrouped"] == times


def test_half_rings(tree):
    """How hosts are dealt to both half rings of a device has no effect on how long it takes (SHARP 4)."""
    took = [clean(tree, f"--topology '{{\"hosts\": 2, \"radix\": 4, \"ports\": {ports}}}' --size 64K --operations 2 --devices rtl")["operation_us"]
            for ports in ([0, 1], [2, 3], [0, 2], [3, 1])]
    assert max(took) <= 1.02 * min(took)


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


@pytest.mark.parametrize("options", ["--ipv6", "--vlan 7", "--ipv6 --vlan 4094 --loss 0.01 --ber 0.01"])
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


# ---------------------------------------------------------------------------------------------------------------- locks

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
    assert len({(end["holder_tree"], end["holder_group"]) for end in failed}) == 1 and "is held by group" in done.stdout and all(end["left"] == 1 for end in failed)
    _, s = tree.run_and_summary(1, "--groups 2 --trees 2 --cells 1 --size 1M --tries 1")
    assert s["verdicts"]["no resource"] == 8 and s["verdicts"]["ok"] == 8


# ------------------------------------------------------------------------------------------------------------- refusals

@pytest.mark.parametrize("word, options", [
    ("multiple of 4", "--size 1022"), ("up to 1024", "--size 1028 --mode llt"), ("no vector", "--op barrier --size 4"),
    ("low-latency", "--op barrier --mode sat"), ("16 hosts", "--groups 17"),
    ("unlimited", "--lock 0"), ("unlimited", "--lock 4294967295"), ("0 to 15", "--kill-host 16@1"), ("0 to 15", "--kill-host 1"),
    ("0 to 15", "--kill-host 1@x"), ("0 to 15", "--kill-host 1@-1"), ("1 to 4", "--kill-link 0@1"), ("1 to 4", "--kill-link 5@1"),
    ("one node", "--topology fat-tree:4 --kill-link 1@1"), ("h0 to h15", "--kill-link h16@1"), ("h0 to h15", "--kill-link h@1"), ("1 to 63", "--topology fat-tree:4x64"), ("numbers", "--topology fat-tree:"),
    ("more than 1024", "--topology fat-tree:32x33"), ("more than 512", "--topology fat-tree:32x16x1"), ("fewer than 2", "--topology fat-tree:1x1"),
    ("holds a lock stays", "--size 2K --lock 2 --regroup 1"), ("waits for all hosts", "--regroup 1 --kill-host 1@1"), ("waits for all hosts", "--regroup 1 --wrong size@1"),
    ("is for streaming trees", "--size 512 --reopen 1"), ("is for --trees 1", "--reopen 1 --trees 2"), ("are whole", "--op reduce-scatter --reopen 1"),
    ("one pair", "--trees 2 --devices rtl"), ("--cells 2", "--cells 3 --devices 0"), ("nodes from 0 to 4", "--devices 5"), ("nodes from 0 to 4", "--devices 0,,1"),
    ("whole microseconds", "--timeout 2.5 --devices rtl"), ("up to 3355443", "--patience 4e6 --devices rtl"), ("room for 64", "--credits 65 --devices rtl"),
    ("more than the 16 ports of node16", "--topology fat-tree:17 --devices rtl"), ("4 at most", "--groups 5 --devices 0"),
    ("4 to 256M", "--size 64..64"), ("4 to 256M", "--size 64..x"), ("4 to 256M", "--size 3..64"), ("4 to 256M", "--size 512M"), ("without --out", "--size 4..64 --out x.pcapng"),
    ("up to 1024", "--size 64..2K --mode llt"), ("multiple of 4", "--size 64..102"),
    ("must be group", "--wrong nothing@1"), ("must be group", "--wrong size"), ("0 to 15", "--wrong size@16"), ("of 8 bytes", "--size 4 --wrong size@1"), ("nobody else", "--topology fat-tree:3 --groups 2 --wrong size@1"), ("two operations", "--operations 1 --wrong size@1"),
    ("nobody else", "--topology fat-tree:2 --wrong size@0,type@1"), ("must be group", "--wrong size@0,"), ("must be group", "--wrong ,size@0"), ("must be group", "--wrong size@0,,op@1"),
    ("host 0 twice", "--wrong size@0,op@0"), ("at most 4", "--wrong size@0,type@1,op@2,early@3,2g@4"), ("of two groups", "--groups 2 --wrong size@0,type@1"),
    ("busy stands alone", "--wrong busy@0,size@1"), ("twice stands alone", "--wrong size@0,twice@1"), ("could end early", "--op broadcast --wrong early@1"), ("could end early", "--op barrier --wrong early@1"),
    ("are whole", "--op reduce-scatter --wrong no-lock@1"), ("is the next operation", "--lock 2 --wrong busy@1"), ("two groups", "--wrong other-group@1"), ("--lock 1", "--wrong no-lock@1 --lock 2"), ("--lock 1", "--wrong no-lock@1 --size 64"),
    ("up to 2125000", "--patience 1e7"), ("0 to 15", "--kill-host 1@1e8"), ("No such file", "--topology nowhere.json"), ("a switch is", "--topology '{\"hosts\": 2, \"x\": 1}'"),
    ("even number up to 64", "--topology '{\"hosts\": 2, \"ports\": [0, 1]}'"), ("even number up to 64", "--topology '{\"hosts\": 2, \"radix\": 3, \"ports\": [0, 1]}'"),
    ("list of 2", "--topology '{\"hosts\": 2, \"radix\": 4, \"ports\": [0]}'"), ("must differ", "--topology '{\"hosts\": 2, \"radix\": 4, \"ports\": [1, 1]}'"),
    ("below 4", "--topology '{\"hosts\": 2, \"radix\": 4, \"ports\": [1, 4]}'"), ("for the parent", "--topology '{\"children\": [{\"hosts\": 2, \"radix\": 4, \"ports\": [1, 3]}]}'"),
])
def test_refused(tree, word, options):
    tree.refused(word, options)


@pytest.mark.parametrize("shape, word", [('{"hosts":\n0}', "hosts"), ("\x1b[31m\n", "No such file"), ('{"children": [' * 300 + "4" + "]}" * 300, "a switch is")])
def test_refused_in_a_line_for_people(tree, shape, word):
    """What was given may have lines, be long, or be meant for a terminal: what is refused stands in one line that can be read, with the reason."""
    done = tree.run(2, "--topology", shlex.quote(shape), program=BUILD / "san/weir")
    assert done.stderr.count("\n") == 1 and len(done.stderr) < 600 and "\x1b" not in done.stderr and word in done.stderr, done.stderr
