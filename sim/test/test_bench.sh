#!/bin/bash
# `weir bench`: it takes the figures that are asked for, writes them in the right form, and refuses what it does not know.
# The figures themselves are those of `make bench`; here are the quick ones.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/test/tap.sh
weir=${BUILD:-build}/weir
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run CODE OPTION..: a run that wants this exit code. What it said is left in $work.
run() {
  local wanted=$1 code=0
  shift
  "$weir" bench "$@" > "$work/stdout" 2> "$work/stderr" || code=$?
  ((code == wanted)) && return
  echo "exit code $code, not $wanted: $weir bench $*"
  cat "$work/stdout" "$work/stderr"
  return 1
}

# Rate, latency and window of a short run meet their targets, and the file has their rows and no others.
figures() {
  run 0 --quick --csv "$work/csv" --only latency_idle_cycles --only 'small_*' --only payload_gbps_per_port_h2 \
    --only window_util_n1_rtt22 || return 1
  python3 - "$work/csv" << 'PYTHON'
import csv, sys
with open(sys.argv[1], newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
values = {row["name"]: float(row["value"]) for row in rows}
assert list(rows[0]) == ["name", "value", "unit", "bound_by"], list(rows[0])
assert all(row[column] for row in rows for column in row), rows
names = "payload_gbps_per_port_h2 latency_idle_cycles small_frames_mpps_per_port small_frames_line_rate window_util_n1_rtt22"
names = names.split()
assert list(values) == names, list(values)
assert 92.5 < values["payload_gbps_per_port_h2"] < 92.6, values
assert 40 <= values["latency_idle_cycles"] <= 64, values
assert 39.8 < values["window_util_n1_rtt22"] < 41.4, values
assert abs(values["small_frames_line_rate"] - 100 * values["small_frames_mpps_per_port"] / 148.81) < 0.1, values
PYTHON
}

# Each figure of docs/performance.csv is one that can be taken, or the peer's.
listed() {
  run 0 --list && [[ $(sort "$work/stdout" | uniq -d) == '' ]] || return 1
  tail -n +2 docs/performance.csv | cut -d , -f 1 | grep -v '^cocotb_' | sort > "$work/page"
  diff "$work/page" <(sort "$work/stdout")
}

# The speed is that of a capture. A check that fails in its replay is no speed.
speed() {
  run 0 --quick --only 'sim_*' --capture sim/captures/ring4.in.pcapng.gz &&
    grep -q '^sim_frames_per_second  *[1-9]' "$work/stdout" &&
    run 1 --quick --only 'sim_*' --capture sim/captures/README.md &&
    grep -q 'README.md: its replay ends with code 2' "$work/stderr"
}

# refused WORD OPTION..: one line on stderr with this word, and nothing else.
refused() {
  local word=$1
  shift
  run 2 "$@" --csv "$work/none" || return 1
  [[ $(wc -l < "$work/stderr") == 1 && ! -s $work/stdout && ! -e $work/none ]] && grep -q -- "$word" "$work/stderr" && return
  cat "$work/stderr"
  return 1
}

if [[ ! -x $weir ]]; then
  echo "Bail out! $weir is missing"
  exit 1
fi
check figures figures
check listed listed
check speed speed
check 'unknown figure' refused 'latency_of_light: no such figure' --only latency_of_light
check 'unknown option' refused bogus --bogus
check argument refused everything everything
check 'no value' refused only --only
check seed refused seed --seed minus
check 'no capture' refused nothing --only bench_share --capture "$work/nothing"
check 'file of the capture' refused capture --capture "$work/none"
tap_end
