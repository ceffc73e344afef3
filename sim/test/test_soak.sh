#!/bin/bash
# A few hundred random scenarios through device, golden model and witness, in each configuration, and some random runs of hosts in
# closed loop and of gathers. `make soak` runs many more.
#
# Prints `ok NAME` or `not ok NAME` for each.
set -euo pipefail
cd "$(dirname "$0")/../.."
soak=${BUILD:-build}/sim/soak
code=0

# try CONFIG SEEDS
try() {
  if "$soak" --config "$1" --seeds "$2" 2>&1; then
    echo "ok $1 seeds $2"
  else
    echo "not ok $1 seeds $2"
    code=1
  fi
}

try tiny 1..300
try paper6 1..80
try wide8 1..20

# A run that fails is told with the command that repeats it, and makes the soak fail; so does one that does not end.
ring() {
  local soak=(sim/soak/soak_ring.py --weir "${BUILD:-build}/weir")
  "${soak[@]}" --seeds 901..903 || return
  "${soak[@]}" --seeds 901..901 --show | grep -q -- ' ring --seed 901 ' || return
  ! "${soak[@]}" --weir false --seeds 901..902 > "$work" || return
  grep -q '^FAILED seed 902 ' "$work" && grep -q '^  false ring --seed 902 ' "$work" && grep -q '^0 passed, 2 failed' "$work"
}
work=$(mktemp)
trap 'rm -f "$work"' EXIT
if ring 2>&1; then
  echo "ok closed loop"
else
  cat "$work"
  echo "not ok closed loop"
  code=1
fi
if sim/soak/soak_gather.py --weir "${BUILD:-build}/weir" --seeds 901..915 2>&1; then
  echo "ok gathers"
else
  echo "not ok gathers"
  code=1
fi
if sim/soak/soak_relay.py --weir "${BUILD:-build}/weir" --seeds 901..915 2>&1; then
  echo "ok trees"
else
  echo "not ok trees"
  code=1
fi
exit $code
