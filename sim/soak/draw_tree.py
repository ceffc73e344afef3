"""Random collectives over random trees of nodes that end connections: groups that compete for trees and locks, little room, faults on all cables, frames of
somebody else, a host that dies, a cable that is cut, a host that breaks a rule, children at any ports, groups that are made anew, streaming trees that are set up again, bits that flip in memories. One run of eight is over a small tree whose nodes are devices in RTL, all or some."""
import random

COMMAND = "tree"
COUNTED = ("packets", "packets of data")   # key of the summary, which must not be 0, and what it counts
TOLD = ("operations", "compared", "columns", "repeats", "limited", "rnrs", "timeouts", "lock_failures", "teardowns", "hostile", "devices", "casts_taken", "casts_taken_nodes", "corrected",
        "regrouped", "reopened")
MOST_HOSTS, MOST_NODES = 60, 40
# Of those with devices: what a device of four ports can be.
MOST_DEVICE_HOSTS, MOST_DEVICES = 10, 5
DEVICES = False


def shape(r, depth, most=5):
    """A node, as --topology has it; with up to `most` hosts."""
    if depth == 0 or r.random() < 0.3:
        return {"hosts": r.randint(1, most)}
    return {"children": [shape(r, depth - 1, most) for _ in range(r.randint(1, 3))]}


def size(node):
    """Hosts and nodes of a tree."""
    below = [size(child) for child in node.get("children", [])]
    return node.get("hosts", 0) + sum(hosts for hosts, _ in below), 1 + sum(nodes for _, nodes in below)


def placed(r, node, most, root=True):
    """The same with its children at drawn ports, of `most` at most."""
    below = len(node.get("children", [])) or node["hosts"]
    radix = r.choice([radix for radix in range(2, most + 1, 2) if radix >= below + (not root)])
    named = {"radix": radix, "ports": r.sample(range(radix - (not root)), below)} if r.random() < 0.7 else {}
    return {**named, **({"children": [placed(r, child, most, False) for child in node["children"]]} if "children" in node else {"hosts": node["hosts"]})}


def mistake_of(seed, hosts, words):
    """What a host does wrong, or several of a group at once, where somebody can see it."""
    r = random.Random(seed + 2)
    value = dict(zip(words, words[1:]))
    groups, op, size = value["--groups"], value["--op"], value.get("--size", 0)
    with_siblings = [host for host in range(hosts) if host % groups + groups < hosts]
    in_parts = op in ("reduce-scatter", "all-gather")
    part = size // (hosts // groups) if in_parts else size
    if value["--operations"] < 2 or (op != "barrier" and part < 8) or not with_siblings or r.random() >= 0.4:
        return []
    what = r.choice(["group", "size", "type", "op", "early", "2g", "2g+1", "twice", "busy", "no-lock"])
    streams = size > 1024 or "--mode" in words
    no_lock = streams and not in_parts and value["--lock"] == "1"
    early = op in ("all-reduce", "reduce", "reduce-scatter")
    if (what == "no-lock" and not no_lock) or (what == "early" and not early):
        what = "size"
    first = r.choice(with_siblings)
    others = [host for host in range(first % groups, hosts, groups) if host != first]
    if r.random() < 0.4 and len(others) > 1 and what not in ("twice", "busy"):
        more = r.sample(others, r.randint(1, min(3, len(others) - 1)))
        able = ["group", "size", "type", "op", "2g", "2g+1"] + ["other-group"] * (groups > 1) + ["early"] * early + ["no-lock"] * no_lock
        return ["--wrong", ",".join([f"{what}@{first}", *(f"{r.choice(able)}@{host}" for host in more)])]
    # What comes late is no second operation any more, but the next one.
    late = {"--loss", "--dup", "--reorder", "--ber", "--hostile", "--no-credits"} & set(words) or value["--credits"] < 32 or value["--window"] < 16
    if what == "busy" and (late or (streams and (in_parts or value["--lock"] != "1"))):
        what = "twice"
    return ["--wrong", f"{what}@{first}"]


def words_of(seed):
    """The options of a run."""
    r = random.Random(seed)

    def chance(percent):
        return r.random() * 100 < percent

    def when():
        return r.choice([0, r.uniform(0, 30), r.uniform(0, 400)])

    devices = DEVICES or chance(12)
    most_hosts, most_nodes = (MOST_DEVICE_HOSTS, MOST_DEVICES) if devices else (MOST_HOSTS, MOST_NODES)
    tree = {}
    while not (2 <= size(tree)[0] <= most_hosts and size(tree)[1] <= most_nodes):
        tree = shape(r, r.randint(0, 3), 3 if devices else 5)
    hosts, nodes = size(tree)
    if random.Random(seed + 3).random() < 0.3:   # other runs stay what they were
        tree = placed(random.Random(seed + 3), tree, 4 if devices else 12)
    operation = r.choice(["all-reduce", "all-reduce", "all-reduce", "reduce", "broadcast", "barrier"])
    words = ["--topology", str(tree).replace("'", '"'), "--seed", seed, "--op", operation,
             "--groups", r.randint(1, min(hosts, 4)), "--trees", 1 if devices else r.randint(1, 3), "--cells", 2 if devices else r.randint(1, 3),
             "--type", r.choice(["fp32", "fp16", "bf16", "int32"]), "--reduction", r.choice(["sum", "sum", "min", "max"]),
             "--operations", r.randint(1, 12), "--lock", r.choice(["1", "2", "5", "unlimited"]), "--mtu", r.choice([256, 512, 1024, 4096]),
             "--credits", r.choice([1, 2, 3, 5, 8, 32]), "--window", r.choice([1, 2, 5, 16, 64]), "--patience", r.choice([100, 300] if devices else [1000, 3000])]
    if devices:
        some = sorted(r.sample(range(nodes), r.randint(1, nodes)))
        words += ["--devices", "rtl" if chance(60) else ",".join(map(str, some))]
    if operation != "barrier":
        bytes_of_vector = 4 * r.choice([r.randint(1, 256), r.randint(257, 5000), r.randint(1, 15000)])
        if devices:   # a packet at a time, if there is little room: a device is clocked all the while
            bytes_of_vector = min(bytes_of_vector, 8000)
        words += ["--size", bytes_of_vector]
        if bytes_of_vector <= 1024 and chance(50):
            words += ["--mode", "sat"]
    if chance(15):
        words += ["--no-credits"]
    groups, vector = words[words.index("--groups") + 1], words[words.index("--size") + 1] if "--size" in words else 0
    if hosts % groups == 0 and vector % (4 * (hosts // groups)) == 0 and operation in ("reduce", "broadcast") and "--mode" not in words:
        words[words.index("--op") + 1] = {"reduce": "reduce-scatter", "broadcast": "all-gather"}[operation]
    if random.Random(seed + 1).random() < 0.25:   # other runs stay what they were
        words += ["--hostile", round(random.Random(seed).uniform(0.01, 0.5), 3)]
    if chance(20):
        words += ["--ipv6"]
    if chance(20):
        words += ["--vlan", r.randint(1, 4094)]
    for fault in ("loss", "dup", "reorder", "ber"):
        if chance(35):
            words += [f"--{fault}", r.choice([0.001, 0.01, 0.03])]
    if chance(35):
        words += ["--kill-host", f"{r.randrange(hosts)}@{when():g}"]
    if chance(25):
        cable = f"h{r.randrange(hosts)}" if nodes == 1 or chance(30) else r.randrange(1, nodes)
        words += ["--kill-link", f"{cable}@{when():g}"]
    if random.Random(seed + 4).random() < 0.3:
        words += ["--multicast"]
    words += mistake_of(seed, hosts, words)
    streams = "--mode" in words or vector > 1024
    if not {"--wrong", "--kill-host", "--kill-link"} & set(words) and (not streams or words[words.index("--lock") + 1] == "1"):
        words += ["--regroup", random.Random(seed + 5).randint(0, 4)]
    if streams and words[words.index("--trees") + 1] == 1 and not {"reduce-scatter", "all-gather"} & set(words):
        words += ["--reopen", random.Random(seed + 6).randint(0, 2)]
    if devices and random.Random(seed + 7).random() < 0.3:
        words += ["--flips", 20000]
    return [str(w) for w in words]


def tell(summary):
    """More counts by name, of which the sums are printed: verdicts of hosts, too."""
    return {**{name: summary[name] for name in TOLD}, **summary["verdicts"]}
