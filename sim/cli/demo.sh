#!/bin/bash
# A first run: gradients of six real hosts through the device. Usage: sim/cli/demo.sh [PROGRAM [CONFIGURATION]]
set -euo pipefail
cd "$(dirname "$0")/../.."
weir=${1:-build/weir}
config=${2:-paper6}
capture=sim/captures/ring6-paper.in.pcapng.gz
out=$(dirname "$weir")/demo.pcapng

echo "Six hosts write gradients to each other in a ring: 4 messages of 170 packets each. The device stands between them"
echo "and their switch, and gives each host the sum over all six. Every packet that leaves it is checked."
echo
echo "\$ $weir replay $capture --config $config --out $out"
"$weir" replay "$capture" --config "$config" --out "$out"
cat << END

$out holds what each host received; interface = port. With Wireshark, or here:

  tshark -X lua_script:tools/dissect/weir_ina.lua -r $out -Y ina

Your own capture (pcap or pcapng, also .gz; of a mirror port or of tcpdump, too):

  $weir info my.pcapng
  $weir replay my.pcapng --out seen.pcapng

Signals, cycle by cycle:

  $weir replay $capture --limit 1000 --wave my.fst
  gtkwave my.fst sim/waves/column.gtkw

$weir replay --help tells more.
END
