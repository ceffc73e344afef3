"""Hosts alone in SimGrid's SMPI: the network of a tree's topology, and how long an MPI_Allreduce takes in it.

The network is a fluid one: what goes over a cable shares its rate, and a message takes its path's delay and its size by its rate. No
packet is stored before it is sent on, nothing is lost, and no cable has a queue. That is kind to hosts.
"""
import re
import subprocess

# Of `weir tree`: Gb/s, and nanoseconds of a cable and of a node, which is a switch here.
RATE, CABLE, NODE = 100, 450, 256
MTU, AROUND = 4096, 82   # bytes of a packet's payload; gap, preamble, Ethernet, IPv4, UDP, BTH, ICRC, FCS
BANDWIDTH = RATE / 8 * MTU / (MTU + AROUND)   # bytes of vectors a nanosecond
# Costs of hosts: nanoseconds for a message at each end, and for each byte that is received, which is then added or copied.
COSTS = {"free": (0, 0), "costly": (500, 0.1)}
# What a byte may cost beside that, at one size: gigabytes a second of adding and copying.
PACES = {"40": (500, 0.025), "20": (500, 0.05), "15": (500, 1 / 15), "7.5": (500, 1 / 7.5), "5": (500, 0.2)}
ALGORITHMS = {"doubling": "rdb", "rabenseifner": "rab", "ring": "lr"}
# Nothing that SimGrid would add of its own: factors of TCP, its windows, what calls cost and what ran meanwhile.
SETTINGS = {"network/model": "CM02", "network/bandwidth-factor": 1, "network/latency-factor": 1, "network/TCP-gamma": 0,
            "network/weight-S": 0, "network/crosstraffic": 0, "surf/precision": "1e-12", "smpi/simulate-computation": "no",
            "smpi/wtime": 0, "smpi/test": 0, "smpi/iprobe": 0, "smpi/cpu-threshold": -1,
            # Costs are those of messages that are sent at once, whatever their size; longer ones would have none at the receiver.
            "smpi/send-is-detached-thresh": 1 << 30}


def shape(topology):
    """Children of a node by level, the root first: `fat-tree:4x16` is (4, 16), the last number hosts."""
    if not re.fullmatch(r"fat-tree:\d+(x\d+)*", topology):
        raise ValueError(f"{topology}: not fat-tree:AxB..xH")
    return tuple(map(int, topology.split(":")[1].split("x")))


def cables(topology):
    """[(child, parent)] of all cables; hosts are h0, h1 .."""
    found, above, levels, hosts = [], ["root"], shape(topology), 0
    for depth, children in enumerate(levels):
        below = []
        for node in above:
            for child in range(children):
                leaf = depth == len(levels) - 1
                below.append(f"h{hosts}" if leaf else f"{node}.{child}")
                hosts += leaf
                found.append((below[-1], node))
        above = below
    return found


def platform(topology, uplinks):
    """SimGrid's description. Each direction of a cable is a link; a switch's delay is that of the link by which a message comes in.
    `uplinks`: so many cables from each leaf to what is above it, over which all is spread perfectly: one link of so many times the rate."""
    links, routes, found = [], [], cables(topology)
    names = {name for cable in found for name in cable}
    for child, parent in found:
        host = child.startswith("h")
        rate = BANDWIDTH * 1e9 * (1 if host else uplinks)
        for way, start, end, delay in (("up", child, parent, CABLE + NODE), ("down", parent, child, CABLE + (0 if host else NODE))):
            links.append(f'<link id="{child}-{way}" bandwidth="{rate:.0f}Bps" latency="{delay}ns"/>')
            routes.append(f'<route src="{start}" dst="{end}" symmetrical="NO"><link_ctn id="{child}-{way}"/></route>')
    nodes = [f'<host id="{n}" speed="1Gf"/>' if n.startswith("h") else f'<router id="{n}"/>' for n in sorted(names)]
    return "\n".join(['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">', '<platform version="4.1">',
                      '<zone id="network" routing="Dijkstra">', *nodes, *links, *routes, "</zone>", "</platform>\n"])


def compile_program(source, folder):
    """The MPI program, which is the same for all runs."""
    program = folder / "allreduce"
    subprocess.run(["smpicc", "-O2", "-Wall", "-Wextra", "-Werror", source, "-o", program], check=True)
    return program


def times(program, folder, topology, uplinks, algorithm, cost, sizes):
    """{bytes: microseconds} of an all-reduce. `algorithm` and `cost` are keys of ALGORITHMS and COSTS or PACES."""
    network, places = folder / "network.xml", folder / "hosts"
    network.write_text(platform(topology, uplinks), encoding="utf-8")
    hosts = [child for child, _ in cables(topology) if child.startswith("h")]
    places.write_text("\n".join(hosts) + "\n", encoding="utf-8")
    message, byte = (value * 1e-9 for value in (COSTS | PACES)[cost])
    settings = SETTINGS | {"smpi/allreduce": ALGORITHMS[algorithm], "smpi/os": f"0:{message}:0", "smpi/ois": f"0:{message}:0",
                           "smpi/or": f"0:{message}:{byte}"}
    command = ["smpirun", "-quiet", "-np", str(len(hosts)), "-platform", network, "-hostfile", places, "--log=root.thres:critical",
               *(f"--cfg={name}:{value}" for name, value in settings.items()), program, *map(str, sizes)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = {int(size): float(seconds) * 1e6 for size, seconds in re.findall(r"^(\d+) ([\d.]+)$", done.stdout, re.M)}
    if set(found) != set(sizes):
        raise RuntimeError(f"smpirun did not tell all of {sizes}: {done.stdout}{done.stderr}")
    return found


def expected(topology, algorithm, size):
    """Microseconds in closed form, for hosts that cost nothing: recursive doubling of a few bytes, a ring of any; two levels. Who is told
    something else than this page says shows here."""
    racks, hosts = shape(topology)
    near, far = 2 * CABLE + NODE, 4 * CABLE + 3 * NODE
    if algorithm == "doubling":
        return (near * (hosts.bit_length() - 1) + far * (racks.bit_length() - 1)) / 1000
    steps = 2 * (racks * hosts - 1)
    return steps * (far + size / (racks * hosts) / BANDWIDTH) / 1000
