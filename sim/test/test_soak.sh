#!/bin/bash
# A few hundred random scenarios through device, golden model and witness, in each configuration, and some random runs of hosts in
# closed loop, of gathers, trees and fabrics. `make soak` runs many more.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/test/tap.sh
build=${BUILD:-build}
jobs=${JOBS:-2}
work=$(mktemp)
trap 'rm -f "$work"' EXIT

# refused KIND SEEDS: bad usage.
refused() {
  local code=0
  sim/soak/soak.py "$1" --seeds "$2" || code=$?
  ((code == 2))
}

for run in 'tiny 1..100' 'paper6 1..25' 'wide8 1..10' 'prototype6 1..15' 'small128 1..40'; do
  read -r config seeds <<< "$run"
  check "$config seeds $seeds" sim/soak/soak.py traffic --jobs "$jobs" --config "$config" --seeds "$seeds"
done

# Jobs of many tenants come and go in one life of a device, which ends as empty as it began.
for run in 'tiny 1..4' 'paper6 1..2'; do
  read -r config seeds <<< "$run"
  check "$config: tenants, seeds $seeds" sim/soak/soak.py tenants --jobs "$jobs" --config "$config" --seeds "$seeds"
done

# Bits of memories flip, and no wrong sum leaves; and without flips nothing is lost.
for run in '0 1..20' '500 1..60'; do
  read -r flips seeds <<< "$run"
  check "tiny_ecc seeds $seeds flips $flips" "$build/sim/soak" --jobs "$jobs" --config tiny_ecc --seeds "$seeds" --flips "$flips"
done
no_flips() {
  local code=0
  "$build/sim/soak" --config tiny --seeds 1 --flips 1 2> "$work" || code=$?
  ((code == 2)) && grep -q 'no corrected memories' "$work"
}
check 'flips where there are no corrected memories' no_flips

# A run that fails is told with the command that repeats it, and makes the soak fail; so does one that does not end.
ring() {
  local soak=(sim/soak/soak.py ring --jobs "$jobs" --weir "$build/weir")
  "${soak[@]}" --seeds 901..903 || return
  "${soak[@]}" --seeds 901..901 --show | grep -q -- ' ring --seed 901 ' || return
  ! "${soak[@]}" --weir false --seeds 901..902 > "$work" || return
  grep -q '^FAILED seed 902 ' "$work" && grep -q '^  false ring --seed 902 ' "$work" && grep -q '^0 passed, 2 failed' "$work"
}
check 'closed loop' ring
check 'devices that lose their memory' sim/soak/soak.py reboot --jobs "$jobs" --weir "$build/weir" --seeds 901..915
check gathers sim/soak/soak.py gather --jobs "$jobs" --weir "$build/weir" --seeds 901..915
check trees sim/soak/soak.py relay --jobs "$jobs" --weir "$build/weir" --seeds 901..908
check 'fabrics, also on several processes' sim/soak/soak.py fabric --jobs "$jobs" --weir "$build/weir" --seeds 901..930
check 'trees that end connections' sim/soak/soak.py tree --jobs "$jobs" --weir "$build/weir" --seeds 901..930

# Each kind knows what it would run, and what it has not.
shows() { [[ $(sim/soak/soak.py "$1" --seeds "$2" --show | tee "$work" | wc -l) == "$3" ]] && grep -q -- "$4" "$work"; }
check 'live: 42 runs' shows live 1..42 42 ' live --patience 300 --hosts 8 --loss 0.025 .*--mtu 4096 --verb send'
check 'live: no 43rd' refused live 43..43
# Of gathers those alone in which something is RTL.
having() {
  sim/soak/soak.py gather --seeds 1..40 --having=--rtl --show > "$work"
  (($(wc -l < "$work") == 15)) && ! grep -qv -- ' --rtl ' "$work"
}
check 'gathers with RTL' having
check 'traffic' shows traffic 7..9 1 'sim/soak --config tiny --seeds 7..9'
check 'tenants' shows tenants 3..3 1 'sim/soak --config tiny --seeds 3..3 .*--tenants 24 --frames 8000 --job-count 12'
check 'unknown kind' refused everything 1..2
tap_end
