#!/bin/bash
# The Wireshark dissector on captures of real hosts, and on headers broken by hand.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. tools/test/tap.sh
. tools/test/dissect/dissect.sh

# fields FILE FIELD..: these fields of each INA header, one header a line.
fields() { dissect tools/dissect/weir_ina.lua ina "$@"; }

# One message in each direction of each ring carries one header: messages times hosts, as sim/captures/README.md has them.
kinds() {
  fields "sim/captures/$1.in.pcapng.gz" ina.ring ina.type ina.op ina.msglen ina.workers | sort | uniq -c | awk '{$1=$1; print}'
}
is 'counts ring4' "$(kinds ring4)" '24 1 0 0 32 4'
is 'counts ring6-paper' "$(kinds ring6-paper)" '24 1 0 0 170 6'
is 'counts ring4-two-rings-psn-wrap' "$(kinds ring4-two-rings-psn-wrap)" $'16 1 0 0 24 4\n16 7 0 0 24 4'
is 'counts ring4-bf16' "$(kinds ring4-bf16)" '48 30 2 0 16 4'
is 'counts ring4-send-int32' "$(kinds ring4-send-int32)" $'56 20 3 0 12 4\n32 21 3 0 3 4\n32 22 3 0 1 4\n32 23 3 0 1 4'
# With repeats, but each message of each rank at least once.
is 'messages ring3-ipv6' "$(fields sim/captures/ring3-ipv6.in.pcapng.gz ina.rank ina.msgid | sort -u | wc -l)" 90
is 'messages ring4-loss' "$(fields sim/captures/ring4-loss.in.pcapng.gz ina.rank ina.msgid | sort -u | wc -l)" 24

# The first header of ring4, field by field, as its bytes have it: 4e657452 0001 03 00 00000000 0020 0004.
first=$(fields sim/captures/ring4.in.pcapng.gz frame.number ina.tag ina.ring ina.rank ina.kind ina.type ina.op ina.msgid \
  ina.msglen ina.workers | head -n 1)
is 'first header' "$first" '72 0x4e657452 1 3 0x00 0 0 0 32 4'
last=$(fields sim/captures/ring4.in.pcapng.gz ina.rank ina.msgid | sort | tail -n 1)
is 'last message' "$last" '3 5'
text=$(tshark -X lua_script:tools/dissect/weir_ina.lua -r sim/captures/ring6-paper.in.pcapng.gz -Y 'ina.rank == 5 && ina.msgid == 3' \
  -T fields -e _ws.col.Protocol -e _ws.col.Info 2> "$work/stderr")
is 'columns' "$text" $'INA\tRC RDMA Write First QP=0x000012  INA ring 1, rank 5 of 6, FP32 sum, message 3 of 170 packets'
is 'tensor' "$(fields sim/captures/ring4.in.pcapng.gz ina.tensor | head -n 1 | cut -c 1-16)" 008031c100c077c1

# patch BYTES: ring4 with the first header's bytes 4 to 15 replaced (hexadecimal); bytes of the capture are moved by nothing.
patch() {
  python3 - "$1" "$work/patched.pcapng" << 'END'
import gzip, sys
data = bytearray(gzip.open("sim/captures/ring4.in.pcapng.gz").read())
at = data.index(b"NetR")
data[at + 4:at + 16] = bytes.fromhex(sys.argv[1])
open(sys.argv[2], "wb").write(data)
END
}
# What the expert says of frame 72.
warnings() {
  patch "$1"
  tshark -X lua_script:tools/dissect/weir_ina.lua -r "$work/patched.pcapng" -Y 'frame.number == 72' -T fields -e ina.type -e ina.op \
    -e _ws.expert.message 2> "$work/stderr"
}
is 'bf16 maximum' "$(warnings 000103220000000000200004)" $'2\t2\t'
is 'fp16 minimum' "$(warnings 000103110000000000200004)" $'1\t1\t'
is 'rank too high' "$(warnings 000104000000000000200004)" $'0\t0\tRank is not below Workers'
is 'unknown type' "$(warnings 000103040000000000200004)" $'4\t0\tUnknown type or operation'
is 'unknown operation' "$(warnings 000103300000000000200004)" $'0\t3\tUnknown type or operation'
is 'no packets' "$(warnings 000103000000000000000004)" $'0\t0\tA message of no packets'

# The tag in a tensor is no header: behind a MIDDLE packet's BTH (frame 73), or when one bit of it differs.
python3 - "$work/patched.pcapng" << 'END'
import gzip, sys
data = bytearray(gzip.open("sim/captures/ring4.in.pcapng.gz").read())
at = data.index(b"NetR")
middle = data.index(bytes.fromhex("0700ffff00000012"), at)
data[middle + 12:middle + 28] = data[at:at + 16]
data[at] ^= 1
open(sys.argv[1], "wb").write(data)
END
is 'no header' "$(fields "$work/patched.pcapng" frame.number | head -n 1)" 104
tap_end
