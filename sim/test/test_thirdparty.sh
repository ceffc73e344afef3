#!/bin/bash
# RoCEv2 captures that others made, which are not part of the project: .pcap and .pcapng files in the folder that
# WEIR_THIRD_PARTY names, or else in ../shared/traces/third-party beside the project, if that is there. They hold no ring, so
# every frame must pass the device as it is; each ICRC is right, and each bit that it covers matters.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/test/tap.sh
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
beside=../shared/traces/third-party
folder=${WEIR_THIRD_PARTY:-$beside}

# passes CAPTURE OPTION..: every frame leaves the device as it came, and the switch forwards it: the device has a cable of its
# own to the switch, so also back to its sender, which published single packets may be addressed to.
passes() {
  local capture=$1
  shift
  "$build/weir" replay "$capture" --out "$work/out.pcapng" --json "$work/json" "$@" &&
    "$build/sim/compare" frames "$capture" "$work/out.pcapng" &&
    python3 -c 'import json, sys; s = json.load(open(sys.argv[1])); sys.exit(s["frames_in"] != s["passed"])' "$work/json"
}

# each COMMAND..: with each capture of the folder in the place of CAPTURE it succeeds, of which there must be one.
each() {
  local found=0 bad=0 capture
  while read -r capture; do
    found=1
    echo "$capture:"
    "${@/CAPTURE/$capture}" || bad=1
  done < <(find "$folder" -name '*.pcap' -o -name '*.pcapng' -o -name '*.pcap.gz' -o -name '*.pcapng.gz' | sort)
  ((found)) || echo "no capture in $folder"
  ((found && !bad))
}

if [[ -z ${WEIR_THIRD_PARTY-} && ! -d $beside ]]; then
  check() { skip "$1" "WEIR_THIRD_PARTY names no folder, and there is no $beside"; }
fi
check 'ICRCs of captures that others made' each "$build/sim/compare" icrc CAPTURE
check 'captures that others made pass' each passes CAPTURE
check 'captures that others made pass, held back' each passes CAPTURE --stall 0.5 --pace line
tap_end
