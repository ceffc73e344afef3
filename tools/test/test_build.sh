#!/bin/bash
# The build itself: what make does without tools, with other flags and beside another make; how programs come by their devices.
#
# Needs a built program; all else is made in a folder of its own.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
. tools/test/tap.sh
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# These are builds of their own, no part of the make that this may run under.
unset MAKEFLAGS MFLAGS MAKELEVEL
mk() { make --no-print-directory -s BUILD="$work/b" "$@"; }
# What runs a device of the smallest configuration. PROGRAM..
ring() { "$@" ring --config tiny --hosts 2 --msglen 8 --mtu 256 --tensor 4096; }
lines() { (($(wc -l < "$1") == $2)) || { echo "not $2 lines:" && cat "$1" && return 1; }; }

# With nothing else to call, reading the files of make can have called nothing; and it leaves nothing behind.
help_needs_make_only() {
  mkdir "$work/bin"
  ln -s "$(command -v make)" "$(command -v bash)" "$work/bin"
  PATH=$work/bin mk help > "$work/said" 2>&1 && grep -q '^make demo' "$work/said" && ! grep -q 'not found' "$work/said" && [[ ! -e $work/b ]] ||
    { cat "$work/said" && return 1; }
}

# current TARGET SETTING..: make has nothing to do for it.
current() { mk -q "$@" > /dev/null 2>&1; }

flags_are_tracked() {
  local object=$work/b/rel/lib/base/map.o device=$work/b/flags/device-tiny setting
  printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v verilator)" > "$work/verilator"
  chmod +x "$work/verilator"
  mk "$object" "$device" && current "$object" "$device" || return 1
  for setting in CFLAGS=-DOTHER CC=clang; do
    if current "$setting" "$object"; then echo "$setting: the object stays" && return 1; fi
  done
  for setting in WAVES=0 "VERILATOR=$work/verilator" DEVICE_CXX=g++ DEVICE_ARCH=-march=x86-64-v2; do
    if current "$setting" "$device"; then echo "$setting: the device stays" && return 1; fi
  done
  # And back again.
  mk CFLAGS=-DOTHER "$object" && ! current "$object"
}

# A variable that once left configurations out also left a table behind that the next make took for its own.
the_environment_hides_no_configuration() {
  local named
  named=$(cat rtl/top/*configs.csv | grep -c '^[a-z0-9_]*,[0-9sn]')
  rm -rf "$work/b"
  WEIR_CONFIGS=tiny mk "$work/b/gen/configs.inc" && mk "$work/b/gen/configs.inc" &&
    (($(grep -c '^[A-Z_]*CONFIG(' "$work/b/gen/configs.inc") == named))
}

# Four at once, from nothing, some times: each ends well, and the files are whole.
makes_beside_each_other() {
  local round i jobs files=(gen/configs.mk gen/units.mk gen/configs.inc gen/structs/agg_pkg.h)
  rm -rf "$work/b" "$work/one"
  mk "${files[@]/#/$work/b/}" && mv "$work/b" "$work/one" || return 1
  for round in 1 2 3; do
    rm -rf "$work/b"
    jobs=()
    for i in 1 2 3 4; do
      sleep 0.0$((i * round)) # not all in step
      mk "${files[@]/#/$work/b/}" &
      jobs+=($!)
    done
    for i in "${jobs[@]}"; do wait "$i" || return 1; done
    for i in "${files[@]}"; do cmp "$work/one/$i" "$work/b/$i" || return 1; done
  done
}

# Both wait for one build: Verilator runs once.
one_device_for_two_programs() {
  local first code=0
  rm -rf "$work/b"
  printf '#!/bin/sh\ncase " $* " in *" --cc "*) echo called >> %s/calls ;; esac\nexec %s "$@"\n' "$work" "$(command -v verilator)" > "$work/verilator"
  mk VERILATOR="$work/verilator" "$work/b/device/make.args" || return 1
  export WEIR_DEVICES=$work/b/device
  ring "$build/weir" > "$work/first" 2>&1 &
  first=$!
  ring "$build/weir" > "$work/second" 2>&1 || code=1
  wait "$first" && ((code == 0)) && lines "$work/calls" 1 && grep -q '^weir: device tiny is not built yet' "$work/first" ||
    { cat "$work/first" "$work/second" && return 1; }
  ring "$build/weir" > /dev/null 2> "$work/third" && lines "$work/third" 0
}

# Who comes second waits and links nothing anew, so that it cannot take a program from under somebody who runs it.
one_link_of_a_host_program() {
  local first code=0
  printf '#!/bin/sh\ncase "$*" in *weir_perf | *weir_tree_perf) echo linked >> %s/links ;; esac\nexec %s "$@"\n' "$work" "$(command -v "${CC:-gcc}")" > "$work/compiler"
  chmod +x "$work/compiler"
  mk CC="$work/compiler" host-files > "$work/first" 2>&1 &
  first=$!
  mk CC="$work/compiler" install-host PREFIX="$work/host" > "$work/second" 2>&1 || code=1
  wait "$first" && ((code == 0)) && lines "$work/links" 2 && "$work/host/bin/weir_perf" --help > "$work/said" || { cat "$work/first" "$work/second" && return 1; }
}

an_old_device_is_built_anew() {
  local age='2001-01-01'
  touch -d "$age" "$work/b/device/tiny.so"
  ring "$build/weir" > /dev/null 2> "$work/said" && grep -q '^weir: device tiny is older than its sources' "$work/said" &&
    [[ $work/b/device/tiny.so -nt rtl/top/weir_aggregator.sv ]]
}

a_device_that_cannot_be_built() {
  local code=0
  printf '#!/bin/sh\ncase " $* " in *" --cc "*) echo "no space left" >&2; exit 1 ;; esac\nexec %s "$@"\n' "$(command -v verilator)" > "$work/verilator"
  rm -rf "$work/b/device/tiny.so" "$work/b/device/tiny"
  ring "$build/weir" > /dev/null 2> "$work/said" || code=$?
  ((code == 2)) && grep -q 'no space left' "$work/said" && tail -n 1 "$work/said" | grep -q 'device tiny could not be built' ||
    { cat "$work/said" && return 1; }
}

# Away from the tree the program runs with the devices that came along, and says what it lacks.
installed() {
  local code=0 root=$work/root/opt
  unset WEIR_DEVICES
  make -s BUILD="$build" devices D=tiny > "$work/said" 2>&1 && make -s BUILD="$build" install DESTDIR="$work/root" PREFIX=/opt > "$work/said" 2>&1 || { cat "$work/said" && return 1; }
  [[ -f $root/lib/libweir-coll.a && -f $root/share/weir/weir_ina.lua ]] || return 1
  (cd / && ring "$root/bin/weir") > "$work/said" 2>&1 || { cat "$work/said" && return 1; }
  rm "$root/lib/weir/tiny.so"
  (cd / && ring "$root/bin/weir") > /dev/null 2> "$work/said" || code=$?
  ((code == 2)) && lines "$work/said" 1 && grep -q 'tiny is not installed' "$work/said"
}

# says_old NAME VERSION WANTED: a tool that is too old is named with what is needed, and make ends.
says_old() {
  ! PATH=$work/old:$PATH mk VERILATOR=verilator tools-build > "$work/said" 2>&1 && grep -qx "setup.sh: $1 here is version $2, and Weir needs $3 or newer" "$work/said" ||
    { cat "$work/said" && return 1; }
}

old_tools_are_named() {
  mkdir "$work/old"
  printf '#!/bin/sh\necho Verilator 4.228 2022-10-01 rev v4.228\n' > "$work/old/verilator"
  chmod +x "$work/old/verilator"
  says_old verilator 4.228 5.006 || return 1
  rm "$work/old/verilator"
  printf '#!/bin/sh\necho 3.9.2\n' > "$work/old/python3"
  chmod +x "$work/old/python3"
  says_old python3 3.9.2 3.11
}

version_is_the_commit() {
  [[ $("$build/weir" --version) == "weir $(git describe --always --dirty --tags 2> /dev/null || echo unknown)" ]]
}

for name in help_needs_make_only flags_are_tracked the_environment_hides_no_configuration makes_beside_each_other \
  one_device_for_two_programs one_link_of_a_host_program an_old_device_is_built_anew a_device_that_cannot_be_built installed \
  old_tools_are_named version_is_the_commit; do
  check "$name" "$name"
done
tap_end
