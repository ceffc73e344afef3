#!/bin/sh
# The synthesis flow on logic of known cost and depth, and its look at whether committed reports are of this RTL.
cd "$(dirname "$0")/../.." || exit 2
python="${VENV:-.venv}/bin/python"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

"$python" synth/test/shapes.py || failed=1
"$python" synth/test/growth.py || failed=1

# Reports of this RTL are taken; one with a row of another RTL is not.
names=$(basename -as .csv synth/reports/xcup-*.csv | sed s/xcup-//)
if BUILD="$scratch" "$python" synth/check.py $names > "$scratch/log" 2>&1; then
  echo 'ok synth_reports_are_of_this_rtl'
else
  echo 'not ok synth_reports_are_of_this_rtl # make synth'; cat "$scratch/log"; failed=1
fi
exit $failed
