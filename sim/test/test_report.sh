#!/bin/bash
# The pages that `--report` writes: well-formed, without a reference to anything outside, with the numbers of the same run's
# --json; what cannot be written is refused; and the check itself sees what is broken.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/test/tap.sh
weir=$(realpath "${BUILD:-build}")/weir
captures=$PWD/sim/captures
checker=$PWD/tools/check_page.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run CODE COMMAND OPTION..: a run with page and summary; wants this exit code.
run() {
  local wanted=$1 code=0
  shift
  "$weir" "$@" --report "$work/page.html" --json "$work/json" > "$work/stdout" 2> "$work/stderr" || code=$?
  ((code == wanted)) && return
  echo "exit code $code, not $wanted: weir $*"
  cat "$work/stdout" "$work/stderr"
  return 1
}

# right CODE COMMAND OPTION..: and the page agrees with the summary.
right() { run "$@" && python3 "$checker" "$work/page.html" "$work/json"; }

# says TEXT..: the page does.
says() {
  local text
  for text in "$@"; do
    grep -qF -- "$text" "$work/page.html" && continue
    echo "the page does not say: $text"
    return 1
  done
}

# equals ACTUAL EXPECTED
equals() {
  [[ $1 == "$2" ]] && return
  echo "$1, not $2"
  return 1
}

# ----------------------------------------------------------------------------------------------------------- pages

for capture in "$captures"/*.in.pcapng.gz; do
  check "$(basename "$capture" .in.pcapng.gz)" right 0 replay "$capture"
done

# Numbers that follow from the capture (sim/captures/README.md).
known_capture() {
  right 0 replay "$captures/ring4-loss.in.pcapng.gz" && says '>Replay of ring4-loss.in.pcapng.gz<' '<dd id="frames_in">1,935</dd>' \
    'half of 768 results' 'The 10 slowest of 192 columns' 'all of them as unknown_message' 'No frame went through ports 4 and 5.' &&
    equals "$(grep -o 'in: [0-9]* frames' "$work/page.html" | tr '\n' ,)" 'in: 450 frames,in: 373 frames,in: 600 frames,in: 512 frames,' &&
    python3 -c '
import json, re, sys
# The last event is a little before the last cycle, which waits whether there is another one; three digits are told.
after = json.load(open(sys.argv[1]))["cycles"] - 250 * float(re.search(r"id=\"time\">([\d.]+) \S*s<", open(sys.argv[2]).read()).group(1))
sys.exit(0 if 0 <= after < 400 else f"{after} cycles after the last event")' "$work/json" "$work/page.html"
}
check 'a known capture' known_capture

# Time goes on in gaps in which nothing is clocked.
recorded() { right 0 replay "$captures/ring4-send-int32.in.pcapng.gz" --pace recorded && says '<dd id="time">8.03 s</dd>'; }
check 'time stamps' recorded

no_ring() {
  echo '[]' > "$work/rings.json"
  right 0 replay "$captures/ring4.in.pcapng.gz" --rings "$work/rings.json" && says 'No ring is set up' 'Latency: nothing to measure'
}
check 'no ring' no_ring

cut_short() { right 0 replay "$captures/ring4.in.pcapng.gz" --limit 300 && says 'Not over at the end: '; }
check 'columns without an end' cut_short

check 'outputs held back' right 0 replay "$captures/ring4.in.pcapng.gz" --stall 0.7 --config wide8
ring() { right 0 ring --loss 0.01 --tensor 100000 && says '6 hosts all-reduce 100000 bytes in 1 ring'; }
check 'ring' ring
check 'ring with two rings' right 0 ring --hosts 4 --rings 2 --tensor 50000 --msglen 16 --dup 0.01 --rtt 5

# Hosts try in vain for 10 ms, most of which nothing is on its way.
wrong() {
  right 1 ring --loss 0.95 --tensor 20000 && says 'FAILED: ' 'no result message for 100 time-outs' 'Columns: none got all its results' &&
    grep -qE '<dd id="time">(9\.[0-9]+|10\.0) ms<' "$work/page.html"
}
check 'a run that fails' wrong

markup() {
  cp "$captures/ring4.in.pcapng.gz" "$work/<i>&amp;\"x\".pcapng.gz"
  right 0 replay "$work/<i>&amp;\"x\".pcapng.gz" --limit 50 && says '&lt;i&gt;&amp;amp;&quot;x&quot;.pcapng.gz</h1>'
}
check 'a name like markup' markup

# The same run gives the same page, and the run is the same without one.
repeatable() {
  run 0 replay "$captures/ring4.in.pcapng.gz" --stall 0.3 && mv "$work/page.html" "$work/before.html" &&
    run 0 replay "$captures/ring4.in.pcapng.gz" --stall 0.3 && cmp "$work/before.html" "$work/page.html" &&
    "$weir" replay "$captures/ring4.in.pcapng.gz" --stall 0.3 --json "$work/without" > /dev/null &&
    diff <(grep -v 'frames_per_second\|bench_share' "$work/without") <(grep -v 'frames_per_second\|bench_share' "$work/json")
}
check 'repeatable' repeatable

# -------------------------------------------------------------------------------------------------------- refusals

# refused PATTERN COMMAND OPTION..: exit code 2, one line that matches, and nothing is left behind.
refused() {
  local pattern=$1 code=0
  shift
  rm -rf "$work/run"
  mkdir "$work/run"
  (cd "$work/run" && "$weir" "$@" > "$work/stdout" 2> "$work/stderr") || code=$?
  cat "$work/stderr" && ls -A "$work/run"
  ((code == 2)) && [[ $(wc -l < "$work/stderr") == 1 && -z $(ls -A "$work/run") ]] && grep -q -- "$pattern" "$work/stderr"
}
for command in "replay $captures/ring4.in.pcapng.gz --limit 20" 'ring --tensor 1000'; do
  name=${command%% *}
  check "$name: no folder" refused 'no/page.html.*No such file' $command --report no/page.html
  check "$name: a folder" refused 'Is a directory' $command --report "$work"
  check "$name: no name" refused "--report '': names no file" $command --report ''
  check "$name: one file for two" refused '--report ./one: is the file of --json' $command --json one --report ./one
  check "$name: refused later" refused 'no regular file' $command --report page.html --wave /dev/null
  check "$name: no room" refused '/dev/full: cannot write: No space left' $command --report /dev/full
done
cp "$captures/ring4.in.pcapng.gz" "$work/capture"
check 'replay: over the capture' refused 'is the file of the capture' replay "$work/capture" --report "$work/capture"

# ------------------------------------------------------------------------------------------------ the check itself

# seen WHAT SED-SCRIPT: a good page, changed so, is not let through, and the reason is this one.
seen() {
  sed "$2" "$work/good.html" > "$work/page.html"
  if cmp -s "$work/good.html" "$work/page.html"; then
    echo 'nothing was changed'
    return 1
  fi
  python3 "$checker" "$work/page.html" "$work/good.json" > "$work/found" && { echo 'let through'; return 1; }
  cat "$work/found"
  grep -q -- "$1" "$work/found"
}
run 0 replay "$captures/ring4-loss.in.pcapng.gz"
cp "$work/page.html" "$work/good.html"
cp "$work/json" "$work/good.json"
check 'sees a tag without end' seen 'not well-formed' 's|</h1>||'
check 'sees an entity that is none' seen 'not well-formed' 's|<h1>|&x;&|'
check 'sees a picture from outside' seen 'outside: element img' 's|<main>|&<img src="x.png"/>|'
check 'sees a script' seen 'outside: element script' 's|<main>|&<script>1</script>|'
check 'sees a style from outside' seen 'an address' 's|<style>|&@import "x.css";|'
check 'sees a font from outside' seen 'url(x.woff)' 's|<style>|&@font-face { src: url(x.woff); }|'
check 'sees an address' seen 'an address' 's|<main>|<main title="http://x">|'
check 'sees a name that is none' seen 'no element is called hatched' 's|id="hatched"|id="hatch"|'
check 'sees a name used twice' seen 'two elements are called cycles' 's|<main>|<main id="cycles">|'
check 'sees a section without picture' seen 'slots has neither' '/<section id="slots">/,/<.section>/{s|role="img"||}'
check 'sees a wrong figure' seen 'frames_in: 1936, not 1935' 's|id="frames_in">1,935|id="frames_in">1,936|'
check 'sees a wrong percentile' seen 'p99: ' 's|id="latency_p99">[0-9,]*|&1|'
check 'sees a wrong drop' seen 'unknown_message: 31, not 30' 's|id="fate_unknown_message">30|id="fate_unknown_message">31|'
check 'sees a wrong fate' seen 'all other fates' 's|id="fate_stored">768|id="fate_stored">769|'
check 'sees a wrong port' seen 'frames into all ports' 's|in: [0-9,]* frames|in: 1 frame|'
check 'sees a wrong mark' seen 'mark: p50: half within 1' 's|>p50: half within |&1|'
check 'sees a result that is not there' seen 'moments that never came: 1, not 0' '0,/<td class="number">[0-9.]* µs</s//<td class="number">never</'
check 'sees a wrong bar' seen 'latencies in the bars' '0,/: [0-9]* result/s//: 9999 result/'
check 'sees a wrong verdict' seen 'verdict: FAILED, not OK' 's|OK: every|FAILED: every|'
tap_end
