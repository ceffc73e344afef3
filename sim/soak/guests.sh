#!/bin/bash
# Other people's programs on Linux guests whose reductions go through the Verilated device (weir live --program), their own checks on:
#
#   train      PyTorch trains a model: losses of sums by `weir` are, bit by bit, those of sums in the same order, and close to Gloo's (tools/test/host/torch_train.py, losses.py)
#   nccl       the plugin for NCCL, with a program that plays NCCL's part on each host (tools/test/host/host_nccl.c)
#   scalapack  ScaLAPACK's tester of LLt factorization in FP32, which checks residuals
#
# Usage: sim/soak/guests.sh [PROGRAM [HOSTS [STEPS]]]      FOLDER: where its files stay (default: they do not)
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
program=${1:-all} hosts=${2:-2} steps=${3:-40}
root=$build/live/programs
work=${FOLDER:-$(mktemp -d)}
mkdir -p "$work"
[[ -n ${FOLDER:-} ]] || trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL

# on_hosts NAME OPTION..: run.sh of each host's folder; what the program and the device said is in NAME.said, NAME.json, NAME.html.
on_hosts() {
  local name=$1
  shift
  "$build/weir" live --hosts "$hosts" --program 'sh ./run.sh' --root "$root" --files "$work" --memory 1024 --patience 3000 --json "$work/$name.json" --report "$work/$name.html" "$@" \
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
  each tools/test/host/torch_train.py <<< "GLOO_SOCKET_IFNAME=eth0 OMP_NUM_THREADS=1 PYTHONPATH=/usr/local/lib/weir/python exec python3 torch_train.py $steps ."
  on_hosts train --msglen 16
  grep -E '^host 0: (gloo|weir|ordered)' "$work/train.said"
  python3 sim/soak/losses.py "$work/host0" "$steps"
  python3 tools/draw/training.py "$work/host0" "$work/train.html"
}

nccl() {
  gcc -Wall -Wextra -Werror tools/test/host/host_nccl.c -o "$work/host_nccl"
  each "$work/host_nccl" <<< 'exec ./host_nccl /usr/local/lib/libnccl-net-weir.so $RANK $MASTER_ADDR'
  hosts=2 on_hosts nccl
  [[ $(grep -c ': right$' "$work/nccl.said") == 2 ]] || { cat "$work/nccl.said" >&2 && return 1; }
  echo 'nccl: all-reduce, all-gather and reduce-scatter are right on both hosts'
}

# Without its tests of refinement: pslacon of ScaLAPACK 2.2.1 reads memory that it never wrote (valgrind says so without Weir), and its ranks then go different ways.
scalapack() {
  sed -e '1,5b' -e 's/^4.*problems sizes/2/; s/^4 10 17.*/10 23/; s/^3.*number of NB.s/1/; s/^2 3 4 5.*/4/; s/^3.*number of NRHS.s/1/; s/^1 3 9 28.*/3/' \
    -e 's/^3.*number of NBRHS.s/1/; s/^1 3 5 7.*/3/; s/^4.*process grids.*/2/; s/^1 2 1 4 2 3 8.*/1 2/; s/^1 2 4 1 3 2 1.*/2 1/; s/^T .*/F/' \
    "$root/usr/share/scalapack/LLT.dat" > "$work/LLT.dat"
  each "$work/LLT.dat" <<< 'WEIR_DEBUG=1 exec weir-mpirun /usr/lib/x86_64-linux-gnu/scalapack/openmpi-tests/xsllt'
  hosts=2 on_hosts scalapack
  grep -E '^host 0: .*(tests completed|through Weir)' "$work/scalapack.said"
  grep -q '^host 0: *4 tests completed and passed residual checks' "$work/scalapack.said" && grep -q 'MPI_Reduce: [1-9][0-9]* through Weir' "$work/scalapack.said"
}

make -s BUILD="$build" build live-image host-mpi > "$work/made" 2>&1 || { tail "$work/made" >&2 && exit 1; }
# What it is made from: packages, and of this tree the library and its adapters.
if [[ ! -e $root/.made || -n $(find host lib -newer "$root/.made" -name '*.[chp]*' -print -quit) ]]; then
  BUILD=$build tools/live_root.sh "$root" openmpi-bin python3-torch scalapack-mpi-test
  touch "$root/.made"
fi
case $program in
  all) train && nccl && scalapack ;;
  train | nccl | scalapack) "$program" ;;
  *) sed -n '2,9p' "$0" >&2 && exit 2 ;;
esac
