#!/bin/bash
# The record that synth/power.py wants: waves of a gather NIC of gather_nic4's size whose units ask, and that is asked, all the time; or of a gather switch of gather_switch8's size.
#
# Usage: synth/energy/record.sh WAVES.fst nic|switch      BUILD and VENV as for make
#
# No configuration of these sizes is built otherwise. So the working tree is copied, the configuration added there, and its library built, with packed structs whole.
# The matrix has so many nonzeros a row in columns that are drawn evenly, so little is filtered and everybody asks everybody. One NIC of 128 nodes is RTL, or the
# switches of five racks of four nodes, whose ports are of 400 Gb/s.
set -e
cd "$(dirname "$0")/../.."
waves=$(realpath -m "${1:?the file of waves}")
tree=$(realpath -m "${BUILD:-build}/energy")
python="${VENV:-.venv}/bin/python"
case ${2:?nic or switch} in
  nic)
    name=nic4p row='nic4p,nic,,,4,256,128,1,512,512,,8192,1024,0' matrix='8192 128'
    run=(--nodes 128 --racks 8 --units 4 --pending 256 --batch 2048 --clock 2200 --rtl nic --rtl-nics 1) ;;
  switch)
    name=rack8p row='rack8p,switch,8,2,,,128,1,512,512,512,,,' matrix='16384 32'
    run=(--nodes 20 --racks 5 --units 16 --batch 1024 --clock 2000 --rtl switch) ;;
  *) echo "record.sh: nic or switch, not $2" >&2; exit 2 ;;
esac
rm -rf "$tree" && mkdir -p "$tree"
git ls-files -z | xargs -0 cp --parents -t "$tree"
python=$(realpath -s "$python")
cd "$tree"
echo "$row" >> rtl/top/gather_configs.csv
make -j1 BUILD=build VENV="$(dirname "$(dirname "$python")")" DEVICE_TRACE='--trace-fst --trace-max-width 8192' build/weir "build/device/$name-waves.so"
# shellcheck disable=SC2086
"$python" - $matrix <<'END' > even.mtx
import random
import sys
draw, rows, each = random.Random(1), *map(int, sys.argv[1:])
print(f"%%MatrixMarket matrix coordinate pattern general\n{rows} {rows} {rows * each}")
for row in range(rows):
    for column in sorted(draw.sample(range(rows), each)):
        print(row + 1, column + 1)
END
build/weir gather even.mtx "${run[@]}" --k 16 --queues virtual --pieces 512 --wave "$waves" | grep OK
