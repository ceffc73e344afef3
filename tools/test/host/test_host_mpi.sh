#!/bin/bash
# An MPI program that knows nothing of Weir, with libweir-mpi.so before it: ranks are processes of this machine, and their RDMA network is memory that they share
# (tb/unit/host/net/process_verbs.h).
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
. tools/test/tap.sh
build=$(realpath "${BUILD:-build}")
work=$(mktemp -d)
network=/dev/shm/weir-mpi-test.$$
trap 'rm -rf "$work" "$network"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL

# In Fortran, by each of its three ways.
fortran() { mpifort -Wall -Wextra -Werror -Wno-compare-reals "$@" tools/test/host/host_mpi.F90 -o "$work/fortran" > "$work/said" 2>&1 || { tail "$work/said" && return 1; }; }
makes() { make -s BUILD="${BUILD:-build}" host-tests > "$work/said" 2>&1 && mpicc -Wall -Wextra -Werror tools/test/host/host_mpi.c -lm -o "$work/program" || { tail "$work/said" && return 1; }; }

# run RANKS WORD.. [-- VARIABLE=VALUE..]: the program, $program, with words of its own. What it said is in out and err.
program=program
run() {
  local ranks=$1 words=() variables=(-x WEIR_DEBUG=1 -x "WEIR_FAKE_VERBS=$network" -x "LD_PRELOAD=$build/host/libweir-mpi.so:$build/host/libprocess-verbs.so")
  shift
  while (($# > 0)) && [[ $1 != -- ]]; do words+=("$1") && shift; done
  shift || true
  for variable; do variables+=(-x "$variable"); done
  rm -f "$network"
  timeout 60 mpirun --allow-run-as-root --oversubscribe --mca pml ob1 --mca btl self,vader --mca plm isolated -np "$ranks" "${variables[@]}" \
    "$work/$program" "${words[@]}" > "$work/out" 2> "$work/err"
}
right() { grep -qx right "$work/out" || { cat "$work/out" "$work/err" && return 1; }; }
said() { grep -qF -- "$1" "$work/err" || { echo "not said: $1" && cat "$work/err" && return 1; }; }

two_ranks() {
  run 2 && right && said 'MPI_Allreduce: 36 through Weir, 4 through MPI, 1 for its communicator, 2 for its type, 1 for its operation' &&
    said 'MPI_Reduce: 24 through Weir, 0 through MPI' && said 'MPI_Bcast: 23 through Weir, 0 through MPI' &&
    said 'MPI_Barrier: 1 through Weir, 1 through MPI, 1 for its communicator' && said '2 ranks, the device: it summed the first message'
}
# A duplicate may be used by another thread at the same time.
three_ranks_with_threads() { run 3 threads && right && said 'MPI_Bcast: 33 through Weir, 1 through MPI, 1 for its communicator'; }
sizes_that_do_not_fit() { run 2 -- WEIR_MPI_LEAST=8 WEIR_MPI_MOST=1000 && right && said 'for its size'; }
rings_and_windows() { run 2 -- WEIR_RINGS=2 WEIR_WINDOW=4 WEIR_MSGLEN=3 WEIR_MTU=256 && right; }
by_the_hosts() { run 2 -- WEIR_FAKE_DEVICE=0 WEIR_BACKENDS=ring && right && said 'MPI_Allreduce: 36 through Weir' && said 'ring of hosts: so asked for'; }
by_size() { run 2 -- WEIR_BACKENDS=aggregator,ring && right && said 'by size, as measured' && said 'us for 8192 bytes'; }
no_device_is_no_run() { ! run 2 -- WEIR_FAKE_DEVICE=0 && ! grep -q right "$work/out" && said 'no device answers for this ring'; }
no_device_if_that_is_allowed() {
  run 2 -- WEIR_FAKE_DEVICE=0 WEIR_MPI_OPTIONAL=1 && right && said 'no device answers for this ring' && ! grep -q 'through Weir' "$work/err"
}
variables_that_cannot_be() { ! run 2 -- WEIR_WINDOW=0x2 && said 'WEIR_WINDOW=0x2: no number up to 64' && ! run 2 -- WEIR_MPI_MOST=all && said 'WEIR_MPI_MOST=all: no number'; }

# a_program_in_fortran FLAG..: its calls go the same ways.
a_program_in_fortran() {
  local program=fortran
  fortran "$@" && run 2 && right && said 'MPI_Allreduce: 3 through Weir, 2 through MPI, 1 for its communicator, 1 for its type' && said 'MPI_Reduce: 2 through Weir, 0 through MPI' &&
    said 'MPI_Bcast: 3 through Weir, 0 through MPI' && said 'MPI_Barrier: 1 through Weir, 0 through MPI' && run 3 && right
}

check makes makes
for name in two_ranks three_ranks_with_threads sizes_that_do_not_fit rings_and_windows by_the_hosts by_size no_device_is_no_run no_device_if_that_is_allowed \
  variables_that_cannot_be; do check "$name" "$name"; done
# Its calls have no declared types there.
check fortran_by_mpif_h a_program_in_fortran -fallow-argument-mismatch -Wno-argument-mismatch -w
check fortran_by_a_module a_program_in_fortran -DMODULE
check fortran_2008 a_program_in_fortran -DF08
tap_end
