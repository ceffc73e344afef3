#include "sim/live/live_options.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/command.h"
#include "sim/cli/usage.h"
#include "wire/roce.h"

enum {
  OPT_HOSTS = 256,
  OPT_RINGS,
  OPT_LOSS,
  OPT_TENSOR,
  OPT_TYPE,
  OPT_OP,
  OPT_WINDOW,
  OPT_MSGLEN,
  OPT_MTU,
  OPT_REPEATS,
  OPT_VERB,
  OPT_IPV6,
  OPT_VLAN,
  OPT_IN_PLACE,
  OPT_REGISTER,
  OPT_SWEEP,
  OPT_PLAIN,
  OPT_PERFTEST,
  OPT_KILL,
  OPT_SHELL,
  OPT_ATTACH,
  OPT_IMAGE,
  OPT_ACCEL,
  OPT_MEMORY,
  OPT_PATIENCE,
  OPT_CONFIG,
  OPT_STALL,
  OPT_SEED,
  OPT_OUT,
  OPT_JSON,
  OPT_REPORT,
  OPT_WAVE,
  OPT_HELP
};

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "What is reduced", 1},
    {"hosts", OPT_HOSTS, "H", 0, "Virtual machines, 2 to 8 (default 2); each is a rank of every ring", 1},
    {"rings", OPT_RINGS, "R", 0, "Jobs at the same time, each with a ring of its own (default 1)", 1},
    {"tensor", OPT_TENSOR, "BYTES", 0, "Tensor of each host (default 262144; K and M may follow)", 1},
    {"sweep", OPT_SWEEP, NULL, 0, "All sizes from 4 bytes to that, each twice the one before", 1},
    {"repeats", OPT_REPEATS, "N", 0, "All-reduces of each size (default 3)", 1},
    {"type", OPT_TYPE, "fp32|fp16|bf16|int32", 0, "Elements (default fp32)", 1},
    {"op", OPT_OP, "sum|min|max", 0, "Reduction (default sum)", 1},
    {"hosts-alone", OPT_PLAIN, NULL, 0, "The hosts reduce among themselves, for comparison; the device only passes their packets",
     1},
    {NULL, 0, NULL, 0, "How hosts send it", 2},
    {"window", OPT_WINDOW, "N", 0, "Messages a host may have outstanding (default 2)", 2},
    {"msglen", OPT_MSGLEN, "PACKETS", 0, "Packets of a message (default 32)", 2},
    {"mtu", OPT_MTU, "BYTES", 0, "Path MTU: 256, 512, 1024, 2048 or 4096 (default 1024)", 2},
    {"verb", OPT_VERB, "write|write-imm|send", 0, "RDMA operation (default write-imm); with write, hosts poll memory", 2},
    {"in-place", OPT_IN_PLACE, NULL, 0, "Results replace what was sent", 2},
    {"register", OPT_REGISTER, NULL, 0, "Tensors are registered memory, sent without a copy", 2},
    {"ipv6", OPT_IPV6, NULL, 0, "RoCEv2 over IPv6", 2},
    {"vlan", OPT_VLAN, "ID", 0, "On a VLAN, 1 to 4094", 2},
    {NULL, 0, NULL, 0, "What happens on the way", 3},
    {"loss", OPT_LOSS, "P", 0, "Probability that a frame is lost, on each host's cable, each way (default 0)", 3},
    {"perftest", OPT_PERFTEST, NULL, 0, "Meanwhile ib_write_bw, ib_send_lat and ibv_rc_pingpong run between hosts 0 and 1", 3},
    {"kill", OPT_KILL, NULL, 0,
     "The last host is killed in the middle: the others must get an error in time, the ring is flushed, and a job of the others "
     "runs",
     3},
    {NULL, 0, NULL, 0, "Guests", 4},
    {"shell", OPT_SHELL, NULL, 0, "A console on host 0 instead of a job; `allreduce' runs one, `exit' ends all", 4},
    {"attach", OPT_ATTACH, "DIR", 0,
     "Starts no guest: your own have sockets DIR/host0.sock.., the device DIR/weir0.sock..; Enter flushes all rings, end of "
     "input ends it",
     4},
    {"image", OPT_IMAGE, "DIR", 0, "What guests boot (default: what `make live-image' made beside this program)", 4},
    {"accel", OPT_ACCEL, "kvm|tcg", 0, "Accelerator of QEMU (default: what worked when the image was made)", 4},
    {"memory", OPT_MEMORY, "MB", 0, "Memory of a guest (default 256); three tensors must fit beside Linux", 4},
    {"patience", OPT_PATIENCE, "SECONDS", 0, "Longest that booting, or one job, may take (default 120)", 4},
    {NULL, 0, NULL, 0, "The device and the run", 5},
    {"config", OPT_CONFIG, "NAME", 0, "Configuration of the device (default: the smallest that fits)", 5},
    {"stall", OPT_STALL, "P", 0, "Probability, each cycle and port, that an output is held back (default 0)", 5},
    {"seed", OPT_SEED, "S", 0, "Seed of numbers and losses (default 1); when which frame comes is the guests' affair", 5},
    {"out", OPT_OUT, "FILE", 0,
     "Write what came into the device, for weir replay: pcapng, gzipped if FILE ends in .gz; interface = host", 5},
    {"json", OPT_JSON, "FILE", 0, "Write a summary as JSON", 5},
    {"report", OPT_REPORT, "FILE.html", 0, "Write a page with pictures of the run: throughput, latency, slots, drops", 5},
    {"wave", OPT_WAVE, "FILE.fst", 0,
     "Write all signals for GTKWave: 100 MB for 1,000 frames; hosts then wait longer for answers", 5},
    {"help", OPT_HELP, NULL, 0, "Show this help", -1},
    {0},
};

static error_t parse_option(int key, char *value, struct argp_state *state);
static const struct argp parser = {
    .options = option_list,
    .parser = parse_option,
    .doc = "Boots virtual machines with Linux's own RDMA driver (rdma_rxe) and lets them all-reduce through the Verilated "
           "device. They check "
           "every element; every frame is compared with the golden model.\v"
           "Exit code: 0 all checks passed, 1 a check failed, 2 bad usage, or no guest can be started.",
};

static const char *const types[] = {"fp32", "fp16", "bf16", "int32", NULL};
static const char *const ops[] = {"sum", "min", "max", NULL};
static const char *const verbs[] = {"write", "write-imm", "send", NULL};
static const char *const accels[] = {"kvm", "tcg", NULL};
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

const char *live_type_name(uint8_t kind) { return types[kind & 3]; }
const char *live_op_name(uint8_t kind) { return ops[kind >> 4]; }
const char *live_verb_name(unsigned verb) { return verbs[verb]; }

static const struct usage_whole_option wholes[] = {
    {OPT_HOSTS, "hosts", 2, LIVE_MAX_HOSTS}, {OPT_RINGS, "rings", 1, 4},        {OPT_WINDOW, "window", 1, 8},
    {OPT_MSGLEN, "msglen", 1, 340},          {OPT_REPEATS, "repeats", 1, 1000}, {OPT_VLAN, "vlan", 1, 4094},
    {OPT_PATIENCE, "patience", 1, 86400},    {OPT_SEED, "seed", 0, UINT64_MAX}, {OPT_MEMORY, "memory", 128, 1 << 20},
};

static error_t take_whole(struct live_options *o, const struct usage_whole_option *w, const char *value, bool *refused) {
  uint64_t number;
  const error_t e = usage_take_whole("live", w, value, &number, refused);
  if (e != 0) return e;
  switch (w->key) {
    case OPT_HOSTS: o->hosts = (unsigned)number; break;
    case OPT_RINGS: o->rings = (unsigned)number; break;
    case OPT_WINDOW: o->window = (unsigned)number; break;
    case OPT_MSGLEN: o->msglen = (unsigned)number; break;
    case OPT_REPEATS: o->repeats = (unsigned)number; break;
    case OPT_VLAN: o->vlan = (unsigned)number; break;
    case OPT_MEMORY: o->memory_mb = (unsigned)number; break;
    case OPT_PATIENCE: o->patience = (unsigned)number; break;
    default: o->seed = number; o->seed_given = true;
  }
  return 0;
}

static error_t take_real(struct live_options *o, int key, const char *value, bool *refused) {
  static const struct usage_number_option loss = {OPT_LOSS, "loss", 0, 1, "a probability, 0 or more and less than 1"};
  static const struct usage_number_option stall = {OPT_STALL, "stall", 0, 1, "a probability, 0 or more and less than 1"};
  return usage_take_number("live", key == OPT_LOSS ? &loss : &stall, value, key == OPT_LOSS ? &o->loss : &o->stall, refused);
}

static error_t take_tensor(struct live_options *o, const char *value, bool *refused) {
  char digits[16];
  const size_t len = strlen(value);
  const uint64_t unit = len == 0 ? 1 : value[len - 1] == 'K' ? 1 << 10 : value[len - 1] == 'M' ? 1 << 20 : 1;
  uint64_t number = 0;
  if (len > 0 && len < sizeof digits) {
    memcpy(digits, value, len + 1);
    if (unit > 1) digits[len - 1] = 0;
    if (usage_whole(digits, 1, (16 << 20) / unit, &number)) {
      o->tensor = (size_t)(number * unit);
      return 0;
    }
  }
  return usage_stop(refused, live_refuse("--tensor %s: must be a number of bytes, 1 to 16M", value));
}

static error_t take_name(struct live_options *o, int key, const char *value, bool *refused) {
  int index = 0;
  error_t e = 0;
  switch (key) {
    case OPT_TYPE:
      e = usage_take_name("live", "type", value, types, &index, refused);
      o->kind = (uint8_t)((o->kind & 0xF0) | index);
      return e;
    case OPT_OP:
      e = usage_take_name("live", "op", value, ops, &index, refused);
      o->kind = (uint8_t)((o->kind & 0x0F) | index << 4);
      return e;
    case OPT_VERB:
      e = usage_take_name("live", "verb", value, verbs, &index, refused);
      o->verb = (unsigned)index;
      return e;
    default:
      e = usage_take_name("live", "accel", value, accels, &index, refused);
      if (index >= 0) o->accel = accels[index];
      return e;
  }
}

/// What argp hands on.
struct parsing {
  struct live_options *options;
  bool refused;
};

static error_t parse_option(int key, char *value, struct argp_state *state) {
  struct parsing *p = state->input;
  struct live_options *o = p->options;
  for (size_t i = 0; i < COUNT(wholes); i++)
    if (wholes[i].key == key) return take_whole(o, &wholes[i], value, &p->refused);
  switch (key) {
    case OPT_LOSS:
    case OPT_STALL: return take_real(o, key, value, &p->refused);
    case OPT_TENSOR: return take_tensor(o, value, &p->refused);
    case OPT_MTU: return usage_take_mtu("live", value, &o->mtu, &p->refused);
    case OPT_TYPE:
    case OPT_OP:
    case OPT_VERB:
    case OPT_ACCEL: return take_name(o, key, value, &p->refused);
    case OPT_IPV6: o->ipv6 = true; return 0;
    case OPT_IN_PLACE: o->in_place = true; return 0;
    case OPT_REGISTER: o->registered = true; return 0;
    case OPT_SWEEP: o->sweep = true; return 0;
    case OPT_PLAIN: o->hosts_alone = true; return 0;
    case OPT_PERFTEST: o->perftest = true; return 0;
    case OPT_KILL: o->kill = 0; return 0;   // which one is known when --hosts is
    case OPT_SHELL: o->shell = true; return 0;
    case OPT_ATTACH: o->attach = value; return 0;
    case OPT_IMAGE: o->image = value; return 0;
    case OPT_OUT: o->out = value; return 0;
    case OPT_JSON: o->json = value; return 0;
    case OPT_REPORT: o->report = value; return 0;
    case OPT_WAVE: o->wave = value; return 0;
    case OPT_CONFIG: return usage_take_config("live", value, &o->config_name, &p->refused);
    case OPT_HELP: argp_help(&parser, stdout, ARGP_HELP_STD_HELP, "weir live"); exit(0);
    case ARGP_KEY_ARG: return usage_stop(&p->refused, live_refuse("%s: no argument is expected; see weir live --help", value));
    case ARGP_KEY_ERROR: return usage_misread("live", state, &p->refused);
    default: return ARGP_ERR_UNKNOWN;
  }
}

/// Values that must fit each other.
static int check(struct live_options *o) {
  const size_t size = ina_element_size(o->kind);
  if (o->tensor % size != 0)
    return live_refuse("--tensor %zu: must be a whole number of elements; %s has %zu bytes", o->tensor, live_type_name(o->kind),
                       size);
  if (o->kill != LIVE_NOBODY) {
    o->kill = o->hosts - 1;
    if (o->hosts < 3) return live_refuse("--kill: those who stay must be two at least, so --hosts 3 or more");
    if (o->hosts_alone || o->rings > 1 || o->perftest)
      return live_refuse("--kill: not with --hosts-alone, --rings or --perftest");
  }
  if (o->shell && (o->attach != NULL || o->kill != LIVE_NOBODY || o->perftest))
    return live_refuse("--shell: not with --attach, --kill or --perftest");
  const struct usage_file files[] = {{"--out", o->out}, {"--json", o->json}, {"--report", o->report}, {"--wave", o->wave}};
  return usage_check_files("live", files, COUNT(files), 0);
}

int live_parse(int argc, char **argv, struct live_options *o) {
  *o = (struct live_options){.hosts = 2,
                             .rings = 1,
                             .tensor = 256 << 10,
                             .window = 2,
                             .msglen = 32,
                             .mtu = 1024,
                             .repeats = 3,
                             .verb = 1,
                             .kill = LIVE_NOBODY,
                             .memory_mb = 256,
                             .patience = 120,
                             .seed = 1};
  struct parsing p = {.options = o};
  if (argp_parse(&parser, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT, NULL, &p) != 0) return COMMAND_UNUSABLE;
  return check(o);
}
