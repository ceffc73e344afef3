#!/bin/bash
# Hosts in closed loop with the device: `weir ring` over what its users may ask for. Each run compares every tensor with the sum
# computed directly and every packet with the golden model; here it is looked at that it does, and that it tells what happened.
set -euo pipefail
command=ring
. "$(dirname "$0")/runs.sh"

small=(--config tiny --hosts 4 --msglen 4 --mtu 256)

# ------------------------------------------------------------------------------------------------------- the runs

# Nothing goes wrong: nothing is sent twice, and nobody waits for a clock.
plain() {
  run 0 "$@" --json "$work/json.json" && holds 's["tensors_done"] == s["tensors"] and s["mismatches"] == 0' &&
    holds 's["retransmissions"] == s["ack_timeouts"] == s["sequence_naks"] == s["out_of_sequence"] == 0' &&
    holds 's["results"] == s["packets_sent"] == s["packets_received"] > 0'
}

# Something goes wrong, is seen to, and is mended.
mended() {
  run 0 "$@" --json "$work/json.json" && holds 's["tensors_done"] == s["tensors"] and s["mismatches"] == 0' &&
    holds 's["retransmissions"] > 0 and s["results"] >= s["packets_received"] > 0'
}

# Gaps are counted exactly: without reordering, each is told by one NAK.
gaps() {
  run 0 "${small[@]}" --tensor 40000 --loss 0.02 --hop down --json "$work/json.json" &&
    holds '0 < s["sequence_naks"] <= s["out_of_sequence"] and s["drops"]["bad_icrc"] == s["drops"]["frame_error"] == 0'
}

# A late ACK is no reason for a wrong sum, nor is a clock that runs out too soon.
late_acks() {
  run 0 "${small[@]}" --tensor 20000 --ack-delay 30 --timeout 10 --json "$work/json.json" &&
    holds 's["ack_timeouts"] > 0 and s["duplicates_received"] > 0 and s["tensors_done"] == 4'
}

not_ready() {
  run 0 "${small[@]}" --tensor 20000 --verb send-imm --rnr 0.2 --json "$work/json.json" && holds 's["rnr_naks"] > 0 and s["tensors_done"] == 4'
}

# One host with a thousandth of the others' rate holds up its ring and breaks nothing.
slow_host() {
  run 0 "${small[@]}" --tensor 8000 --slow 2 --timeout 20000 --json "$work/json.json" &&
    holds 's["tensors_done"] == 4 and s["goodput_gbps"] < 0.1'
}

# One host stops for ever: its ring stands still, the other does not, and the table says who is how far and who is missing.
dead_host() {
  run 0 --config tiny --hosts 3 --rings 2 --msglen 4 --mtu 256 --tensor 8000 --stop 1 --timeout 50 --json "$work/json.json" &&
    holds 's["tensors"] == 6 and s["tensors_done"] == 3' && grep -q 'host 1: .*it stopped' "$work/stdout" &&
    holds '[(w["ring"], w["ranks"]) for w in s["waiting"]] == [(1, [1])]' && grep -q '^ring 1 waits for rank 1 (' "$work/stdout"
}

# It may stop so late that all the others get done without it.
late_death() {
  run 0 --config tiny --hosts 3 --rings 2 --msglen 2 --mtu 256 --tensor 900 --stop 1 --timeout 50 --json "$work/json.json" &&
    holds 's["tensors"] == 6 and 3 <= s["tensors_done"] <= 5 and s["waiting"] == []'
}

# Hostile hosts send ten thousand frames: the ring is reduced and right, nothing is sent twice, and each frame has a name.
hostile() {
  local claim=rank_conflict
  [[ $* == --register ]] && claim=unregistered
  run 0 "${small[@]}" --tensor 40000 --timeout 5000 --hostile 3 --hostile-rate 100 "$@" \
    --json "$work/json.json" && holds 's["tensors_done"] == s["tensors"] and s["retransmissions"] == s["switch_drops"] == 0' &&
    holds 'sum(s["hostile_fates"].values()) == s["hostile_taken"] > 2000 and s["hostile_sent"] >= s["hostile_taken"]' &&
    holds 'all(s["hostile_fates"].get(f, 0) > 9 for f in ("passed", "stored", "duplicate", "bad_icrc", "bad_header"))' &&
    holds "s['hostile_fates']['bad_length'] > 0 and s['hostile_fates']['$claim'] > 500"
}

# A ring is torn down while its packets are under way, and reduces another tensor; the other ring does not notice.
restart() {
  run 0 --config tiny --hosts 3 --rings 2 --msglen 4 --mtu 256 --tensor 20000 --timeout 5000 --restart "$@" --json "$work/json.json" &&
    holds 's["tensors_done"] == 6 and s["retransmissions"] == 0 and s["waiting"] == []' &&
    holds 's["frames_in"] > s["packets_sent"] and s["strays"] + sum(s["drops"].values()) > 3'
}
restart_lossy() {
  run 0 --config tiny --hosts 3 --rings 2 --msglen 4 --mtu 256 --tensor 20000 --timeout 40 --restart --loss 0.02 --json "$work/json.json" &&
    holds 's["tensors_done"] == 6 and s["retransmissions"] > 0 and s["waiting"] == []'
}

# Outputs held for 100,000 cycles, under a load that does not fit into device and switch. With pause no frame is lost, and nothing
# is sent twice; without it frames are lost, counted, and mended by go-back-N.
held=(--config paper6 --hosts 2 --rings 2 --msglen 80 --tensor 200000 --offer 0.1 --hold 100000
  --hostile 2 --hostile-rate 60)
held_paused() {
  run 0 "${held[@]}" --timeout 5000 --json "$work/json.json" && holds 's["held_cycles"] == 100000 and s["pauses"] > 1' &&
    holds 's["tensors_done"] == 4 and s["switch_drops"] == s["retransmissions"] == s["out_of_sequence"] == 0'
}
held_lossy() {
  run 0 "${held[@]}" --timeout 500 --no-pause --json "$work/json.json" && holds 's["held_cycles"] == 100000 and s["pauses"] == 0' &&
    holds 's["tensors_done"] == 4 and s["switch_drops"] > 1000 and s["retransmissions"] > 0'
}

# Everybody repeats all he sent, at line rate: new packets get through as if nobody did, and a copy is answered or counted.
storm() {
  run 0 --hosts 4 --tensor 512K --msglen 40 --timeout 5000 --offer 0.2 --storm --json "$work/json.json" &&
    holds 's["goodput_ratio"] > 0.99' &&
    holds 's["retransmissions"] == 0 and s["duplicates"] > 3 * s["packets_sent"]' &&
    holds 's["duplicates"] + sum(s["drops"].values()) <= s["storm_copies"]'
}

# A message needs at least T = its time on the wire, and its round trip with a window of one: T / (T + RTT) of the rate.
round_trip() {
  run 0 --window 1 --msglen 20 --tensor 404800 --rtt 6.3 --register --json "$work/json.json" &&
    holds '0.98 < s["goodput_gbps"] / (92.586 * 20240 / 20480 * 20 * 88.48 / (20 * 88.48 + 6300)) < 1.02'
}

# With outputs hardly ever ready the window holds hosts back, or the switch pauses them; nothing is lost or sent twice.
held_back() {
  run 0 --tensor 1M --stall 0.95 --timeout 5000 --json "$work/json.json" &&
    holds 's["switch_drops"] == s["retransmissions"] == 0'
}

# What each host receives can be looked at: results whose ICRC is good.
capture() {
  run 0 "${small[@]}" --tensor 4000 --out "$work/out.pcapng" --json "$work/json.json" && "$weir" info "$work/out.pcapng" > "$work/info" &&
    grep -q '4 ports' "$work/info" || { cat "$work/info"; return 1; }
}

repeatable() {
  local seed
  for seed in 5 5 6; do
    run 0 "${small[@]}" --tensor 10000 --loss 0.02 --stall 0.2 --seed "$seed" --json "$work/json.json" || return 1
    value '(s["cycles"], s["packets_sent"], s["time_us"])'
  done > "$work/runs"
  [[ $(sed -n 1p "$work/runs") == "$(sed -n 2p "$work/runs")" && $(sort -u "$work/runs" | wc -l) == 2 ]]
}

# refused WORD OPTION..: one line on stderr with this word, and nothing else.
refused() {
  local word=$1
  shift
  run 2 "$@" --json "$work/json.json" || return 1
  [[ $(wc -l < "$work/stderr") == 1 && ! -s $work/stdout && ! -e $work/json.json ]] && grep -q -- "$word" "$work/stderr" && return
  cat "$work/stderr"
  return 1
}

list() {
  local type op verb hop
  local tiny='--config tiny --hosts 4 --msglen 4 --mtu 256 --tensor 20000'
  for type in fp32 fp16 bf16 int32; do
    for op in sum min max; do echo "plain $tiny --type $type --op $op"; done
  done
  for verb in write write-imm send send-imm; do echo "plain $tiny --verb $verb --register"; done
  echo "plain $tiny --tensor 4 --short-last"
  echo "plain $tiny --tensor 10001 --type fp16 --tensor 10002 --short-last"
  echo "plain --hosts 2 --tensor 100000"
  echo "plain --hosts 5 --rings 3 --msglen 20 --tensor 50000 --window 1"
  echo "plain --hosts 8 --mtu 4096 --msglen 10 --tensor 300000"
  echo "plain --tensor 1M --register"
  for hop in up to-device from-device down; do echo "mended $tiny --loss 0.05 --hop $hop"; done
  echo "mended $tiny --loss 0.05 --dup 0.05 --reorder 0.05 --ber 0.05"
  echo "mended $tiny --loss 0.02 --ber 0.05 --verb send-imm --type bf16 --stall 0.3 --ack-every 3"
  echo "mended --msglen 32 --tensor 200000 --loss 0.003 --reorder 0.01 --dup 0.01 --seed 2"
  echo "mended --hosts 4 --rings 2 --msglen 16 --tensor 60000 --loss 0.01 --register --seed 3"
  printf '%s\n' gaps late_acks not_ready slow_host dead_host late_death round_trip held_back held_paused held_lossy storm
  printf '%s\n' capture repeatable
  printf '%s\n' hostile 'hostile --register' restart 'restart --register' 'restart --hostile 2' restart_lossy
  echo "refused tensor --tensor 10 --type fp32"
  echo "refused hosts --hosts 1"
  echo "refused mtu --mtu 1000"
  echo "refused 'fp32, fp16' --type fp8"
  echo "refused NumSlots --window 64"
  echo "refused rtt --rtt 0.2"
  echo "refused loss --loss 1"
  echo "refused slow --slow 6"
  echo "refused hostile --hostile 9"
  echo "refused restart --restart --stop 1"
  echo "refused option --bogus"
  echo "refused argument file"
}

runs "$@"
