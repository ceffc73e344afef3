#!/bin/bash
# Fuzzes what reads bytes from outside: each tb/fuzz/fuzz_*.c some 2 s (FUZZ_SECONDS; `make soak` 60 s), beginning with cut-off captures, or with small files
# of its own kind. One with a line `// DEVICES: name ..` runs Verilated devices, which are built if they are not there.
#
# Without clang's libFuzzer the targets see only the captures to begin with, which is no fuzzing: each is skipped, or fails. An input that breaks a target is kept in $BUILD/fuzz.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/test/tap.sh
build=${BUILD:-build}/fuzz
seconds=${FUZZ_SECONDS:-2}
seeds=$build/seeds   # a folder a target; where there is none, captures
mkdir -p "$build"

# The first bytes of each capture, plain and gzipped: small, because a fuzzer gets further with small inputs.
make_captures() {
  local capture name size seeds=$seeds/captures
  mkdir -p "$seeds"
  for capture in sim/captures/*.pcapng.gz; do
    name=$(basename "$capture" .pcapng.gz)
    for size in 40 300 1500 6000; do
      # gzip complains when head has enough.
      { gzip -dc "$capture" 2> /dev/null || true; } | head -c "$size" > "$seeds/$name-$size"
      gzip -nc "$seeds/$name-$size" > "$seeds/$name-$size.gz"
    done
    head -c 700 "$capture" > "$seeds/$name-cut.gz"
  done
  # pcap, microseconds least and nanoseconds most significant byte first: a header, and a record of six bytes.
  printf '%b' '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\xff\xff\0\0\1\0\0\0' \
    '\1\0\0\0\2\0\0\0\6\0\0\0\6\0\0\0record' > "$seeds/little.pcap"
  printf '%b' '\xa1\xb2\x3c\x4d\0\2\0\4\0\0\0\0\0\0\0\0\0\0\xff\xff\0\0\0\1' \
    '\0\0\0\1\0\0\0\2\0\0\0\6\0\0\0\6record' > "$seeds/big.pcap"
}

# seed TARGET: a file to begin with, from standard input.
seed() {
  mkdir -p "$seeds/$1"
  cat > "$seeds/$1/$(find "$seeds/$1" -type f | wc -l)"
}

make_seeds() {
  rm -rf "$seeds"
  make_captures
  seed fuzz_rings <<< '[{"ring":1,"workers":4,"msglen":24,"window":2}]'
  seed fuzz_rings <<< '[{"ring":1,"workers":2,"msglen":1,"window":1,"connections":[{"src":"10.0.0.1","dst":"10.0.0.2","qpn":18,"rank":0}]}]'
  seed fuzz_topology <<< '{"children":[{"hosts":2},{"hosts":3}]}'
  seed fuzz_topology <<< '{"children":[{"children":[{"hosts":3},{"hosts":1}]},{"hosts":2}]}'
  printf 'leaf-spine:2x3' | seed fuzz_topology
  seed fuzz_net <<< '{"hosts":2,"switches":[1,1,2],"cables":[["h0","s0",100,50],["h1","s1",100,50],["s0","s2",400,50],["s1","s2",400,50]]}'
  seed fuzz_net <<< '{"hosts":1,"switches":[1,1,1],"cables":[["h0","s0",1,1],["s0","s1",1,1],["s1","s2",1,1],["s2","s0",1,1]],"cyclic":true}'
  printf 'clos:2x2x1,2x1' | seed fuzz_net
  printf 'machines:3x2' | seed fuzz_net
  printf '# a flow\n0,1,4096\n11, 3,1000000,2.5\r\n' | seed fuzz_flows
  printf '4294967297,0,1\n' | seed fuzz_flows
  seed fuzz_jobs <<< '[{"hosts":[0,1,2]},{"hosts":[3,1],"type":"bf16","op":"min","tensor":"64K"}]'
  printf '%%%%MatrixMarket matrix coordinate real general\n%% c\n3 4 2\n3 1 1.5\n1 4 -2e1\n' | seed fuzz_matrix
  printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n' | seed fuzz_matrix
  printf '%%%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1 -2\n' | seed fuzz_matrix
  printf '%%%%MatrixMarket matrix array integer general\n2 1\n0\n7\n' | seed fuzz_matrix
  printf '%%%%MatrixMarket matrix array integer skew-symmetric\n2 2\n7\n' | gzip -nc | seed fuzz_matrix
  printf '%%%%MatrixMarket matrix coordinate real general\n3 4 1\n3 1 nan\n' | seed fuzz_matrix
  printf '%%%%MatrixMarket matrix coordinate real general\n3 4 1\n3 1 1e999\n' | seed fuzz_matrix
  printf '%%%%MatrixMarket matrix coordinate real general\n268435456 268435456 1\n3 1 1\n' | seed fuzz_matrix
  printf '@weir up 6.1.0 rxe0\r\n@weir exit 0\n@weir passed ib_write_bw\nKernel panic\n@weir error ring 1: x (y)\n' | seed fuzz_console
  printf '@weir result {"rank": 0, "ring": 1, "bytes": 4096, "us": 1.5, "wrong": 0, "device": true}\n' | seed fuzz_console
  printf '@weir counters {"rcvd_pkts": 7, "lifespan": 10}\n@weir allreduce --op max\n' | seed fuzz_console
  printf '\1WEIR\0\1\0\2\0\1\0\0\0\0\0\0\0\0\0\3' | seed fuzz_greeting
  printf '\0WEIR\0\1\0\2\0\1' | seed fuzz_greeting
  head -c 400 sim/captures/ring4.in.pcapng.gz | seed fuzz_survey
  # A lock of three children, then their vectors of two packets.
  # Of forty such programs seven see a device that stores a ring over the slots of another; four of them.
  for s in 7 9 21 27; do python3 -c "import random, sys; sys.stdout.buffer.write(random.Random($s).randbytes(1200))" | seed fuzz_device; done
  { printf '\0'; for p in 0 1 2; do printf "\\0\\$p\\0\\4\\1\\0\\1\\1\\0\\0"; done
    for p in 4 5 6; do printf "\\0\\$p\\2\\1\\1\\0\\2\\0\\103\\0\\0\\$p\\4\\114\\0"; done; } | seed fuzz_tree
}

devices_of() { sed -n 's|^// DEVICES: ||p' "$1"; }

# units TARGET: the C files it is linked with, found as those of the unit tests are.
units() {
  PYTHONPATH=tools PYTHONDONTWRITEBYTECODE=1 python3 -c '
import sys, unitgen
sources, device = unitgen.units(sys.argv[1])
if device != bool(sys.argv[2]):
    sys.exit(sys.argv[1] + ": the line `// DEVICES: name ..` is for targets that run devices, and they need it")
print(*sources)' "$1" "$(devices_of "$1")"
}

flags=(-std=c17 -D_GNU_SOURCE -Itb -Ilib -I. "-I${BUILD:-build}/gen" -O1 -g1 -fno-omit-frame-pointer -fno-sanitize-recover=all)
libraries=(-ljansson -lnettle -lz -lm -ldl)
export WEIR_DEVICES=$PWD/${BUILD:-build}/device
case ${BUILD:-build} in /*) WEIR_DEVICES=$BUILD/device ;; esac

have_libfuzzer() {
  command -v clang > /dev/null || return 1
  echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d == 0 && n == 1; }' |
    clang -fsanitize=fuzzer,address,undefined -x c - -o "$build/probe" 2> /dev/null
}

seeds_of() { if [[ -d $seeds/$1 ]]; then echo "$seeds/$1"; else echo "$seeds/captures"; fi; }

# Allocations are limited: a length in the input must not become memory. With devices a run takes some hundredths of a second.
fuzz() {
  local name=$1 corpus=$build/$1-corpus words=tb/fuzz/$1.dict runs least=20 devices
  devices=$(devices_of "tb/fuzz/$1.c")
  rm -rf "$corpus"
  mkdir -p "$corpus"
  [[ -e $words ]] || words=
  if [[ -n $devices ]]; then
    least=1
    : > "$build/empty"
    "$build/$name" "$build/empty" || return 1   # builds them
  fi
  "$build/$name" "$corpus" "$(seeds_of "$name")" -max_total_time="$seconds" -max_len=8192 -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=16 \
    -seed=1 ${words:+-dict="$words"} ${devices:+-len_control=0} -print_final_stats=1 -artifact_prefix="$build/$name-" || return 1
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")
  # Far below what a slow machine does; a target that hangs in its first inputs must not pass.
  if ((${runs:-0} < least * seconds)); then
    echo "only ${runs:-0} runs in $seconds s"
    return 1
  fi
}

# test_one TARGET: builds and runs it. What targets share is compiled once.
test_one() {
  local target=$1 name sources source how compiler=gcc linked=address,undefined objects=()
  name=$(basename "$target" .c)
  sources="$target $(units "$target")" || return 1
  if $libfuzzer; then
    compiler=clang linked=fuzzer,address,undefined
    how=(fuzz "$name")
  else
    sources+=' tb/fuzz/main.c'
    how=("$build/$name" "$(seeds_of "$name")"/*)
  fi
  # Unquoted: a list of file names without blanks.
  for source in $sources; do
    objects+=("$build/objects/${source//\//-}.o")
    [[ -e ${objects[-1]} ]] || "$compiler" "${flags[@]}" "-fsanitize=${linked/fuzzer/fuzzer-no-link}" -c "$source" -o "${objects[-1]}" || return 1
  done
  "$compiler" "-fsanitize=$linked" "${objects[@]}" "${libraries[@]}" -o "$build/$name" && "${how[@]}"
}

make_seeds
rm -rf "$build/objects" && mkdir "$build/objects"
libfuzzer=false
if have_libfuzzer; then libfuzzer=true; fi
for target in tb/fuzz/fuzz_*.c; do
  name=$(basename "$target" .c)
  if ! test_one "$target" > "$build/$name.log" 2>&1; then
    tail -n 40 "$build/$name.log"
    not_ok "$name: see $build/$name.log"
  elif $libfuzzer; then
    ok "$name"
  else
    skip "$name" 'no libFuzzer, only the inputs to begin with were tried'
  fi
done
tap_end
