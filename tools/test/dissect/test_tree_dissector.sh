#!/bin/bash
# The Wireshark dissector of aggregation headers, on what goes over the cables of a tree and on packets broken by hand.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. tools/test/tap.sh
. tools/test/dissect/dissect.sh
weir=${BUILD:-build}/weir

# show FILE FIELD..: these fields of each header on the cable of host 0, up and down, one a line.
show() { dissect tools/dissect/weir_tree.lua 'aggtree && frame.interface_id == 0' "$@"; }

run() { "$weir" tree --topology fat-tree:2 "$@" --out "$work/out.pcapng" > "$work/stdout"; }

run --mode sat --size 2000 --mtu 512 --type bf16 --reduction max --operations 2 --lock 2
fields=(aggtree.kind aggtree.operation aggtree.type aggtree.reduction aggtree.carries aggtree.wants aggtree.tree aggtree.group aggtree.sequence
  aggtree.length aggtree.count aggtree.verdict)
is 'headers' "$(show "$work/out.pcapng" "${fields[@]}" | sed 's/False/0/g; s/True/1/g')" \
  $'1 4 0 0 0 0 1 1 1 0 2 0\n2 4 0 0 0 0 1 1 1 0 2 0\n1 1 2 2 1 1 2 1 2 2000 0 0\n2 1 2 2 1 0 2 1 2 2000 0 0\n1 1 2 2 1 1 2 1 3 2000 0 0\n2 1 2 2 1 0 2 1 3 2000 0 0'
is 'columns' "$(show "$work/out.pcapng" _ws.col.Protocol _ws.col.Info | sed 's/.*QP=0x[0-9a-f]* *//')" \
  "$(for message in 'lock, tree 1, group 1 #1, for 2' 'all-reduce, tree 2, group 1 #2, 2000 bytes' 'all-reduce, tree 2, group 1 #3, 2000 bytes'; do
    printf 'contribution, %s\nresult, %s\n' "$message" "$message"
  done)"
is 'nothing to warn of' "$(show "$work/out.pcapng" _ws.expert.message | grep -v '^ *$' || true)" ''

# warnings FROM TO: what the expert says when these bytes of the lock's answer (hexadecimal) are replaced.
warnings() {
  python3 - "$work/out.pcapng" "$work/patched.pcapng" "$1" "$2" << 'END'
import sys
data, before, after = open(sys.argv[1], "rb").read(), bytes.fromhex(sys.argv[3]), bytes.fromhex(sys.argv[4])
assert data.count(before) >= 1
open(sys.argv[2], "wb").write(data.replace(before, after, 1))
END
  show "$work/patched.pcapng" _ws.expert.message | grep -v '^ *$' || true
}
lock=5472656502040000 rest=0001000100000001000000000000000200
is 'unknown kind' "$(warnings $lock$rest 5472656509040000$rest)" 'A code that is none'
is 'unknown operation' "$(warnings $lock$rest 5472656502090000$rest)" 'A code that is none'
is 'unknown verdict' "$(warnings $lock$rest $lock${rest%00}99)" 'A code that is none'
is 'another tag' "$(warnings ${lock}000100 5472656602040000000100; show "$work/patched.pcapng" aggtree.kind | wc -l)" 5

run --size 64 --operations 1 --multicast
is 'a multicast, and its reliable copy' "$(show "$work/out.pcapng" infiniband.bth.opcode ip.dst aggtree.kind aggtree.sequence aggtree.length)" \
  $'4 10.1.0.1 1 1 64\n100 239.87.0.1 2 1 64\n4 10.0.0.1 2 1 64'

run --size 64 --kill-host 1@1 --patience 100
is 'a teardown' "$(show "$work/out.pcapng" aggtree.kind aggtree.verdict aggtree.port aggtree.node _ws.expert.message | tail -1)" '3 6 2 0 Not ok'
tap_end
