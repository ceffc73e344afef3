"""What goes wrong below an aggregation tree: cables that lose, hosts that die or do wrong. Every host has a verdict in time, and nothing stays locked."""
import pytest

from tree_runs import DEEP, clean, good

# --------------------------------------------------------------------------------------------------------------- faults

@pytest.mark.parametrize("fault", ["--loss 0.01", "--dup 0.05", "--reorder 0.05", "--ber 0.01", "--loss 0.01 --dup 0.02 --reorder 0.03 --ber 0.01",
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
    tree.summary(0, "--topology fat-tree:2x3 --seed 5 --size 3524 --operations 30 --mtu 256 --window 1 --patience 5 --timeout 2 --retries 1 --ber 0.05 --kill-host 4@5000")


# ------------------------------------------------------------------------------------------------------------- mistakes

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
        s = tree.summary(0, f"--topology fat-tree:2x2 --size {size} --wrong {what}@{host} --patience 40 --timeout 10 --devices {devices}")
        assert {verdict: count for verdict, count in s["wrong_verdicts"].items() if count} == want
        torn = size > 1024 and want != UNTOUCHED and what != "no-lock"
        assert s["verdicts"]["no tree" if torn else "ok"] == 4 and s["teardowns"] == (3 if torn else 0) and s["locks"] == s["unlocks"]
        assert s["operations"] == (2 if torn else 4 if want == UNTOUCHED else 3) and s["compared"] == s["operations"] * 4 * size
        assert s["silence_us"] <= s["bound_us"] and s["denied_besides"] == (want == UNTOUCHED)


@pytest.mark.parametrize("devices", ["model", "rtl"])
def test_unlocked_while_it_streams(tree, devices):
    """A host's message too many waits to stream when all unlock, and then a cable is cut: the unlock itself ends the streaming tree, on both sides."""
    s = tree.summary(0, "--topology fat-tree:2x2 --size 8192 --operations 2 --lock unlimited --wrong twice@0 --patience 500 --kill-link 1@60",
                     f"--devices {devices}")
    assert s["verdicts"]["time-out"] == 4 and s["teardowns"] == 3 and s["locks"] == s["unlocks"] == 3 and s["compared"] == 2 * 4 * 8192


# Several hosts at once: who, how, and what all hear in both kinds of trees.
SEVERAL = [
    ("group@0,2g+1@3", "", {"denied": 2, "time-out": 2}, {"denied": 2, "time-out": 2}),
    ("group@2,early@3", "", {"denied": 2, "time-out": 2}, {"denied": 1, "time-out": 3}),   # nobody below a node: those above it wait
    ("type@0,size@3", "", {"denied": 4}, {"denied": 4}), ("2g@1,op@2", "", {"denied": 1, "time-out": 3}, {"denied": 4}),
    ("op@0,op@1,op@2", "--op reduce", {"denied": 4}, {"denied": 4}), ("size@1,group@3", "--op broadcast", {"denied": 4}, {"denied": 4}),
    ("early@0", "--op broadcast", {"denied": 1, "time-out": 3}, {"denied": 4}), ("type@2", "--op broadcast --multicast", {"denied": 4}, {"denied": 4}),
    ("size@2", "--op barrier", {"denied": 4}, None), ("2g@0,op@3", "--op barrier --multicast", {"denied": 1, "time-out": 3}, None),
    ("group@0,group@1", "--op barrier", {"denied": 2, "time-out": 2}, None), ("size@3", "--op reduce-scatter --mtu 256", {"denied": 4}, None),
    ("2g+1@1,type@0", "--op all-gather --type bf16", {"denied": 1, "time-out": 3}, None), ("no-lock@0,2g@3", "", None, {"denied": 1, "time-out": 3})]


@pytest.mark.parametrize("what, options, low, streaming, devices", [(*case, "model") for case in SEVERAL] + [(*case, "rtl") for case in SEVERAL[::2]])
def test_several_mistakes(tree, what, options, low, streaming, devices):
    """Two or three hosts do something wrong at once, in each operation: the same holds."""
    for size, want in ((512, low), (8192, streaming)):
        if want is None:
            continue
        vector = "" if "barrier" in options else f"--size {size}"
        s = tree.summary(0, f"--topology fat-tree:2x2 --operations 3 --wrong {what} --patience 40 --timeout 10 --devices {devices}", options, vector)
        assert {verdict: count for verdict, count in s["wrong_verdicts"].items() if count} == want
        torn = size > 1024 and "no-lock" not in what
        assert s["verdicts"]["no tree" if torn else "ok"] == 4 and s["teardowns"] == (3 if torn else 0) and s["silence_us"] <= s["bound_us"]


@pytest.mark.parametrize("what", ["2g", "2g+1", "group", "no-lock", "early", "op", "twice", "busy"])
@pytest.mark.parametrize("devices", ["model", "rtl"])
def test_refused_in_its_only_packet(tree, what, devices):
    """A message of one packet, which is first and last at once, where the group turns round: the model beside a device refuses it when the device does."""
    s = tree.summary(0, f"--topology fat-tree:3 --size 24 --mode sat --wrong {what}@1 --patience 40 --timeout 10 --devices {devices}")
    alone, untouched = {"denied": 1, "time-out": 2}, {"ok": 3}
    due = {"early": {"denied": 3}, "op": {"denied": 3}, "twice": untouched, "busy": untouched}.get(what, alone)
    assert {verdict: count for verdict, count in s["wrong_verdicts"].items() if count} == due


@pytest.mark.parametrize("size", [24, 512, 8192])
@pytest.mark.parametrize("options", ["--devices model", "--devices rtl", "--topology fat-tree:2x2x2 --loss 0.01 --patience 200"])
def test_in_the_name_of_another_group(tree, size, options):
    """A host speaks for a group that it is not in, and that runs beside its own: it is denied, its own group waits for it in vain, and the other one never hears of it."""
    s = tree.summary(0, f"--topology fat-tree:2x2 --groups 2 --size {size} --mode {'llt' if size == 512 else 'sat'} --wrong other-group@3 --patience 40 --timeout 10 --operations 3", options)
    own = s["hosts"] // 2
    assert {verdict: count for verdict, count in s["wrong_verdicts"].items() if count} == {"denied": 1, "time-out": own - 1}
    if size == 512:
        assert s["verdicts"]["ok"] == 2 * own and s["operations"] == 5
    else:   # the tree that its group had locked ends, for both
        assert s["verdicts"]["no tree"] >= own and s["locks"] == s["unlocks"]


def test_fails_in_the_name_of_its_siblings(tree):
    """Who asked for another operation, while somebody does not come, hears of the time-out when the others do."""
    s = tree.summary(0, "--topology fat-tree:5 --op barrier --operations 3 --wrong 2g+1@1,op@2 --patience 300 --timeout 10")
    assert s["verdicts"]["ok"] == 5 and s["teardowns"] == 0 and s["longest_us"] < 320


@pytest.mark.parametrize("what, options", [
    ("size", ""), ("early", "--groups 2"), ("group", "--loss 0.01"), ("size", "--dup 0.05 --reorder 0.05 --groups 2"), ("type", "--hostile 0.3 --lock unlimited"),
    ("2g", "--lock 2"), ("size", "--devices rtl"), ("early", "--devices rtl --groups 2 --loss 0.01"), ("group", "--devices 0,2 --lock unlimited --reorder 0.05")])
def test_set_up_again(tree, what, options):
    """A streaming tree that was torn down is set up again, at models and by registers at devices: all hosts go on with the next operation, which is right, and so
    are those of another group."""
    s = tree.summary(0, f"--topology fat-tree:2x2 --size 8192 --operations 6 --wrong {what}@3 --patience 300 --timeout 20 --reopen 2", options)
    groups = 2 if "groups" in options else 1
    assert s["reopened"] == 1 and s["teardowns"] == 3 and s["locks"] == s["unlocks"] and s["verdicts"]["ok"] == 4
    assert s["operations"] == 6 * groups - 1 and s["mismatches"] == 0


@pytest.mark.parametrize("options", ["--topology fat-tree:4x4 --groups 2 --trees 2", f"{DEEP} --groups 2 --trees 2 --loss 0.01"])
def test_mistakes_hurt_nobody_else(tree, options):
    """Of two groups the other one, in its own tree, has all its results; of the pair that lost its streaming tree the low-latency one stays: all its hosts take the news."""
    s = tree.summary(0, options, "--size 20K --wrong size@2 --patience 500")
    assert all((end["verdict"] == "ok") == (host % 2 == 1) for host, end in enumerate(s["ends"]))
    assert s["teardowns"] == s["nodes"] and (s["timeouts"] == 0 or s["lost"] > 0)


def test_late_fault(tree):
    """What happens when all are done changes nothing."""
    assert tree.summary(0, "--size 4K --kill-host 1@10000 --kill-link 1@10000")["verdicts"]["ok"] == 16
