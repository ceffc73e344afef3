#!/bin/bash
# Several threads with a communicator each share nothing that one of them writes: the test of the library, whose hosts are threads, under TSan.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
. tools/test/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=c17 -D_GNU_SOURCE -Itb -Ilib -I. -O1 -g -fsanitize=thread)

# What is looked with must see something.
sees_a_race() {
  cat > "$work/race.c" << 'END'
#include <pthread.h>
static int shared;
static void *add(void *unused) {
  for (int i = 0; i < 1000; i++) shared++;
  return unused;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, add, 0);
  add(0);
  return pthread_join(other, 0);
}
END
  gcc "${flags[@]}" "$work/race.c" -o "$work/race" -lpthread || return 1
  ! "$work/race" > "$work/said" 2>&1 && grep -q 'data race' "$work/said"
}

communicators_share_nothing() {
  local test=tb/unit/host/test_host_coll.c sources
  sources=$(PYTHONPATH=tools PYTHONDONTWRITEBYTECODE=1 python3 -c 'import sys, unitgen; print(*unitgen.units(sys.argv[1])[0])' "$test") || return 1
  # Unquoted: a list of file names without blanks.
  # shellcheck disable=SC2086
  gcc "${flags[@]}" "$test" $sources -lcmocka -lnettle -lz -lm -lpthread -o "$work/coll" || return 1
  # As text, also below a runner that asks for TAP.
  CMOCKA_MESSAGE_OUTPUT=STDOUT "$work/coll" > "$work/said" 2>&1 && grep -q 'PASSED.* [1-9][0-9]* test' "$work/said" && ! grep -q 'data race' "$work/said" || { tail -n 40 "$work/said" && return 1; }
}

check sees_a_race sees_a_race
check communicators_share_nothing communicators_share_nothing
tap_end
