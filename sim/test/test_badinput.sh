#!/bin/bash
# What `weir replay` cannot use: exit code 2, one line on stderr that says what is wrong, nothing on stdout, no file left behind.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/test/tap.sh
# Built with ASan and UBSan: what is read where nothing was written, or leaks, is seen.
weir=$(realpath "${BUILD:-build}")/san/weir
captures=$PWD/sim/captures
good=$captures/ring4.in.pcapng.gz
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir "$work/in" "$work/run" "$work/closed"

# bad NAME PATTERN OPTION..: the line must match the pattern. Runs in an empty folder and looks at what is in it afterwards.
bad() {
  local name=$1 pattern=$2 code=0 wrong=''
  shift 2
  (cd "$work/run" && exec timeout 60 "$weir" replay "$@" > "$work/stdout" 2> "$work/stderr") || code=$?
  ((code == 2)) || wrong+=" exit code $code;"
  [[ $(wc -l < "$work/stderr") == 1 ]] || wrong+=' not one line;'
  grep -q '^weir replay: ' "$work/stderr" || wrong+=' who says so;'
  grep -q -- "$pattern" "$work/stderr" || wrong+=" no '$pattern';"
  [[ ! -s $work/stdout ]] || wrong+=' stdout;'
  [[ -z $(ls -A "$work/run") ]] || wrong+=" left: $(ls -A "$work/run" | tr '\n' ' ');"
  rm -rf "$work/run"
  mkdir "$work/run"
  if [[ -z $wrong ]]; then
    ok "$name"
    return
  fi
  cat "$work/stderr"
  not_ok "$name:$wrong"
}
# What a run writes; named in each test of a bad input, so that leavings are seen.
files=(--out out.pcapng.gz --json out.json --report out.html)

# ---------------------------------------------------------------------------------------------------------- captures
gzip -dc "$good" > "$work/in/plain.pcapng"
: > "$work/in/empty"
head -c 100000 "$good" > "$work/in/cut.pcapng.gz"
head -c 200001 "$work/in/plain.pcapng" > "$work/in/cut.pcapng"
echo 'This is a shopping list, not a capture.' > "$work/in/list.txt"
# A pcap header with link type 101, raw IP; and one with Ethernet, but no frame behind it.
pcap_header() { printf '\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0%b\0\0\0' "$1"; }
pcap_header '\x65' > "$work/in/raw-ip.pcap"
pcap_header '\x01' > "$work/in/no-frame.pcap"
# One frame of 60 bytes of which 20 are there.
{ pcap_header '\x01'; printf '\0\0\0\0\0\0\0\0\x14\0\0\0\x3c\0\0\0%20s' ''; } > "$work/in/snapped.pcap"

bad 'missing file' 'nowhere.pcap.*No such file' nowhere.pcap "${files[@]}"
bad 'folder' 'in: .*irectory' "$work/in" "${files[@]}"
bad 'empty file' 'empty' "$work/in/empty" "${files[@]}"
bad 'truncated gzip' 'cut.pcapng.gz' "$work/in/cut.pcapng.gz" "${files[@]}"
bad 'truncated pcapng' 'cut.pcapng: frame [0-9]' "$work/in/cut.pcapng" "${files[@]}"
bad 'no capture' 'list.txt' "$work/in/list.txt" "${files[@]}"
bad 'link type' 'raw-ip.pcap.*101' "$work/in/raw-ip.pcap" "${files[@]}"
bad 'no frame' 'no-frame.pcap: .*no frame' "$work/in/no-frame.pcap" "${files[@]}"
bad 'only cut frames' 'snapped.pcap: .*snap length' "$work/in/snapped.pcap" "${files[@]}"

# ----------------------------------------------------------------------------------------------------------- options
bad 'no capture named' 'no capture' "${files[@]}"
bad 'two captures' 'only one' "$good" "$good" "${files[@]}"
bad 'unknown option' '--fast' "$good" --fast "${files[@]}"
bad 'unknown short option' '-x' -x "$good" "${files[@]}"
bad 'ambiguous option' '--s' "$good" --s 1 "${files[@]}"
bad 'option without value' '--seed' "$good" "${files[@]}" --seed
for value in fast '' LINE; do bad "pace '$value'" "--pace $value: must" "$good" "${files[@]}" --pace "$value"; done
for value in 1 1.5 -0.1 nan inf 0x1 abc '' 0.5x ' 0.5'; do
  bad "stall '$value'" "--stall $value: must" "$good" "${files[@]}" --stall "$value"
done
for value in 0 -2 2x '' 65536 1e1 99999999999999999999; do
  bad "window '$value'" "--window $value: must" "$good" "${files[@]}" --window "$value"
done
for value in -1 x '' 18446744073709551616 1.0; do
  bad "seed '$value'" "--seed $value: must" "$good" "${files[@]}" --seed "$value"
done
for value in 0 -1 x ''; do bad "limit '$value'" "--limit $value: must" "$good" "${files[@]}" --limit "$value"; done
bad 'unknown configuration' 'huge.*tiny, paper6, wide8' "$good" "${files[@]}" --config huge

# ------------------------------------------------------------------------------------------------------------- files
bad 'out in no folder' 'no/out.pcapng.*No such file' "$good" --json out.json --out no/out.pcapng
bad 'json in no folder' 'no/out.json.*No such file' "$good" --out out.pcapng --json no/out.json
bad 'wave in no folder' 'no/out.fst.*No such file' "$good" "${files[@]}" --wave no/out.fst
for option in out json report wave; do
  bad "$option is a folder" "$work/closed.*Is a directory" "$good" --$option "$work/closed"
done
for option in out json report wave; do bad "$option without a name" "--$option ''" "$good" --$option ''; done
bad 'wave is no file' '/dev/null.*no regular file' "$good" "${files[@]}" --wave /dev/null
bad 'out is the capture' 'the capture' "$work/in/plain.pcapng" --out "$work/in/plain.pcapng"
bad 'json is the capture' 'the capture' "$work/in/plain.pcapng" --json "$work/run/../in/plain.pcapng"
bad 'two targets, one file' 'is the file of --out' "$good" --out one --json ./one
# Root may write everywhere, but not where nobody can.
if [[ $(id -u) != 0 ]]; then
  chmod a-w "$work/closed"
  for option in out json report wave; do
    bad "$option in a closed folder" 'Permission denied' "$good" --$option "$work/closed/file"
  done
else
  for option in out json report wave; do
    bad "$option in a closed folder" '/proc/file' "$good" --$option /proc/file
  done
fi
# What stood there before stands there still.
echo 'as it was' > "$work/in/before"
bad 'targets kept' 'cut.pcapng' "$work/in/cut.pcapng" --out "$work/in/before" --json "$work/in/before2"
bad 'targets kept, late' 'no regular file' "$good" --out "$work/in/before" --wave /dev/null
if [[ $(cat "$work/in/before") == 'as it was' && ! -e $work/in/before2 && -z $(find "$work/in" -name '*.part') ]] &&
    cmp -s "$work/in/plain.pcapng" <(gzip -dc "$good"); then
  ok 'files stay as they were'
else
  not_ok 'files stay as they were'
fi

# ------------------------------------------------------------------------------------------------------------- rings
rings() { echo "$1" > "$work/in/rings.json"; }
bad 'no rings file' 'nowhere.json' "$good" "${files[@]}" --rings nowhere.json
# rings NAME PATTERN JSON
bad_rings() {
  rings "$3"
  bad "rings: $1" "$2" "$good" "${files[@]}" --rings "$work/in/rings.json"
}
bad_rings 'empty' 'rings.json' ''
bad_rings 'broken' 'rings.json' '[{"ring":1,'
bad_rings 'no array' 'array' '{"ring":1}'
bad_rings 'no workers' 'workers' '[{"ring":1,"msglen":24,"window":2}]'
bad_rings 'workers as text' 'workers' '[{"ring":1,"workers":"4","msglen":24,"window":2}]'
bad_rings 'window 0' 'window' '[{"ring":1,"workers":4,"msglen":24,"window":0}]'
bad_rings 'ring twice' 'ring' '[{"ring":1,"workers":4,"msglen":24,"window":2},{"ring":1,"workers":4,"msglen":24,"window":2}]'
bad_rings 'no address' 'rings.json' \
  '[{"ring":1,"workers":4,"msglen":24,"window":2,"connections":[{"src":"10.0.0","dst":"10.0.0.2","qpn":18,"rank":0}]}]'
bad_rings 'too large for any' 'wide8' '[{"ring":1,"workers":4,"msglen":400,"window":2}]'
bad 'window too large for any' 'wide8' "$good" "${files[@]}" --window 16
bad 'configuration too small' 'tiny' "$good" "${files[@]}" --config tiny
bad 'configuration too small for the ring' 'paper6.*NumSlots' "$captures/ring6-paper.in.pcapng.gz" "${files[@]}" \
  --config paper6 --window 4

# ------------------------------------------------------------------------------------------------------ interruption
# Half of a run is no result: a signal ends the program, and nothing is left.
cd "$work/run"
code=0
timeout --signal=TERM 1 "$weir" replay "$captures/ring6-paper.in.pcapng.gz" --pace recorded "${files[@]}" > "$work/stdout" \
  2> "$work/stderr" || code=$?
if ((code == 124)) && grep -q '^weir replay: interrupted' "$work/stderr" && [[ ! -s $work/stdout && -z $(ls -A) ]]; then
  ok interrupted
else
  ls -A
  not_ok "interrupted: exit code $code"
fi
tap_end
