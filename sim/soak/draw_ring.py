"""Random runs of hosts in closed loop: everything hosts, cables, switch and control plane may do, in all combinations."""
import csv
import pathlib
import random

from options import option_words

COMMAND = "ring"
COUNTED = ("frames_in", "frames into the device")   # key of the summary, which must not be 0, and what it counts
ROOT = pathlib.Path(__file__).resolve().parents[2]
# Names of the configurations and how often each is drawn: the largest simulates at a third of the smallest one's speed.
SHARES = {"tiny": 60, "paper6": 30, "wide8": 10}


def configurations():
    with open(ROOT / "rtl/top/configs.csv", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {row["name"]: {key: int(value) for key, value in row.items() if key != "name"} for row in rows}


def power_of_two(number):
    return 1 << (number - 1).bit_length()


class Draw:
    """One command line. Kept as a dictionary, because later choices look at earlier ones."""

    def __init__(self, seed, configs):
        self.random = random.Random(seed)
        self.options = {"seed": seed}
        name = self.random.choices(list(SHARES), SHARES.values())[0]
        self.config = configs[name]
        self.options["config"] = name
        self.shape()
        self.habits()
        self.faults()
        self.incidents()
        self.clocks()
        self.size()

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def shape(self):
        o, c = self.options, self.config
        o["hosts"] = self.random.randint(2, min(8, c["NumRanks"]))
        o["rings"] = self.random.randint(1, min(c["NumRings"], c["NumConns"] // o["hosts"], 4))
        o["window"] = self.random.randint(1, c["MaxWindow"])
        longest = c["NumSlots"] // (2 * power_of_two(o["window"]) * o["rings"])
        o["msglen"] = self.random.randint(1, max(1, min(longest, self.random.choice([2, 8, 32, 170]))))
        mtus = [mtu for mtu in (256, 512, 1024, 2048, 4096) if mtu <= c["SlotBytes"]]
        o["mtu"] = self.random.choice(mtus)

    def habits(self):
        o = self.options
        o["type"] = self.random.choice(["fp32", "fp16", "bf16", "int32"])
        o["op"] = self.random.choice(["sum", "sum", "min", "max"])
        o["verb"] = self.random.choice(["write", "write-imm", "send", "send-imm"])
        o["short-last"] = self.chance(50)
        o["register"] = self.chance(50)
        if self.chance(30):
            o["ack-every"] = self.random.randint(1, 20)
        if o["verb"] != "write" and self.chance(20):
            o["rnr"] = 0.05

    def faults(self):
        o = self.options
        self.harm = 0.0  # chance that a packet, its result or its ACK does not come through
        if self.chance(25):
            return
        hops = ["up", "to-device", "from-device", "down"]
        chosen = [hop for hop in hops if self.chance(50)] or hops
        most = self.random.choice([0.001, 0.01, 0.05])
        for name in ("loss", "dup", "reorder", "ber"):
            if self.chance(60):
                o[name] = round(self.random.uniform(0, most), 5)
        if len(chosen) < len(hops):
            o["hop"] = chosen
        self.harm = len(chosen) * sum(o.get(name, 0) for name in ("loss", "reorder", "ber"))

    def incidents(self):
        o = self.options
        # Where nobody is paused, a load that is too much for ever only loses packets for ever.
        calm = o["no-pause"] = self.chance(15)
        if self.chance(30):
            o["stall"] = self.random.choice([0.1, 0.3] if calm else [0.1, 0.5, 0.9])
        if self.chance(15):
            o["hold"] = self.random.choice([100, 3000, 20000, 100000])
        if self.chance(10):
            o["stop"] = self.random.randrange(o["hosts"])
        elif self.chance(25):
            o["restart"] = True
        if self.chance(40):
            o["hostile"] = self.random.randint(1, 4)
            o["hostile-rate"] = self.random.choice([0.1, 1] if calm else [1, 10, 40, 100])
        if self.chance(10):
            o["offer"] = round(self.random.uniform(0.05, 1), 3)
        # A cable of 0.1 Gb/s makes a long run, and so do copies in every gap.
        if self.chance(4):
            o["slow"] = self.random.randrange(o["hosts"])
            if "hostile" in o:
                o["hostile-rate"] = 0.05
        elif self.chance(15) and not calm:
            o["storm"] = True

    def clocks(self):
        """Time-outs that a window fits into, but for those that are to be spurious."""
        o = self.options
        gbps = o["rate"] = self.random.choice([100, 100, 100, 40])
        ports = self.config["NumPorts"]
        load = (o["hosts"] + ports - 1) // ports * (2 if o.get("storm") else 1) + (o.get("hostile", 0) + ports - 1) // ports
        if "stop" in o and o["rings"] == 1 and "storm" in o:
            del o["storm"]  # until the ring stands still it would be nothing else
        window = o["window"] * o["msglen"] * o["rings"] * (o["mtu"] + 82) * 8e-3 / gbps  # microseconds on the cable
        if "slow" in o:
            window *= 1000
        if "offer" in o:
            window /= o["offer"]
        wait = window * load / (1 - o.get("stall", 0)) + 10 + o.get("hold", 0) * 0.004 * self.random.choice([0, 1])
        o["timeout"] = min(999999, round(wait * self.random.uniform(1.5, 6), 1))
        if self.chance(30):
            o["ack-delay"] = round(o["timeout"] * self.random.choice([0.05, 0.3, 1.5]), 2)
        if self.chance(20) and "slow" not in o:
            o["rtt"] = round(self.random.uniform(5, 40), 1)
            o["timeout"] = round(o["timeout"] + 4 * o["rtt"], 1)

    def size(self):
        """As many packets as come to a few thousand frames with all that is sent again."""
        o = self.options
        outstanding = o["window"] * o["msglen"]
        again = 1 + self.harm * min(outstanding, 60)
        frames = self.random.choice([500, 3000, 12000]) / again
        if "storm" in o:
            frames /= 4
        if "slow" in o:
            frames = min(frames, 200)
        packets = max(1, frames / (o["hosts"] * o["rings"]))
        tensor = int(packets * o["mtu"] * self.random.uniform(0.5, 1))
        o["tensor"] = max(4, tensor // 4 * 4)


def words_of(seed):
    """The options of a run."""
    return option_words(Draw(seed, configurations()).options)


def tell(summary):
    """More counts by name, of which the sums are printed."""
    return summary["drops"]
