#!/bin/bash
# The quick rows of the protocol check (docs/protocol-check.md): Weir's rules pass, each of the broken ones fails, in as many events
# and with as many states as the committed table says. Then: bad usage of the program.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/test/tap.sh
build=${BUILD:-build}
protocol=$build/protocol
results python3 formal/protocol/table.py "$protocol"
results python3 formal/protocol/replays.py "$build/weir" "$build/sim/compare"

# refused NAME OPTION..: bad usage, or a result that cannot be had, is code 2 and one line on stderr.
refused() {
  local name=$1 code=0 said
  shift
  said=$("$protocol" "$@" 2>&1 > /dev/null) || code=$?
  if ((code == 2)) && (($(grep -c . <<< "$said") == 1)) ; then
    ok "refused: $name"
  else
    not_ok "refused: $name: exit code $code: $said"
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
refused 'no script' locking
refused 'unknown letter of a script' locking --first 4s
refused 'too long with all retries' locking --first 1s1s1s --retries 2
refused 'no cable in one node' locking --first b --shape alone --cut
refused 'three classes' classes --classes 3
refused 'four children' induction --children 4
refused 'a root frees by its parent' induction --frees sum

# A broken rule says so with its exit code, and in words.
if said=$("$protocol" --rule any-packet --timeout idle --tag none); then
  not_ok 'trace in words: exit code 0'
elif grep -q '^ *8  result m0.0 to r0 is lost$' <<< "$said"; then
  ok 'trace in words'
else
  not_ok "trace in words: $said"
fi
tap_end
