#!/bin/bash
# Replays each capture of sim/captures in each configuration that holds it, at several paces and with outputs held back. Each run
# must end with code 0, and what hosts receive must be what they received from the reference switch.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
weir=$build/weir
compare=$build/sim/compare
captures=sim/captures

# run CODE OPTION..: replays a capture and wants this exit code. What it said is left in $work.
run() {
  local wanted=$1 code=0
  shift
  "$weir" replay "$@" > "$work/stdout" 2> "$work/stderr" || code=$?
  ((code == wanted)) && return
  echo "exit code $code, not $wanted: $weir replay $*"
  cat "$work/stdout" "$work/stderr"
  return 1
}

# matches CAPTURE: what hosts received is what the reference switch sent them.
matches() {
  "$compare" data "$work/out.pcapng" "$captures/$1.out.pcapng.gz" > "$work/compare" && return
  cat "$work/compare"
  return 1
}

# value EXPRESSION: of the summary, which is `s`.
value() { python3 -c 'import json, sys; print(eval(sys.argv[2], {"s": json.load(open(sys.argv[1]))}))' "$work/json" "$1"; }

# equals WHAT ACTUAL EXPECTED
equals() {
  [[ $2 == "$3" ]] && return
  echo "$1: $2, not $3"
  return 1
}

# --------------------------------------------------------------------------------------------------------- one run

replayed() {
  local config=$1 capture=$2
  shift 2
  run 0 "$captures/$capture.in.pcapng.gz" --config "$config" --out "$work/out.pcapng" "$@" && matches "$capture"
}

# A configuration that is too small is refused, with one line that says what to raise.
refused() {
  local config=$1 capture=$2
  run 2 "$captures/$capture.in.pcapng.gz" --config "$config" --out "$work/out.pcapng" || return 1
  equals 'lines on stderr' "$(wc -l < "$work/stderr")" 1 && grep -q "$config.*Num\|$config.*SlotBytes" "$work/stderr" &&
    [[ ! -e $work/out.pcapng && ! -s $work/stdout ]]
}

# Nothing but the capture is named: the smallest configuration, no files.
by_default() {
  run 0 "$captures/$1.in.pcapng.gz" && grep -q "^configuration paper6" "$work/stdout" &&
    grep -q '^OK: every packet that left is right$' "$work/stdout"
}

# Two rings of two hosts with messages of one packet, five each, that come as fast as the device takes them: none overtakes the
# result that its sender waited for, so no column loses its slot.
short_messages() {
  run 0 "$captures/synthetic-short-messages.in.pcapng" --json "$work/json" "$@" && equals stored "$(value 's["frames_in"]')" 22 &&
    equals results "$(value 's["results"]')" 20 && equals 'given up' "$(grep -c 'given up' "$work/stdout")" 0
}

# What tcpdump would have written: one interface only, so ports are told by source MAC.
one_interface() {
  editcap -F nsecpcap "$captures/ring4.in.pcapng.gz" "$work/one.pcap" 2> /dev/null
  run 0 "$work/one.pcap" --out "$work/out.pcapng" && matches ring4
}

# The ring and its connections are named; the device learns nothing. Addresses and QP as in the captures' README.
named_rings() {
  python3 -c '
import json
names = [{"src": f"10.0.0.{r + 1}", "dst": f"10.0.0.{(r + 1) % 4 + 1}", "qpn": 18, "rank": r} for r in range(4)]
print(json.dumps([{"ring": 1, "workers": 4, "msglen": 32, "window": 2, "connections": names}]))' > "$work/rings.json"
  run 0 "$captures/ring4.in.pcapng.gz" --rings "$work/rings.json" --out "$work/out.pcapng" && matches ring4
}

# No ring is named, so every frame passes as it came.
no_rings() {
  echo '[]' > "$work/rings.json"
  run 0 "$captures/ring4.in.pcapng.gz" --rings "$work/rings.json" --out "$work/out.pcapng" --json "$work/json" || return 1
  "$compare" frames "$work/out.pcapng" "$captures/ring4.in.pcapng.gz" > "$work/compare" || { cat "$work/compare"; return 1; }
  equals passed "$(value 's["passed"]')" 895 && equals results "$(value 's["results"]')" 0 &&
    equals latency "$(value 's["latency_cycles"]["p50"]')" None
}

# What could not be decided is told. Hosts that are not said to have the window they have make columns without results, and
# that is a failure: the messages of synthetic-short-messages are sent two at a time.
undecided() {
  run 1 "$captures/synthetic-short-messages.in.pcapng" --window 1 --json "$work/json" &&
    equals 'columns out of the window' "$(value 's["undecided"]["excused"]["window"]')" 1 &&
    grep -q '^excused: window  *1  ' "$work/stdout" &&
    grep -q 'gave no results, 0 of them complete in the device: messages out of the window' "$work/stdout"
}

# A capture that begins in the middle has columns of which packets are missing; that is told, and no failure.
begun_late() {
  editcap -r "$captures/ring4-loss.in.pcapng.gz" "$work/late.pcapng" 450-2000 2> /dev/null
  run 0 "$work/late.pcapng" --json "$work/json" && equals incomplete "$(value 's["undecided"]["incomplete"]')" 32 &&
    equals excused "$(value 'sum(s["undecided"]["excused"].values())')" 0
}

# Interfaces that a pcapng file describes.
interfaces() {
  python3 -c '
import struct, sys
data = open(sys.argv[1], "rb").read()
at = count = 0
while at < len(data):
    kind, length = struct.unpack_from("<II", data, at)
    count += kind == 1
    at += length
print(count)' "$1"
}

# What the switch floods goes to the hosts of the capture, not to ports of the device that nobody is behind.
floods_to_hosts() {
  run 0 "$captures/ring4.in.pcapng.gz" --config paper6 --out "$work/out.pcapng" && matches ring4 &&
    equals interfaces "$(interfaces "$work/out.pcapng")" 4
}

# Numbers that follow from the capture alone (sim/captures/README.md).
summary() {
  run 0 "$captures/ring4.in.pcapng.gz" --json "$work/json" || return 1
  local keys='bench_share cycles drops duplicates frames_in frames_out frames_per_second latency_cycles mismatches passed results undecided'
  equals keys "$(python3 -c 'import json, sys; print(*sorted(json.load(open(sys.argv[1]))))' "$work/json")" "$keys" &&
    equals 'latency keys' "$(value 's["latency_cycles"].keys()')" "dict_keys(['min', 'p50', 'p99', 'max'])" &&
    equals frames_in "$(value 's["frames_in"]')" 895 && equals results "$(value 's["results"]')" 768 &&
    equals passed "$(value 's["passed"]')" 127 && equals frames_out "$(value 's["frames_out"]')" 895 &&
    equals drops "$(value 'sum(s["drops"].values())')" 0 &&
    equals mismatches "$(value 's["mismatches"]')" 0 &&
    equals order "$(value 's["latency_cycles"]["min"] <= s["latency_cycles"]["p50"] <= s["latency_cycles"]["p99"]')" True
}

# The hosts' packets come in bursts, which a device takes faster than 100 Gb/s; at line rate they take longer.
line_rate() {
  local asap
  run 0 "$captures/ring4.in.pcapng.gz" --json "$work/json" || return 1
  asap=$(value 's["cycles"]')
  run 0 "$captures/ring4.in.pcapng.gz" --pace line --json "$work/json" || return 1
  equals "line rate slower than $asap cycles" "$(value "s['cycles'] > $asap")" True
}

# One seed, one run, cycle by cycle; another seed, another run.
repeatable() {
  local seed
  for seed in 5 5 6; do
    run 0 "$captures/ring4.in.pcapng.gz" --stall 0.5 --seed "$seed" --out "$work/out.pcapng" --json "$work/json" || return 1
    echo "$(value 's["cycles"]') $(md5sum < "$work/out.pcapng")"
  done > "$work/runs"
  equals 'the same seed' "$(sed -n 1p "$work/runs")" "$(sed -n 2p "$work/runs")" &&
    equals 'different runs' "$(sort -u "$work/runs" | wc -l)" 2
}

first_frames() {
  run 0 "$captures/ring4.in.pcapng.gz" --limit 300 --json "$work/json" && equals frames_in "$(value 's["frames_in"]')" 300
}

# Outputs that are ready in one cycle of fifty: slow, but no hang.
hardly_ready() {
  run 0 "$captures/ring4.in.pcapng.gz" --limit 250 --stall 0.98 --out "$work/out.pcapng"
}

# Signals that sim/waves/column.gtkw asks for and the waves do not have; none, if GTKWave's fst2vcd is not there to tell.
missing_signals() {
  command -v fst2vcd > /dev/null || return 0
  { fst2vcd "$work/wave.fst" 2> /dev/null || true; } | awk '
    $1 == "$scope" { path[depth++] = $3 }
    $1 == "$upscope" { depth-- }
    $1 == "$var" { name = ""; for (i = 0; i < depth; i++) name = name path[i] "."; print name $5 ($6 == "$end" ? "" : $6) }
    $1 == "$enddefinitions" { exit }' | sort -u > "$work/signals"
  grep '^weir' sim/waves/column.gtkw | sort -u | comm -23 - "$work/signals"
}

waves() {
  run 0 "$captures/ring4.in.pcapng.gz" --limit 200 --wave "$work/wave.fst" || return 1
  (($(stat -c %s "$work/wave.fst") > 100000)) && equals 'files left' "$(cd "$work" && echo wave*)" wave.fst &&
    equals 'signals missing' "$(missing_signals)" ''
}

demo() { sim/cli/demo.sh "$weir" > "$work/demo" && grep -q '^OK: every packet that left is right$' "$work/demo"; }

if [[ ${1-} == one ]]; then
  shift
  name=$*
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  if "$@" > "$work/said" 2>&1; then
    echo "ok - $name"
  else
    sed 's/^/# /' "$work/said"
    echo "not ok - $name"
    exit 1
  fi
  exit 0
fi

# -------------------------------------------------------------------------------------------------------- all runs

list() {
  local path capture config seed
  echo replayed paper6 ring4 --pace recorded
  for path in "$captures"/*.in.pcapng.gz; do
    capture=$(basename "$path" .in.pcapng.gz)
    for config in wide8 paper6; do
      echo "replayed $config $capture --pace asap"
      echo "replayed $config $capture --pace line"
      for seed in 1 2 3; do echo "replayed $config $capture --stall 0.3 --seed $seed"; done
    done
    echo "refused tiny $capture"
  done
  for config in tiny wide8; do
    echo "short_messages --config $config"
    echo "short_messages --config $config --pace line"
    for seed in 1 2 3; do echo "short_messages --config $config --stall 0.3 --seed $seed"; done
  done
  echo by_default ring4-loss
  printf '%s\n' one_interface named_rings no_rings floods_to_hosts undecided begun_late summary line_rate repeatable first_frames hardly_ready waves demo
}

if [[ ! -x $weir || ! -x $compare ]]; then
  echo "Bail out! $weir or $compare is missing"
  exit 1
fi
# Each line is a run of this file by itself.
echo "1..$(list | wc -l)"
list | xargs -L 1 bash "$0" one
