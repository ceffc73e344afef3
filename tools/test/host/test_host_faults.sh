#!/bin/bash
# Hosts are processes of this machine (tb/unit/host/net/process_verbs.h). One of three is killed at each phase, or set up in another way, or its connection is cut, over each backend:
# the others end with an error that says so, in time. Then what weir_perf does when all is well and when a sum is wrong, and jobs one after another below valgrind.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
. tools/test/tap.sh
build=$(realpath "${BUILD:-build}")
work=$(mktemp -d)
network=/dev/shm/weir-faults-test.$$
trap 'rm -rf "$work" "$network"; jobs -p | xargs -r kill 2> /dev/null' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
# JOBS of the last test: make soak has 200.
count=${HOST_JOBS:-20}
# An error must be here so many seconds after the start: the time-out of hosts, what they give rank 0 behind it, and a busy machine.
timeout_ms=3000 bound=15

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

makes() {
  make -s BUILD="${BUILD:-build}" host-tests > "$work/said" 2>&1 || { tail "$work/said" && return 1; }
  gcc -Wall -Wextra -Werror -Ihost tools/test/host/host_jobs.c "$build/host/libweir-coll.so.1" -Wl,-rpath,"$build/host" -o "$work/jobs"
}

# measures RANK ROOT OPTION..: the program of a host over the backend that is looked at.
backend=aggregator
measures() {
  local rank=$1 root=$2 own=(--rank "$1" --root "$2" --address "10.0.0.$(($1 + 1))" --timeout "$timeout_ms")
  shift 2
  export LD_PRELOAD=$build/host/libprocess-verbs.so WEIR_FAKE_VERBS=$network
  case $backend in
    aggregator) exec timeout 60 "$build/host/weir_perf" --workers 3 "${own[@]}" "$@" ;;
    ring) exec timeout 60 "$build/host/weir_perf" --workers 3 "${own[@]}" --way hosts "$@" ;;
    # It waits for a line before it connects, and before it leaves.
    tree) WEIR_FAKE_NODE=3 exec timeout 60 "$build/host/weir_tree_perf" --library coll --shape 1x3 --node 10.0.0.9 --low 1048576:0 --sat 1048577:0 --trees 1:2 "${own[@]}" "$@" <<< $'\n\n' ;;
  esac
}

# hosts OPTION..: three of them measure. Host VICTIM has WORDS, and VARIABLES. Each one's output is in out.N, its exit code in code.N; `seconds` is how long all took.
declare -a words=() variables=()
victim=2
hosts() {
  local rank root start=$SECONDS own shape=(--mtu 256) pids=()
  root=127.0.0.1:$(free_port)
  [[ $backend == tree ]] || shape+=(--msglen 4 --warm-up 1)
  rm -f "$network" "$work"/code.* "$work"/out.*
  for rank in 0 1 2; do
    own=()
    ((rank != victim)) || own=("${variables[@]}")
    [[ " ${own[*]} " == *' ABSENT '* ]] && echo absent > "$work/code.$rank" && continue
    (
      code=0
      ((${#own[@]} == 0)) || export "${own[@]}"
      (measures "$rank" "$root" "${shape[@]}" --repeats 2 "$@" $( ((rank == victim)) && echo "${words[*]}")) > "$work/out.$rank" 2>&1 || code=$?
      echo "$code" > "$work/code.$rank"
    ) 2> /dev/null &
    pids+=($!)
  done
  wait "${pids[@]}"
  seconds=$((SECONDS - start))
}

# others TEXT: the other hosts ended in time, each with an error of its library; at least one of them says TEXT.
others() {
  local rank files=()
  for rank in 0 1 2; do
    ((rank != victim)) || continue
    files+=("$work/out.$rank")
    [[ $(< "$work/code.$rank") == 1 ]] && grep -qE '^@weir error (ring|group) 0: .* \(.*\)' "$work/out.$rank" || { echo "host $rank: $(< "$work/code.$rank")" && cat "$work/out.$rank" && return 1; }
  done
  grep -qhE "$1" "${files[@]}" || { cat "${files[@]}" && return 1; }
  ((seconds <= bound)) || { echo "$seconds s" && return 1; }
}

# killed CALL: each host in turns is killed there, and the others hear of it long before their time-out. But a host of a tree opens its device before it meets the others: if it never
# does, nobody can tell.
killed() {
  local told timeout_ms=20000
  [[ $backend != tree || $1 == send* ]] || timeout_ms=1500
  for victim in 2 1 0; do
    words=() variables=("WEIR_FAKE_DIE=$1")
    hosts --from 4096 --to 65536
    told="rank $victim is gone|nobody answers|rank $victim came and has left"
    [[ $backend != tree ]] || told+="|not all hosts of the ring came: .*rank $victim"
    [[ $(< "$work/code.$victim") == 137 ]] || { echo "host $victim was not killed: $(< "$work/code.$victim")" && cat "$work/out.$victim" && return 1; }
    others "$told" || { echo "host $victim was killed" && return 1; }
  done
  victim=2
}

never_comes() { words=() variables=(ABSENT); hosts; others 'not all hosts of the ring came'; }
rank_0_never_comes() { victim=0 words=() variables=(ABSENT); hosts; others 'not all hosts of the ring came: rank 0 at .*: Connection refused' && victim=2; }
in_bootstrap() { killed open; }
at_registration() { killed register; }
at_connection() { killed connect; }
at_the_first_message() { killed send; }
in_flight() { killed "send:$([[ $backend == tree ]] && echo 20 || echo 40)"; }
# All have said that they are done: nobody needs it any more, and nobody waits for it.
at_close() {
  local timeout_ms=20000
  words=() variables=(WEIR_FAKE_DIE=destroy)
  hosts --from 256 --to 4096
  [[ $(cat "$work"/code.[012] | tr '\n' ' ') == '0 0 137 ' ]] && ((seconds <= bound)) || { cat "$work"/code.* "$work"/out.* && return 1; }
}
another_secret() {
  printf one > "$work/one" && printf two > "$work/two"
  words=(--secret-file "$work/two") variables=(X=)
  hosts --secret-file "$work/one"
  others 'rank 2 is not; 1 other connection came' && grep -q 'rank 0 has another secret' "$work/out.2"
}
# Both sides name what differs.
another_configuration() {
  local case text
  for case in '--window 3:the window is 3 at rank 2 and 2 at rank 0' '--mtu 512:the path MTU is 512 at rank 2 and 256 at rank 0' \
    '--verb send:the operation of RDMA .* is 2 at rank 2 and 1 at rank 0' '--ring 4:RingID is 4 at rank 2 and 0 at rank 0'; do
    words=(${case%%:*}) variables=(X=) text=${case#*:}
    hosts
    others "$text" && grep -q "$text" "$work/out.2" || return 1
  done
}
# What is done is of each call. The hosts of a ring see it in each other's messages; a device drops what is not as it came first, and the hosts tell each other.
another_type() {
  local both='rank 1 does an all-reduce of fp32, sum, and rank 2 an all-reduce of int32, sum|rank 2 does an all-reduce of int32, sum, and rank 0 an all-reduce of fp32, sum'
  words=(--type int32) variables=(X=)
  hosts --way hosts
  others "$both" && grep -qE "$both" "$work/out.2" || return 1
  both='rank [01] does an all-reduce of [0-9]+ fp32, sum, and rank 2 an all-reduce of [0-9]+ int32, sum'
  hosts --way device
  others "$both" && [[ $(grep -lE "$both" "$work"/out.? | wc -l) == 3 ]] || { cat "$work"/out.? && return 1; }
}
another_job() { words=(--job 5) variables=(X=); hosts; others 'rank 2 is not; 1 other connection came'; }
no_memory() { words=() variables=(WEIR_FAKE_NO_MEMORY=1); hosts; others 'rank 2: fake0: no queue pairs, or no memory for them'; }
# Queue pairs have theirs, but the program's cannot be registered: it gives up, and all hear of it.
no_memory_of_the_program() {
  local timeout_ms=20000
  words=(--register) variables=(WEIR_FAKE_NO_MEMORY=3)
  hosts --way device
  others 'rank 2: the program has given up' && grep -q 'no memory for tensors, or it cannot be registered (Cannot allocate memory)' "$work/out.2"
}
# The device drops what all hosts send from their N-th message on: a control plane has flushed the ring, or it has no room for it.
forgets() {
  words=() variables=(X=)
  export WEIR_FAKE_FORGETS=$1
  hosts --from 4096 --to 65536 --way device
  unset WEIR_FAKE_FORGETS
  others 'nobody answers' && grep -q 'nobody answers\|rank [01]: ' "$work/out.2"
}
flushed() { forgets 40 && grep -q '^ *4096 ' "$work/out.0"; }
full() { forgets 1 && ! grep -q '^ *4096 ' "$work/out.0"; }
# Host 2 goes by way of a program that hands on, and is killed.
cut() {
  local port proxy root=127.0.0.1:$(free_port) rank pids=() start=$SECONDS own up=''
  port=$(free_port)
  rm -f "$network"
  python3 tools/test/host/tcp_proxy.py "$port" "${root#*:}" > "$work/proxy" 2> /dev/null &
  proxy=$!
  until grep -q listens "$work/proxy"; do sleep 0.1; done
  for rank in 0 1 2; do
    (
      code=0 own=()
      ((rank != 2)) || root=127.0.0.1:$port
      [[ $backend == tree ]] || own=(--check 0)
      sleep "0.$rank"
      (measures "$rank" "$root" --from 4096 --to 4096 --repeats 1000000 "${own[@]}") > "$work/out.$rank" 2>&1 || code=$?
      echo "$code" > "$work/code.$rank"
    ) &
    pids+=($!)
  done
  # It is cut when all are at it.
  sleep 3
  kill "$proxy"
  wait "${pids[@]}"
  seconds=$((SECONDS - start - 3))
  # Of a tree a host may first hear that another has given it up.
  [[ $backend != tree ]] || up='|the tree: .* which a host found'
  others "rank 2 is gone$up" && grep -qE "rank 0 is gone$up" "$work/out.2" || { cat "$work/out.2" && return 1; }
}

# --- weir_perf ---

collectives() {
  local collective timeout_ms=20000
  words=() variables=(X=)
  for collective in all-reduce reduce broadcast reduce-scatter all-gather barrier; do
    hosts --collective "$collective" --root-rank 1 --from 1000 --to 9000 --type bf16
    [[ $(cat "$work"/code.* | tr -d '\n') == 000 ]] && grep -q 'Out of bounds values : 0 OK' "$work/out.0" || { cat "$work"/out.* && return 1; }
  done
  hosts --op avg --type fp16 --to 3000 --backends aggregator,ring --rings 2 --mtu 1024 --msglen 64 && [[ $(cat "$work"/code.* | tr -d '\n') == 000 ]] || { cat "$work"/out.* && return 1; }
}
# In the columns of nccl-tests: size, count, type, redop, root, and twice time, algbw, busbw, wrong, and percentiles. Bus bandwidth of three hosts is 4/3 of the other.
columns() {
  local timeout_ms=20000
  words=() variables=(X=)
  hosts --from 4096 --to 4096 --repeats 9
  awk '/^ *4096/ { if (NF != 17 || $2 != 1024 || $3 != "float" || $4 != "sum" || $5 != -1 || $9 != 0 || $15 != 0 || $6 < 0 || $11 < $10) exit 1; found = 1 } END { exit !found }' "$work/out.0" &&
    grep -q 'out-of-place .*in-place' "$work/out.0" || { cat "$work/out.0" && return 1; }
}
a_wrong_sum_is_found() {
  local timeout_ms=20000
  words=() variables=(WEIR_FAKE_WRONG=0)
  export WEIR_FAKE_WRONG=12
  hosts --from 4096 --to 8192
  [[ $(cat "$work"/code.* | tr '\n' ' ') == '1 1 1 ' ]] && grep -q 'Out of bounds values : [1-9][0-9]* FAILED' "$work/out.0" || { cat "$work"/out.* && unset WEIR_FAKE_WRONG && return 1; }
  hosts --from 4096 --to 8192 --check 0
  unset WEIR_FAKE_WRONG
  [[ $(cat "$work"/code.* | tr '\n' ' ') == '0 0 0 ' ]] && grep -q ' N/A ' "$work/out.0"
}

# --- jobs ---

jobs_without_a_leak() {
  local valgrind=(valgrind -q --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all --error-exitcode=9) root
  root=127.0.0.1:$(free_port)
  rm -f "$network"
  export WEIR_FAKE_VERBS=$network
  WEIR_ADDRESS=10.0.0.2 LD_PRELOAD="$build/host/libprocess-verbs.so" timeout 500 "${valgrind[@]}" "$work/jobs" 1 "$root" "$count" &
  WEIR_ADDRESS=10.0.0.1 LD_PRELOAD="$build/host/libprocess-verbs.so" timeout 500 "${valgrind[@]}" "$work/jobs" 0 "$root" "$count" && wait $!
}

check makes makes
for backend in aggregator ring tree; do
  for name in in_bootstrap at_registration at_connection at_the_first_message in_flight at_close cut; do victim=2 && check "$name: $backend" "$name"; done
done
backend=aggregator
for name in never_comes rank_0_never_comes another_secret another_configuration another_type another_job no_memory no_memory_of_the_program flushed full collectives columns a_wrong_sum_is_found jobs_without_a_leak; do
  check "$name" "$name"
done
tap_end
