#!/bin/sh
# First and only process of a guest of `weir live`. The kernel hands on what stood on its command line: RANK, HOSTS, MTU, VLAN, IPV6 as
# variables, and behind `--` what is to be run. Lines that begin with `@weir` are for the program that started the guest.
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2> /dev/null
mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /tmp

fail() {
  echo "@weir fail $*"
  poweroff -f
}

while read -r module; do
  insmod "/modules/$module.ko" || echo "cannot load $module"
done < /modules/order
net=eth0
/bin/ip link set lo up
/bin/ip link set eth0 mtu "${MTU:-1500}" up || fail 'no network device'
if [ -n "$VLAN" ]; then
  net=eth0.$VLAN
  /bin/ip link add link eth0 name "$net" type vlan id "$VLAN" && /bin/ip link set "$net" up || fail "no VLAN $VLAN"
fi
/bin/ip addr add "10.0.0.$((RANK + 1))/24" dev "$net"
/bin/ip addr add "fd57::$((RANK + 1))/64" dev "$net" nodad
rdma link add rxe0 type rxe netdev eth0 || fail 'no RDMA device'
ulimit -l unlimited
# What the device's driver counts, as one line.
counters() {
  echo "@weir counters $(cd /sys/class/infiniband/rxe0/ports/1/hw_counters && for c in *; do printf '%s=%s ' "$c" "$(cat "$c")"; done)"
}

echo "@weir up $(uname -r) $(ls /sys/class/infiniband | tr '\n' ' ')"
if [ -n "$CONSOLE" ]; then
  echo "Host $RANK of $HOSTS: 10.0.0.$((RANK + 1)), fd57::$((RANK + 1)), RDMA device rxe0. \`poweroff -f' ends it."
  setsid cttyhack sh
else
  "$@"
  echo "@weir exit $?"
  counters
fi
poweroff -f
