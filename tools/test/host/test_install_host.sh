#!/bin/bash
# The library of hosts as somebody else has it: installed in a folder, found by pkg-config, and used from C and C++, shared and static.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 2
. tools/test/tap.sh
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
root=$work/root
lib=$root/lib
export PKG_CONFIG_PATH=$lib/pkgconfig

installs() { make -s BUILD="$build" install-host PREFIX="$root" > "$work/said" 2>&1 || { cat "$work/said" && return 1; }; }

cat > "$work/other.c" << 'END'
#include <weir/coll.h>
#include <weir/tree.h>
#include <stdio.h>
// A name that the library has inside, too.
int engine_init(void);
int engine_init(void) { return 7; }
int main(void) {
  struct weir_coll_config config = weir_coll_defaults();
  struct weir_coll *coll = NULL;
  char error[256] = "";
  const int code = weir_coll_init(&config, &coll, error, sizeof error);
  printf("%u %d %s %u %d\n", weir_coll_version(), code < 0, error, weir_tree_defaults().mtu, engine_init());
  return weir_coll_version() / 10000 != WEIR_COLL_VERSION / 10000;
}
END

# built COMPILER NAME FLAG..: a program out of the tree, which then says what it should.
built() {
  local compiler=$1 name=$2 said
  shift 2
  (cd "$work" && "$compiler" "$@" -o "$name") || return 1
  said=$(LD_LIBRARY_PATH=$lib "$work/$name") && [[ $said == '10300 1 no sound configuration: workers is 0, and must be 2 to 256 1024 7' ]] || { echo "said: $said" && return 1; }
}

in_c() {
  built gcc shared -std=c99 -pedantic-errors -Wall -Wextra -Werror other.c $(pkg-config --cflags --libs weir-coll) &&
    readelf -d "$work/shared" | grep -q 'NEEDED.*\[libweir-coll.so.1\]'
}
in_cpp() {
  cp "$work/other.c" "$work/other.cpp"
  built g++ cpp -std=c++11 -pedantic-errors -Wall -Wextra -Werror other.cpp $(pkg-config --cflags --libs weir-coll)
}
in_c_static() {
  built gcc static other.c $(pkg-config --cflags weir-coll) "$lib/libweir-coll.a" $(pkg-config --libs-only-l --static weir-coll | sed 's/-lweir-coll//') &&
    ! readelf -d "$work/static" | grep -q libweir-coll
}

# What others can see of it: the names of the headers, all of them, and no other.
exported() {
  grep -Pzo 'WEIR_API [^;(]*\(' "$root"/include/weir/*.h -h | tr '\0' '\n' | grep -o 'weir_[a-z_]*(' | tr -d '(' | sort -u > "$work/declared"
  nm -D --defined-only "$lib"/libweir-coll.so | awk '{print $3}' | sort > "$work/shared-names"
  nm -g --defined-only "$lib"/libweir-coll.a | awk 'NF == 3 {print $3}' | sort > "$work/static-names"
  (($(wc -l < "$work/declared") > 20)) && diff "$work/declared" "$work/shared-names" && diff "$work/declared" "$work/static-names"
}

# Nothing of a bench, a simulator or a JSON parser is asked for.
needs_little() {
  local needed
  needed=$(readelf -d "$lib/libweir-coll.so" | grep -o 'NEEDED.*\[.*' | grep -o '\[.*' | tr -d '[]' | grep -v '^ld-linux' | sort | tr '\n' ' ')
  [[ $needed == "libc.so.6 libibverbs.so.1 "*"libz.so.1 " ]] && ! grep -q jansson <<< "$needed" || { echo "needs $needed" && return 1; }
}

pages() {
  local name said
  while read -r name; do
    [[ -f $root/share/man/man3/$name.3 ]] || { echo "no page $name" && return 1; }
  done < "$work/declared"
  [[ -f $root/share/man/man3/weir_coll.3 ]] || return 1
  said=$(groff -man -ww -Tutf8 -z "$root"/share/man/man3/*.3 2>&1) && [[ -z $said ]] || { echo "$said" && return 1; }
  groff -man -Tascii -P-cbou "$root/share/man/man3/weir_coll_iallreduce.3" | grep -q 'Begins to reduce'
}

check installs installs
for name in in_c in_cpp in_c_static exported needs_little pages; do check "$name" "$name"; done
tap_end
