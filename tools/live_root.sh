#!/bin/bash
# Makes a root file system for programs of guests (`weir live --program`) from Debian packages, which are only unpacked: none of their scripts runs. What is
# downloaded stays in FOLDER.cache. Of this tree come the library of hosts and its adapters, below /usr/local.
#
# Usage: tools/live_root.sh FOLDER PACKAGE..     for example: tools/live_root.sh build/live/mpi openmpi-bin hpcc
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "live_root.sh: $*" >&2
  exit 1
}

(($# >= 2)) || fail 'usage: tools/live_root.sh FOLDER PACKAGE..'
folder=$1
shift
cache=$folder.cache
build=${BUILD:-build}
# These are part of every root file system: a shell, what runs OpenMPI's helpers on other hosts, and the RDMA driver of the guests' kernel.
packages=(bash busybox-static coreutils grep sed hostname libibverbs1 ibverbs-providers libnettle8 "$@")

# All packages that these need, on a machine that has none.
wanted() {
  : > "$cache/status"
  apt-get -o Dir::State::status="$cache/status" -o APT::Get::AllowUnauthenticated=false -s install --no-install-recommends "${packages[@]}" |
    awk '/^Inst / {print $2}'
}

mkdir -p "$cache/packages"
cache=$(realpath "$cache")
wanted > "$cache/wanted" || fail "apt does not find all of: ${packages[*]}; run: apt-get update"
[[ -s $cache/wanted ]] || fail 'no packages'
chmod 755 "$cache/packages"
while read -r package; do
  compgen -G "$cache/packages/${package}_*.deb" > /dev/null || echo "$package"
done < "$cache/wanted" > "$cache/missing"
if [[ -s $cache/missing ]]; then
  (cd "$cache/packages" && xargs apt-get download -qq < "$cache/missing" 2> "$cache/said") || fail "cannot download: $(tail -n 1 "$cache/said")"
fi
rm -rf "$folder" && mkdir -p "$folder"/usr/{bin,sbin,lib,lib64}
for name in bin sbin lib lib64; do ln -s "usr/$name" "$folder/$name"; done
while read -r package; do
  for file in "$cache/packages/${package}"_*.deb; do
    dpkg --fsys-tarfile "$file" | tar -x -C "$folder" --keep-directory-symlink --no-same-owner
  done
done < "$cache/wanted"
mkdir -p "$folder"/{proc,sys,dev,tmp,files,root,etc/ld.so.conf.d,etc/libibverbs.d}
# What a package's script would have made.
[[ -e $folder/usr/bin/sh ]] || ln -s dash "$folder/usr/bin/sh"
[[ -e $folder/usr/bin/dash ]] || ln -sf bash "$folder/usr/bin/sh"
[[ ! -e $folder/usr/bin/mpirun.openmpi ]] || ln -sf mpirun.openmpi "$folder/usr/bin/mpirun"
echo 'driver rxe' > "$folder/etc/libibverbs.d/rxe.driver"
echo root:x:0:0:root:/root:/bin/sh > "$folder/etc/passwd"
echo root:x:0: > "$folder/etc/group"
# Libraries of which Debian has several ask for an administrator's choice: here the plain one.
printf '%s\n' /usr/local/lib /usr/lib/x86_64-linux-gnu/{blas,lapack,openblas-pthread,openmpi/lib} > "$folder/etc/ld.so.conf.d/weir.conf"
echo 'include /etc/ld.so.conf.d/*.conf' > "$folder/etc/ld.so.conf"
make -s BUILD="$build" install-mpi install-torch DESTDIR="$(realpath "$folder")" PREFIX=/usr/local > "$cache/said" 2>&1 || fail "the library of hosts cannot be installed: $(tail -n 1 "$cache/said")"
install -m 755 host/mpi/weir-mpirun.sh "$folder/usr/local/bin/weir-mpirun"
/sbin/ldconfig -r "$folder" 2> /dev/null || fail 'no ldconfig'
du -sh "$folder" | awk '{print "root file system: " $2 ", " $1}'
