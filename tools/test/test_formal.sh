#!/bin/bash
# The quick proofs with their covers and mutants, none of them from a cache. Prints `ok NAME` or `not ok NAME` for each.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec "${VENV:-.venv}/bin/python" formal/run.py --quick
