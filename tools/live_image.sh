#!/bin/bash
# Makes what a guest of `weir live` boots: Debian's kernel, and an initramfs with busybox, the modules of rdma_rxe, rdma-core, perftest and
# the programs named on the command line. Packages are only unpacked; nothing here installs a kernel, and nothing needs root.
#
# Then a guest is booted: with KVM if this machine has one that can run it, otherwise with TCG.
#
# Usage: tools/live_image.sh FOLDER PROGRAM..     writes FOLDER/vmlinux, FOLDER/initrd, FOLDER/accel and FOLDER/versions
set -euo pipefail
cd "$(dirname "$0")/.."
# Debian has these where users without root need not look.
PATH=$PATH:/usr/sbin:/sbin

# A kernel of this series; its newest package is what apt knows (FOLDER/versions says which that was).
kernel_meta=linux-image-amd64
modules=(virtio_pci virtio_net crc32_generic crc32-pclmul ib_core ib_uverbs rdma_ucm rdma_rxe 8021q sch_netem)
# What only programs of a root file system need, which the host shows to its guests (`weir live --program`).
root_modules=(9pnet_virtio 9p overlay)
programs=(ip rdma ibv_devinfo ibv_rc_pingpong ib_write_bw ib_send_lat)

fail() {
  echo "live_image.sh: $*" >&2
  exit 1
}

# The newest kernel package that apt knows.
kernel_name() { apt-cache depends --no-recommends --no-suggests "$kernel_meta" 2> /dev/null | awk '/Depends: linux-image-/ {print $2; exit}'; }

# unpack_kernel FOLDER: fetches the package if it is not there, and leaves its files in FOLDER/kernel.
unpack_kernel() {
  local name
  name=$(kernel_name)
  if [[ -z $name ]] && ((EUID == 0)); then
    apt-get -qq update
    name=$(kernel_name)
  fi
  if [[ -f $1/kernel/.name && (-z $name || $(< "$1/kernel/.name") == "$name") ]]; then return; fi
  [[ -n $name ]] || fail "apt knows no package $kernel_meta; run: apt-get update"
  rm -rf "$1/kernel" && mkdir -p "$1/kernel"
  (cd "$1/kernel" && apt-get download -qq "$name" 2> /dev/null) || fail "cannot download $name; run: apt-get update"
  mv "$1"/kernel/"$name"_*.deb "$1/kernel/image.deb"
  dpkg --fsys-tarfile "$1/kernel/image.deb" | tar -x -C "$1/kernel" --wildcards './boot/vmlinuz-*' './lib/modules/*'
  dpkg-deb -W --showformat '${Package} ${Version}' "$1/kernel/image.deb" > "$1/kernel/version"
  rm "$1/kernel/image.deb"
  echo "$name" > "$1/kernel/.name"
}

# module_file NAME: its file. A module's name has underscores where its file may have hyphens.
module_file() { find "$kernel/lib/modules" -name "${1//[-_]/[-_]}.ko" | head -n 1; }

# add_module NAME: puts it behind those that it depends on into the list $order of what the guest loads, unless it is in one already.
declare -A added=()
add_module() {
  local name=${1//-/_} file depends
  [[ -z ${added[$name]:-} ]] || return 0
  added[$name]=1
  file=$(module_file "$1")
  [[ -n $file ]] || return 0   # built into this kernel
  depends=$(tr '\0' '\n' < "$file" | grep -a '^depends=' | head -n 1)
  for other in $(tr ',' ' ' <<< "${depends#depends=}"); do add_module "$other"; done
  cp "$file" "$root/modules/$name.ko"
  echo "$name" >> "$root/modules/$order"
}

# add_file FILE: at the same place in the guest, with what it links to.
add_file() {
  [[ ! -e $root$1 ]] || return 0
  mkdir -p "$root$(dirname "$1")"
  cp -L "$1" "$root$1"
}

# add_program FILE [NAME]: into /bin, and all shared libraries that it asks for.
add_program() {
  cp -L "$1" "$root/bin/${2:-$(basename "$1")}"
  for library in $(ldd "$1" | grep -o '/[^ )]*'); do add_file "$library"; done
}

# boots ACCEL SECONDS: true if a guest comes up with this accelerator in so many seconds and names its RDMA device. Some KVMs open and then
# never run an ordinary kernel, so opening is not enough. What the guest said is left in boot.log.
boots() {
  timeout "$2" qemu-system-x86_64 -accel "$1" -M q35 -cpu max -m 256 -nodefaults -display none -no-reboot -serial stdio -net none \
    -kernel "$folder/vmlinux" -initrd "$folder/initrd" -netdev user,id=n0,restrict=on -device virtio-net-pci,netdev=n0 \
    -append 'console=ttyS0 quiet no_timer_check mitigations=off rodata=off cryptomgr.notests panic=-1 RANK=0 HOSTS=1 -- ibv_devinfo' < /dev/null > "$folder/boot.log" 2>&1 || true
  grep -q '^@weir up .*rxe0' "$folder/boot.log" && grep -q 'PORT_ACTIVE' "$folder/boot.log"
}

(($# >= 1)) || fail 'usage: tools/live_image.sh FOLDER PROGRAM..'
folder=$1
shift
mkdir -p "$folder"
unpack_kernel "$folder"
kernel=$folder/kernel root=$folder/root
rm -rf "$root"
mkdir -p "$root"/{bin,dev,etc/libibverbs.d,lib64,modules,proc,sys,tmp}
: > "$root/modules/order"
: > "$root/modules/order.root"
order=order
for module in "${modules[@]}"; do add_module "$module"; done
order=order.root
for module in "${root_modules[@]}"; do add_module "$module"; done
cp "$(command -v busybox)" "$root/bin/busybox"
ln -s busybox "$root/bin/sh"
for program in "${programs[@]}"; do
  path=$(command -v "$program") || fail "no program $program"
  add_program "$path"
done
for program; do
  add_program "$program"
done
# rdma-core loads a device's driver by name; it is no dependency that ldd could see.
driver=$(find /usr/lib -name 'librxe-rdmav*.so' | head -n 1)
[[ -n $driver ]] || fail 'no librxe; install ibverbs-providers'
add_file "$driver"
echo 'driver rxe' > "$root/etc/libibverbs.d/rxe.driver"
install -m 755 host/guest_init.sh "$root/init"
(cd "$root" && find . | LC_ALL=C sort | busybox cpio -o -H newc 2> /dev/null) > "$folder/initrd.part"
# Neither is packed: a guest would take longer to unpack them than for the rest of its boot.
python3 tools/unpack_kernel.py "$kernel"/boot/vmlinuz-* "$folder/vmlinux"
mv "$folder/initrd.part" "$folder/initrd"
{
  cat "$kernel/version"
  echo
  dpkg-query -W -f '${Package} ${Version}\n' qemu-system-x86 busybox-static libibverbs1 ibverbs-providers perftest ibverbs-utils iproute2
} > "$folder/versions"
# What did not work once on this machine need not be tried with each new image.
if [[ -r /dev/kvm && -w /dev/kvm && $(cat "$folder/accel" 2> /dev/null) != tcg ]] && boots kvm 10; then
  echo kvm > "$folder/accel"
elif boots tcg 120; then
  echo tcg > "$folder/accel"
else
  fail "the guest does not boot; see $folder/boot.log"
fi
echo "guest: $(cat "$kernel/version"), boots with $(cat "$folder/accel"), RDMA device $(grep -o 'rxe[0-9]*' "$folder/boot.log" | head -n 1)"
