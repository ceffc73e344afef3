#!/bin/bash
# The quick rows of the protocol check (docs/protocol-check.md): Weir's rules pass, each of the broken ones fails, in as many events
# and with as many states as the committed table says. Then: bad usage of the program.
#
# Prints `ok NAME` or `not ok NAME` for each row.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
protocol=$build/protocol
bad=0
python3 formal/protocol/table.py "$protocol" || bad=1
python3 formal/protocol/replays.py "$build/weir" "$build/sim/compare" || bad=1

# refused NAME OPTION..: bad usage, or a result that cannot be had, is code 2 and one line on stderr.
refused() {
  local name=$1 code=0 said
  shift
  said=$("$protocol" "$@" 2>&1 > /dev/null) || code=$?
  if ((code == 2)) && (($(grep -c . <<< "$said") == 1)) ; then
    echo "ok refused: $name"
  else
    echo "not ok refused: $name: exit code $code: $said"
    bad=1
  fi
}
refused 'unknown rule' --rule none
refused 'no number' --hosts two
refused 'too many hosts' --hosts 5
refused 'window no power of two' --window 3
refused 'more states than wanted' --most 10
refused 'two levels without tags' --two-level --tag none
refused 'capture of two levels' --two-level --leaf local --messages 2 --capture /dev/null/none
refused 'capture that cannot be written' --rule any-packet --timeout idle --tag none --capture /dev/null/none

# A broken rule says so with its exit code, and in words.
if said=$("$protocol" --rule any-packet --timeout idle --tag none); then
  echo 'not ok trace in words: exit code 0'
  bad=1
elif grep -q '^ *8  result m0.0 to r0 is lost$' <<< "$said"; then
  echo 'ok trace in words'
else
  echo "not ok trace in words: $said"
  bad=1
fi
exit $bad
