#!/bin/bash
# Linux hosts on the ports of the device: `weir live`. Two guests reduce over cables that lose frames, and what they sent replays clean;
# all else here starts no guest, or ends it at once. More is in `make soak` (sim/soak/soak.py live).
# runner: alone (guests keep time by the clock on the wall)
set -uo pipefail
cd "$(dirname "$0")/../.."
. tools/test/tap.sh
build=${BUILD:-build}
weir=$build/weir
san=$build/san/weir
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
path=$PATH   # that weir sees

# refused TEXT OPTION..: exit code 2 of the program with ASan and UBSan, and one line on stderr with this text.
refused() {
  local text=$1 code=0
  shift
  timeout 60 /usr/bin/env PATH="$path" "$san" live "$@" > "$work/stdout" 2> "$work/stderr" < /dev/null || code=$?
  ((code == 2)) && [[ $(wc -l < "$work/stderr") == 1 ]] && grep -q -- "$text" "$work/stderr" && return
  echo "exit code $code, not 2 and one line with '$text': weir live $*"
  cat "$work/stdout" "$work/stderr"
  return 1
}

# with_qemu SCRIPT TEXT OPTION..: the same with something else in QEMU's place; with an empty script, with nothing.
with_qemu() {
  local path
  rm -rf "$work/bin" && mkdir -p "$work/bin"
  if [[ -n $1 ]]; then
    printf '#!/bin/bash\n%s\n' "$1" > "$work/bin/qemu-system-x86_64"
    chmod +x "$work/bin/qemu-system-x86_64"
    path=$work/bin:$PATH
  else
    path=$work/bin
  fi
  shift
  refused "$@"
}

# A kernel that starts, and then has nothing to run: QEMU itself, and the kernel's own words.
panics() {
  mkdir -p "$work/panic" && cp "$build/live/vmlinux" "$work/panic/" && echo nothing > "$work/panic/initrd"
  refused 'guest [01] does not boot (.*): .*Kernel panic' --image "$work/panic"
}

# Two hosts of somebody else's on the sockets: a broadcast of one comes to the other. A second weir must not take the sockets away.
attached() {
  local code=0
  mkdir "$work/sockets"
  "$weir" live --attach "$work/sockets" < <(sleep 3) &
  local other=$!
  for _ in $(seq 100); do [[ -S $work/sockets/weir1.sock ]] && break || sleep 0.02; done
  refused 'socket is taken' --attach "$work/sockets" || code=1
  python3 - "$work/sockets" << 'END' || code=1
import socket, sys
hosts = [socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2)]
for i, host in enumerate(hosts):
    host.bind(f"{sys.argv[1]}/host{i}.sock")
    host.settimeout(2)
frame = b"\xff" * 6 + bytes.fromhex("025745495200") + b"\x08\x06" + bytes(46)
hosts[0].sendto(frame, f"{sys.argv[1]}/weir0.sock")
sys.exit(0 if hosts[1].recv(2000) == frame else "another frame came")
END
  wait "$other" || code=1
  rm -f "$work"/sockets/host*.sock
  [[ -z $(ls "$work/sockets") ]] && return $code
  echo 'sockets are left'
  ls "$work/sockets"
  return 1
}

# A signal while guests boot: they are gone, and so is the file that was begun.
interrupted() {
  "$weir" live --out "$work/out.pcapng" 2> "$work/stderr" &
  local run=$! code=0 guests='' guest
  for _ in $(seq 100); do guests=$(cat "/proc/$run/task/$run/children") && [[ $guests ]] && break || sleep 0.05; done
  [[ $guests ]] || { echo 'no guest was started' && return 1; }
  kill -TERM "$run"
  wait "$run" || code=$?
  ((code == 143)) || { echo "exit code $code" && return 1; }
  for guest in $guests; do
    if kill -0 "$guest" 2> /dev/null; then echo "guest $guest runs on" && return 1; fi
  done
  if ls "$work"/out.pcapng* 2> /dev/null; then return 1; fi
}

# value FILE EXPRESSION: of a summary, which is `s`.
holds() {
  [[ $(python3 -c 'import json, sys; print(eval(sys.argv[2], {"s": json.load(open(sys.argv[1]))}))' "$1" "$2") == True ]] && return
  echo "not true: $2"
  cat "$1"
  return 1
}

# Two hosts, each cable loses one frame of a hundred: what is lost is mended, every element is right, and no driver complains of an ICRC.
two_hosts() {
  "$weir" live --loss 0.01 --tensor 100004 --seed 3 --out "$work/live.pcapng" --json "$work/live.json" --report "$work/live.html" < /dev/null || return 1
  local s=$work/live.json
  holds "$s" 's["mismatches"] == 0 and s["wrong"] == 0 and len(s["reductions"]) == 2' &&
    holds "$s" 'all(r["device"] and r["bytes"] == 100004 for r in s["reductions"])' &&
    holds "$s" 's["lost"] > 0 and s["results"] > 0 and s["duplicates"] > 0' &&
    holds "$s" 'all(h["code"] == 0 and h["refused"] == 0 and h["counters"]["rcvd_pkts"] > 0 for h in s["hosts"])' &&
    python3 tools/check_page.py "$work/live.html" "$s"
}

# The device is restarted in the middle of two jobs, and its ring flushed in the middle of one: no host takes a wrong sum, each ends in time, and the job after them is right.
forgetful() {
  "$weir" live --reboot 2 --flush 1 --tensor 64K --seed 3 --json "$work/reboot.json" < /dev/null 2> /dev/null || return 1
  local s=$work/reboot.json
  holds "$s" 's["mismatches"] == 0 and s["wrong"] == 0 and s["restarts"] == 2 and s["flushes"] == 1 and len(s["reductions"]) >= 2' &&
    holds "$s" 's["drops"]["unknown_message"] + s["drops"]["retired"] > 0 and all(h["error"] for h in s["hosts"])'
}

# Jobs for which the device has no room, each on a ring of its own: a ring that it does not have, longer messages than the ring's slots, more of them than it has slots for, and a ring that
# still has the connections of the job before; and one whose hosts reduce different types, which both hosts name. Each host ends in time, by an error that says what it was; where messages only wait for slots, its sums are right.
no_room() {
  local host s=$work/room.json said=$work/room.said
  for host in 0 1; do
    mkdir -p "$work/room/host$host" && cp "$build/host/weir_perf" "$work/room/host$host/" || return 1
    cat > "$work/room/host$host/run.sh" << 'END'
unset WEIR_RING WEIR_RINGS WEIR_WINDOW WEIR_MSGLEN WEIR_ROOT WEIR_QP_TIMEOUT
port=7500
job() {
  name=$1 start=$(date +%s) port=$((port + 1)) code=0
  shift
  ./weir_perf --rank $RANK --workers 2 --root 10.0.0.1:$port --mtu 1024 --timeout 8000 --retries 6 --from 65536 --to 65536 --repeats 2 --warm-up 0 --place out "$@" > out 2>&1 || code=$?
  echo "$name: $code $(($(date +%s) - start)) $(grep -E '^@weir error' out) $(grep -o 'values : .*' out)"
}
job unknown --ring 9 --way device
job long --ring 1 --msglen 32
job many --ring 2 --msglen 8 --window 16
job taken --ring 2 --msglen 8
job types --ring 4 --msglen 8 --type $([ $RANK = 0 ] && echo fp32 || echo int32)
job well --ring 3 --msglen 8
END
  done
  # What the drivers count of it is all that is wrong, and that messages ahead of their ring's window have no results.
  "$weir" live --rings 4 --msglen 8 --program 'sh ./run.sh' --root "$build/live/openmpi" --files "$work/room" --roce-only --json "$s" > "$said" 2> "$work/stderr" < /dev/null
  (($? == 1)) && holds "$s" 's["mismatches"] > 0 and s["beside"] > 0 and s["drops"]["bad_header"] > 0 and s["drops"]["rank_conflict"] > 0 and s["drops"]["type_mismatch"] > 0' &&
    sed '1,/^FAILED/d; /^repeat it/d' "$said" > "$work/wrong" && ! grep -vE 'its driver counts [0-9]+ retry_exceeded_err|gave no results, 0 of them complete in the device: messages out of the window' "$work/wrong" &&
    python3 - "$said" << 'END' && return
import re, sys
said = [re.fullmatch(r"host ([01]): (\w+): (\d+) (\d+) (.*)", line.rstrip("\n")) for line in open(sys.argv[1])]
found = {(one[2], one[1]): (int(one[3]), int(one[4]), one[5]) for one in said if one}
wanted = {"unknown": "no device", "long": "connection is broken|no progress|rank [01]: ", "many": "0 OK|no progress|connection is broken|rank [01]: ", "taken": "first message had no answer", "types": "rank 0 does an all-reduce of 16384 fp32, sum, and rank 1 an all-reduce of 16384 int32, sum", "well": "0 OK"}
wrong = [(name, host, found.get((name, host))) for name, text in wanted.items() for host in "01"
         if (name, host) not in found or found[name, host][1] > 15 or bool(found[name, host][0]) != ("@weir error" in found[name, host][2]) or
         host + found[name, host][2] != "1 " and not re.search(text, found[name, host][2])]   # elements are counted by host 0
sys.exit(str(wrong) if wrong else 0)
END
  cat "$said" "$work/stderr"
  return 1
}

# Two hosts below a tree node: each connects its queue pairs with it, and joins its multicasts. Vectors of all sizes through both trees, over cables that lose frames.
tree() {
  "$weir" live --tree 1x2 --sweep --tensor 16K --repeats 1 --loss 0.01 --multicast --seed 3 --json "$work/tree.json" < /dev/null || return 1
  local s=$work/tree.json
  holds "$s" 's["mismatches"] == 0 and s["wrong"] == 0 and len(s["reductions"]) == 26 and s["lost"] > 0' &&
    holds "$s" 'all(sum(r["multicasts"] for r in s["reductions"] if r["host"] == h) > 13 for h in (0, 1))' &&
    holds "$s" 'all(h["code"] == 0 and h["refused"] == 0 and h["counters"]["rcvd_pkts"] > 0 for h in s["hosts"])'
}

# The same tree as backend of a communicator of the library, which hosts meet for over TCP: what goes over each cable is exactly what its operations need.
# What is left of its lock is given back.
tree_as_a_backend() {
  "$weir" live --tree 1x2 --library coll --sweep --tensor 4K --repeats 1 --lock 3 --seed 4 --json "$work/backend.json" < /dev/null || return 1
  local s=$work/backend.json
  holds "$s" 's["mismatches"] == 0 and s["wrong"] == 0 and len(s["reductions"]) == 22 and all(h["code"] == 0 for h in s["hosts"])'
}

# An MPI program that knows nothing of Weir, on two hosts of a root file system: console, exit codes, and files of each host come out. Host 1 ends with a code of its own, which fails the run.
mpi_program() {
  local host code=0 s=$work/mpi.json
  env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s BUILD="$build" live-mpi > "$work/said" 2>&1 || { tail "$work/said" && return 1; }
  for host in 0 1; do mkdir -p "$work/files/host$host" && mpicc tools/test/host/host_mpi.c -lm -o "$work/files/host$host/program" || return 1; done
  "$weir" live --program 'WEIR_DEBUG=1 weir-mpirun ./program; code=$?; echo "it'"'"'s $RANK" > mine; exit $((code + 3 * RANK))' --root "$build/live/openmpi" \
    --files "$work/files" --memory 384 --json "$s" > "$work/said" 2> "$work/stderr" < /dev/null || code=$?
  ((code == 1)) && grep -qx 'host 0: right' "$work/said" && grep -qx '  host 1: its program ended with exit code 3' "$work/said" &&
    grep -q 'MPI_Allreduce: 36 through Weir, 4 through MPI' "$work/said" && [[ $(cat "$work"/files/host?/mine | tr '\n' ' ') == "it's 0 it's 1 " ]] &&
    holds "$s" 's["mismatches"] == 1 and s["results"] > 100 and [h["code"] for h in s["hosts"]] == [0, 3]' && return
  cat "$work/said" "$work/stderr"
  return 1
}

# What came into the device does the same once more, from the file.
replays() {
  "$weir" replay "$work/live.pcapng" --json "$work/replay.json" || return 1
  holds "$work/replay.json" 's["mismatches"] == 0 and s["results"] > 0' &&
    [[ $(python3 -c 'import json, sys; print(*(json.load(open(f))["frames_in"] for f in sys.argv[1:]))' "$work/live.json" "$work/replay.json" |
      awk '{print $1 == $2}') == 1 ]]
}

if [[ ! -x $weir ]]; then
  echo "Bail out! $weir is missing"
  exit 1
fi
mkdir "$work/empty" "$work/half"
: > "$work/half/initrd"
check 'one host is none' refused hosts --hosts 1
check 'half an element' refused 'whole number of elements' --tensor 6
check 'nobody left' refused 'two at least' --hosts 2 --kill
check 'results without a mark in the last packet' refused 'hosts see no mark' --reboot 1 --verb write
check 'a tree of one host' refused 'hosts below each' --tree 1x1
check 'a tree of rings' refused 'not with --rings' --tree 1x2 --rings 2
check 'multicasts without a tree' refused 'with --tree only' --multicast
check 'a tree, and not all frames' refused 'not with .*--roce-only' --tree 1x2 --roce-only
check 'flushed, and no mark in the last packet' refused 'hosts see no mark' --flush 1 --verb write
check 'a communicator that is told the way' refused 'the communicator chooses' --tree 1x2 --library coll --way low
check 'unknown accelerator' refused 'must be kvm or tcg' --accel foo
check 'unknown MTU' refused 'must be 256' --mtu 1500
check 'not enough slots' refused 'raise in' --config tiny
check 'sockets of other guests' attached
check 'a program without a root file system' refused 'a root file system for it' --program true
check 'a root file system that is not there' refused '/nowhere: no folder' --program true --root /nowhere
check 'a program of 201 characters' refused 'one line of at most 200' --program "$(printf '%201s' x)" --root .
check 'QEMU is not there' with_qemu '' 'is not there'
check 'no image' with_qemu 'exit 0' 'nothing to boot' --image "$work/empty"
check 'no kernel' with_qemu 'exit 0' 'half: nothing to boot' --image "$work/half"
check 'no folder for sockets' refused 'no socket: No such file' --attach "$work/nowhere"
: > "$work/half/vmlinux"
check 'not enough memory' with_qemu 'exit 0' '8 guests need 8389120 MB of memory, [0-9]* are free' --image "$work/half" --hosts 8 --memory 1048576

# What guests boot takes packages; a machine where they are not and cannot be installed cannot do the rest.
if ! env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s BUILD="$build" live-image > "$work/image" 2>&1; then
  if command -v qemu-system-x86_64 > /dev/null; then
    not_ok image
    cat "$work/image"
    tap_end
  fi
  # Those below take guests: each is skipped.
  check() { skip "$1" "QEMU is not here and cannot be installed: $(tail -n 1 "$work/image")"; }
fi
check 'a guest that does not boot' with_qemu 'echo "cannot set up guest memory"; exit 1' 'guest [01] does not boot (.*): cannot set up guest memory' --image "$build/live"
check 'a guest that says nothing' with_qemu 'sleep 60' 'guest [01] does not boot (.*): its console is silent' --patience 1 --image "$build/live"
check 'a kernel that panics' panics
check 'a signal' interrupted
check 'two hosts, loss' two_hosts
check 'replay of what they sent' replays
check 'the device is restarted, and flushed' forgetful
check 'two hosts below a tree node' tree
check 'a tree as backend of a communicator' tree_as_a_backend
check 'an MPI program of a root file system' mpi_program
check 'a device without room' no_room
check 'a person at the console' python3 sim/live/live_shell.py "$weir"
tap_end
