#!/usr/bin/env python3
"""Trains a small model on all ranks, again and again: with gradients that `weir` sums, that are gathered and added in the aggregator's order, and that Gloo sums. The losses of each
step are written down exactly, as hexadecimal floats.

Usage: torch_train.py STEPS FOLDER      with RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT in the environment

One run a file of FOLDER, GROUP.TYPE: GROUP is `weir`, `ordered` or `gloo`, TYPE what gradients are on their way, fp32, fp16 or bf16. The model is DistributedDataParallel's. With
`sharded-` before the type each rank holds one part of the parameters alone, all-gathered before a step, with gradients reduce-scattered behind it. With `fsdp-` that is
FullyShardedDataParallel's own class, where this version of PyTorch has it for CPUs.
"""
import os
import sys
import time

import torch
import torch.distributed as dist
import weir_torch
from torch.nn.parallel import DistributedDataParallel

ROWS, INPUTS, HIDDEN, RATE = 96, 16, 32, 0.2
TYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
KINDS = ["fp32", "fp16", "bf16", "sharded-fp32", "sharded-bf16"]
try:
    from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision
    KINDS += ["fsdp-fp32", "fsdp-bf16"]
except ValueError as error:   # PyTorch 1.13 below Python 3.11
    print(f"no FullyShardedDataParallel: {error}", flush=True)
RUNS = [("gloo", "fp32"), *((group, kind) for kind in KINDS for group in ("weir", "ordered"))]


def tree_sum(parts):
    """Pairs of neighbours, then pairs of those; wide, rounded at the end."""
    level = [part.float() for part in parts]
    while len(level) > 1:
        level = [level[i] + level[i + 1] if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    return level[0]


class Weir:
    """All through the backend `weir`."""

    def __init__(self):
        self.group = dist.new_group(backend="weir")

    def sum(self, tensor):
        """In place, over all ranks."""
        dist.all_reduce(tensor, group=self.group)

    def scatter(self, out, tensor):
        """This rank's part of the sum of all ranks' `tensor`."""
        dist.reduce_scatter_tensor(out, tensor, group=self.group)

    def gather(self, out, tensor):
        """Every rank's `tensor`, one behind the other."""
        dist.all_gather_into_tensor(out, tensor, group=self.group)


class Gloo(Weir):
    """All through Gloo, which adds in an order of its own and has neither bfloat16 nor reduce-scatter."""

    def __init__(self):
        self.group = None

    def everybody(self, tensor):
        """What each rank has, wide: nothing is lost."""
        parts = [torch.empty(tensor.shape) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, tensor.float())
        return parts

    def gather(self, out, tensor):
        out.copy_(torch.cat(self.everybody(tensor)))


class Ordered(Gloo):
    """Gathered by Gloo, and added in the aggregator's order."""

    def sum(self, tensor):
        tensor.copy_(tree_sum(self.everybody(tensor)))

    def scatter(self, out, tensor):
        whole = tensor.clone()
        self.sum(whole)
        out.copy_(whole.chunk(dist.get_world_size())[dist.get_rank()])


def make_model():
    """The same on all ranks."""
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(INPUTS, HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 1))


class Whole:
    """DistributedDataParallel: each rank has all parameters, and gradients are averaged in `dtype`."""

    def __init__(self, way, dtype):
        self.way, self.dtype = way, dtype
        self.model = DistributedDataParallel(make_model(), process_group=way.group)
        self.model.register_comm_hook(None, self.hook)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=RATE)

    def hook(self, _state, bucket):
        """Divided by the number of ranks, narrowed, summed, and widened."""
        numbers = (bucket.buffer() / dist.get_world_size()).to(self.dtype)
        self.way.sum(numbers)
        future = torch.futures.Future()
        future.set_result(bucket.buffer().copy_(numbers))
        return future

    def step(self, x, y):
        """One step; the loss before it."""
        loss = torch.nn.functional.mse_loss(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()


class Sharded:
    """Each rank keeps one part of the parameters, and takes its step there."""

    def __init__(self, way, dtype):
        self.way, self.dtype, self.model = way, dtype, make_model()
        flat = torch.nn.utils.parameters_to_vector(self.model.parameters()).detach()
        self.used, ranks = len(flat), dist.get_world_size()
        self.flat = torch.cat([flat, torch.zeros(-len(flat) % ranks)])
        self.own = self.flat.chunk(ranks)[dist.get_rank()].clone()

    def step(self, x, y):
        """One step; the loss before it."""
        self.flat.fill_(float("nan"))   # nothing of what others own is left
        self.way.gather(self.flat, self.own)
        torch.nn.utils.vector_to_parameters(self.flat[: self.used].clone(), self.model.parameters())
        loss = torch.nn.functional.mse_loss(self.model(x), y)
        gradients = torch.zeros_like(self.flat)
        gradients[: self.used] = torch.cat([g.reshape(-1) for g in torch.autograd.grad(loss, list(self.model.parameters()))])
        part = torch.empty_like(self.own, dtype=self.dtype)
        self.way.scatter(part, (gradients / dist.get_world_size()).to(self.dtype))
        self.own.add_(part.float(), alpha=-RATE)
        return loss.detach()


class FullyShard:
    """FullyShardedDataParallel, a unit a layer: all-gathers before a layer is used, forward and backward, and a reduce-scatter of its gradients in `dtype`."""

    def __init__(self, way, dtype):
        def shard(module):
            return FullyShardedDataParallel(module, process_group=way.group, device_id=torch.device("cpu"), mixed_precision=MixedPrecision(reduce_dtype=dtype))

        self.model = shard(torch.nn.Sequential(*(shard(layer) if list(layer.parameters()) else layer for layer in make_model())))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=RATE)

    step = Whole.step


class Divided:
    """What FullyShardedDataParallel computes, with whole parameters: gradients are narrowed and divided in two steps, before and behind the sum."""

    def __init__(self, way, dtype):
        self.way, self.dtype, self.model = way, dtype, make_model()
        self.before = 1
        while dist.get_world_size() % self.before == 0 and dist.get_world_size() / self.before > self.before:
            self.before *= 2

    def step(self, x, y):
        """One step; the loss before it."""
        loss = torch.nn.functional.mse_loss(self.model(x), y)
        for parameter, gradient in zip(self.model.parameters(), torch.autograd.grad(loss, list(self.model.parameters()))):
            numbers = gradient.to(self.dtype).div_(self.before)
            self.way.sum(numbers)
            numbers.div_(dist.get_world_size() / self.before)
            parameter.data.add_(numbers.float(), alpha=-RATE)
        return loss.detach()


def trainer_of(way, kind):
    """Who trains, in a run of this kind."""
    shape, _, name = kind.rpartition("-")
    fsdp = Divided if isinstance(way, Ordered) else FullyShard
    return {"": Whole, "sharded": Sharded, "fsdp": fsdp}[shape](way, TYPES[name])


def train(trainer, steps):
    """The mean loss of all ranks at each step. Each has data of its own."""
    weights = torch.randn(INPUTS, 1, generator=torch.Generator().manual_seed(7)) / 4
    own = torch.Generator().manual_seed(100 + dist.get_rank())
    losses = []
    for _ in range(steps):
        x = torch.randn(ROWS, INPUTS, generator=own)
        loss = trainer.step(x, torch.sin(x @ weights)).reshape(1)
        everybody = [torch.empty(1) for _ in range(dist.get_world_size())]
        dist.all_gather(everybody, loss)
        losses.append(sum(float(one) for one in everybody) / len(everybody))
    return losses


def main():
    """All runs."""
    steps, folder = int(sys.argv[1]), sys.argv[2]
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    ways = {"gloo": Gloo(), "weir": Weir(), "ordered": Ordered()}
    weir = ways["weir"].group
    assert isinstance(weir, weir_torch.WeirGroup)
    for group, kind in RUNS:
        begin = time.time()
        losses = train(trainer_of(ways[group], kind), steps)
        dist.barrier()
        if dist.get_rank() != 0:
            continue
        with open(os.path.join(folder, f"{group}.{kind}"), "w", encoding="ascii") as out:
            out.write("".join(f"{loss.hex()}\n" for loss in losses))
        print(f"{group} {kind}: loss {losses[0]:.6f} .. {losses[-1]:.6f}, {time.time() - begin:.1f} s", flush=True)
    if dist.get_rank() == 0:
        print(f"weir: {weir.chosen()}", flush=True)
    weir.close()


main()
