#!/bin/bash
# RoCEv2 captures that others made, which are not part of the project: set WEIR_THIRD_PARTY to a folder with .pcap or .pcapng
# files. They hold no ring, so every frame must pass the device as it is; each ICRC is right, and each bit that it covers matters.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/test/tap.sh
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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

# each COMMAND..: with each capture of the folder in the place of CAPTURE it succeeds, of which there must be one.
each() {
  local found=0 bad=0 capture
  while read -r capture; do
    found=1
    echo "$capture:"
    "${@/CAPTURE/$capture}" || bad=1
  done < <(find "$WEIR_THIRD_PARTY" -name '*.pcap' -o -name '*.pcapng' -o -name '*.pcap.gz' -o -name '*.pcapng.gz' | sort)
  ((found)) || echo "no capture in $WEIR_THIRD_PARTY"
  ((found && !bad))
}

if [[ -z ${WEIR_THIRD_PARTY-} ]]; then
  check() { skip "$1" 'WEIR_THIRD_PARTY names no folder'; }
fi
check 'ICRCs of captures that others made' each "$build/sim/compare" icrc CAPTURE
check 'captures that others made pass' each passes CAPTURE
check 'captures that others made pass, held back' each passes CAPTURE --stall 0.5 --pace line
tap_end
