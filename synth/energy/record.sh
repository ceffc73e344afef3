#!/bin/bash
# The record that synth/power.py wants: waves of a gather NIC of gather_nic4's size whose units ask, and that is asked, all the time.
#
# Usage: synth/energy/record.sh WAVES.fst      BUILD and VENV as for make
#
# No configuration of this size is built otherwise. So the working tree is copied, the configuration added there, and its library built, with packed structs whole. One of
# 128 nodes is RTL; the matrix has 128 nonzeros a row in columns that are drawn evenly, so little is filtered and everybody asks everybody.
set -e
cd "$(dirname "$0")/../.."
waves=$(realpath -m "${1:?the file of waves}")
tree=$(realpath -m "${BUILD:-build}/energy")
python="${VENV:-.venv}/bin/python"
rm -rf "$tree" && mkdir -p "$tree"
git ls-files -z | xargs -0 cp --parents -t "$tree"
python=$(realpath -s "$python")
cd "$tree"
echo 'nic4p,nic,,,4,256,128,1,512,512,,8192,1024,0' >> rtl/top/gather_configs.csv
make -j1 BUILD=build VENV="$(dirname "$(dirname "$python")")" DEVICE_TRACE='--trace-fst --trace-max-width 8192' build/weir build/device/nic4p-waves.so
"$python" - <<'END' > even.mtx
import random
draw, rows, each = random.Random(1), 8192, 128
print(f"%%MatrixMarket matrix coordinate pattern general\n{rows} {rows} {rows * each}")
for row in range(rows):
    for column in sorted(draw.sample(range(rows), each)):
        print(row + 1, column + 1)
END
build/weir gather even.mtx --nodes 128 --racks 8 --units 4 --pending 256 --k 16 --batch 2048 --clock 2200 --queues virtual --pieces 512 --rtl nic --rtl-nics 1 --wave "$waves" | grep OK
