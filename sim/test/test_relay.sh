#!/bin/bash
# More than one rack: `weir ring --topology` over what its users may ask for. Each run compares all tensors with the sum computed directly
# in the order of the tree; here it is looked at that it does, and that it tells what happened.
set -euo pipefail
command=ring
suite=relay
. "$(dirname "$0")/runs.sh"

small=(--msglen 4 --mtu 256 --tensor 30000)
# Three levels, leaves of 3, 1, 2 and 2 hosts, one of them higher than the others.
tree='{"children": [{"children": [{"hosts": 3}, {"hosts": 1}]}, {"hosts": 2}, {"children": [{"hosts": 2}]}]}'

# ------------------------------------------------------------------------------------------------------- the runs

# Nothing goes wrong: one packet a column up and down each cable between switches, and on each host's one; two notifications a message and
# connection between leaves. Nothing is repeated.
plain() {
  run 0 "$@" --json "$work/json.json" && holds 's["tensors_done"] == s["tensors"] and s["mismatches"] == 0' &&
    holds 's["retransmissions"] == s["ack_timeouts"] == s["columns_again"] == s["dropped"] == s["notifications_refused"] == 0' &&
    holds 's["without_template"] == s["without_row"] == s["table_full"] == s["bad_of_parent"] == 0' &&
    holds 's["stored"] == s["packets_sent"] + s["to_parents"] and s["to_parents"] == s["from_parents"] == s["to_children"]' &&
    holds 's["results"] == s["packets_sent"] == s["packets_received"] > 0' &&
    holds 's["columns"] == s["packets_sent"] // s["hosts"] * s["switches"]' &&
    holds 's["to_parents"] == s["packets_sent"] // s["hosts"] * (s["switches"] - 1)' &&
    holds 's["cables"]["to_parent"]["most_bytes"] <= s["cables"]["host_to_leaf"]["most_bytes"] * 1.2'
}

# Something goes wrong, is seen to, and is mended.
mended() {
  run 0 "$@" --json "$work/json.json" && holds 's["tensors_done"] == s["tensors"] and s["mismatches"] == 0' &&
    holds 's["retransmissions"] > 0 and s["columns_again"] > 0'
}

in_tree() {
  "$1" --topology "$tree" "${@:2}" && holds 's["levels"] == 3 and s["switches"] == 7 and s["hosts"] == 8'
}

# Three levels as small as there are: a switch between the root and two of three leaves.
in_small() {
  "$1" --topology '{"children": [{"children": [{"hosts": 2}, {"hosts": 1}]}, {"hosts": 3}]}' "${@:2}" &&
    holds 's["levels"] == 3 and s["switches"] == 5 and s["hosts"] == 6'
}

# All devices are RTL, and all they send is compared.
rtl() {
  "$@" --devices rtl && holds 's["rtl_compared"] >= s["packets_sent"] + s["to_parents"] + s["to_children"]'
}

# Lost notifications are counted, and their messages come through all the same.
notifications() {
  mended --topology leaf-spine:2x2 "${small[@]}" --loss 0.05 --hop to-parent --hop from-parent --seed 7 "$@" &&
    holds 's["without_template"] > 0'
}

# A device forgets all in the middle: what is done is right, and what is not is told.
rebooted() {
  run 0 "${small[@]}" --tensor 6000 --timeout 50 --json "$work/json.json" "$@" && holds 's["mismatches"] == 0' || return 1
  if holds 's["tensors_done"] == s["tensors"]' > /dev/null; then return; fi
  grep -q '^ring [0-9]*, host [0-9]*: ' "$work/stdout"
}

# A leaf whose connections are registered knows them at once: what it cannot place is dropped, and no sum is wrong.
leaf_rebooted() {
  local seed
  for seed in 1 2 3 4 5 6; do
    rebooted --topology leaf-spine:3x2 --tensor 4000 --rings 2 --loss 0.02 --reboot $((1 + seed % 3)) --seed $seed --register "$@" || return 1
  done
}

# A device for a tree as the only one of its rack, in lock step with the model of that.
alone() {
  run 0 "$@" "${small[@]}" --json "$work/json.json" && holds 's["tensors_done"] == s["tensors"] and s["mismatches"] == 0'
}

# At the root, on sound cables, nothing but time is lost.
root_rebooted() {
  rebooted --topology leaf-spine:2x2 --rings 2 --reboot 0 "$@" && holds 's["tensors_done"] == s["tensors"] and s["retransmissions"] > 0'
}

# The same time for 2 to 64 hosts (within 2 %), the same bytes on each cable, and less than a ring all-reduce takes from 4 hosts on.
flat() {
  local t
  for t in 2x1 2x2 4x4 8x8; do
    run 0 --topology "leaf-spine:$t" --short-last --plain-ring --json "$work/$t.json" || return 1
  done
  cp "$work/8x8.json" "$work/json.json"
  for t in 2x1 2x2 4x4; do
    holds "abs(of('$t')['all_reduce_us'] / s['all_reduce_us'] - 1) < 0.02" &&
      holds "all(of('$t')['cables'][k]['most_bytes'] == s['cables'][k]['most_bytes'] for k in s['cables'])" || return 1
  done
  holds 'all(1 <= c["most_share"] < 1.02 for c in s["cables"].values())' &&
    holds 's["plain_ring_us"] > 1.7 * s["all_reduce_us"] and of("2x2")["plain_ring_us"] > 1.3 * of("2x2")["all_reduce_us"]'
}

# A level more takes the time of two cables, two frames, and two devices more, which is the same each time.
levels() {
  local leaves='{"hosts": 2}, {"hosts": 2}' n
  for n in 2 3 4; do
    echo "{\"children\": [$leaves]}" > "$work/tree.json"
    run 0 --topology "$work/tree.json" "${small[@]}" --json "$work/$n.json" || return 1
    leaves="{\"children\": [$leaves]}"
  done
  cp "$work/2.json" "$work/json.json"
  holds 'of("4")["levels"] == 4 and abs((of("4")["rtt_us"] - of("3")["rtt_us"]) - (of("3")["rtt_us"] - s["rtt_us"])) < 0.01' &&
    holds '0.5 < of("3")["rtt_us"] - s["rtt_us"] < 1'
}

dead_host() {
  run 0 --topology leaf-spine:2x2 --rings 2 "${small[@]}" --stop 1 --timeout 50 --json "$work/json.json" &&
    holds 's["tensors"] == 8 and s["tensors_done"] == 4' && grep -q '^ring 1 waits at switch 1 for children 0x2 ' "$work/stdout"
}

slow_host() {
  run 0 --topology leaf-spine:2x2 --msglen 4 --mtu 256 --tensor 8000 --slow 3 --timeout 20000 --json "$work/json.json" &&
    holds 's["tensors_done"] == 4 and s["goodput_gbps"] < 0.1'
}

repeatable() {
  local seed
  for seed in 5 5 6; do
    run 0 --topology leaf-spine:2x3 "${small[@]}" --loss 0.02 --seed "$seed" --json "$work/json.json" || return 1
    python3 -c 'import json, sys; s = json.load(open(sys.argv[1])); print(s["packets_sent"], s["time_us"])' "$work/json.json"
  done > "$work/runs"
  [[ $(sed -n 1p "$work/runs") == "$(sed -n 2p "$work/runs")" && $(sort -u "$work/runs" | wc -l) == 2 ]]
}

# refused WORD OPTION..: one line on stderr with this word, and nothing else.
refused() {
  local word=$1
  shift
  run 2 "$@" --json "$work/json" || return 1
  [[ $(wc -l < "$work/stderr") == 1 && ! -s $work/stdout && ! -e $work/json ]] && grep -q -- "$word" "$work/stderr" && return
  cat "$work/stderr"
  return 1
}

# bad_tree WORD TEXT: a file with this text is refused.
bad_tree() {
  echo "$2" > "$work/tree.json"
  refused "$1" --topology "$work/tree.json"
}

list() {
  local small='--msglen 4 --mtu 256 --tensor 30000' bad='--loss 0.01 --dup 0.03 --reorder 0.05 --ber 0.02' hop verb switch seed
  for verb in write write-imm send send-imm; do echo "plain --topology leaf-spine:2x2 $small --verb $verb"; done
  echo "plain --topology leaf-spine:2x3 $small --type bf16 --short-last --tensor 30002"
  echo "plain --topology leaf-spine:3x2 $small --rings 3 --window 4 --type int32 --op max"
  echo "plain --topology leaf-spine:1x4 --msglen 1 --mtu 1024 --tensor 40000"
  echo "in_tree plain $small"
  # The RTL in all places, each frame compared with the golden models': the paper's Table 3, two leaves of three, three levels.
  echo "rtl plain --topology leaf-spine:2x2 $small --tensor 8000"
  echo "rtl plain --topology leaf-spine:2x3 $small --tensor 8000 --verb send-imm --rings 2"
  echo "rtl plain --topology leaf-spine:3x1 $small --tensor 8002 --short-last --type bf16 --verb send"
  echo "rtl in_small plain $small --tensor 8000 --rings 2"
  for hop in up to-parent from-parent down; do
    echo "rtl mended --topology leaf-spine:2x2 $small --tensor 6000 --loss 0.05 --hop $hop"
    echo "rtl in_small mended $small --tensor 4000 --loss 0.05 --hop $hop --seed 2"
  done
  # A notification overtakes a result inside of a leaf; each of these seeds has it.
  for seed in 1 31 39; do
    echo "rtl mended --topology leaf-spine:2x2 $small --loss 0.05 --hop to-parent --hop from-parent --seed $seed"
  done
  echo "rtl mended --topology leaf-spine:2x3 $small --tensor 6000 --rings 2 $bad --verb write"
  echo "rtl in_small mended $small --tensor 4000 $bad"
  echo "rtl plain --topology leaf-spine:2x2 $small --tensor 8000 --rings 2 --register"
  echo "rtl in_small mended $small --tensor 4000 $bad --register"
  echo "rtl in_small plain $small --tensor 4000 --register --verb send-imm"
  printf '%s\n' leaf_rebooted 'leaf_rebooted --devices rtl' 'leaf_rebooted --devices rtl --verb send'
  # The same devices in one rack.
  echo "alone --config tree4 --hosts 4 --rings 2 --loss 0.02 --dup 0.02 --reorder 0.02"
  echo "alone --config tree4 --hosts 3 --register --verb send-imm --restart --loss 0.01"
  echo "alone --config leaf3 --hosts 2 --loss 0.02"
  echo "alone --config spine2 --hosts 2 --rings 2 --loss 0.02"
  echo "rebooted --topology leaf-spine:2x3 --devices rtl --reboot 0 --loss 0.02"
  printf '%s\n' 'rtl notifications --tensor 8000 --seed 8' 'rtl root_rebooted' 'rtl root_rebooted --verb send'
  for switch in 0 1; do   # above leaves
    echo "in_small rebooted --devices rtl --reboot $switch --seed 3"
    echo "in_tree rebooted --reboot $switch --loss 0.02"
  done
  echo "mended --topology leaf-spine:4x2 $small --tensor 8000 --devices rtl-spine --loss 0.02"
  echo "refused 'so many ports' --topology leaf-spine:5x1 $small --devices rtl-spine"
  echo "refused 'so many ports' --topology leaf-spine:2x4 $small --devices rtl"
  for hop in up to-device from-device down to-parent from-parent; do
    echo "mended --topology leaf-spine:2x3 $small --loss 0.05 --hop $hop"
    echo "mended --topology leaf-spine:2x2 $small --loss 0.01 --dup 0.1 --reorder 0.1 --hop $hop --seed 2"
  done
  echo "mended --topology leaf-spine:4x1 $small $bad"
  echo "mended --topology leaf-spine:2x3 $small --rings 2 $bad --verb send-imm"
  echo "in_tree mended $small --loss 0.02"
  echo "in_tree mended $small $bad --rings 2 --type fp16 --op min"
  printf '%s\n' flat levels notifications dead_host slow_host repeatable
  echo "refused 'two numbers' --topology leaf-spine:2"
  echo "refused 'hosts each' --topology leaf-spine:2x32"
  echo "refused 'more than 128' --topology leaf-spine:16x16"
  echo "refused 'fewer than 2' --topology leaf-spine:1x1"
  echo "refused 'No such file' --topology /nowhere"
  echo "refused devices --devices model"
  echo "refused plain-ring --plain-ring"
  for hop in '--hosts 4' '--rtt 5' --restart '--hold 5' '--hostile 1' '--config tiny' '--stall 0.1' '--report x.html' '--wave x.fst'; do
    echo "refused ${hop%% *} --topology leaf-spine:2x2 $hop"
  done
  echo "refused slow --topology leaf-spine:2x2 --slow 4"
  echo "refused 'switches 0 to 2' --topology leaf-spine:2x2 --reboot 3"
  echo "refused topology --reboot 0"
  echo "bad_tree 'no tree' '{\"hosts\": 3}'"
  echo "bad_tree 'a switch is' '{\"children\": [{\"hosts\": 2, \"children\": []}]}'"
  echo "bad_tree 'a switch is' '[]'"
  echo "bad_tree 'must be a list' '{\"children\": []}'"
  echo "bad_tree 'must be a number' '{\"children\": [{\"hosts\": \"2\"}]}'"
  echo "bad_tree '1 to 31 hosts' '{\"children\": [{\"hosts\": 0}]}'"
  echo "bad_tree 'line 2' '{'"
}

runs "$@"
