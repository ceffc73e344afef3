"""Random gathers: matrices, nodes, racks, sizes of everything, mechanisms left out; packets lost, late or doubled anywhere, links that go down, nodes that die
or take nothing. All products are right, or refused by the name of who does not answer."""
import random

COMMAND = "gather"
COUNTED = ("compared", "elements compared")   # key of the summary, which must not be 0, and what it counts
TOLD = ("prs_sent", "filtered", "coalesced", "merged", "fetched_twice", "cache_hits", "cache_evicted", "stalls_pending", "stalls_tx",
        "waits_expiry", "waits_pool", "watchdog_failures", "late_responses", "packets_lost", "packets_cut", "packets_stopped", "rows_refused")


def words_of(seed):
    """The options of a run."""
    r = random.Random(seed)

    def chance(percent):
        return r.random() * 100 < percent

    nodes = r.choice([1, 2, 3, 5, 8, 13, 16, 33])
    racks = next(n for n in (r.randint(1, min(nodes, 8)), 1) if -(-nodes // n) * (n - 1) < nodes)
    k = r.choice([1, 2, 3, 4, 8, 16, 17, 32, 64, 128, 200, 256])
    words = ["--seed", seed, "--nodes", nodes, "--racks", racks, "--k", k,
             "--generate", r.choice(["power-law", "road", "banded", "block", "hot"]),
             "--rows", r.randint(64, 3000), "--degree", r.randint(1, 24),
             "--batch", r.choice([1, 7, 64, 500, 5000]), "--units", r.choice([1, 2, 4, 16]),
             "--delay-nic", r.choice([0, 1, 20, 500, 5000]), "--delay-switch", r.choice([0, 1, 125, 2000]),
             "--cache-sets", r.choice([0, 1, 2, 16, 64]), "--cache-from", r.choice(["all", "uplinks"]),
             "--routing", r.choice(["both", "dest", "spread"]), "--rate", r.choice([10, 100, 400])]
    if chance(40):
        words += ["--pending", r.choice([1, 2, 17, 4096])]
    if chance(50):
        words += ["--queues", "virtual", "--pieces", r.choice([16, 40, 300, 4096])]
    if chance(30):
        words += ["--expiry", r.choice([1, 2, 9, 100])]
    if chance(30):
        words += ["--spines", r.choice([1, 2, 5])]
    if chance(20):
        words += ["--mode", 512]
    if chance(20):
        words += ["--mtu", r.choice([1200, 4096, 9000])]
    for mechanism in ("filter", "coalesce", "concat-nic", "switch", "cache"):
        if chance(12):
            words += ["--without", mechanism]
    words += ["--buffers", r.choice([0, 32, 128])]
    # A switch whose expiry queue has few entries takes so little that it cannot be told from one that takes nothing.
    if "--expiry" in words:
        words += ["--pause-limit", 0]
    # Whoever asks for anything sends a first packet, and nobody has all that it wants before its first command has come.
    if nodes > 1 and chance(60):
        node, when = r.randrange(nodes), r.randint(0, 1500)
        words += r.choice([["--lose", 1], ["--hold", 1], ["--faults", r.choice([0.001, 0.01]), "--tries", 100],
                           ["--kill", node, "--kill-at", when],
                           ["--down", r.randint(1, 12), "--down-for", r.choice([500, 5000]), "--tries", 100],
                           *([] if "--expiry" in words else [["--stop", node, "--stop-at", when, "--stop-for", r.choice([0, 20000, 300000]),
                                                              "--pause-limit", r.choice([100000, 1000000])]])])
    if chance(30):
        words += ["--iterations", r.randint(2, 4)]
    rows, spines = words[words.index("--rows") + 1], words[words.index("--spines") + 1] if "--spines" in words else -(-nodes // racks)
    ports = -(-nodes // racks) + (spines if racks > 1 else 0)
    # What the Verilated switch can be asked for, and what does not take it minutes; later words win.
    if nodes <= 16 and ports <= 8 and rows * k <= 100000 and "switch" not in words and chance(50):
        words += ["--rtl", "switch", "--cache-sets", r.choice([0, 4, 4]), "--mtu", 1500, "--rate", r.choice([50, 100, 400]),
                  "--delay-switch", r.choice([0, 1, 125, 512])]
    # And the Verilated NIC, in either kind of queues.
    other = {"filter", "coalesce", "concat-nic"}
    if nodes <= 16 and rows * k <= 15000 and not other & set(words) and chance(60):
        words += ["--rtl", "all" if "--rtl" in words else "nic", "--rtl-nics", r.randint(1, nodes), "--units", r.choice([1, 2]),
                  "--pending", 64, "--mtu", 1500, "--delay-nic", r.choice([0, 1, 20, 500]),
                  "--batch", r.choice([64, 500, 5000]), "--rate", r.choice([100, 400])]
        if {"--lose", "--hold", "--faults", "--kill", "--stop", "--down"} & set(words):
            words += short_faults(words)
    # Operations of a unit are one behind the other, and all switches are clocked all the while.
    if "--rtl" in words and "--rtl-nics" not in words and operations(words) * racks > 3000:
        words += ["--batch", 64]
    # One property at a time takes a large batch longer than the watchdog's ten million cycles.
    asked = words[words.index("--pending") + 1] if "--pending" in words else 64
    if asked <= 2 and words[words.index("--batch") + 1] == 5000 and "--rtl-nics" not in words:
        words += ["--watchdog", 100000000]
    if chance(30):
        words += ["--merge", 128 if "nic" in words or "all" in words else r.choice([1, 16, 4096])]
    # Verilated switches are clocked until they throw away what a receiver does not take.
    if "--rtl" in words and "--stop" in words:
        words += ["--pause-limit", r.choice([5000, 20000])]
    return [str(w) for w in words]


def operations(words):
    """How many operations a RIG unit has in a run, in the mean."""
    def first(option):
        return int(words[words.index(option) + 1])
    again = first("--iterations") if "--iterations" in words else 1
    return first("--rows") * first("--degree") * again / (first("--nodes") * first("--units") * first("--batch"))


def short_faults(words):
    """Options of Verilated NICs where something goes wrong. Their watchdogs are clocked through to their ends, in each try of each batch that needs a node which
    is gone: ways are short, so that watchdogs can be; and where a node is gone for good there are few tries, and one or two such NICs, as batches are many or few."""
    def last(option):
        return words[len(words) - words[::-1].index(option)]
    more = ["--watchdog", 20000, "--tries", 100, "--cable", 50, "--switch", 50, "--memory", 50]
    gone = "--kill" in words or ("--stop" in words and last("--stop-for") == 0)
    return more + (["--tries", 4, "--rtl-nics", min(1 if last("--batch") == 64 else 2, last("--rtl-nics"))] if gone else [])


def refused(summary):
    """Whether each row was refused, and by name, so that there is nothing to compare: who died had something that every other node needs."""
    return summary["rows_refused"] >= summary["rows"] and summary["given_up"] > 0


def tell(summary):
    """More counts by name, of which the sums are printed."""
    return {name: summary[name] for name in TOLD}
