# Sourced by test scripts: says what they tested in TAP (tools/run_tests.py reads it). The plan comes at the end, so a script that ends early
# has none and fails.
tap_tests=0
tap_failed=0

# ok NAME
ok() {
  tap_tests=$((tap_tests + 1))
  echo "ok - ${*//#/\\#}"
}

# not_ok NAME
not_ok() {
  tap_tests=$((tap_tests + 1))
  tap_failed=1
  echo "not ok - ${*//#/\\#}"
}

# skip NAME REASON: a test that cannot be made here.
skip() {
  tap_tests=$((tap_tests + 1))
  echo "ok - ${1//#/\\#} # SKIP $2"
}

# check NAME COMMAND..: one test. What the command said is shown if it fails.
check() {
  local name=$1 said
  shift
  said=$(mktemp)
  if "$@" > "$said" 2>&1; then
    ok "$name"
  else
    sed 's/^/# /' "$said"
    not_ok "$name"
  fi
  rm -f "$said"
}

# results COMMAND..: a program that prints results without a plan; they count here.
results() {
  local said
  said=$(mktemp)
  "$@" > "$said" || tap_failed=1
  cat "$said"
  tap_tests=$((tap_tests + $(grep -c '^\(not \)\?ok\b' "$said" || true)))
  if grep -q '^not ok\b' "$said"; then tap_failed=1; fi
  rm -f "$said"
}

# The plan, and the end of the script.
tap_end() {
  echo "1..$tap_tests"
  exit "$tap_failed"
}
