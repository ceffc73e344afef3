#!/bin/bash
# Other people's programs on Linux guests whose reductions go through the Verilated device (weir live --program), their own checks on:
#
#   train      PyTorch trains a model, with DistributedDataParallel and FullyShardedDataParallel: losses of sums by `weir` are, bit by bit, those of sums in the same order, and close to Gloo's
#              (tools/test/host/torch_train.py, losses.py)
#   nccl       the plugin for NCCL, with a program that plays NCCL's part on each host (tools/test/host/host_nccl.c)
#   scalapack  ScaLAPACK's tester of LLt factorization in FP32, which checks residuals
#   hpcc       HPC Challenge: its checks of matrices, random access and transforms, and its measurements of latency and bandwidth
#
# Usage: sim/soak/guests.sh [PROGRAM [HOSTS [STEPS]]]      FOLDER: where its files stay (default: they do not)
#        WHEELS=torch==2.6.0: train with PyPI's wheels, in place of Debian's package
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
program=${1:-all} hosts=${2:-2} steps=${3:-40}
# Where programs are: of this machine's Debian, and of the next one, whose PyTorch has FullyShardedDataParallel for CPUs.
root=$build/live/programs torch=$build/live/torch${WHEELS:+-of-pypi}
work=${FOLDER:-$(mktemp -d)}
mkdir -p "$work"
[[ -n ${FOLDER:-} ]] || trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL

# on_hosts NAME OPTION..: run.sh of each host's folder; what the program and the device said is in NAME.said, NAME.json, NAME.html.
on_hosts() {
  local name=$1
  shift
  "$build/weir" live --hosts "$hosts" --program 'sh ./run.sh' --roce-only --files "$work" --memory 1024 --patience 3000 --json "$work/$name.json" --report "$work/$name.html" "$@" \
    > "$work/$name.said" 2> "$work/$name.err" < /dev/null && return
  cat "$work/$name.said" "$work/$name.err" >&2
  return 1
}

# each FILE..: into each host's folder; run.sh is what comes in.
each() {
  local host script
  script=$(cat)
  for ((host = 0; host < hosts; host++)); do
    mkdir -p "$work/host$host"
    (($# == 0)) || cp -r "$@" "$work/host$host"
    echo "$script" > "$work/host$host/run.sh"
  done
}

train() {
  each tools/test/host/torch_train.py <<< "USE_LIBUV=0 GLOO_SOCKET_IFNAME=eth0 OMP_NUM_THREADS=1 PYTHONPATH=/usr/local/lib/weir/python exec python3 torch_train.py $steps ."
  on_hosts train --root "$torch" --msglen 16
  grep -E '^host 0: (gloo|weir|ordered)' "$work/train.said"
  python3 sim/soak/losses.py "$work/host0" "$steps" fsdp
  # The device's page, and then both curves above it.
  python3 tools/check_page.py "$work/train.html" "$work/train.json"
  python3 tools/draw/training.py "$work/host0" "$work/train.html"
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/train.html"
}

nccl() {
  gcc -Wall -Wextra -Werror tools/test/host/host_nccl.c -o "$work/host_nccl"
  each "$work/host_nccl" <<< 'exec ./host_nccl /usr/local/lib/libnccl-net-weir.so $RANK $MASTER_ADDR'
  hosts=2 on_hosts nccl --root "$root"
  [[ $(grep -c ': right$' "$work/nccl.said") == 2 ]] || { cat "$work/nccl.said" >&2 && return 1; }
  echo 'nccl: all-reduce, all-gather and reduce-scatter are right on both hosts'
}

# Without its tests of refinement: pslacon of ScaLAPACK 2.2.1 reads memory that it never wrote (valgrind says so without Weir), and its ranks then go different ways.
scalapack() {
  sed -e '1,5b' -e 's/^4.*problems sizes/2/; s/^4 10 17.*/10 23/; s/^3.*number of NB.s/1/; s/^2 3 4 5.*/4/; s/^3.*number of NRHS.s/1/; s/^1 3 9 28.*/3/' \
    -e 's/^3.*number of NBRHS.s/1/; s/^1 3 5 7.*/3/; s/^4.*process grids.*/2/; s/^1 2 1 4 2 3 8.*/1 2/; s/^1 2 4 1 3 2 1.*/2 1/; s/^T .*/F/' \
    "$root/usr/share/scalapack/LLT.dat" > "$work/LLT.dat"
  each "$work/LLT.dat" <<< 'WEIR_DEBUG=1 exec weir-mpirun /usr/lib/x86_64-linux-gnu/scalapack/openmpi-tests/xsllt'
  hosts=2 on_hosts scalapack --root "$root"
  grep -E '^host 0: .*(tests completed|through Weir)' "$work/scalapack.said"
  grep -q '^host 0: *4 tests completed and passed residual checks' "$work/scalapack.said" && grep -q 'MPI_Reduce: [1-9][0-9]* through Weir' "$work/scalapack.said"
}

# Small, on one row of two processes: what takes long is the rings of 2 MB messages that it measures whatever its input says.
hpcc() {
  sed -e 's/^1000 .*Ns$/100 Ns/; s/^80 .*NBs$/16 NBs/; s/^2 .*Ps$/1 Ps/' "$root/usr/share/doc/hpcc/examples/_hpccinf.txt" > "$work/hpccinf.txt"
  each "$work/hpccinf.txt" <<< 'WEIR_DEBUG=1 exec weir-mpirun hpcc'
  hosts=2 on_hosts hpcc --root "$root"
  local out=$work/host0/hpccoutf.txt
  grep -E '^host 0: .*through Weir' "$work/hpcc.said"
  grep -E '^ +[0-9]+ tests completed and passed|Found [0-9]+ errors|^Success=|^Ping|^Max(PingPong|Err)|^NaturallyOrderedRing|^PTRANS_residual|^MPIFFT_maxErr' "$out"
  grep -q '^ *1 tests completed and passed residual checks' "$out" && grep -q '^Success=1' "$out" && ! grep -qE 'FAILED|Found [1-9][0-9]* errors' "$out"
}

torch_root() {
  if [[ ${WHEELS:-} ]]; then BUILD=$build tools/live_root.sh "$torch" python3 libstdc++6; else BUILD=$build SUITE=trixie tools/live_root.sh "$torch" python3-torch; fi
}
made() { [[ -e $1/.made && -z $(find host lib -newer "$1/.made" -name '*.[chp]*' -print -quit) ]]; }
make -s BUILD="$build" build live-image host-mpi > "$work/made" 2>&1 || { tail "$work/made" >&2 && exit 1; }
# What it is made from: packages, and of this tree the library and its adapters.
case $program in
  all | train) made "$torch" || { torch_root && touch "$torch/.made"; } ;;&
  all | nccl | scalapack | hpcc) made "$root" || { BUILD=$build tools/live_root.sh "$root" openmpi-bin scalapack-mpi-test hpcc && touch "$root/.made"; } ;;
esac
case $program in
  all) train && nccl && scalapack && hpcc ;;
  train | nccl | scalapack | hpcc) "$program" ;;
  *) sed -n '2,11p' "$0" >&2 && exit 2 ;;
esac
