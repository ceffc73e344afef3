#!/bin/bash
# Sparse gathers: `weir gather` over what its users may ask for. Each run compares the product bit by bit with one computed
# directly, and counts each PR in and out of each switch; here it is looked at that it does, and that it tells what happened.
# MATRICES: a folder with more Matrix Market files (*.mtx.gz).
set -euo pipefail
command=gather
. "$(dirname "$0")/runs.sh"

small=(--generate block --rows 800 --degree 24 --nodes 6 --racks 2 --batch 100)

# ------------------------------------------------------------------------------------------------------- the runs

# Each nonzero that wants something has one fate, each read one response; nothing is tried twice.
plain() {
  run 0 "$@" --json "$work/json.json" && holds 's["mismatches"] == 0 and s["compared"] > 0' &&
    holds 's["filtered"] + s["coalesced"] + s["prs_sent"] == s["prs_wanted"] * s["tiles"]' &&
    holds 's["prs_sent"] == s["served"] + s["cache_hits"]' &&
    holds 's["prs_needed"] * s["tiles"] <= s["prs_sent"]' &&
    holds 's["watchdog_failures"] == s["late_responses"] == s["given_up"] == s["packets_lost"] == 0' || return 1
  # A model's queues leave in time; those of the RTL when the pipeline and the cables let them.
  [[ " $* " == *" --rtl "* ]] || holds 's["expiry_lateness"] == 0'
}

# Kinds of matrices in the order in which NetSparse's Tables 1 and 7 have theirs.
kinds() {
  local kind batch sets
  while read -r kind batch sets; do
    run 0 --generate "$kind" --rows 65536 --nodes 64 --racks 8 --rate 100 --batch "$batch" --cache-sets "$sets" \
      --json "$work/$kind.json" || return 1
  done <<< $'power-law 8192 4\nroad 4096 2\nbanded 8192 16\nblock 8192 4'
  cp "$work/road.json" "$work/json.json"
  order() { holds "of('$2')['$1'] > of('$3')['$1'] > of('$4')['$1'] > of('$5')['$1']"; }
  order filter_rate power-law banded block road && order prs_per_packet banded block power-law road &&
    order hit_rate banded power-law block road && order redundant_sa power-law banded block road &&
    order redundant_su road power-law banded block && order locality road power-law block banded
}

# The same nonzeros are wanted whatever the mechanisms; with each of them less is on the cables (NetSparse Table 8).
ablation() {
  local kind
  for kind in power-law banded; do
    local base=(--generate "$kind" --rows 4096 --degree 24 --batch 256 --k 16)
    run 0 "${base[@]}" --without filter --without coalesce --without concat-nic --without switch --json "$work/rig.json" &&
      run 0 "${base[@]}" --without coalesce --without concat-nic --without switch --json "$work/filter.json" &&
      run 0 "${base[@]}" --without concat-nic --without switch --json "$work/coalesce.json" &&
      run 0 "${base[@]}" --without switch --json "$work/concat.json" &&
      run 0 "${base[@]}" --json "$work/json.json" || return 1
    holds 'of("rig")["prs_sent"] == of("rig")["prs_wanted"] == s["prs_wanted"]' &&
      holds 'of("rig")["prs_per_packet"] == 1 == of("coalesce")["prs_per_packet"]' &&
      holds 'of("rig")["bytes_on_links"] == s["bytes_sa"]' &&
      holds 'of("rig")["tail_bytes"] > of("filter")["tail_bytes"] > of("coalesce")["tail_bytes"] > of("concat")["tail_bytes"]' &&
      holds 'of("concat")["bytes_on_links"] > s["bytes_on_links"] and s["cache_hits"] > 0 == of("concat")["cache_lookups"]' || return 1
  done
}

# With room enough, virtual queues make the same packets in the same cycles.
queues() {
  run 0 "${small[@]}" --json "$work/json.json" && run 0 "${small[@]}" --queues virtual --json "$work/virtual.json" &&
    holds 'all(of("virtual")[k] == s[k] for k in s)'
}

# Without room, PRs wait; the product is right all the same.
pool() {
  plain "${small[@]}" --queues virtual --pieces 16 && holds 's["waits_pool"] > 0 and s["pool_flushes"] > 0'
}
expiry() {
  plain "${small[@]}" --expiry 2 && holds 's["waits_expiry"] > 0'
}
pending() {
  plain "${small[@]}" --pending 2 && holds 's["stalls_pending"] > 1000'
}

# All ask one node: nothing is lost, that node's cables are what takes the time.
hot() {
  plain --generate hot --rows 8192 --nodes 32 --racks 4 --without cache --k 64 && holds 's["longest_backlog"] > 0' &&
    holds 's["served"] == s["prs_sent"]'
}

# Two tiles of 512 bytes for K = 256, because no line of the cache is longer; a single one per packet where nothing is cached.
tiles() {
  plain "${small[@]}" --k 256 && holds 's["tiles"] == 2' && plain "${small[@]}" --k 256 --without switch &&
    holds 's["tiles"] == 1 and 1 < s["prs_per_packet"] < 20'
}

# A packet with reads or responses of one operation or more is lost: each of these fails once, and is done again. So it is with
# one that is late.
lost() {
  run 0 "${small[@]}" --lose "$1" "${@:2}" --watchdog 50000 --json "$work/json.json" &&
    holds 's["packets_lost"] == 1 and 1 <= s["watchdog_failures"] <= 4 and s["given_up"] == 0 and s["mismatches"] == 0'
}
late() {
  run 0 "${small[@]}" --hold "$1" "${@:2}" --watchdog 50000 --json "$work/json.json" &&
    holds 's["packets_held"] == 1 and 1 <= s["watchdog_failures"] <= 4 and s["late_responses"] > 0 and s["mismatches"] == 0'
}

# Nobody hangs: without a watchdog a lost packet is told, and with one that is too short all batches are given up.
stuck() {
  run 1 "${small[@]}" --lose 100 --watchdog 0 --json "$work/json.json" && holds 's["mismatches"] > 0' &&
    grep -q 'never has all that it wants' "$work/stdout" && run 1 "${small[@]}" --watchdog 3000 --json "$work/json.json" &&
    holds 's["given_up"] > 0 and s["operations"] + s["given_up"] > 0' && grep -q '^repeat it with: .*--seed 1$' "$work/stdout"
}

# A packet that is to be lost but never sent is no test of anything.
never() {
  run 1 "${small[@]}" --lose 1000000 --json "$work/json.json" && grep -q 'was to be lost or held, but there were only' "$work/stdout"
}

# More delay: fuller packets, up to a point at which all wait in vain (NetSparse Figure 17).
delays() {
  local base=(--generate block --rows 16384 --rate 100 --batch 2048) delay
  for delay in 0 500 50000; do
    run 0 "${base[@]}" --delay-nic $delay --delay-switch $((delay / 4)) --json "$work/d$delay.json" || return 1
  done
  cp "$work/d500.json" "$work/json.json"
  holds 'of("d0")["prs_per_packet"] < of("d500")["prs_per_packet"] < of("d50000")["prs_per_packet"]' &&
    holds 'of("d0")["cycles"] > 1.5 * of("d500")["cycles"] and of("d50000")["cycles"] > 1.5 * of("d500")["cycles"]'
}

# More cache, more hits, up to all there are (NetSparse Figure 18); none without a way back through the same pipe.
caches() {
  local base=(--generate power-law --rows 8192 --nodes 32 --racks 4 --k 64) sets
  for sets in 0 1 8 64 4096; do
    run 0 "${base[@]}" --cache-sets $sets --json "$work/c$sets.json" || return 1
  done
  # Eight spines in two pipes, and a rack for each.
  run 0 "${base[@]}" --racks 8 --spines 8 --cache-sets 4096 --cache-from uplinks --routing dest --json "$work/dest.json" &&
    run 0 "${base[@]}" --racks 8 --spines 8 --cache-sets 4096 --cache-from uplinks --json "$work/both.json" || return 1
  cp "$work/c64.json" "$work/json.json"
  holds '0 == of("c0")["hit_rate"] < of("c1")["hit_rate"] < of("c8")["hit_rate"] < of("c64")["hit_rate"] <= of("c4096")["hit_rate"]' &&
    holds 'of("c4096")["cache_evicted"] == 0 < of("c1")["cache_evicted"]' &&
    holds 'of("c4096")["bytes_on_links"] < of("c0")["bytes_on_links"]' &&
    holds 'of("dest")["cache_hits"] < 0.7 * of("both")["cache_hits"]'
}

# The RTL of the switch: the same product, nearly as fast as the model; every look-up is compared in the run itself.
rtl() {
  plain "$@" --rtl switch && grep -q 'ToRs of RTL' "$work/stdout" && cp "$work/json.json" "$work/rtl.json" &&
    run 0 --cache-sets 4 "$@" --json "$work/model.json" || return 1
  holds 'list(s) == list(of("model")) and all(s[k] == of("model")[k] for k in ("prs_wanted", "prs_needed", "tiles", "compared"))' &&
    holds 'abs(s["cycles"] / of("model")["cycles"] - 1) < 0.15 and abs(s["hit_rate"] - of("model")["hit_rate"]) < 0.05' &&
    holds 'abs(s["prs_per_packet"] / of("model")["prs_per_packet"] - 1) < 0.15'
}

# Lines are evicted, in all pipes of both racks; and none without a cache.
rtl_evicts() {
  rtl "$@" && holds 's["cache_evicted"] > 200 and s["cache_hits"] > 50' && rtl "$@" --without cache && holds 's["cache_lookups"] == 0'
}

# A packet that is lost or late is none of the switch's: it is asked for again, and its counters still tell the truth.
rtl_faults() {
  lost 70 --rtl switch && late 70 --rtl switch
}

# A queue of the RTL stays open for its pipeline, nine cycles at most, also without a delay: it packs no less than the model, and no more than
# the model with those nine.
rtl_at_once() {
  plain "$@" --rtl switch && run 0 --cache-sets 4 "$@" --json "$work/model.json" &&
    run 0 --cache-sets 4 "$@" --delay-switch 9 --json "$work/late.json" || return 1
  holds 'all(s[k] == of("model")[k] for k in ("prs_wanted", "prs_needed", "tiles", "compared"))' &&
    holds 'of("model")["prs_per_packet"] <= s["prs_per_packet"] <= of("late")["prs_per_packet"]' &&
    holds 'abs(s["cycles"] / of("model")["cycles"] - 1) < 0.15 and abs(s["hit_rate"] - of("model")["hit_rate"]) < 0.05'
}

# A pool of 64 pieces is too small for what waits in a pipe: queues leave early, and nothing is lost.
rtl_pool() {
  rtl "$@" --queues virtual && holds 's["pool_flushes"] > 10'
}

# The RTL of the NICs, of all nodes or of some: what is asked for is what the models ask for, and takes as long.
nic_shape=(--units 2 --pending 64)
rtl_nic() {
  plain "$@" && grep -q 'NICs of RTL' "$work/stdout" && cp "$work/json.json" "$work/rtl.json" || return 1
  while [[ $1 != --rtl ]]; do set -- "${@:2}" "$1"; done
  shift 2
  if [[ ${1-} == --rtl-nics ]]; then shift 2; fi
  run 0 --cache-sets 4 "$@" "${nic_shape[@]}" --json "$work/model.json" && cp "$work/rtl.json" "$work/json.json" &&
    holds 'list(s) == list(of("model")) and all(s[k] == of("model")[k] for k in ("prs_wanted", "prs_needed", "tiles", "compared"))' &&
    holds 'abs(s["cycles"] / of("model")["cycles"] - 1) < 0.15 and abs(s["prs_sent"] / of("model")["prs_sent"] - 1) < 0.05' &&
    holds 'abs(s["filter_rate"] - of("model")["filter_rate"]) < 0.05' &&
    holds 'abs(s["prs_per_packet"] / of("model")["prs_per_packet"] - 1) < 0.15'
}

# The watchdog of the RTL ends what a lost or late packet was for, and the batch is gathered again; nobody hangs.
rtl_nic_faults() {
  lost 30 --rtl nic && late 30 --rtl nic && lost 30 --rtl all --rtl-nics 2 &&
    run 1 "${small[@]}" --rtl nic --lose 100 --watchdog 0 && grep -q 'never has all that it wants' "$work/stdout" &&
    run 1 "${small[@]}" --rtl nic --watchdog 3000 --json "$work/json.json" && holds 's["given_up"] > 0 and s["late_responses"] > 0'
}

# Waves of the first rack's switch, or of the first NIC.
rtl_waves() {
  run 0 --generate road --rows 100 --nodes 4 --rtl switch --wave "$work/a.fst" && [[ -s $work/a.fst ]] &&
    run 0 --generate road --rows 100 --nodes 4 --rtl nic --rtl-nics 1 --wave "$work/n.fst" && [[ -s $work/n.fst ]] &&
    refused 'only with --rtl' --generate road --wave "$work/b.fst" && [[ ! -e $work/b.fst ]]
}

# What a node receives can be looked at: good frames, as many as are counted; the page shows the numbers of the summary.
files() {
  run 0 "${small[@]}" --json "$work/json.json" --report "$work/page.html" --out "$work/out.pcapng.gz" &&
    python3 tools/check_page.py --gather "$work/page.html" "$work/json.json" &&
    tshark -X lua_script:tools/weir_gather.lua -r "$work/out.pcapng.gz" -Y gather -T fields -e gather.count > "$work/counts" \
      2> "$work/tshark" &&
    [[ $(tshark -r "$work/out.pcapng.gz" 2> /dev/null | wc -l) == "$(wc -l < "$work/counts")" ]] &&
    python3 - "$work/counts" "$work/json.json" << 'END'
import json, sys
counts, s = [int(n) for n in open(sys.argv[1])], json.load(open(sys.argv[2]))
# Nodes receive each read that no cache answers, and each response.
sys.exit(sum(counts) != s["served"] + s["prs_sent"] or abs(sum(counts) / len(counts) - s["prs_per_packet"]) > 1e-9)
END
}

repeatable() {
  local seed
  for seed in 5 5 6; do
    run 0 --generate power-law --rows 1000 --seed "$seed" --json "$work/json.json" || return 1
    value '(s["cycles"], s["prs_sent"], s["bytes_on_links"])'
  done > "$work/runs"
  [[ $(sed -n 1p "$work/runs") == "$(sed -n 2p "$work/runs")" && $(sort -u "$work/runs" | wc -l) == 2 ]]
}

# A file by hand: 4 by 6, complex, more nodes than some have rows of.
by_hand() {
  printf '%%%%MatrixMarket matrix coordinate complex general\n4 6 5\n1 6 1 2\n2 1 3 0\n4 4 -1 .5\n4 6 1 1\n1 1 7 7\n' > "$work/a.mtx"
  plain "$work/a.mtx" --nodes 5 --racks 2 --k 3 && holds 's["rows"] == 4 and s["columns"] == 6 and s["nonzeros"] == 5' &&
    gzip -c "$work/a.mtx" > "$work/a.mtx.gz" && plain "$work/a.mtx.gz" --nodes 1 --racks 1 && holds 's["prs_wanted"] == 0 == s["packets"]'
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

# A matrix that is broken, and one that is to be written over.
broken() {
  printf '%%%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n9 1 1\n' > "$work/bad.mtx"
  refused 'bad.mtx: line 4: row 9 is not within 1 to 3' "$work/bad.mtx" && [[ -s $work/bad.mtx ]] &&
    refused 'bad.mtx: is the file of the matrix' "$work/bad.mtx" --out "$work/bad.mtx" && [[ -s $work/bad.mtx ]] &&
    refused 'only one matrix' "$work/bad.mtx" "$work/bad.mtx"
}

list() {
  local kind k queues
  local shape='--rows 1500 --degree 8 --nodes 12 --racks 3 --batch 64'
  for kind in power-law road banded block hot; do echo "plain --generate $kind $shape"; done
  # Each mode of the cache, in both kinds of queues, and lines that are longer than what is in them.
  for k in 1 3 4 8 16 32 64 128 200; do
    for queues in static virtual; do echo "plain --generate power-law $shape --k $k --queues $queues"; done
  done
  echo "plain --generate banded $shape --k 4 --mode 512"
  echo "plain --generate road $shape --mtu 4096 --cache-sets 1"
  echo "plain --generate banded $shape --upper 50 --racks 1"
  echo "plain --generate block $shape --units 1 --batch 1"
  echo "plain --generate block $shape --delay-nic 0 --delay-switch 0"
  for kind in filter coalesce concat-nic switch cache; do echo "plain --generate banded $shape --without $kind"; done
  printf '%s\n' kinds ablation queues pool expiry pending hot tiles 'lost 1' 'lost 70' 'lost 150' 'late 1' 'late 70' stuck never
  printf '%s\n' delays caches files repeatable by_hand broken
  # The Verilated switch, with 8 ports: each mode of its caches, both kinds of queues.
  local rack='--rows 600 --degree 8 --nodes 8 --racks 2 --batch 64'
  for k in 4 8 16 32 64 128; do
    for queues in static virtual; do echo "rtl --generate power-law $rack --k $k --queues $queues"; done
  done
  for queues in static virtual; do
    echo "rtl_evicts --generate power-law $rack --rows 1200 --k 64 --queues $queues"
    # Cables take a tenth of what a port can send, so the switch waits for them.
    echo "rtl --generate block $rack --k 64 --queues $queues --rate 100"
  done
  echo "rtl_pool --generate power-law $rack --rows 2000 --degree 16 --nodes 16 --racks 4 --batch 512 --delay-switch 512"
  echo "rtl --generate hot $rack --k 200 --queues virtual"
  echo "rtl --generate banded $rack --k 4 --mode 512 --cache-from uplinks"
  echo "rtl --generate banded $rack --racks 1 --k 3"
  echo "rtl --generate road $rack --nodes 16 --racks 4 --routing dest"
  echo "rtl_at_once --generate block $rack --delay-nic 0 --delay-switch 0"
  # Verilated NICs, two units each: tiles, one property a packet, cables that are slow, models beside them, the switch too.
  rack='--rows 300 --degree 8 --nodes 4 --racks 2 --batch 64'
  for k in 1 16 256; do echo "rtl_nic --generate power-law $rack --k $k --rtl nic"; done
  echo "rtl_nic --generate block $rack --rtl nic --rtl-nics 1"
  echo "rtl_nic --generate hot $rack --rate 50 --rtl nic"
  echo "rtl_nic --generate road $rack --delay-nic 0 --delay-switch 0 --rtl nic"
  echo "rtl_nic --generate banded $rack --rows 900 --nodes 12 --racks 3 --k 64 --rtl all"
  # Virtual queues in NICs, then in both devices.
  echo "rtl_nic --generate block $rack --k 16 --queues virtual --rtl nic"
  echo "rtl_nic --generate power-law $rack --rows 900 --nodes 12 --racks 3 --k 64 --queues virtual --rtl all"
  printf '%s\n' rtl_faults rtl_nic_faults rtl_waves
  local matrix
  for matrix in ${MATRICES:+"$MATRICES"/*.mtx.gz}; do
    echo "plain $matrix"
    echo "plain $matrix --nodes 7 --racks 3 --k 128 --queues virtual"
  done
  echo "refused 'no matrix' --nodes 4"
  echo "refused 'cannot be opened' /nowhere.mtx"
  echo "refused racks --generate road --nodes 4 --racks 5"
  echo "refused 'would be empty' --generate road --nodes 9 --racks 6"
  echo "refused 'power of two' --generate road --cache-sets 3"
  echo "refused mode --generate road --mode 48"
  echo "refused 'does not fit' --generate road --k 400 --without switch"
  echo "refused '16 to' --generate road --pieces 1"
  echo "refused 'switch has 8 ports' --generate road --rtl switch"
  echo "refused 'switch knows 16 nodes' --generate road --nodes 17 --racks 5 --rtl switch"
  echo "refused 'delays up to 512' --generate road --nodes 8 --delay-switch 513 --rtl switch"
  echo "refused 'must be 4 or 0' --generate road --nodes 8 --cache-sets 8 --rtl switch"
  echo "refused 'up to 1024 bytes' --generate road --nodes 8 --without cache --k 257 --rtl switch"
  echo "refused 'mtu and' --generate road --nodes 8 --mtu 1400 --rtl switch"
  echo "refused 'not with' --generate road --nodes 8 --without switch --rtl switch"
  echo "refused 'NIC has 2 RIG units' --generate road --units 3 --rtl nic"
  echo "refused 'pending 32 must be 64' --generate road --pending 32 --rtl nic"
  echo "refused 'NIC knows 16 nodes' --generate road --nodes 17 --rtl nic"
  echo "refused 'delays up to 512' --generate road --delay-nic 513 --rtl nic"
  echo "refused 'not with --without filter' --generate road --without filter --rtl nic"
  echo "refused 'only 4 nodes' --generate road --nodes 4 --rtl nic --rtl-nics 5"
  echo "refused 'only with --rtl nic' --generate road --rtl-nics 5"
  echo "refused 'counts 32 bits' --generate road --watchdog 4294967296 --rtl nic"
  echo "refused 'static or virtual' --generate road --queues none"
  echo "refused power-law --generate nothing"
  echo "refused whole --generate road --k 0"
  echo "refused unknown --bogus"
}

runs "$@"
