#!/bin/bash
# The Wireshark dissector of gather packets, on a gather of four properties and on packets broken by hand.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. tools/test/tap.sh
. tools/test/dissect/dissect.sh
weir=${BUILD:-build}/weir

# show FILE FIELD..: these fields of each gather packet, one packet a line.
show() { dissect tools/dissect/weir_gather.lua gather "$@"; }

# Rows 1 to 4 are node 0's, 5 to 8 node 1's. Node 0 wants columns 5, 6 and 8 (4, 5, 7 on the wire), node 1 wants column 1.
printf '%%%%MatrixMarket matrix coordinate pattern general\n8 8 5\n1 5\n2 6\n3 8\n4 1\n7 1\n' > "$work/a.mtx"
"$weir" gather "$work/a.mtx" --nodes 2 --racks 1 --k 2 --out "$work/out.pcapng" > "$work/stdout"

is 'packets' "$(show "$work/out.pcapng" gather.type gather.dest gather.generation gather.len gather.count gather.src gather.tid gather.idx | sort)" \
  $'1 0 1 8 1 1 0 0\n1 1 1 8 3 0,0,0 0,0,0 4,5,7\n2 0 1 8 3 0,0,0 0,0,0 4,5,7\n2 1 1 8 1 1 0 0'
is 'ids are those of the requests' "$(show "$work/out.pcapng" gather.dest gather.id | grep ',' | cut -d' ' -f2 | sort -u | wc -l)" 1
is 'properties' "$(show "$work/out.pcapng" gather.type gather.property | grep '^2' | grep -oE '[0-9a-f]{16}' | wc -l)" 4
is 'reads have none' "$(show "$work/out.pcapng" gather.type gather.property | grep -c '^1 $')" 2
text=$(tshark -X lua_script:tools/dissect/weir_gather.lua -r "$work/out.pcapng" -Y 'gather.type == 2 && gather.count == 3' -T fields \
  -e _ws.col.Protocol -e _ws.col.Info 2> "$work/stderr")
is 'columns' "$text" $'GATHER\tUD Send Only QP=0x004753  3 responses to node 0, properties of 8 bytes'

# warnings FROM TO: what the expert says when these bytes of the packet of three reads (hexadecimal) are replaced.
warnings() {
  python3 - "$work/out.pcapng" "$work/patched.pcapng" "$1" "$2" << 'END'
import sys
data, before, after = open(sys.argv[1], "rb").read(), bytes.fromhex(sys.argv[3]), bytes.fromhex(sys.argv[4])
assert data.count(before) == 1
open(sys.argv[2], "wb").write(data.replace(before, after))
END
  show "$work/patched.pcapng" _ws.expert.message | grep -v '^$' || true
}
head=00010000000100010008
is 'good' "$(warnings ${head}00000003 ${head}00000003)" ''
is 'unknown type' "$(warnings ${head}00000003 0003${head:4}00000003)" 'Neither read nor response'
is 'no PRs' "$(warnings ${head}00000003 ${head}00000000)" 'No PRs'
is 'too many' "$(warnings ${head}00000003 ${head}00000004)" 'Count of PRs and length disagree'
is 'too few' "$(warnings ${head}00000003 ${head}00000002)" 'Count of PRs and length disagree'
is 'too many to count' "$(warnings ${head}00000003 ${head}FFFFFFFF)" 'Count of PRs and length disagree'

# Of the four packets, one to another queue pair and one with another opcode (RC SEND only) are not ours.
python3 - "$work/out.pcapng" "$work/patched.pcapng" << 'END'
import re, sys
data = bytearray(open(sys.argv[1], "rb").read())
first, second = [m.start() for m in re.finditer(rb"\x64.\xff\xff\x00\x00\x47\x53", data, re.S)][:2]
data[first + 7] ^= 1
data[second] = 0x04
open(sys.argv[2], "wb").write(data)
END
is 'not ours' "$(show "$work/patched.pcapng" gather.count | wc -l)" 2
tap_end
