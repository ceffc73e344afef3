#!/bin/bash
# Installs the Debian packages that a job needs and that are missing; looks first, so it costs nothing when all is there.
#
# Usage: tools/setup.sh build|check|mpi|format|synth|live|peers|slurm|train|python ..
set -euo pipefail

packages=()   # missing ones
reasons=()    # what was looked for in vain

# lacking PACKAGE WHAT: notes a package to install.
lacking() {
  packages+=("$1")
  reasons+=("$2")
}

# command_from PACKAGE COMMAND
command_from() {
  command -v "$2" > /dev/null || lacking "$1" "$2"
}

# header_from PACKAGE HEADER: asks the compiler; only it knows where it looks. cmocka.h wants others in front of it.
header_from() {
  gcc -fsyntax-only -x c -include stdarg.h -include stddef.h -include stdint.h -include setjmp.h -include "$2" /dev/null \
    2> /dev/null || lacking "$1" "$2"
}

# libFuzzer is a run-time library of clang, in a package of its own. Looking where Debian has it is quicker than asking clang.
fuzzer_from() {
  compgen -G '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a' > /dev/null ||
    compgen -G "$(clang -print-resource-dir 2> /dev/null)/lib/*/libclang_rt.fuzzer*.a" > /dev/null || lacking "$1" libFuzzer
}

# at_least NAME VERSION WANTED: stops with a sentence; a newer package of the same name would not be found either.
at_least() {
  [[ $(printf '%s\n' "$3" "$2" | sort -V | head -n 1) == "$3" ]] && return
  echo "setup.sh: $1 here is version ${2:-unknown}, and Weir needs $3 or newer" >&2
  exit 1
}

# What is there has to be new enough. The Verilator is the one that make was told to use.
check_versions() {
  local verilator=${VERILATOR:-verilator} said
  said=$("$verilator" --version 2> /dev/null) || { echo "setup.sh: $verilator does not run" >&2 && exit 1; }
  at_least "$verilator" "$(awk '{print $2}' <<< "$said")" 5.006
  at_least python3 "$(python3 -c 'import platform; print(platform.python_version())')" 3.11
}

look_for() {
  case $1 in
    build)
      [[ ${VERILATOR:-verilator} == */* ]] || command_from verilator "${VERILATOR:-verilator}"
      command_from gcc gcc
      command_from g++ g++
      command_from clang clang++
      command_from make make
      command_from ccache ccache
      command_from util-linux flock
      command_from python3 python3
      header_from zlib1g-dev zlib.h
      header_from libjansson-dev jansson.h
      ;;
    check)
      command_from gzip gzip
      command_from tshark tshark
      fuzzer_from libclang-rt-dev
      header_from libcmocka-dev cmocka.h
      header_from libibverbs-dev infiniband/verbs.h
      header_from nettle-dev nettle/hmac.h
      command_from pkgconf pkg-config
      command_from groff groff
      command_from valgrind valgrind
      ;;
    mpi)
      command_from libopenmpi-dev mpicc
      command_from gfortran gfortran
      command_from openmpi-bin mpirun
      ;;
    format)
      command_from clang-format clang-format
      ;;
    synth)
      command_from opensta sta
      ;;
    live)
      # ip and rdma are where users without root need not look.
      local PATH=$PATH:/usr/sbin:/sbin
      command_from qemu-system-x86 qemu-system-x86_64
      command_from busybox-static busybox
      command_from iproute2 rdma
      command_from ibverbs-utils ibv_rc_pingpong
      command_from perftest ib_write_bw
      header_from libibverbs-dev infiniband/verbs.h
      header_from nettle-dev nettle/hmac.h
      ;;
    peers)
      command_from libsimgrid-dev smpicc
      ;;
    slurm)
      # Daemons are where users without root need not look.
      local PATH=$PATH:/usr/sbin:/sbin
      command_from slurm-wlm slurmctld
      command_from munge munged
      ;;
    train)
      /usr/bin/python3 -c 'import torch' 2> /dev/null || lacking python3-torch 'PyTorch'
      ;;
    python)
      python3 -c 'import ensurepip, venv' 2> /dev/null || lacking python3-venv 'the Python module venv'
      ;;
    *)
      echo "setup.sh: unknown job '$1'; usage: tools/setup.sh build|check|mpi|format|synth|live|peers|slurm|train|python .." >&2
      exit 2
      ;;
  esac
}

install_missing() {
  local missing
  missing=$(printf '%s, ' "${reasons[@]}")
  missing=${missing%, }
  if ! command -v apt-get > /dev/null; then
    echo "setup.sh: missing: $missing; there is no apt-get here, please install: ${packages[*]}" >&2
    exit 1
  fi
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0)
  if ((EUID != 0)); then
    # Without a terminal sudo must do without a password too.
    if ! { [[ -t 0 ]] && command -v sudo > /dev/null; } && ! sudo -n true 2> /dev/null; then
      echo "setup.sh: missing: $missing; neither root nor sudo, please have installed: apt-get install ${packages[*]}" >&2
      exit 1
    fi
    apt=(sudo "${apt[@]}")
  fi
  echo "setup.sh: missing: $missing; installing ${packages[*]}" >&2
  local said
  if ! said=$({ "${apt[@]}" update && "${apt[@]}" install --yes --no-install-recommends "${packages[@]}"; } 2>&1); then
    echo "setup.sh: apt-get cannot install ${packages[*]}: $(grep -m 1 '^[EW]: ' <<< "$said" || tail -n 1 <<< "$said")" >&2
    exit 1
  fi
}

if (($# == 0)); then
  echo 'usage: tools/setup.sh build|check|mpi|format|synth|live|peers|slurm|train|python ..' >&2
  exit 2
fi
for job in "$@"; do look_for "$job"; done
if ((${#packages[@]})); then install_missing; fi
if [[ " $* " == *' build '* ]]; then check_versions; fi
