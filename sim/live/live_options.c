#include "sim/live/live_options.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "wire/roce.h"

#define FIELD(member) OPTION_AT(struct live_options, member)
#define GIVEN(member) OPTION_GIVEN(struct live_options, member)
#define RANGE(member, from, to) OPTION_RANGE(struct live_options, member, from, to)

static const char *const verbs[] = {"write", "write-imm", "send", NULL};
static const char *const collectives[] = {"all-reduce", "reduce", "broadcast", "barrier", NULL};
static const char *const ways[] = {"auto", "low", "stream", NULL};
static const char *const libraries[] = {"tree", "coll", "measured", NULL};
static const char *const accels[] = {"kvm", "tcg", NULL};

const char *live_type_name(uint8_t kind) { return ina_types[kind & 3]; }
const char *live_op_name(uint8_t kind) { return ina_ops[kind >> 4]; }
const char *live_verb_name(unsigned verb) { return verbs[verb]; }
const char *live_collective_name(unsigned collective) { return collectives[collective]; }
const char *live_way_name(unsigned way) { return ways[way]; }
const char *live_library_name(unsigned library) { return libraries[library]; }

static const struct command_option options[] = {
    {.kind = OPTION_GROUP, .help = "What is reduced"},
    {"hosts", OPTION_WHOLE, .value = "H", .help = "Virtual machines; each is a rank of every ring", .standard = "2",
     RANGE(hosts, 2, LIVE_MAX_HOSTS)},
    {"rings", OPTION_WHOLE, .value = "R", .help = "Jobs at the same time, each with a ring of its own", .standard = "1",
     RANGE(rings, 1, 4)},
    {"tensor", OPTION_BYTES, .value = "BYTES", .help = "Tensor of each host; K and M may follow", .standard = "256K",
     RANGE(tensor, 1, 16 << 20)},
    {"sweep", OPTION_FLAG, .help = "All sizes from 4 bytes to that, each twice the one before", FIELD(sweep)},
    {"repeats", OPTION_WHOLE, .value = "N", .help = "All-reduces of each size", .standard = "3", RANGE(repeats, 1, 1000)},
    {"type", OPTION_CHOICE, .help = "Elements", .standard = "fp32", .names = ina_types, FIELD(type)},
    {"op", OPTION_CHOICE, .help = "Reduction", .standard = "sum", .names = ina_ops, FIELD(op)},
    {"hosts-alone", OPTION_FLAG,
     .help = "The hosts reduce among themselves, for comparison; the device only passes their packets", FIELD(hosts_alone)},
    {.kind = OPTION_GROUP, .help = "How hosts send it"},
    {"window", OPTION_WHOLE, .value = "N", .help = "Messages a host may have outstanding", .standard = "2", RANGE(window, 1, 8)},
    {"msglen", OPTION_WHOLE, .value = "PACKETS", .help = "Packets of a message", .standard = "32", RANGE(msglen, 1, 340)},
    {"mtu", OPTION_WHOLE, .value = "BYTES", .help = "Path MTU", .standard = "1024", .powers = true, RANGE(mtu, 256, 4096)},
    {"verb", OPTION_CHOICE, .help = "RDMA operation; with write, hosts poll memory", .standard = "write-imm", .names = verbs,
     FIELD(verb)},
    {"in-place", OPTION_FLAG, .help = "Results replace what was sent", FIELD(in_place)},
    {"register", OPTION_FLAG, .help = "Tensors are registered memory, sent without a copy", FIELD(registered)},
    {"ipv6", OPTION_FLAG, .help = "RoCEv2 over IPv6", FIELD(ipv6)},
    {"vlan", OPTION_WHOLE, .value = "ID", .help = "On a VLAN", .absent = "none", RANGE(vlan, 1, 4094)},
    {.kind = OPTION_GROUP, .help = "A tree of nodes that end connections, in the aggregator's place"},
    {"tree", OPTION_TEXT, .value = "LxH",
     .help =
         "L leaves below a root, each with H hosts, or 1xH: one node. Takes of the above --tensor, --sweep, --repeats, --type, "
         "--op, --mtu, --register, --ipv6, --vlan, and of what follows --loss and --kill",
     .wrong = "2", FIELD(tree)},
    {"collective", OPTION_CHOICE, .help = "What the hosts do; host 0 is the root", .standard = "all-reduce", .names = collectives,
     FIELD(collective)},
    {"way", OPTION_CHOICE, .help = "Which tree: low latency, streaming, or by size", .standard = "auto", .names = ways,
     FIELD(way)},
    {"lock", OPTION_WHOLE, .value = "N", .help = "Operations of a lock of the streaming tree; 0: until the end", .standard = "1",
     RANGE(lock, 0, 1000000)},
    {"multicast", OPTION_FLAG,
     .help = "Low-latency results go to hosts by UD multicast, too, whose drivers join it; the reliable copy is thrown away then",
     FIELD(multicast)},
    {"library", OPTION_CHOICE,
     .help = "What hosts call: the tree by itself; a communicator of libweir-coll whose backend it is; or one that has a ring of "
             "the hosts beside it, and takes by size what it has measured to be faster",
     .standard = "tree", .names = libraries, FIELD(library)},
    {.kind = OPTION_GROUP, .help = "What happens on the way"},
    {"loss", OPTION_NUMBER, .value = "P", .unit = "a probability",
     .help = "Probability that a frame is lost, on each host's cable, each way", .standard = "0", .least = 0, .most = 1,
     .below = true, FIELD(loss)},
    {"perftest", OPTION_FLAG, .help = "Meanwhile ib_write_bw, ib_send_lat and ibv_rc_pingpong run between hosts 0 and 1",
     FIELD(perftest)},
    {"kill", OPTION_FLAG,
     .help = "The last host is killed in the middle: the others must get an error in time, the ring is flushed, and a job of the "
             "others runs",
     FIELD(kill_last)},
    {"reboot", OPTION_WHOLE, .value = "N",
     .help = "The device is switched off and on N times, each in the middle of a job: no host may take a wrong sum; then comes a "
             "job without",
     .absent = "never", RANGE(reboots, 1, 100)},
    {"flush", OPTION_WHOLE, .value = "N",
     .help = "Its rings are flushed N times, each in the middle of a job: every host must have its sums or an error in time, and "
             "no wrong sum; then comes a job without",
     .absent = "never", RANGE(flushes, 1, 100)},
    {"roce-only", OPTION_FLAG,
     .help = "TCP and whatever else is not RoCEv2 goes from host to host by a network of its own, and not through the device",
     FIELD(roce_only)},
    {.kind = OPTION_GROUP, .help = "Guests"},
    {"shell", OPTION_FLAG, .help = "A console on host 0 instead of a job; `allreduce' runs one, `exit' ends all", FIELD(shell)},
    {"program", OPTION_TEXT, .value = "CMD",
     .help = "Every host runs this command of --root in place of a job: with RANK, WORLD_SIZE, MASTER_ADDR, and variables of the "
             "library of hosts for ring 1; what it says is shown, and its exit code counts",
     .wrong = "", FIELD(program)},
    {"root", OPTION_TEXT, .value = "DIR",
     .help = "Its root file system, such as tools/live_root.sh makes; hosts may write to it, and nothing of that stays",
     .wrong = "/nowhere", FIELD(root)},
    {"files", OPTION_TEXT, .value = "DIR", .help = "Its working folder, /files, is DIR/host0 and so on here, and stays",
     .absent = "it goes with the guest", .wrong = "a,b", FIELD(files)},
    {"attach", OPTION_TEXT, .value = "DIR",
     .help = "Starts no guest: your own have sockets DIR/host0.sock.., the device DIR/weir0.sock..; Enter flushes all rings, end "
             "of input ends it",
     .wrong = "/nowhere", FIELD(attach)},
    {"image", OPTION_TEXT, .value = "DIR", .help = "What guests boot",
     .absent = "what `make live-image' made beside this program", .wrong = "/nowhere", FIELD(image)},
    {"accel", OPTION_CHOICE, .help = "Accelerator of QEMU", .absent = "what worked when the image was made", .names = accels,
     FIELD(accel_index), GIVEN(accel_given)},
    {"memory", OPTION_WHOLE, .value = "MB", .help = "Memory of a guest, in MB; three tensors must fit beside Linux",
     .standard = "256", RANGE(memory_mb, 128, 1 << 20)},
    {"patience", OPTION_WHOLE, .value = "SECONDS", .help = "Longest that booting, or one job, may take", .standard = "120",
     RANGE(patience, 1, 86400)},
    {.kind = OPTION_GROUP, .help = "The device and the run"},
    {"config", OPTION_CONFIG, .value = "NAME", .help = "Configuration of the device", .absent = "the smallest that fits",
     FIELD(config_name)},
    {"stall", OPTION_NUMBER, .value = "P", .unit = "a probability",
     .help = "Probability, each cycle and port, that an output is held back", .standard = "0", .least = 0, .most = 0.999,
     FIELD(stall)},
    {"seed", OPTION_WHOLE, .value = "S", .help = "Seed of numbers and losses; when which frame comes is the guests' affair",
     .standard = "1", RANGE(seed, 0, UINT64_MAX), GIVEN(seed_given)},
    {.kind = OPTION_GROUP, .help = "What is written"},
    {"out", OPTION_OUTPUT, .value = "FILE",
     .help = "What came into the device, for weir replay: pcapng, gzipped if FILE ends in .gz; interface = host", FIELD(out)},
    {"json", OPTION_OUTPUT, .value = "FILE", .help = "A summary as JSON", FIELD(json)},
    {"report", OPTION_OUTPUT, .value = "FILE.html", .help = "A page with pictures of the run: throughput, latency, slots, drops",
     FIELD(report)},
    {"wave", OPTION_OUTPUT, .value = "FILE.fst",
     .help = "All signals for GTKWave: 100 MB for 1,000 frames; hosts then wait longer for answers", FIELD(wave)},
    {0},
};

const struct command_line live_command_line = {
    .name = "weir live",
    .purpose = "lets Linux hosts with real RDMA drivers all-reduce tensors through the device",
    .about = "Boots virtual machines with Linux's own RDMA driver (rdma_rxe) and lets them all-reduce through the Verilated "
             "device. They check "
             "every element; every frame is compared with the golden model.",
    .example = "--hosts 2 --loss 0.01 --report live.html",
    .exits = "0 all checks passed, 1 a check failed, 2 bad usage, or no guest can be started.",
    .options = options,
};

/// Reads LxH; what a tree has no use for must not be asked for.
static int check_tree(struct live_options *o) {
  char end;
  if (sscanf(o->tree, "%2ux%2u%c", &o->leaves, &o->below, &end) != 2 || o->leaves < 1 || o->below < 1 ||
      o->leaves * o->below < 2 || o->leaves * o->below > LIVE_MAX_HOSTS)
    return live_refuse("--tree %s: leaves and hosts below each, as 1x4 or 2x2; %d hosts at most", o->tree, LIVE_MAX_HOSTS);
  o->hosts = o->leaves * o->below;
  if (o->rings > 1 || o->hosts_alone || o->perftest || live_forgets(o) > 0 || o->roce_only || o->shell || o->attach != NULL ||
      o->in_place || o->report != NULL || o->wave != NULL || o->config_name != NULL || o->stall > 0)
    return live_refuse(
        "--tree: not with --rings, --hosts-alone, --perftest, --reboot, --flush, --roce-only, --shell, --attach, --in-place, "
        "--report, --wave, --config or --stall");
  if (o->kill_last && o->leaves > 1) return live_refuse("--kill: with --tree 1xH only");
  if (o->library > 0 && (o->way != 0 || o->registered))
    return live_refuse("--library coll and measured: not with --way or --register, the communicator chooses");
  // A ring of hosts adds in another order than nodes do.
  if (o->library == LIVE_MEASURED && o->hosts > 2 && o->op == 0 && o->type != 3)
    return live_refuse("--library measured: sums of more than two hosts in whole numbers alone, --type int32");
  return 0;
}

static bool live_is_folder(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/// Values that must fit each other.
static int check(struct live_options *o) {
  const int code = o->tree != NULL ? check_tree(o) : 0;
  if (code != 0) return code;
  if (o->multicast && o->tree == NULL) return live_refuse("--multicast: with --tree only");
  const size_t size = ina_element_size(o->kind);
  if (o->tensor % size != 0)
    return live_refuse("--tensor %zu: must be a whole number of elements; %s has %zu bytes", o->tensor, live_type_name(o->kind),
                       size);
  if (o->kill_last) {
    o->kill = o->hosts - 1;
    if (o->hosts < 3) return live_refuse("--kill: those who stay must be two at least, so --hosts 3 or more");
    if (o->hosts_alone || o->rings > 1 || o->perftest)
      return live_refuse("--kill: not with --hosts-alone, --rings or --perftest");
  }
  if (live_forgets(o) > 0) {
    if (o->kill_last || o->hosts_alone || o->perftest || o->shell || o->attach != NULL || o->report != NULL)
      return live_refuse("--reboot and --flush: not with --kill, --hosts-alone, --perftest, --shell, --attach or --report");
    if (strcmp(live_verb_name(o->verb), "write") == 0)
      return live_refuse("--reboot and --flush: not with --verb write, where hosts see no mark in the last packet");
  }
  // QEMU has commas between what it is told of a folder.
  for (int i = 0; i < 2; i++) {
    const char *folder = i == 0 ? o->root : o->files;
    if (folder != NULL && strchr(folder, ',') != NULL)
      return live_refuse("--%s %s: a folder's name must have no comma", i == 0 ? "root" : "files", folder);
  }
  if (o->root != NULL && !live_is_folder(o->root)) return live_refuse("--root %s: no folder", o->root);
  if (o->root != NULL || o->files != NULL || o->program != NULL) {
    if (o->program == NULL || o->root == NULL)
      return live_refuse("--program, --root and --files: what runs, and a root file system for it");
    if (o->tree != NULL || o->shell || o->attach != NULL || live_breaks(o) || o->perftest || o->hosts_alone || o->sweep)
      return live_refuse(
          "--program: not with --tree, --shell, --attach, --kill, --reboot, --flush, --perftest, --hosts-alone or --sweep");
  }
  if (o->shell && (o->attach != NULL || o->kill != LIVE_NOBODY || o->perftest))
    return live_refuse("--shell: not with --attach, --kill or --perftest");
  return 0;
}

int live_parse(int argc, char **argv, struct live_options *o) {
  *o = (struct live_options){.kill = LIVE_NOBODY};
  const int code = options_parse(&live_command_line, argc, argv, o);
  if (code != 0) return code;
  o->kind = (uint8_t)(o->op << 4 | o->type);
  if (o->accel_given) o->accel = accels[o->accel_index];
  // A command is one line of the guest's console.
  if (o->program != NULL && (*o->program == 0 || strlen(o->program) > LIVE_PROGRAM || strchr(o->program, '\n') != NULL))
    return live_refuse("--program %.20s: must be one line of at most %d characters", o->program, LIVE_PROGRAM);
  return check(o);
}
