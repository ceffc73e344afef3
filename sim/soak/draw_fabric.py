"""Random fabrics: shapes, loads, ways of choosing a way, buffers from tiny to large, connections split and scaled, marks, admission, flowlets, devices by place; packets
lost, cables cut, a switch that reboots, a host that dies or stops its cable. Sums are right, and all is done unless a fault was drawn; each run is made again by two or
three processes, with parts dealt out by racks or by lot, and what happens is the same. What cannot be is refused by a sentence."""
import json
import random

COMMAND = "fabric"
COUNTED = ("packets_delivered", "packets delivered")   # key of the summary, which must not be 0, and what it counts
TOLD = ("refused", "unfinished", "events", "again", "timeouts", "out_of_sequence", "dropped", "lost_on_cables", "unreachable", "watchdogs", "summed", "summed_again", "cnps", "cts",
        "flowlets", "device_compared", "device_results", "uplink_frames")
# What may differ between processes.
OWN = ("ranks", "turns", "wall_seconds", "packets_per_second")
FAULTS = {"--loss", "--cut", "--kill-host", "--reboot", "--storm", "--no-pfc", "--time"}
FLOWS = ("permutation", "incast", "all-to-all", "matrix", "capture")
HOSTS = ("all-reduce", "tree-all-reduce", "rabenseifner", "reduce-scatter", "all-gather")
MACHINES = ("master-ring", "parallel-ring", "parallel-netreduce")


def irregular(r, hosts):
    """A network of two tiers as JSON in which leaves have hosts and spines as it comes."""
    leaves, spines = r.randint(1, 4), r.randint(1, 3)
    cables = [[f"h{h}", f"s{r.randrange(leaves)}", r.choice([25, 100]), r.choice([5, 15])] for h in range(hosts)]
    for leaf in range(leaves):
        cables += [[f"s{leaf}", f"s{leaves + spine}", r.choice([40, 100]), r.choice([50, 250])] for spine in range(spines) if spine == 0 or r.random() < 0.7]
    return json.dumps({"hosts": hosts, "switches": [1] * leaves + [2] * spines, "cables": cables}), leaves, spines


def shape(r, load):
    """--topology, and hosts, leaves, spines."""
    if load in MACHINES:
        machines, n = r.randint(2, 4), r.randint(1, 4)
        return f"machines:{machines}x{n}", machines * n, machines, 1
    if load != "gather" and r.random() < 0.15:
        hosts = r.randint(4, 9)
        text, leaves, spines = irregular(r, hosts)
        return text, hosts, leaves, spines
    while True:
        h, leaves, spines, pods, above = r.randint(1, 5), r.randint(1, 3), r.randint(1, 4), r.choice([1, 1, 2, 3]), r.randint(1, 2)
        if 4 <= h * leaves * pods <= 16:
            break
    if leaves == pods == 1:
        return f"clos:{h}x1x0", h, 1, 0
    three = f",{pods}x{above}" if pods > 1 else ""
    return f"clos:{h}x{leaves}x{spines}{three}", h * leaves * pods, leaves * pods, spines * pods


def devices(r, load, hosts, leaves, spines, chance):
    """--rtl and --uplink: which places have devices."""
    words, places = [], []
    if load in ("netreduce", "nodes", "gather") and chance(40):
        places = ["none"]
        if chance(40):
            some = [f"leaf{n}" for n in range(leaves)] + ([f"spine{n}" for n in range(min(spines, 1))] if load != "gather" else [f"h{n}" for n in range(hosts)])
            places = r.sample(some, min(len(some), 2))
    if load != "gather" and spines > 0 and chance(25):
        words += ["--uplink", "--routing", r.choice(["ecmp", "e-ecmp", "flowlet"])]   # the later word counts
        if chance(30):
            places = [place for place in places if place != "none"] + [f"uplink{r.randrange(leaves)}"]
    return words + (["--rtl", ",".join(places)] if places else [])


def fault(r, hosts, leaves, spines, cables):
    """What goes wrong, if anything."""
    us = r.choice([0, r.randint(1, 20), r.randint(1, 300)])
    later = us + r.choice([1, 50, 400])
    some = [["--loss", r.choice([0.0001, 0.001, 0.01])], ["--kill-host", f"{r.randrange(hosts)}@{us}"], ["--no-pfc"], ["--time", 1 + us],
            ["--reboot", f"{r.choice(['leaf', 'spine'] if spines else ['leaf'])}0@{us}:{later}"],
            ["--storm", f"{r.randrange(hosts)}@{us}:{later}", "--watchdog", r.choice([0.01, 0.1, 200])]]
    if cables:
        some.append(["--cut", f"{r.choice(cables)}@{us}", "--converge", r.choice([0, 10, 300])])
    return [word for words in r.sample(some, r.choice([1, 1, 2])) for word in words]


def words_of(seed):
    """The options of a run."""
    r = random.Random(seed)

    def chance(percent):
        return r.random() * 100 < percent

    load = r.choice([*FLOWS, *HOSTS, *MACHINES, "netreduce", "netreduce", "nodes", "nodes", "gather"])
    topology, hosts, leaves, spines = shape(r, load)
    mtu = r.choice([256, 1024, 4096])
    words = ["--topology", topology, "--seed", seed, "--load", load, "--mtu", mtu,
             "--routing", r.choice(["ecmp", "e-ecmp", "pinned", "te", "flowlet", "spray"]), "--flowlet", r.choice([0.1, 2, 50]),
             "--size", r.choice([r.randint(1, 300), r.randint(300, 20000), r.randint(20000, 200000)]) if load != "gather" else r.randint(1, 3000)]
    if load not in ("gather", "nodes"):
        words += ["--message", r.choice([1, 3, 16, 100]) * mtu]
    words[words.index("--size") + 1] = -(-words[words.index("--size") + 1] // 4) * 4   # devices sum words of 4 bytes
    if load == "matrix":
        words += ["--matrix", "sim/soak/flows.csv"]
    if load == "capture":
        words += ["--matrix", "sim/captures/ring4.in.pcapng.gz"]
    if load == "incast":
        words += ["--senders", r.randint(1, hosts - 1)]
    words += devices(r, load, hosts, leaves, spines, chance)
    summed = load in ("netreduce", "parallel-netreduce")
    if summed:
        words += ["--inflight", r.choice([1, 2, 4, 16])]
    if not summed and "--rtl" not in words:
        words += ["--qps", r.choice([1, 1, 2, 4, 16]), "--qp-mode", r.choice(["turns", "split"]), "--channels", r.choice([0, 0, 1, 4])]
    for option, percent in (("--share-port", 20), ("--one-seed", 20), ("--dcqcn", 30 if "--rtl" not in words else 0)):
        if chance(percent):
            words += [option]
    words += ["--window", r.choice([4096, 16384, 1 << 20]), "--ack-every", r.choice([1, 2, 4, 64]), "--leaf-buffer", r.choice(["64K", "1M", "32M"]),
              "--spine-buffer", r.choice(["512K", "1024M"]), "--alpha", r.choice([0.03, 0.125, 8]), "--credit", r.choice([0, 0, 9]),
              "--leaf-rate", r.choice([10, 100, 400]), "--timeout", r.choice([1000, 4000])]
    if chance(30):
        low = r.choice([1000, 20000, 400000])
        words += ["--leaf-mark", low, "--leaf-mark-all", 4 * low, "--spine-mark", low, "--spine-mark-all", low]
    if chance(25):
        words += ["--ack-class", "bulk", "--cts-class", "bulk"]
    if chance(20):
        words += ["--drain", r.choice([0.1, 0.5]), "--rx-buffer", r.choice([16384, 524288])]
    if load == "rabenseifner":
        words += ["--ranks", 4]
    if load not in ("capture", "matrix", "gather", *MACHINES) and chance(40):
        ranks = words[words.index("--senders") + 1] + 1 if load == "incast" else r.randint(2, hosts)
        words += ["--ranks", ranks if load != "rabenseifner" else 1 << ranks.bit_length() - 1, "--placement", r.choice(["linear", "random", "spread", "half"])]
    if load != "gather" and chance(25):
        words += ["--background", r.choice([1000, 100000])]
    if chance(25):
        words += ["--stagger", r.choice([1, 100])]
    if load not in (*FLOWS, "gather") and "--rtl" not in words and chance(20):
        words += ["--prepare", r.choice([0.5, 30])]
    if chance(45):
        cables = [f"s{n}-s{leaves + m}" for n in range(leaves) for m in range(spines)] if topology.count("x") == 2 else []
        words += fault(r, hosts, leaves, spines, cables)
    return [str(word) for word in words]


def ends_of(words):
    """Exit codes that are well. 2: it is refused, by one line. 1, where a fault was drawn: not all is done, and nothing is wrong."""
    return (0, 1, 2) if FAULTS & set(words) else (0, 2)


def again_of(seed):
    """The words for other processes that make the same run, each with how many there are."""
    return [(random.Random(seed).choice([2, 2, 3]), ["--partition", random.Random(seed + 1).choice(["racks", "scatter"])])]


def differences(one, other):
    """Keys of two summaries that are not the same, and should be."""
    return [key for key in one if key not in OWN and one[key] != other.get(key)]


def tell(summary):
    """More counts by name, of which the sums are printed."""
    return {name: summary.get(name, 0) for name in TOLD}
