#!/bin/bash
# A small model is trained by PyTorch's DistributedDataParallel on three ranks, whose gradients are summed by the backend `weir` (host/torch/weir_torch.py). Its loss is, bit by bit, that of
# ranks which gather all gradients and add them in the aggregator's order, for each type of number, and close to that of Gloo. Ranks are processes of this machine, whose RDMA network is
# memory that they share (tb/unit/host/process_verbs.h). Takes Debian's python3-torch.
#
# Usage: sim/soak/train.sh [RANKS [STEPS]]
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD:-build}")
ranks=${1:-3} steps=${2:-60}
work=$(mktemp -d)
network=/dev/shm/weir-train.$$
trap 'rm -rf "$work" "$network"' EXIT

# train GROUP TYPE: its losses are in GROUP.TYPE.
train() {
  local rank port pids=()
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  rm -f "$network"
  for ((rank = 0; rank < ranks; rank++)); do
    RANK=$rank WORLD_SIZE=$ranks MASTER_ADDR=127.0.0.1 MASTER_PORT=$port WEIR_FAKE_VERBS=$network WEIR_LIBRARY=$build/host/libweir-coll.so.1 \
      LD_PRELOAD=$build/host/libprocess-verbs.so PYTHONPATH=host/torch timeout 600 /usr/bin/python3 tools/test/torch_train.py "$1" "$2" "$steps" "$work/$1.$2" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid"; done
}

make -s BUILD="${BUILD:-build}" host-tests > "$work/said" 2>&1 || { cat "$work/said" >&2 && exit 1; }
train gloo fp32
for type in fp32 fp16 bf16; do
  train weir "$type"
  train ordered "$type"
  # Their first lines say who summed.
  diff <(tail -n +2 "$work/weir.$type") <(tail -n +2 "$work/ordered.$type") > "$work/diff" || { echo "train.sh: $type: not the losses of sums in the same order" >&2 && exit 1; }
  python3 - "$work/weir.$type" "$work/gloo.fp32" "$type" "$steps" << 'END'
import sys

ours, gloo = ([float.fromhex(line) for line in open(path) if line[0] != "#"] for path in sys.argv[1:3])
far = max(abs(a - b) / b for a, b in zip(ours, gloo))
print(f"{sys.argv[3]}: {len(ours)} losses as in the same order, to the bit; at most {far:.2e} from Gloo's of fp32, relatively")
sys.exit(len(ours) != int(sys.argv[4]) or far > 0.002)
END
done
