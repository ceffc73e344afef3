#!/bin/bash
# Starts Slurm for one node in a temporary folder, runs a sweep of 12 points, kills a task in the middle, runs what is missing, and compares with the same sweep run without
# Slurm. Ends all that it started.
#
# Usage: sim/slurm/check.sh BUILD
set -euo pipefail

build=${1:-build}
folder=$(mktemp -d)
chmod 755 "$folder"
end() {
  local name pid pids=()
  for name in d ctld munge; do [[ -s $folder/$name.pid ]] && pids+=("$(< "$folder/$name.pid")"); done
  ((${#pids[@]})) && kill "${pids[@]}" 2> /dev/null
  # They write into the folder until they have ended.
  for pid in "${pids[@]}"; do for ((i = 0; i < 100; i++)); do kill -0 "$pid" 2> /dev/null && sleep 0.1 || break; done; done
  rm -rf "$folder"
}
trap end EXIT
trap 'exit 130' INT TERM

fail() {
  echo "slurm-check: $*" >&2
  tail -n 5 "$folder"/log/* >&2 || true
  exit 1
}

mkdir -m 755 "$folder/socket"
mkdir "$folder/state" "$folder/spool" "$folder/log"
mkdir -m 700 "$folder/munge"
(umask 077 && head -c 128 /dev/urandom > "$folder/munge/key")
munged --key-file="$folder/munge/key" --seed-file="$folder/munge/seed" --socket="$folder/socket/munge" --pid-file="$folder/munge.pid" \
  --log-file="$folder/munge/log"
node=$(hostname -s)
export SLURM_CONF=$folder/slurm.conf
cat > "$SLURM_CONF" << CONF
ClusterName=weir
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$((20000 + $$ % 20000))
SlurmdPort=$((20001 + $$ % 20000))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/socket/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SchedulerParameters=sched_min_interval=1
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/ctld.pid
SlurmdPidFile=$folder/d.pid
SlurmctldLogFile=$folder/log/ctld
SlurmdLogFile=$folder/log/d
SlurmdParameters=config_overrides
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
slurmctld -c
slurmd -c
for ((i = 0; i < 100; i++)); do [[ $(sinfo -h -o %T 2> /dev/null) == idle ]] && break; sleep 0.1; done
[[ $(sinfo -h -o %T) == idle ]] || fail "the node is not there"

cat > "$folder/grid.json" << GRID
{"command": "$build/weir fabric --topology clos:16x8x8", "options": {"load": ["all-reduce", "netreduce", "nodes"], "size": ["64M", "96M"], "seed": [1, 2]},
 "keys": ["time_ps", "packets_delivered", "events_hash"]}
GRID
sweep() { python3 sim/slurm/sweep.py "$folder/grid.json" --out "$folder/$1" "${@:2}"; }

sweep local --local 2 2> /dev/null || fail "the sweep without Slurm failed"
sweep slurm --slurm > "$folder/first.txt" 2>&1 &
running=$!
# The first task that runs is killed.
for ((i = 0; i < 200; i++)); do
  killed=$(squeue -h -r -t R -o %i 2> /dev/null | head -n 1)
  [[ -n $killed ]] && break
  sleep 0.02
done
[[ -n $killed ]] || fail "no task ran"
scancel "$killed"
wait "$running" && fail "a task was killed, and the sweep does not say so"
grep -q 'is missing' "$folder/first.txt" || fail "the sweep does not name the missing point: $(< "$folder/first.txt")"
there=$(find "$folder/slurm/points" -name '*.json' | wc -l)
((there < 12)) || fail "the killed task's point is there"
sweep slurm --slurm > "$folder/second.txt" 2>&1 || fail "the rest of the sweep failed: $(< "$folder/second.txt")"
grep -q "12 points, $((12 - there)) to run" "$folder/second.txt" || fail "not only what was missing ran: $(< "$folder/second.txt")"
cmp "$folder/local/sweep.csv" "$folder/slurm/sweep.csv" || fail "Slurm's figures differ"
echo "12 points, $((12 - there)) of them killed and run again; the same with Slurm and without"
