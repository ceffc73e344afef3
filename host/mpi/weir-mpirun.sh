#!/bin/sh
# Runs a program of MPI on all hosts of `weir live`, one rank each, with libweir-mpi.so before it: every host calls this. Host 0 starts it, the others wait for OpenMPI's
# helper, which comes by a connection, as a command for a shell: hosts trust each other.
#
# Usage: weir-mpirun PROGRAM [WORD..]
set -u
port=7480
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# What OpenMPI calls in the place of ssh: HOST COMMAND. Its helper looks for it, too.
cat > /tmp/remote << END
#!/bin/sh
host=\$1
shift
for try in 1 2 3 4 5 6 7 8 9 10; do
  echo "\$*" | busybox nc \$host $port && exit 0
  sleep 0.5
done
exit 1
END
chmod +x /tmp/remote
if [ "$RANK" != 0 ]; then
  # Until host 0 says that all is over: an answer of its program's exit code.
  rm -f /tmp/over
  busybox nc -ll -p $port -e /bin/sh &
  listener=$!
  while [ ! -f /tmp/over ]; do sleep 0.2; done
  kill $listener
  exit "$(cat /tmp/over)"
fi
hosts=host0
for rank in $(seq 1 $((WORLD_SIZE - 1))); do hosts=$hosts,host$rank; done
# WEIR_ADDRESS is each host's own: the library takes the first address that its NIC has.
unset WEIR_ADDRESS
variables=
for name in $(env | grep -o '^WEIR_[A-Z_]*'); do variables="$variables -x $name"; done
# shellcheck disable=SC2086
mpirun -np "$WORLD_SIZE" --host "$hosts" --mca plm_rsh_agent /tmp/remote --mca plm_rsh_no_tree_spawn 1 --mca pml ob1 --mca btl self,tcp --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 \
  -x LD_PRELOAD=libweir-mpi.so $variables "$@"
code=$?
for rank in $(seq 1 $((WORLD_SIZE - 1))); do echo "echo $code > /tmp/over" | busybox nc -w 3 "host$rank" $port; done
exit $code
