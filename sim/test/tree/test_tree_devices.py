"""Nodes of an aggregation tree that are devices in RTL, with the model in lock step, and trees on several processes."""
import pytest

from tree_runs import DEEP, good

# -------------------------------------------------------------------------------------------------------------- devices

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


@pytest.mark.parametrize("options", ["--size 20000 --loss 0.01 --hostile 0.3", "--size 512 --operations 10 --loss 0.02 --dup 0.02 --reorder 0.02 --ber 0.02"])
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


@pytest.mark.parametrize("options", ["--topology fat-tree:2x2 --size 20000", "--topology fat-tree:3 --size 512 --operations 30 --multicast",
                                     "--topology fat-tree:3 --size 3000 --groups 3 --loss 0.01 --hostile 0.2"])
def test_devices_correct(tree, options):
    """Bits flip in the corrected memories of devices: they are corrected and counted, and nothing else is as it was not."""
    s = compared(good(tree, options, "--devices rtl --flips 20000"), 3 if "2x2" in options else 1)
    assert s["flipped"] > 10000 and 0 < s["corrected"] and s["memory_lost"] == 0


@pytest.mark.parametrize("options", ["--topology fat-tree:2x2 --size 20000 --lose-memory 1@12", "--topology fat-tree:2x2 --size 20000 --lose-memory 0@20 --flips 3000",
                                     "--topology fat-tree:3 --size 512 --operations 60 --lose-memory 0@20"])
def test_device_loses_its_memory(tree, options):
    """Words of a device's memories are lost beyond correction: it falls silent, each host has a verdict in time, and each vector that one has is right."""
    s = compared(tree.summary(0, options, "--devices rtl --operations 60 --patience 50 --timeout 5 --retries 2"), 3 if "2x2" in options else 1)
    assert s["memory_lost"] > 0 and s["compared"] > 0 and s["silence_us"] <= s["bound_us"] and s["locks"] == s["unlocks"]
    assert s["verdicts"]["ok"] == 0 and s["verdicts"]["lost"] + s["verdicts"]["time-out"] + s["verdicts"]["no tree"] == s["hosts"]


# ---------------------------------------------------------------------------------------------------- several processes

@pytest.mark.parametrize("options", [
    "--topology fat-tree:2x2x3 --size 20K --loss 0.01 --dup 0.02 --reorder 0.03 --ber 0.01 --hostile 0.1 --groups 2", "--size 64K --kill-host 3@9 --patience 500",
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
