#!/bin/bash
# A few hundred random scenarios through device, golden model and witness, in each configuration, and some random runs of hosts in
# closed loop and of gathers. `make soak` runs many more.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/test/tap.sh
build=${BUILD:-build}
jobs=${JOBS:-2}
work=$(mktemp)
trap 'rm -f "$work"' EXIT

for run in 'tiny 1..300' 'paper6 1..80' 'wide8 1..20'; do
  read -r config seeds <<< "$run"
  check "$config seeds $seeds" "$build/sim/soak" --jobs "$jobs" --config "$config" --seeds "$seeds"
done

# A run that fails is told with the command that repeats it, and makes the soak fail; so does one that does not end.
ring() {
  local soak=(sim/soak/soak_ring.py --jobs "$jobs" --weir "$build/weir")
  "${soak[@]}" --seeds 901..903 || return
  "${soak[@]}" --seeds 901..901 --show | grep -q -- ' ring --seed 901 ' || return
  ! "${soak[@]}" --weir false --seeds 901..902 > "$work" || return
  grep -q '^FAILED seed 902 ' "$work" && grep -q '^  false ring --seed 902 ' "$work" && grep -q '^0 passed, 2 failed' "$work"
}
check 'closed loop' ring
check gathers sim/soak/soak_gather.py --jobs "$jobs" --weir "$build/weir" --seeds 901..915
check trees sim/soak/soak_relay.py --jobs "$jobs" --weir "$build/weir" --seeds 901..915
tap_end
