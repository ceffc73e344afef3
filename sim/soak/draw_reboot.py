"""Runs in which the device loses its memory in the middle and is opened at once: hosts that take nothing without a mark take no wrong sum (docs/protocol.md).
Without --epoch the same runs take many."""
import random

from options import option_words

COMMAND = "ring"
COUNTED = ("frames_in", "frames into the device")   # key of the summary, which must not be 0, and what it counts


def options_of(seed):
    """All but the epoch."""
    draw = random.Random(seed)
    found = {"config": "tiny", "seed": seed, "reboot": 0, "hosts": draw.choice([2, 3]), "mtu": 256, "msglen": draw.choice([1, 2, 4, 8]),
             "window": draw.choice([1, 2]), "tensor": draw.choice(["8K", "16K", "24K"]), "verb": draw.choice(["write-imm", "send-imm"]),
             "loss": draw.choice([0, 0.005, 0.02, 0.05]), "ack-every": draw.choice([0, 1, 2, 3]), "timeout": draw.choice([20, 50, 100]),
             "reboot-down": draw.choice([0, 1, 5, 20]), "reboot-at": round(draw.uniform(6, 60), 1)}
    for name, value, percent in (("stall", 0.2, 30), ("rate", 20, 20), ("short-last", True, 30), ("register", True, 10), ("dup", 0.02, 30)):
        if draw.random() * 100 < percent:
            found[name] = value
    return found


def words_of(seed):
    """The options of a run."""
    return option_words({**options_of(seed), "epoch": 1 + seed % 255})


def tell(summary):
    """More counts by name, of which the sums are printed."""
    return {"messages taken": summary["messages_taken"], "wrong sums": summary["wrong_sums"], "rings done": summary["tensors_done"] == summary["tensors"],
            "refused, raw packet": summary["refused_raw"], "refused, two epochs": summary["refused_two_epochs"]}
