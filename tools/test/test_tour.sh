#!/bin/bash
# Usage: test_tour.sh [--write]
# Every command of docs/tour.md prints what the page shows, and its pictures are those that the commands make.
# Of what is built, the copy that they run in begins with the program, its device, that with waves, and Verilator's run time and compiled headers for unit
# tests. --write takes the pictures as they are made now.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 tools/doccheck.py --built weir --built 'flags/*' --built 'gen/**' --built 'rel/**' --built 'pch/*' --built 'device/make.args' \
  --built 'device/runtime.a' --built 'device/paper6.*' --built 'device/paper6-waves.*' --built 'device/paper6/stamp' --built 'dut/verilated*' "$@" docs/tour.md
