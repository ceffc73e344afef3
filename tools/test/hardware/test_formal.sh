#!/bin/bash
# The quick proofs with their covers and mutants, none of them from a cache.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. tools/test/tap.sh
results "${VENV:-.venv}/bin/python" formal/run.py --quick
tap_end
