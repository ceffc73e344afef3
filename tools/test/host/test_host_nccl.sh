#!/bin/bash
# The plugin for NCCL, without NCCL and GPUs: a program plays NCCL's part (tools/test/host/host_nccl.c) on two ranks, over a network in memory (tb/unit/host/net/process_verbs.h).
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
. tools/test/tap.sh
build=$(realpath "${BUILD:-build}")
work=$(mktemp -d)
network=/dev/shm/weir-nccl-test.$$
trap 'rm -rf "$work" "$network"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL

makes() {
  make -s BUILD="${BUILD:-build}" host-tests > "$work/said" 2>&1 || { tail "$work/said" && return 1; }
  gcc -Wall -Wextra -Werror tools/test/host/host_nccl.c -o "$work/program"
}
# play VARIABLE=VALUE..: what it said is in said.
play() {
  rm -f "$network"
  env WEIR_TCP_ADDRESS=127.0.0.1 WEIR_FAKE_VERBS="$network" LD_PRELOAD="$build/host/libprocess-verbs.so" "$@" timeout 60 "$work/program" "$build/host/libnccl-net-weir.so" > "$work/said" 2>&1
}
two_ranks() { play X= && grep -qx right "$work/said" && grep -q 'rank 1 of 2: the device: it summed' "$work/said" || { cat "$work/said" && return 1; }; }
a_wrong_sum_is_seen() { ! play WEIR_FAKE_WRONG=2 && ! grep -qx right "$work/said" && grep -Eq '^a wrong (sum|average|all-gather|reduce-scatter)$' "$work/said" || { cat "$work/said" && return 1; }; }
no_device() { ! play WEIR_FAKE_DEVICE=0 && grep -q 'no device answers for this ring' "$work/said" && grep -qx 'no connection' "$work/said" || { cat "$work/said" && return 1; }; }
# NCCL unloads a library that has no plugin for messages.
symbols() { [[ $(nm -D --defined-only "$build/host/libnccl-net-weir.so" | awk '{print $3}' | sort | tr '\n' ' ') == 'ncclCollNetPlugin_v8 ncclNetPlugin_v8 ' ]]; }

check makes makes
for name in two_ranks a_wrong_sum_is_seen no_device symbols; do check "$name" "$name"; done
tap_end
