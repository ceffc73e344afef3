#!/bin/bash
# RoCEv2 captures that others made, which are not part of the project: set WEIR_THIRD_PARTY to a folder with .pcap or .pcapng
# files. They hold no ring, so every frame must pass the device as it is; each ICRC is right, and each bit that it covers matters.
#
# Prints `ok NAME` or `not ok NAME` for each.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

if [[ -z ${WEIR_THIRD_PARTY-} ]]; then
  echo 'ok third-party # skip: WEIR_THIRD_PARTY names no folder'
  exit 0
fi

# check NAME COMMAND..: runs it, and shows what it said if it fails.
check() {
  local name=$1
  shift
  if "$@" > "$work/said" 2>&1; then
    echo "ok third-party $name"
  else
    cat "$work/said"
    echo "not ok third-party $name"
    failed=1
  fi
}

# passes CAPTURE OPTION..: every frame leaves the device as it came. A switch does not forward a frame to its own sender, which
# published single packets may claim to be.
passes() {
  local capture=$1
  shift
  if ! tshark -r "$capture" -Y 'eth.src != eth.dst' -F pcapng -w "$work/expected.pcapng" 2> "$work/tshark"; then
    cat "$work/tshark"
    return 1
  fi
  "$build/weir" replay "$capture" --out "$work/out.pcapng" --json "$work/json" "$@" &&
    "$build/sim/compare" frames "$work/expected.pcapng" "$work/out.pcapng" &&
    python3 -c 'import json, sys; s = json.load(open(sys.argv[1])); sys.exit(s["frames_in"] != s["passed"])' "$work/json"
}

found=0
while read -r capture; do
  found=1
  name=$(basename "$capture")
  check "ICRCs of $name" "$build/sim/compare" icrc "$capture"
  check "$name passes" passes "$capture"
  check "$name passes, held back" passes "$capture" --stall 0.5 --pace line
done < <(find "$WEIR_THIRD_PARTY" -name '*.pcap' -o -name '*.pcapng' -o -name '*.pcap.gz' -o -name '*.pcapng.gz' | sort)
if ((!found)); then
  echo "not ok third-party: no capture in $WEIR_THIRD_PARTY"
  failed=1
fi
exit $failed
