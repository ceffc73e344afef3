#!/bin/bash
# What synthesis makes of some modules does what the RTL does: four pass their unit tests as netlists of LUTs and registers, two are the
# same by SAT for all inputs. Each is also tried with one LUT inverted, which has to be noticed.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
. tools/test/tap.sh
build=${BUILD:-build}
python="${VENV:-.venv}/bin/python"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# verdict NAME: of the last command.
verdict() {
  local code=$?
  if ((code == 0)); then ok "$1"; else tail -20 "$log" | sed 's/^/# /'; not_ok "$1"; fi
}

# red COMMAND..: it names a test that failed and ends with their number, so it has compared and found a difference; a crash has a code above 100.
red() {
  local code=0
  "$@" > "$log" 2>&1 || code=$?
  ((code > 0 && code < 100)) && grep -qiE '^not ok|unproven' "$log"
}

${MAKE:-make} -s --no-print-directory BUILD="$build" VENV="${VENV:-.venv}" mapped-build > "$log" 2>&1
verdict mapped_netlists_build
for netlist in $(${MAKE:-make} -s --no-print-directory BUILD="$build" mapped-list); do
  name=${netlist%%-*}
  "$build/mapped/test_$netlist" > "$log" 2>&1
  verdict "mapped_$name"
  red "$build/mapped/test_broken-$netlist"
  verdict "mapped_${name}_broken_is_noticed"
done
for module in agg_slot_update prim_arb_rr-N_5; do
  BUILD=$build "$python" synth/mapped.py prove "$module" > "$log" 2>&1
  verdict "equivalent_${module%%-*}"
  BUILD=$build red "$python" synth/mapped.py prove --broken "$module"
  verdict "equivalent_${module%%-*}_broken_is_noticed"
done
tap_end
