#!/bin/bash
# The synthesis flow on logic of known cost and depth, and its look at whether committed reports are of this RTL.
cd "$(dirname "$0")/../../.." || exit 2
. tools/test/tap.sh
python="${VENV:-.venv}/bin/python"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

results "$python" synth/test/shapes.py
results "$python" synth/test/growth.py
results "$python" synth/test/power.py
results "$python" synth/test/area.py
results "$python" synth/test/whole.py
results "$python" synth/test/marks.py

# Pages and pictures are what the reports make of them; one edited by hand is not taken.
if "$python" synth/report.py --check > "$scratch/log" 2>&1; then
  ok synth_pages_say_what_the_reports_say
else
  cat "$scratch/log"
  not_ok 'synth_pages_say_what_the_reports_say: make synth-docs'
fi

# Figures agree with each other. Rows of older RTL are named, and no fault: work on RTL goes on, and make fresh measures them anew. Here those of the
# device that was elaborated for the growth above; `make fresh-list` elaborates all, half a minute of processor time or more, and names theirs.
if "$python" synth/check.py paper6 > "$scratch/log" 2>&1; then
  sed 's/^/# /' "$scratch/log"
  ok synth_figures_agree
else
  cat "$scratch/log"
  not_ok synth_figures_agree
fi
tap_end
