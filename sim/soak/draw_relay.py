"""Random trees: up to four levels, leaves of any size at any height, several rings that learn or do not, all faults on any
kind of cable, devices that are switched on again. In two of five runs all devices are the RTL, of trees that its configuration
tree4 can be, and all they send is compared with the golden models; in the others they are golden models, of any tree."""
import json
import random

from options import option_words

COMMAND = "ring"
COUNTED = ("frames_in", "frames into devices")   # key of the summary, which must not be 0, and what it counts
TOLD = ("columns", "columns_again", "without_template", "notifications", "notifications_refused", "rtl_compared", "rtl_followed")
HOPS = ["up", "to-device", "from-device", "down", "to-parent", "from-parent"]


def draw_tree(rng, levels, room, widest):
    """A switch with at most `levels` below it, `room` hosts, and `widest` (hosts of a leaf, switches below another one).

    Returns the tree, and how many hosts it took."""
    if levels == 0 or room == 1 or rng.random() < 0.3:
        hosts = rng.randint(1, min(room, widest[0]))
        return {"hosts": hosts}, hosts
    children, taken = [], 0
    for _ in range(rng.randint(1, widest[1])):
        if taken < room:
            child, hosts = draw_tree(rng, levels - 1, room - taken, widest)
            children.append(child)
            taken += hosts
    return {"children": children}, taken


def above_leaves(tree, start=0):
    """Numbers of the switches that have switches below them, and the first number behind all."""
    found, number = ([start] if "children" in tree else []), start + 1
    for child in tree.get("children", []):
        more, number = above_leaves(child, number)
        found += more
    return found, number


def words_of(seed):
    """The options of a run."""
    rng = random.Random(seed)
    rtl = rng.random() < 0.4
    # Between leaves notifications and results are lost together: it is then that they overtake each other inside of a device.
    gaps = rtl and rng.random() < 0.6
    while True:
        # tree4 has four ports, one of them for the parent.
        levels, room, widest = (1 if gaps else rng.randint(1, 2), 8, (3, 3)) if rtl else (rng.randint(1, 3), 16, (5, 4))
        tree, hosts = draw_tree(rng, levels, room, widest)
        if len(tree.get("children", [])) > gaps and hosts >= 2:
            break
    o = {"topology": json.dumps(tree, separators=(",", ":")), "seed": seed}
    if rtl:
        o["devices"] = "rtl"
    o["rings"] = rng.randint(1, 2 if rtl else 3)
    o["window"] = rng.randint(1, 2 if rtl else 4)
    o["msglen"] = rng.choice([1, 2, 3, 4, 8] if rtl else [1, 2, 3, 8, 20])
    o["mtu"] = 256 if rtl else rng.choice([256, 1024, 4096])
    o["type"] = rng.choice(["fp32", "fp16", "bf16", "int32"])
    o["op"] = rng.choice(["sum", "sum", "min", "max"])
    o["verb"] = rng.choice(["write", "write-imm", "send", "send-imm"])
    o["short-last"] = rng.random() < 0.5
    if rng.random() < 0.3:
        o["ack-every"] = rng.randint(1, 20)
    if o["verb"] != "write" and rng.random() < 0.2:
        o["rnr"] = 0.05
    harm, most_packets = 0.0, [100, 1000, 4000]
    if gaps:
        o["hop"] = ["to-parent", "from-parent"]
        o["loss"] = round(rng.uniform(0.03, 0.08), 5)
        # The fuller the windows, the longer a result waits inside.
        o["window"], o["msglen"] = 2, rng.choice([4, 8])
        harm, most_packets = 0.03, [1000]
    elif rng.random() < 0.8:
        chosen = [hop for hop in HOPS if rng.random() < 0.5] or HOPS
        most = rng.choice([0.001, 0.01, 0.03])
        for name in ("loss", "dup", "reorder", "ber"):
            if rng.random() < 0.6:
                o[name] = round(rng.uniform(0, most), 5)
        if len(chosen) < len(HOPS):
            o["hop"] = chosen
        harm = 3 * sum(o.get(name, 0) for name in ("loss", "reorder", "ber"))
    if rng.random() < 0.1:
        o["stop"] = rng.randrange(hosts)
    elif rng.random() < 0.1:
        o["reboot"] = rng.choice(above_leaves(tree)[0])
    outstanding = o["window"] * o["msglen"]
    o["timeout"] = round((outstanding * o["rings"] * (o["mtu"] + 82) * 8e-5 * 4 + 40) * rng.uniform(1, 4), 1)
    if rng.random() < 0.2:
        o["ack-delay"] = round(o["timeout"] * rng.choice([0.05, 0.3, 1.5]), 2)
    packets = rng.choice(most_packets) / (1 + harm * min(outstanding, 60)) / hosts / o["rings"]
    o["tensor"] = max(4, int(max(1, packets) * o["mtu"]) // 4 * 4)
    # Where leaves know their connections from the start any of the devices may be switched off and on again.
    o["register"] = rng.random() < 0.3
    if o["register"] and "stop" not in o and rng.random() < 0.2:
        o["reboot"] = rng.randrange(above_leaves(tree)[1])
    # Hosts that know marks take no wrong sum, whichever device is switched off and on again, if ways keep the order of packets.
    if o["verb"].endswith("-imm") and rng.random() < 0.6:
        o["epoch"] = rng.randint(1, 255)
        if not {"stop", "reorder", "reboot"} & o.keys() and rng.random() < 0.4:
            o["reboot"] = rng.randrange(above_leaves(tree)[1])
    if rtl and not {"stop", "reboot"} & o.keys() and rng.random() < 0.3:
        o["turns"] = rng.randint(2, 5)
    return option_words(o)


def tell(summary):
    """More counts by name, of which the sums are printed."""
    return {name: summary[name] for name in TOLD}
