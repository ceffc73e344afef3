#!/bin/sh
# First process of a guest of `weir live`. The kernel hands on what stood on its command line: RANK, HOSTS, MTU, VLAN, IPV6 as variables, and
# behind `--` what is to be run; without that, commands are read from the console, a line each. Lines that begin with `@weir` are for the
# program that started the guest.
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2> /dev/null
mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /tmp
# The console is a serial line: no echo of commands, no carriage returns.
stty -echo -onlcr 2> /dev/null

fail() {
  echo "@weir fail $*"
  poweroff -f
}

while read -r module; do
  insmod "/modules/$module.ko" || echo "cannot load $module"
done < /modules/order
net=eth0
# Busybox has an ip of its own, which knows less.
/bin/ip link set lo up
/bin/ip link set eth0 mtu "${MTU:-1500}" up || fail 'no network device'
if [ -n "$VLAN" ]; then
  net=eth0.$VLAN
  { /bin/ip link add link eth0 name "$net" type vlan id "$VLAN" && /bin/ip link set "$net" up; } || fail "no VLAN $VLAN"
fi
/bin/ip addr add "10.0.0.$((RANK + 1))/24" dev "$net"
/bin/ip addr add "fd57::$((RANK + 1))/64" dev "$net" nodad
rdma link add rxe0 type rxe netdev eth0 || fail 'no RDMA device'
ulimit -l unlimited
if [ -n "$IPV6" ]; then
  ROOT='[fd57::1]' PEER=fd57:: ADDRESS=fd57::$((RANK + 1)) GID=$(printf 'fd57:0000:0000:0000:0000:0000:0000:%04x' $((RANK + 1)))
else
  ROOT=10.0.0.1 PEER=10.0.0. ADDRESS=10.0.0.$((RANK + 1)) GID=$(printf '0000:0000:0000:0000:0000:ffff:0a00:%04x' $((RANK + 1)))
fi

# job RING WORKERS OPTION..: all-reduces on one ring.
job() {
  ring=$1 workers=$2
  shift 2
  weir_perf --rank "$RANK" --workers "$workers" --ring "$ring" --root "$ROOT:$((7470 + ring))" --address "$ADDRESS" "$@" < /dev/null
}

# jobs FIRST-RING RINGS WORKERS OPTION..: on some rings at the same time.
jobs() {
  first=$1 count=$2 workers=$3 children='' code=0
  shift 3
  for r in $(seq "$first" $((first + count - 1))); do
    job "$r" "$workers" "$@" &
    children="$children $!"
  done
  for child in $children; do
    wait "$child" && continue
    why=$? code=1
    # Otherwise it has said what it was.
    [ "$why" -lt 128 ] || echo "@weir fault its program was ended by signal $((why - 128)); $(grep MemFree /proc/meminfo | tr -s ' ')"
  done
  return $code
}

# tree NODE MAC OPTION..: collectives below a node, whose addresses these are: it answers no question for its MAC address.
tree() {
  node=$1 mac=$2
  shift 2
  /bin/ip route replace "$node" dev "$net" && /bin/ip neigh replace "$node" lladdr "$mac" dev "$net" nud permanent || { echo "@weir fault no way to $node"; return 1; }
  weir_tree_perf --rank "$RANK" --address "$ADDRESS" --node "$node" --root "$ROOT:7469" "$@"
}

# The GID's index, as perftest wants it.
gid_index() { for g in $(seq 0 15); do [ "$(cat /sys/class/infiniband/rxe0/ports/1/gids/"$g" 2> /dev/null)" = "$GID" ] && echo "$g" && return; done; }

# passing: other people's programs between hosts 0 and 1. They meet over IPv4, whatever RoCEv2 runs on.
passing() {
  code=0 g=$(gid_index)
  for program in "ib_write_bw -d rxe0 -x $g -F -s 4096 -n 300" "ib_send_lat -d rxe0 -x $g -F -s 64 -n 100" \
    "ibv_rc_pingpong -d rxe0 -g $g -s 2048 -n 100 -c"; do
    if [ "$RANK" = 0 ]; then
      for try in 1 2 3 4 5 6 7 8; do
        sleep 1
        $program 10.0.0.2 < /dev/null > /tmp/passing 2>&1 && break
      done
      grep -qE 'conversion|iters in|Mbit/sec|BW average|99%' /tmp/passing && echo "@weir passed $program" || { echo "@weir fault $program: $(tail -n 1 /tmp/passing)"; code=1; }
    else
      timeout 60 $program < /dev/null > /tmp/passing 2>&1 || { echo "@weir fault $program: $(tail -n 1 /tmp/passing)"; code=1; }
    fi
  done
  return $code
}

# both FIRST RINGS WORKERS OPTION..: jobs and passing at the same time.
both() {
  code=0
  passing &
  other=$!
  jobs "$@" || code=1
  wait "$other" || code=1
  return $code
}

# What the driver counts, as one line of JSON. It has no counter of wrong ICRCs, and does not count such packets as received.
counters() {
  line=
  for c in /sys/class/infiniband/rxe0/ports/1/hw_counters/*; do line="$line${line:+, }\"${c##*/}\": $(cat "$c")"; done
  echo "@weir counters {$line}"
}

# show_root: the root file system of a program, in /new. What is written there goes with the guest, but for /files, if the host has a folder for it.
show_root() {
  [ ! -d /new/proc ] || return 0
  while read -r module; do
    insmod "/modules/$module.ko" || echo "cannot load $module"
  done < /modules/order.root
  p9=trans=virtio,version=9p2000.L,msize=262144
  mkdir -p /lower /over /new
  { mount -t 9p -o ro,cache=loose,$p9 root /lower && mount -t tmpfs tmpfs /over && mkdir /over/up /over/work &&
    mount -t overlay -o lowerdir=/lower,upperdir=/over/up,workdir=/over/work overlay /new; } || return 1
  for folder in proc sys dev tmp files etc; do mkdir -p "/new/$folder"; done
  for folder in proc sys dev; do mount --bind "/$folder" "/new/$folder"; done
  mount -t tmpfs tmpfs /new/dev/shm
  mount -t devpts devpts /new/dev/pts 2> /dev/null
  mount -t tmpfs tmpfs /new/tmp
  [ -z "$FILES" ] || mount -t 9p -o $p9 files /new/files || return 1
  hostname "host$RANK"
  echo 127.0.0.1 localhost > /new/etc/hosts
  for r in $(seq 0 $((HOSTS - 1))); do echo "10.0.0.$((r + 1)) host$r" >> /new/etc/hosts; done
}

# program COMMAND VARIABLE=VALUE..: of that root file system, one on each host.
program() {
  command=$1 code=0
  shift
  show_root || { echo '@weir fault no root file system'; return 1; }
  chroot /new /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root TERM=dumb RANK="$RANK" WORLD_SIZE="$HOSTS" LOCAL_RANK=0 \
    MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 WEIR_ROOT="$ROOT:7471" WEIR_ADDRESS="$ADDRESS" "$@" /bin/sh -c "cd /files && $command" < /dev/null 2>&1 || code=$?
  echo   # whatever it said last is a line
  return $code
}

# console RING WORKERS OPTION..: a shell for people, with `allreduce'.
console() {
  ring=$1 workers=$2
  shift 2
  cat > /bin/allreduce << END
#!/bin/sh
# allreduce [OPTION OF weir_perf]..: who controls the device empties the ring of what ran before, and has the other hosts take part.
echo "@weir allreduce $* \$*"
exec weir_perf --rank $RANK --workers $workers --ring $ring --root $ROOT:$((7470 + ring)) --address $ADDRESS $* "\$@"
END
  chmod +x /bin/allreduce
  stty sane
  echo "Host 0 of $HOSTS: $ADDRESS; the others are $PEER*. The RDMA device is rxe0."
  echo "\`allreduce' runs one (\`allreduce --type int32 --from 4 --to 65536'; \`weir_perf --help' has all), \`exit' ends all."
  setsid cttyhack sh
}

echo "@weir up $(uname -r) $(ls /sys/class/infiniband | tr '\n' ' ')"
if [ $# -gt 0 ]; then
  "$@"
else
  while read -r line; do
    eval "$line"
    echo "@weir exit $?"
  done
fi
poweroff -f
