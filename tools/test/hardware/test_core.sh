#!/bin/bash
# The FuseSoC core file: it lists every source of the aggregator, a package before who uses it, and its target `lint` passes with FuseSoC from PyPI.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
. tools/test/tap.sh
fusesoc=$PWD/${VENV:-.venv}/bin/fusesoc
case ${VENV:-.venv} in /*) fusesoc=$VENV/bin/fusesoc ;; esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch XDG_CONFIG_HOME=$scratch XDG_CACHE_HOME=$scratch XDG_DATA_HOME=$scratch

# verdict NAME: of the last command.
verdict() {
  local code=$?
  if ((code == 0)); then ok "$1"; else sed 's/^/# /' "$scratch/log"; not_ok "$1"; fi
}

diff <(sed -n 's/^ *- \(rtl\/.*\.sv\)$/\1/p' weir.core | sort) <(ls rtl/{prim,prim/*,roce,aggregate,aggregate/*,relay}/*.sv rtl/csr/weir_csr*.sv rtl/top/weir_aggregator.sv | sort) > "$scratch/log"
verdict core_lists_all_sources

diff <(sed -n 's/^ *- \(rtl\/shell\/.*\.sv\)$/\1/p' weir_shell.core | sort) <(ls rtl/shell/*.sv | sort) > "$scratch/log"
verdict shell_core_lists_all_sources

# lint OPTION..: in a copy of what the core file names, so that nothing else is within its reach.
mkdir "$scratch/tree" && cp -r weir.core weir_shell.core rtl "$scratch/tree"
core=aggregator
lint() {
  (cd "$scratch/tree" && "$fusesoc" --cores-root . run --work-root "$scratch/work" --target lint "weir:device:$core" "$@") \
    > "$scratch/log" 2>&1
}
lint
verdict core_lint
lint --NumPorts 4 --NumRanks 4
verdict core_lint_other_parameters

# A small device: Verilator reads all of it before it says what is wrong.
! lint --NumPorts 2 --NumRanks 2 --SlotBytes 100 && grep -q 'SlotBytes must be a power of two' "$scratch/log"
verdict core_lint_fails_where_the_device_refuses
core=shell
lint
verdict shell_core_lint
! lint --TxDepth 100 && grep -q 'Depth must be a power of two' "$scratch/log"
verdict shell_core_lint_fails_where_the_shell_refuses
tap_end
