"""torch.distributed's backend `weir`: process groups of CPU tensors whose collectives go through libweir-coll.

    import weir_torch
    torch.distributed.init_process_group("weir")

All-reduces and reduce-scatters take float32, float16, bfloat16 and int32, and SUM, MIN, MAX and AVG (not of int32); broadcasts and all-gathers take any type, bit by bit. Anything else is an
error: nothing is done in another way in silence. Ranks meet by the store that torch.distributed has. How the network is set up is said by the environment (docs/host.md).
"""
import ctypes
import datetime
import inspect
import os

import torch
import torch.distributed as dist

TYPES = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2, torch.int32: 3}
_ALL_GATHER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


class _Config(ctypes.Structure):
    """struct weir_coll_config of weir/coll.h, version 1.1."""

    _fields_ = [
        ("size", ctypes.c_size_t), ("rank", ctypes.c_uint), ("workers", ctypes.c_uint), ("root", ctypes.c_char_p), ("job", ctypes.c_uint64),
        ("secret", ctypes.c_void_p), ("secret_bytes", ctypes.c_size_t), ("all_gather", _ALL_GATHER), ("context", ctypes.c_void_p),
        ("address", ctypes.c_char_p), ("device", ctypes.c_char_p), ("ring", ctypes.c_uint16), ("window", ctypes.c_uint),
        ("msglen", ctypes.c_uint), ("mtu", ctypes.c_uint), ("verb", ctypes.c_int), ("way", ctypes.c_int), ("timeout_ms", ctypes.c_uint),
        ("qp_timeout", ctypes.c_uint), ("retries", ctypes.c_uint), ("unmarked", ctypes.c_bool), ("tree", ctypes.c_void_p),
        ("backends", ctypes.c_uint), ("rings", ctypes.c_uint), ("gid_index", ctypes.c_int), ("port", ctypes.c_uint),
        ("traffic_class", ctypes.c_uint), ("service_level", ctypes.c_uint),
    ]


def _library():
    """libweir-coll, from where the dynamic linker finds it, or from WEIR_LIBRARY."""
    lib = ctypes.CDLL(os.environ.get("WEIR_LIBRARY", "libweir-coll.so.1"), use_errno=True)
    pointer, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    lib.weir_coll_config_init.argtypes = [pointer, size]
    lib.weir_coll_init.argtypes = [pointer, pointer, ctypes.c_char_p, size]
    lib.weir_coll_iallreduce.argtypes = [pointer, pointer, pointer, size, number, number, pointer, pointer]
    lib.weir_coll_ireduce_scatter.argtypes = lib.weir_coll_iallreduce.argtypes
    lib.weir_coll_ireduce.argtypes = [pointer, pointer, pointer, size, number, number, ctypes.c_uint, pointer, pointer]
    lib.weir_coll_ibroadcast.argtypes = [pointer, pointer, size, ctypes.c_uint, pointer]
    lib.weir_coll_iall_gather.argtypes = [pointer, pointer, pointer, size, pointer]
    lib.weir_coll_ibarrier.argtypes = [pointer, pointer]
    lib.weir_coll_test.argtypes = [pointer, pointer, pointer]
    lib.weir_coll_close.argtypes = [pointer]
    for name in ("weir_coll_why", "weir_coll_chosen"):
        getattr(lib, name).argtypes = [pointer]
        getattr(lib, name).restype = ctypes.c_char_p
    if lib.weir_coll_version() < 10100:
        raise RuntimeError("weir: libweir-coll is older than 1.1")
    return lib


def _operation(op):
    """enum weir_coll_op."""
    for number, name in enumerate(("SUM", "MIN", "MAX", "AVG")):
        if op == getattr(dist.ReduceOp, name):
            return number
    raise NotImplementedError(f"weir: no reduction {op}")


def _work(result):
    """What has been done already, in the shape that torch.distributed waits for."""
    future = torch.futures.Future()
    future.set_result(result)
    return torch._C._distributed_c10d._create_work_from_future(future)


class WeirGroup(dist.ProcessGroup):
    """A communicator of libweir-coll. Each call is over when it returns; one thread at a time."""

    def __init__(self, store, rank, size, timeout=datetime.timedelta(seconds=1800)):
        super().__init__(rank, size)
        self._lib, self._store, self._rank, self._size, self._round = _library(), store, rank, size, 0
        self._coll = ctypes.c_void_p()
        self._gather = _ALL_GATHER(self._all_gather)  # must stay as long as the communicator
        config, error = _Config(), ctypes.create_string_buffer(256)
        self._lib.weir_coll_config_init(ctypes.byref(config), ctypes.sizeof(config))
        config.rank, config.workers, config.all_gather = rank, size, self._gather
        config.timeout_ms = min(int(timeout.total_seconds() * 1000), 2**31 - 1)
        code = self._lib.weir_coll_init(ctypes.byref(config), ctypes.byref(self._coll), error, len(error))
        if code != 0:
            raise RuntimeError(f"weir: {error.value.decode()} ({os.strerror(-code)})")

    def _all_gather(self, _context, mine, size, everybody):
        """The exchange that the library asks for, over the store."""
        try:
            self._round += 1
            self._store.set(f"weir/{self._round}/{self._rank}", ctypes.string_at(mine, size))
            for rank in range(self._size):
                ctypes.memmove(everybody + rank * size, self._store.get(f"weir/{self._round}/{rank}"), size)
            return 0
        except Exception:  # the library tells it as an error
            return -5

    def _run(self, begin, *arguments):
        """Begins an operation and waits for its end."""
        request, done = ctypes.c_void_p(), ctypes.c_bool(False)
        code = begin(self._coll, *arguments, ctypes.byref(request))
        while code == 0 and not done.value:
            code = self._lib.weir_coll_test(self._coll, request, ctypes.byref(done))
        if code != 0:
            raise RuntimeError(f"weir: {self._lib.weir_coll_why(self._coll).decode() or 'not begun'} ({os.strerror(-code)})")

    @staticmethod
    def _type(tensor):
        if tensor.dtype not in TYPES or tensor.device.type != "cpu":
            raise NotImplementedError(f"weir: no reduction of {tensor.dtype} on {tensor.device}")
        return TYPES[tensor.dtype]

    @staticmethod
    def _bytes(tensor):
        return tensor.numel() * tensor.element_size()

    # --- what torch.distributed calls ---

    def allreduce(self, tensors, opts=None):
        op = _operation(opts.reduceOp if opts is not None else dist.ReduceOp.SUM)
        for tensor in tensors:
            dense = tensor.contiguous()
            self._run(self._lib.weir_coll_iallreduce, dense.data_ptr(), dense.data_ptr(), dense.numel(), self._type(dense), op, None)
            if dense is not tensor:
                tensor.copy_(dense)
        return _work(tensors)

    def reduce(self, tensors, opts):
        for tensor in tensors:
            dense = tensor.contiguous()
            self._run(self._lib.weir_coll_ireduce, dense.data_ptr(), dense.data_ptr(), dense.numel(), self._type(dense),
                      _operation(opts.reduceOp), opts.rootRank, None)
            if dense is not tensor:
                tensor.copy_(dense)
        return _work(tensors)

    def broadcast(self, tensors, opts):
        for tensor in tensors:
            dense = tensor.contiguous()
            self._run(self._lib.weir_coll_ibroadcast, dense.data_ptr(), self._bytes(dense), opts.rootRank)
            if dense is not tensor:
                tensor.copy_(dense)
        return _work(tensors)

    def _allgather_base(self, output, tensor, opts=None):
        out, dense = output.contiguous(), tensor.contiguous()
        self._run(self._lib.weir_coll_iall_gather, dense.data_ptr(), out.data_ptr(), self._bytes(dense))
        if out is not output:
            output.copy_(out)
        return _work([output])

    def allgather(self, outputs, tensors, opts=None):
        for places, tensor in zip(outputs, tensors):
            everybody = tensor.new_empty((self._size, *tensor.shape))
            self._allgather_base(everybody, tensor)
            for place, one in zip(places, everybody):
                place.copy_(one)
        return _work(outputs)

    def _reduce_scatter_base(self, output, tensor, opts=None):
        op = _operation(opts.reduceOp if opts is not None else dist.ReduceOp.SUM)
        out, dense = output.contiguous(), tensor.contiguous()
        self._run(self._lib.weir_coll_ireduce_scatter, dense.data_ptr(), out.data_ptr(), out.numel(), self._type(dense), op, None)
        if out is not output:
            output.copy_(out)
        return _work([output])

    def reduce_scatter(self, outputs, tensors, opts=None):
        for output, parts in zip(outputs, tensors):
            self._reduce_scatter_base(output, torch.stack(parts), opts)
        return _work(outputs)

    def barrier(self, opts=None):
        self._run(self._lib.weir_coll_ibarrier)
        return _work([])

    def close(self):
        """Ends the communicator: all ranks do. RuntimeError if it had failed."""
        code = self._lib.weir_coll_close(self._coll) if self._coll else 0
        self._coll = None
        if code != 0:
            raise RuntimeError(f"weir: {os.strerror(-code)}")

    def chosen(self):
        """Who reduces, and why."""
        return self._lib.weir_coll_chosen(self._coll).decode()

    def getSize(self):
        return self._size

    def size(self):
        return self._size

    def rank(self):
        return self._rank

    def getBackendName(self):
        return "weir"

    def _set_group_name(self, name):
        self._name = name

    @property
    def group_name(self):
        """What torch.distributed calls it: its meshes of devices ask."""
        return self._name


# PyTorch 2 wants to be told what tensors it is for.
_devices = {"devices": ["cpu"]} if "devices" in inspect.signature(dist.Backend.register_backend).parameters else {}
dist.Backend.register_backend("weir", WeirGroup, **_devices)
