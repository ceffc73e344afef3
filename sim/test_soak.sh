#!/bin/bash
# A few hundred random scenarios through device, golden model and witness, in each configuration. `make soak` runs many more.
#
# Prints `ok NAME` or `not ok NAME` for each configuration.
set -euo pipefail
cd "$(dirname "$0")/.."
soak=${BUILD:-build}/sim/soak
code=0

# try CONFIG SEEDS
try() {
  if "$soak" --config "$1" --seeds "$2" 2>&1; then
    echo "ok $1 seeds $2"
  else
    echo "not ok $1 seeds $2"
    code=1
  fi
}

try tiny 1..300
try paper6 1..80
try wide8 1..20
exit $code
