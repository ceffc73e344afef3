"""Sparse gathers in which something goes wrong: packets are lost, late or doubled, nodes die, receivers stop, links go down. What is told is right all
the same, what cannot be had is refused by name, and nobody waits for ever."""
import re

import pytest

from conftest import GATHER_SMALL as SMALL


@pytest.mark.parametrize("packet", [1, 70, 150])
def test_lost(gather, packet):
    """A packet with reads or responses of one operation or more is lost: each of these fails once, and is done again."""
    s = gather.summary(0, SMALL, f"--lose {packet} --watchdog 50000")
    assert s["packets_lost"] == 1 and 1 <= s["watchdog_failures"] <= 4 and s["given_up"] == 0 and s["mismatches"] == 0


@pytest.mark.parametrize("packet", [1, 70, 150, 230])
def test_promises(gather, packet):
    """A batch that fails takes nothing from those that have ended well: all their bits, and what these promise, are looked at when it fails."""
    s = gather.summary(0, SMALL, f"--lose {packet} --watchdog 50000")
    assert s["watchdog_failures"] > 0 and s["mismatches"] == 0 and s["promises_checked"] > s["prs_wanted"]


@pytest.mark.parametrize("packet", [1, 70])
def test_late(gather, packet):
    """So it is with one that is late."""
    s = gather.summary(0, SMALL, f"--hold {packet} --watchdog 50000")
    assert s["packets_held"] == 1 and 1 <= s["watchdog_failures"] <= 4 and s["late_responses"] > 0 and s["mismatches"] == 0


LATE = "--generate block --rows 800 --degree 24 --nodes 6 --racks 2 --batch 400 --iterations 4 --watchdog 100000"


def test_late_generations(gather):
    """A response outlives a retry, its product and the caches' contents: it is kept under no later generation, so all products are right."""
    runs = [gather.summary(0, LATE, f"--hold {packet}") for packet in range(5, 300, 12)]
    assert all(s["packets_held"] == 1 and s["mismatches"] == 0 and s["given_up"] == 0 for s in runs)
    assert sum(s["older_prs"] > 0 for s in runs) >= 5


@pytest.mark.parametrize("seed", range(12))
def test_random_faults(gather, seed):
    """Packets on any cable, in both directions, are lost, late or doubled: all products are right, and all that is promised is there."""
    s = gather.summary(0, SMALL, f"--iterations 3 --faults 0.01 --watchdog 50000 --tries 100 --seed {seed}")
    assert s["packets_lost"] > 0 and s["packets_doubled"] > 0 and s["watchdog_failures"] > 0 and s["given_up"] == s["mismatches"] == 0


MERGED = "--units 8 --merge 1024"


@pytest.mark.parametrize("seed", range(6))
def test_merge_and_faults(gather, seed):
    """A read that is lost fails whoever shares it, and each is right in another try; also if few slots are shared by many properties."""
    for options in (MERGED, "--units 8 --merge 8"):
        s = gather.summary(0, SMALL, options, f"--iterations 3 --faults 0.01 --watchdog 50000 --tries 100 --seed {seed}")
        assert s["merged"] > 0 and s["packets_lost"] > 0 and s["watchdog_failures"] > 0 and s["given_up"] == s["mismatches"] == 0


@pytest.mark.parametrize("options", ["", "--kill-at 0", "--kill-at 12000 --iterations 3", "--k 256 --queues virtual", "--units 1 --pending 4", "--without switch", MERGED])
def test_dies(gather, options):
    """A node dies: what needs nothing of it is right, all else is refused, and hosts say whom they wait for in vain: it and no other."""
    done, s = gather.run_and_summary(0, SMALL, f"--kill 3 --kill-at 6000 --watchdog 50000 {options}")
    assert s["mismatches"] == 0 and s["packets_unheard"] > 0 and s["given_up"] > 0 and 134 <= s["rows_refused"] and s["compared"] > 0
    assert re.findall(r"^  node (\d+) does not answer (\d+) others$", done.stdout, re.M) == [("3", "5")]


def test_dies_of_many(gather):
    """One of more nodes than memory happens to be rounded up to."""
    options = "--nodes 33 --racks 3 --k 64 --generate road --rows 1377 --degree 10 --batch 64 --units 1 --pending 2 --seed 61 --kill 20 --kill-at 1265"
    done, s = gather.run_and_summary(0, options)
    assert s["mismatches"] == 0 and re.findall(r"^  node (\d+) does not answer", done.stdout, re.M) == ["20"]


def test_dies_too_late(gather):
    done, _ = gather.run_and_summary(1, SMALL, "--kill 3 --kill-at 100000000")
    assert "was to die, but all had ended before" in done.stdout
    gather.refused("nodes are 0 to 5", SMALL, "--kill 6")


FULL = "--generate block --rows 3000 --nodes 6 --racks 2 --batch 300 --k 128 --buffers 32 --pause-limit 10000 --watchdog 400000 --stop 3 --stop-at 6000"


def test_stops_taking(gather):
    """A receiver that takes nothing any more: what waits for it is thrown away, so that it stops nobody else; its node and who needs it are refused."""
    done, s = gather.run_and_summary(0, FULL)
    assert s["packets_stopped"] > 0 and s["mismatches"] == 0 and s["rows_refused"] >= 500 and s["compared"] > 128 * 500
    assert ("3", "5") in re.findall(r"^  node (\d+) does not answer (\d+) others$", done.stdout, re.M)
    # Without the watchdog the port to it fills, then the network behind that.
    without = gather.summary(1, FULL, "--pause-limit 0")
    assert without["packets_stopped"] == 0 and without["rows_refused"] > s["rows_refused"] and without["mismatches"] > 0


def test_takes_again(gather):
    """It takes again before batches are given up: what was thrown away is asked for again, and all is right."""
    s = gather.summary(0, FULL, "--stop-for 300000 --tries 10")
    assert s["packets_stopped"] > 0 and s["mismatches"] == s["rows_refused"] == s["given_up"] == 0


@pytest.mark.parametrize("seed", range(6))
def test_links_come_back(gather, seed):
    """Links, drawn by the seed, go down and come back: what was lost on them is asked for again."""
    s = gather.summary(0, SMALL, f"--down 8 --down-for 3000 --watchdog 50000 --tries 10 --seed {seed}")
    assert s["packets_cut"] == s["packets_lost"] > 0 and s["watchdog_failures"] > 0 and s["mismatches"] == s["given_up"] == 0


CIRCLE = ("--generate power-law --rows 32768 --degree 28 --nodes 2 --racks 1 --k 128 --batch 65536 --units 16 --pending 65536 --without filter --without coalesce "
          "--buffers 32 --pause-limit 0 --watchdog 10000000 --tries 1")


def test_classes(gather):
    """Two NICs that are full of reads wait for each other if responses have to wait behind reads, and never if they do not."""
    assert gather.summary(0, CIRCLE)["given_up"] == 0
    s = gather.summary(1, CIRCLE, "--classes 1")
    assert s["given_up"] > 0 and s["cycles"] > 10000000


def test_stuck(gather):
    """Nobody hangs: without a watchdog a lost packet is told, and with one that is too short all batches are given up."""
    done, s = gather.run_and_summary(1, SMALL, "--lose 100 --watchdog 0")
    assert s["mismatches"] > 0 and "never has all that it wants" in done.stdout
    done, s = gather.run_and_summary(1, SMALL, "--watchdog 3000")
    assert s["given_up"] > 0 and s["operations"] + s["given_up"] > 0 and re.search("^repeat it with: .*--seed 1$", done.stdout, re.M)


def test_never(gather):
    """A packet that is to be lost but never sent is no test of anything."""
    done, _ = gather.run_and_summary(1, SMALL, "--lose 1000000")
    assert "was to be lost or held, but there were only" in done.stdout
