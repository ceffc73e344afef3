"""What goes wrong in `weir fabric`: loss, cuts, reboots, dead hosts, deadlock; what is refused; and that a run is the same again, on any number of processes."""
import json
import re
import signal
import subprocess
import time

import pytest

from fabric_runs import COLLECTIVES, ROUTINGS, flows, good

FAR = "--cable 1000"   # processes that part hosts from their leaves meet 25 times less often than with 15 ns

# --------------------------------------------------------------------------------------------------------------- faults

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


def test_a_pause_storm(fabric, tmp_path):
    """A host that stops its cable for 3 ms holds up those who send to others through the same switches, until the watchdog drops what is for it; then it comes again."""
    run = f"--topology clos:4x2x2 --storm 1@10:3000 --leaf-buffer 300K --time 100000 --timeout 500 {flows(tmp_path, '4,1,8000000', '4,0,1000000', '6,2,1000000')}"
    held, dropped = good(fabric, f"{run} --watchdog 200"), good(fabric, f"{run} --watchdog 1")
    assert held["watchdogs"] == 0 and dropped["watchdogs"] == 1 and dropped["watchdog_drops"] > 0
    assert dropped["median_us"] < 1500 < 3000 < held["median_us"]


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


def test_time_ends_a_pause(fabric):
    """A cable that is stopped when the run is over counts as stopped until then, the leaf's and the host's, however late the last event of its process was."""
    options = f"{FAR} --topology clos:4x2x2 --load incast --senders 7 --size 1M --leaf-buffer 200K --storm 2@60:90 --time 80"
    s = fabric.summary(1, options)
    assert s["cables"]["host_up"]["paused"] > 0 and s["cables"]["host_down"]["paused"] > 0
    for processes in (2, 3):
        assert fabric.on_processes(processes, options, "--partition scatter", code=1)["cables"] == s["cables"]


# ------------------------------------------------------------------------------------------------------- the same again

def test_a_signal_has_it_say_what_came_so_far(places):
    """A run that is ended says how far it was, and what was delivered until then."""
    run = subprocess.Popen([places.build / "weir", "fabric", "--topology", "clos:16x16x16", "--size", "1024M"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True)
    time.sleep(2)
    run.send_signal(signal.SIGTERM)
    _, said = run.communicate(timeout=60)
    found = re.search(r"after ([0-9.]+) ms simulated, 0 of 256 done; (\d+) packets delivered, [0-9.]+ Gb/s a host; nothing is written", said)
    assert found and float(found[1]) > 0 and int(found[2]) > 0, said


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
    # Numbers that do not fit, that wrap around, of another base; what stands behind a NUL.
    for line in ("0,0,5", "0,1", "0,99,5", "x", "0,1,0", "0,1,5,-1", "0,1,5,6,7", "", "4294967297,0,5", "0,1,-18446744073709551600", "0,1,5,0x10", "0,1,5\0,x"):
        fabric.refused("flows.csv", flows(tmp_path, line))
    fabric.refused("Is a directory", f"--load matrix --matrix {tmp_path}")


def test_what_a_file_says_stays_off_the_terminal(fabric, tmp_path):
    """Escape sequences in a file's JSON are not printed."""
    (tmp_path / "net.json").write_text("\x1b[31m{", encoding="utf-8")
    fabric.refused("line 1", f"--topology {tmp_path / 'net.json'}")
    assert "\x1b" not in fabric.run(2, f"--topology {tmp_path / 'net.json'}").stderr


# ---------------------------------------------------------------------------------------------------- several processes


@pytest.mark.parametrize("options", [f"{FAR} --topology clos:4x8x4 --routing flowlet --size 1M", f"{FAR} --topology clos:2x4x2,4x2 --load all-reduce --size 512K --channels 2",
                                     f"{FAR} --topology clos:2x4x2,2x2 --load nodes --size 512K --loss 0.001 --timeout 200",
                                     f"{FAR} --topology clos:4x4x2 --load netreduce --size 512K --loss 0.001 --timeout 200",
                                     f"{FAR} --topology machines:4x4 --load parallel-netreduce --size 512K --message 40000 --prepare 2 --loss 0.001 --timeout 200",
                                     f"{FAR} --topology clos:4x8x4 --load incast --senders 16 --size 1M --leaf-buffer 2M --dcqcn --leaf-mark 100K --leaf-mark-all 400K",
                                     "--topology clos:4x4x4 --load all-to-all --size 64K --loss 0.001 --timeout 200"])
def test_processes(fabric, options):
    """The same to the bit on 1 to 4 processes, however parts are dealt out to them; the last one with hosts as near as they are."""
    want = fabric.summary(0, options)
    for processes in (1, 2, 3, 4):
        for partition in ("racks", "scatter"):
            got = fabric.on_processes(processes, options, "--partition", partition)
            assert got["ranks"] == processes
            for key in ("wall_seconds", "packets_per_second", "ranks", "turns"):
                del got[key]
            assert got == {key: want[key] for key in got}
