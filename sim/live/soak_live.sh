#!/bin/bash
# `weir live` over what its hosts must stand: 2 to 8 hosts, loss up to 2.5 % each way, all MTUs and operations of RDMA, IPv4, IPv6, VLAN, two jobs at
# once, other programs beside them, a host that is killed. What a run sent is replayed, too. Takes half an hour.
#
# Usage: sim/live/soak_live.sh WEIR [WORD]     with a word, only the runs whose line contains it
set -uo pipefail
weir=$1
word=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

runs=(
  '--hosts 2 --loss 0.025 --verb write --mtu 256 --type fp16'
  '--hosts 2 --verb send --mtu 512 --type bf16 --op min --vlan 100 --in-place'
  '--hosts 2 --ipv6 --mtu 2048 --type int32 --op max --register --loss 0.01'
  '--hosts 2 --verb write --mtu 4096 --msglen 16 --window 4 --in-place --register'
  '--hosts 2 --sweep --tensor 256K --loss 0.002'
  '--hosts 2 --perftest --tensor 512K --repeats 6'
  '--hosts 2 --perftest --tensor 512K --repeats 6 --ipv6'
  '--hosts 2 --hosts-alone --loss 0.01'
  '--hosts 3 --kill --tensor 128K'
  '--hosts 3 --hosts-alone --type bf16 --tensor 99998'
  '--hosts 4 --rings 2 --type int32 --mtu 256 --tensor 64K --msglen 16 --loss 0.025'
  '--hosts 5 --ipv6 --vlan 5 --verb send --tensor 100000 --window 1 --loss 0.005'
  '--hosts 6 --kill --verb write --tensor 64K'
  '--hosts 8 --tensor 64K --mtu 2048 --msglen 8 --loss 0.01'
  '--hosts 8 --tensor 16M --repeats 1 --patience 900'
)
# As many hosts and as much loss as may be, with each MTU and operation of RDMA; and all types and reductions, and the rest in turns.
types=(fp32 fp16 bf16 int32) reductions=(sum min max) turn=0
for mtu in 256 512 1024 2048 4096; do
  for verb in write write-imm send; do
    line="--hosts 8 --loss 0.025 --tensor 32K --msglen 8 --repeats 2 --mtu $mtu --verb $verb"
    line+=" --type ${types[turn % 4]} --op ${reductions[turn / 4 % 3]} --window $((1 << turn / 3 % 3)) --seed $turn"
    ((turn % 2)) && line+=' --ipv6'
    ((turn % 3 == 1)) && line+=' --vlan 4094'
    ((turn % 4 == 2)) && line+=' --in-place'
    ((turn % 5 == 3)) && line+=' --register'
    ((turn % 7 == 0)) && line+=' --rings 2'
    runs+=("$line")
    turn=$((turn + 1))
  done
done

failed=0
for options in "${runs[@]}"; do
  [[ $options == *"$word"* ]] || continue
  start=$SECONDS verdict=ok
  # shellcheck disable=SC2086
  if ! "$weir" live --patience 300 $options --out "$work/live.pcapng" > "$work/log" 2>&1; then
    verdict=FAILED
  elif [[ $options != *--kill* && $options != *--hosts-alone* ]]; then
    window=$(grep -o -- '--window [0-9]*' <<< "$options" || true)
    "$weir" replay "$work/live.pcapng" $window > "$work/log" 2>&1 || verdict='FAILED in replay'
  fi
  printf '%-16s %4d s  weir live %s\n' "$verdict" $((SECONDS - start)) "$options"
  if [[ $verdict != ok ]]; then
    failed=1
    cat "$work/log"
  fi
done
exit $failed
