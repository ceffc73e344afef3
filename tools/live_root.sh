#!/bin/bash
# Makes a root file system for programs of guests (`weir live --program`) from Debian packages, which are only unpacked: none of their scripts runs. What is
# downloaded stays in FOLDER.cache. Of this tree come the library of hosts and its adapters, below /usr/local.
#
# Usage: tools/live_root.sh FOLDER PACKAGE..     for example: tools/live_root.sh build/live/mpi openmpi-bin hpcc
#        SUITE: take packages of this release of Debian (trixie), not of the one that runs here
#        WHEELS: packages of PyPI for the Python that is among PACKAGE.. (WHEELS=torch==2.6.0), with what they need; pip fetches them
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

# What apt knows of another release is beside what is downloaded; it comes from where this machine has its own packages.
apt=(apt-get)
another_release() {
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(COMPONENT)' 'Created-By: Packages' | awk '$2 == "Debian" && $3 == "main" && !/security/ {print $1; exit}')
  [[ $mirror ]] || fail 'apt knows no packages of Debian; run: apt-get update'
  mkdir -p "$cache"/lists/partial "$cache"/archives/partial
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $SUITE main" > "$cache/sources.list"
  apt=(apt-get -o Dir::Etc::sourcelist="$cache/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$cache/lists" -o Dir::Cache::archives="$cache/archives"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
  "${apt[@]}" update -qq > "$cache/said" 2>&1 || fail "no packages of $SUITE: $(tail -n 1 "$cache/said")"
}

# All packages that these need, on a machine that has none.
wanted() {
  : > "$cache/status"
  "${apt[@]}" -o Dir::State::status="$cache/status" -o APT::Get::AllowUnauthenticated=false -s install --no-install-recommends "${packages[@]}" |
    awk '/^Inst / {print $2}'
}

# The Python of the root file system; false if it has none.
python_of() {
  local python
  python=$(compgen -G "$folder/usr/bin/python3.[0-9]*" | head -n 1) && echo "${python##*/}"
}

# Wheels go where Debian's Python looks for what an administrator adds.
wheels() {
  local python options=(--only-binary=:all: --implementation=cp --platform=manylinux{1,2014,_2_17,_2_27,_2_28}_x86_64)
  python=$(python_of) || fail "no Python for $WHEELS: name python3 among the packages"
  options+=(--python-version="${python#python}")
  # shellcheck disable=SC2086
  python3 -m pip download -q "${options[@]}" -d "$cache/wheels" $WHEELS > "$cache/said" 2>&1 &&
    python3 -m pip install -q "${options[@]}" --no-compile --no-index --find-links "$cache/wheels" --target "$folder/usr/local/lib/$python/dist-packages" $WHEELS > "$cache/said" 2>&1 || fail "pip: $(tail -n 1 "$cache/said")"
}

# Python compiles what it imports; in a guest nothing of that would stay, and the next one would do it again.
compile_python() {
  local lib=$folder/usr/lib python
  python=$(python_of) || return 0
  PYTHONHOME=$folder/usr "$folder/lib64/ld-linux-x86-64.so.2" --library-path "$lib/x86_64-linux-gnu" "$folder/usr/bin/$python" -m compileall -q --invalidation-mode unchecked-hash -s "$folder" \
    "$lib/$python" "$lib/python3" "$folder/usr/local/lib/$python" > "$cache/said" 2>&1 || true   # some packages bring files of other versions of Python
}

mkdir -p "$cache/packages"
cache=$(realpath "$cache")
[[ -z ${SUITE:-} ]] || another_release
wanted > "$cache/wanted" || fail "apt does not find all of: ${packages[*]}; run: apt-get update"
[[ -s $cache/wanted ]] || fail 'no packages'
chmod 755 "$cache/packages"
while read -r package; do
  compgen -G "$cache/packages/${package}_*.deb" > /dev/null || echo "$package"
done < "$cache/wanted" > "$cache/missing"
if [[ -s $cache/missing ]]; then
  (cd "$cache/packages" && xargs "${apt[@]}" download -qq < "$cache/missing" 2> "$cache/said") || fail "cannot download: $(tail -n 1 "$cache/said")"
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
[[ -z ${WHEELS:-} ]] || wheels
install -m 755 host/mpi/weir-mpirun.sh "$folder/usr/local/bin/weir-mpirun"
compile_python
/sbin/ldconfig -r "$folder" 2> /dev/null || fail 'no ldconfig'
du -sh "$folder" | awk '{print "root file system: " $2 ", " $1}'
