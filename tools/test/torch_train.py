#!/usr/bin/env python3
"""Trains a small model with DistributedDataParallel, one process a rank, and writes the loss of each step: exactly, as a hexadecimal float.

Usage: torch_train.py GROUP TYPE STEPS FILE      with RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT in the environment
GROUP: `weir`; `gloo`; or `ordered`, which gathers by Gloo and adds in the aggregator's order, a balanced tree over the ranks. TYPE of gradients on their way: fp32, fp16, bf16.
"""
import os
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

ROWS, INPUTS, HIDDEN = 96, 16, 32


def tree_sum(parts):
    """Pairs of neighbours, then pairs of those; wide, rounded at the end."""
    level = [part.float() for part in parts]
    while len(level) > 1:
        level = [level[i] + level[i + 1] if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    return level[0]


def ordered_hook(_state, bucket):
    """All-reduces a bucket in the aggregator's order."""
    tensor = bucket.buffer()
    wide = tensor.float()   # Gloo has no bfloat16; nothing is lost
    parts = [torch.empty_like(wide) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, wide)
    future = torch.futures.Future()
    future.set_result(tensor.copy_(tree_sum(parts)))
    return future


def sum_hook(_state, bucket):
    """All-reduces a bucket by the group itself."""
    tensor = bucket.buffer()
    dist.all_reduce(tensor)
    future = torch.futures.Future()
    future.set_result(tensor)
    return future


def narrow(hook, dtype):
    """Gradients are divided by the number of ranks, go in another type, and come back from it."""

    class Narrow:
        """A bucket with its numbers in that type."""

        def __init__(self, bucket):
            self.numbers = (bucket.buffer() / dist.get_world_size()).to(dtype)

        def buffer(self):
            """What goes."""
            return self.numbers

    def run(state, bucket):
        result = hook(state, Narrow(bucket)).value()
        future = torch.futures.Future()
        future.set_result(bucket.buffer().copy_(result))
        return future

    return run


def main():
    """Trains."""
    group, kind, steps, path = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    if group == "weir":
        import weir_torch  # registers the backend

        assert weir_torch
    dist.init_process_group("weir" if group == "weir" else "gloo")
    rank = dist.get_rank()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(INPUTS, HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 1))
    ddp = DistributedDataParallel(model)
    dtype = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}[kind]
    ddp.register_comm_hook(None, narrow(ordered_hook if group == "ordered" else sum_hook, dtype))
    teacher = torch.Generator().manual_seed(7)
    weights = torch.randn(INPUTS, 1, generator=teacher)
    own = torch.Generator().manual_seed(100 + rank)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.05)
    lines = []
    for _ in range(steps):
        x = torch.randn(ROWS, INPUTS, generator=own)
        loss = torch.nn.functional.mse_loss(ddp(x), torch.sin(x @ weights))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = loss.detach().clone().reshape(1)
        everybody = [torch.empty(1) for _ in range(dist.get_world_size())]
        dist.all_gather(everybody, total)
        lines.append(sum(float(one) for one in everybody) / len(everybody))
    chosen = dist.distributed_c10d._get_default_group().chosen() if group == "weir" else group
    dist.barrier()
    if rank == 0:
        with open(path, "w", encoding="ascii") as out:
            out.write(f"# {chosen}\n" + "".join(f"{loss.hex()}\n" for loss in lines))
        print(f"{group} {kind}: {chosen}; loss {lines[0]:.6f} .. {lines[-1]:.6f}")
    if group == "weir":
        dist.distributed_c10d._get_default_group().close()


main()
