"""Runs of Linux hosts over what they must stand: 2 to 8 hosts, loss up to 2.5 % each way, all MTUs and operations of RDMA, IPv4, IPv6, VLAN, two jobs at
once, other programs beside them, a host that is killed, a device that is restarted 200 times and flushed 20 times; trees of nodes below which hosts are. What went through the
aggregator is replayed, too. All 42 take an hour, one at a time."""
import itertools

COMMAND = "live"
COUNTED = ("frames_in", "frames into the device")   # key of the summary, which must not be 0, and what it counts
JOBS = 1   # guests keep time by the clock on the wall

RUNS = [
    "--hosts 2 --loss 0.025 --verb write --mtu 256 --type fp16",
    "--hosts 2 --verb send --mtu 512 --type bf16 --op min --vlan 100 --in-place",
    "--hosts 2 --ipv6 --mtu 2048 --type int32 --op max --register --loss 0.01",
    "--hosts 2 --verb write --mtu 4096 --msglen 16 --window 4 --in-place --register",
    "--hosts 2 --sweep --tensor 256K --loss 0.002",
    "--hosts 2 --perftest --tensor 512K --repeats 6",
    "--hosts 2 --perftest --tensor 512K --repeats 6 --ipv6",
    "--hosts 2 --hosts-alone --loss 0.01",
    "--hosts 3 --kill --tensor 128K",
    "--hosts 3 --hosts-alone --type bf16 --tensor 99998",
    "--hosts 4 --rings 2 --type int32 --mtu 256 --tensor 64K --msglen 16 --loss 0.025",
    "--hosts 5 --ipv6 --vlan 5 --verb send --tensor 100000 --window 1 --loss 0.005",
    "--hosts 6 --kill --verb write --tensor 64K",
    "--hosts 2 --reboot 50 --flush 5 --tensor 128K",
    "--hosts 2 --reboot 50 --flush 5 --tensor 128K --mtu 4096 --msglen 16 --window 4 --ipv6",
    "--hosts 3 --reboot 50 --flush 5 --tensor 64K --verb send --mtu 512",
    "--hosts 4 --reboot 50 --flush 5 --tensor 64K --loss 0.005",
    "--hosts 8 --tensor 64K --mtu 2048 --msglen 8 --loss 0.01",
    "--hosts 8 --tensor 16M --repeats 1 --patience 900",
]


def most_hosts():
    """As many hosts and as much loss as may be, with each MTU and operation of RDMA; and all types and reductions, and the rest in turns."""
    types, reductions = ("fp32", "fp16", "bf16", "int32"), ("sum", "min", "max")
    for turn, (mtu, verb) in enumerate(itertools.product((256, 512, 1024, 2048, 4096), ("write", "write-imm", "send"))):
        line = f"--hosts 8 --loss 0.025 --tensor 32K --msglen 8 --repeats 2 --mtu {mtu} --verb {verb} --type {types[turn % 4]}"
        line += f" --op {reductions[turn // 4 % 3]} --window {1 << turn // 3 % 3} --seed {turn}"
        for option, wanted in (("--ipv6", turn % 2 == 1), ("--vlan 4094", turn % 3 == 1), ("--in-place", turn % 4 == 2),
                               ("--register", turn % 5 == 3), ("--rings 2", turn % 7 == 0)):
            line += f" {option}" if wanted else ""
        yield line


RUNS += most_hosts()
# Below tree nodes: one with two to eight guests, leaves below a root; each collective and way, and a guest that dies.
RUNS += [
    "--tree 1x4 --sweep --tensor 256K --repeats 1 --loss 0.01",
    "--tree 2x2 --sweep --tensor 64K --repeats 1 --way stream --type fp16 --loss 0.005 --lock 3",
    "--tree 1x8 --tensor 64K --type bf16 --loss 0.01 --register",
    "--tree 2x4 --sweep --tensor 16K --repeats 2 --ipv6 --vlan 9 --mtu 512 --multicast",
    "--tree 3x2 --library coll --collective broadcast --tensor 200000 --mtu 2048 --loss 0.02 --type int32 --op max --multicast",
    "--tree 1x3 --library coll --collective reduce --tensor 100000 --mtu 256 --lock 0 --loss 0.01",
    "--tree 1x3 --kill --library coll --tensor 64K",
    "--tree 1x4 --kill --tensor 512 --way low --ipv6",
]
LAST = len(RUNS)   # seeds


def words_of(seed):
    """The options of a run; later words win."""
    return ["--patience", "300", *RUNS[seed - 1].split()]


def tell(summary):
    """More counts by name, of which the sums are printed."""
    return {"results": summary.get("results", 0), "lost": summary["lost"]}


def replay_of(words, capture):
    """The options of `weir replay` for what a run sent, in the file `capture`; None where hosts do without the device, it was restarted, or there is a tree."""
    if {"--kill", "--reboot", "--flush", "--hosts-alone", "--tree"} & set(words):
        return None
    window = words[words.index("--window"):][:2] if "--window" in words else []
    return [capture, *window]
