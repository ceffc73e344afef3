#!/bin/bash
# The synthesis flow on logic of known cost and depth, and its look at whether committed reports are of this RTL.
cd "$(dirname "$0")/../.." || exit 2
. tools/test/tap.sh
python="${VENV:-.venv}/bin/python"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

results "$python" synth/test/shapes.py
results "$python" synth/test/growth.py

# Reports of this RTL are taken; one with a row of another RTL is not.
names=$(basename -as .csv synth/reports/xcup-*.csv | sed s/xcup-//)
if BUILD="$scratch" "$python" synth/check.py $names > "$scratch/log" 2>&1; then
  ok synth_reports_are_of_this_rtl
else
  cat "$scratch/log"
  not_ok 'synth_reports_are_of_this_rtl: make synth'
fi
tap_end
