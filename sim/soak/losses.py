#!/usr/bin/env python3
"""Compares what tools/test/host/torch_train.py has written down: sums of `weir` and sums in the same order must give the same losses, bit by bit, and be close to Gloo's.

Usage: sim/soak/losses.py FOLDER STEPS [fsdp]      fsdp: FullyShardedDataParallel must have run, too
"""
import math
import pathlib
import sys

KINDS = ("fp32", "fp16", "bf16", "sharded-fp32", "sharded-bf16")
MOST = 0.002   # NetReduce 5.3 claims less than 0.2 %


def read(path, steps):
    """Its losses; exits where there are not as many as steps, or one is no number."""
    losses = [float.fromhex(line) for line in path.read_text(encoding="ascii").split()]
    if len(losses) != steps or not all(math.isfinite(loss) for loss in losses):
        sys.exit(f"losses.py: {path.name}: not {steps} losses")
    return losses


def main():
    """Prints a line for each type of number."""
    folder, steps = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    gloo = read(folder / "gloo.fp32", steps)
    if gloo[-1] > 0.9 * gloo[0]:
        sys.exit("losses.py: nothing was learned")
    for kind in (*KINDS, *(("fsdp-fp32", "fsdp-bf16") if "fsdp" in sys.argv[3:] else ())):
        ours, ordered = read(folder / f"weir.{kind}", steps), read(folder / f"ordered.{kind}", steps)
        if ours != ordered:
            sys.exit(f"losses.py: {kind}: not the losses of sums in the same order, from step {[a == b for a, b in zip(ours, ordered)].index(False)} on")
        far = max(abs(a - b) / b for a, b in zip(ours, gloo))
        print(f"{kind}: {steps} losses as in the same order, to the bit; at most {far:.2e} from Gloo's of fp32, relatively")
        if far > MOST:
            sys.exit(f"losses.py: that is more than {MOST}")
    # Parameters in parts change no number: each element is summed in the same order, wherever it lies.
    for kind in ("fp32", "bf16"):
        if read(folder / f"weir.{kind}", steps) != read(folder / f"weir.sharded-{kind}", steps):
            sys.exit(f"losses.py: {kind}: parameters in parts learn something else than whole ones")
    print("parameters in parts: the same losses, to the bit")


main()
