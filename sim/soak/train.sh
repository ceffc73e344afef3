#!/bin/bash
# A small model is trained by PyTorch: gradients are summed by the backend `weir` (host/torch/weir_torch.py), by ranks that gather all gradients and add them in the aggregator's order,
# and by Gloo (tools/test/host/torch_train.py). Losses of the first two are the same, bit by bit, for each type of number, with DistributedDataParallel and with parameters in parts; the third's
# are close. Ranks are processes of this machine, whose RDMA network is memory that they share (tb/unit/host/net/process_verbs.h). Takes Debian's python3-torch.
#
# Usage: sim/soak/train.sh [RANKS [STEPS]]      FOLDER: where the losses stay (default: they do not)
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD:-build}")
ranks=${1:-3} steps=${2:-60}
work=${FOLDER:-$(mktemp -d)}
mkdir -p "$work"
network=/dev/shm/weir-train.$$
trap 'rm -rf "$network"; [[ -n ${FOLDER:-} ]] || rm -rf "$work"' EXIT

make -s BUILD="${BUILD:-build}" host-tests > "$work/said" 2>&1 || { cat "$work/said" >&2 && exit 1; }
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
pids=()
for ((rank = 0; rank < ranks; rank++)); do
  RANK=$rank WORLD_SIZE=$ranks MASTER_ADDR=127.0.0.1 MASTER_PORT=$port WEIR_FAKE_VERBS=$network WEIR_LIBRARY=$build/host/libweir-coll.so.1 \
    LD_PRELOAD=$build/host/libprocess-verbs.so PYTHONPATH=host/torch timeout 900 /usr/bin/python3 tools/test/host/torch_train.py "$steps" "$work" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
/usr/bin/python3 sim/soak/losses.py "$work" "$steps"
