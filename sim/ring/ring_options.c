#include "sim/ring/ring_options.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "drive/config.h"
#include "sim/cli/command.h"

enum {
  OPT_HOSTS = 256,
  OPT_RINGS,
  OPT_WINDOW,
  OPT_MSGLEN,
  OPT_MTU,
  OPT_TYPE,
  OPT_OP,
  OPT_TENSOR,
  OPT_VERB,
  OPT_SHORT,
  OPT_REGISTER,
  OPT_LOSS,
  OPT_DUP,
  OPT_REORDER,
  OPT_BER,
  OPT_HOP,
  OPT_RTT,
  OPT_RATE,
  OPT_TIMEOUT,
  OPT_ACK_EVERY,
  OPT_ACK_DELAY,
  OPT_RNR,
  OPT_NO_PAUSE,
  OPT_SLOW,
  OPT_STOP,
  OPT_RESTART,
  OPT_HOLD,
  OPT_HOSTILE,
  OPT_HOSTILE_RATE,
  OPT_OFFER,
  OPT_STORM,
  OPT_STALL,
  OPT_TOPOLOGY,
  OPT_DEVICES,
  OPT_PLAIN,
  OPT_REBOOT,
  OPT_CONFIG,
  OPT_SEED,
  OPT_OUT,
  OPT_JSON,
  OPT_REPORT,
  OPT_WAVE,
  OPT_HELP
};

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "What is reduced", 1},
    {"hosts", OPT_HOSTS, "H", 0, "Hosts; each is a rank of every ring (default 6)", 1},
    {"rings", OPT_RINGS, "R", 0, "Rings at the same time (default 1)", 1},
    {"tensor", OPT_TENSOR, "BYTES", 0, "Tensor of each host and ring (default 1048576; K and M may follow)", 1},
    {"type", OPT_TYPE, "fp32|fp16|bf16|int32", 0, "Its elements (default fp32)", 1},
    {"op", OPT_OP, "sum|min|max", 0, "Reduction (default sum)", 1},
    {NULL, 0, NULL, 0, "How hosts send it", 2},
    {"window", OPT_WINDOW, "N", 0, "Messages a host may have outstanding (default 2)", 2},
    {"msglen", OPT_MSGLEN, "PACKETS", 0, "Packets of a message (default 170)", 2},
    {"mtu", OPT_MTU, "BYTES", 0, "Payload of a packet: 256, 512, 1024, 2048 or 4096 (default 1024)", 2},
    {"verb", OPT_VERB, "write|write-imm|send|send-imm", 0,
     "RDMA operation; -imm tells completion, the others are polled "
     "(default write-imm)",
     2},
    {"short-last", OPT_SHORT, NULL, 0, "The last message ends with the tensor instead of being padded", 2},
    {"register", OPT_REGISTER, NULL, 0, "Connections are registered by the control plane, not learned", 2},
    {"timeout", OPT_TIMEOUT, "US", 0, "Local ACK Timeout (default 100)", 2},
    {"ack-every", OPT_ACK_EVERY, "PACKETS", 0, "Ask for an ACK so often (default 0: at each message's end)", 2},
    {"ack-delay", OPT_ACK_DELAY, "US", 0, "ACKs are so late, and cover what came meanwhile (default 0)", 2},
    {"rnr", OPT_RNR, "P", 0, "Probability that a receiver is not ready for a message (default 0)", 2},
    {NULL, 0, NULL, 0, "What happens on the way", 3},
    {"loss", OPT_LOSS, "P", 0, "Probability that a frame is lost, on each cable (default 0)", 3},
    {"dup", OPT_DUP, "P", 0, "that it arrives twice", 3},
    {"reorder", OPT_REORDER, "P", 0, "that others overtake it", 3},
    {"ber", OPT_BER, "P", 0, "that bits of it are flipped; half of the cases escape the FCS", 3},
    {"hop", OPT_HOP, "up|to-device|from-device|down|to-parent|from-parent", 0,
     "These four happen on this kind of cable only; may be given several "
     "times (default: all)",
     3},
    {"rate", OPT_RATE, "GBPS", 0, "Rate of the cables (default 100)", 3},
    {"rtt", OPT_RTT, "US", 0,
     "From a packet's start to its result at the next host, on an idle network (default: cables without delay)", 3},
    {"no-pause", OPT_NO_PAUSE, NULL, 0, "The switch drops where it would pause", 3},
    {"slow", OPT_SLOW, "HOST", 0, "This host's cable has a thousandth of the rate", 3},
    {"stop", OPT_STOP, "HOST", 0, "This host stops for ever in the middle of the first ring's tensor", 3},
    {"restart", OPT_RESTART, NULL, 0,
     "In the middle of the first ring's tensor it is torn down, packets still under way, and set up again for another tensor", 3},
    {"hold", OPT_HOLD, "CYCLES", 0, "In the middle, all outputs of the device are held for so long", 3},
    {"hostile", OPT_HOSTILE, "HOSTS", 0,
     "More hosts, in no ring, that send forged, broken and senseless frames; without --register they begin when all ranks are "
     "known, "
     "because the first to claim a rank gets it",
     3},
    {"hostile-rate", OPT_HOSTILE_RATE, "GBPS", 0, "What each of them sends (default 10)", 3},
    {"offer", OPT_OFFER, "SHARE", 0, "New packets take this share of a host's cable (default: as much as there is)", 3},
    {"storm", OPT_STORM, NULL, 0,
     "Hosts fill their cables with copies of the latest two messages they sent; with --offer, says how many new packets get "
     "through",
     3},
    {NULL, 0, NULL, 0, "More than one rack", 4},
    {"topology", OPT_TOPOLOGY, "FILE|JSON|leaf-spine:LxH", 0,
     "A tree of switches with a device each: L leaves of H hosts below a spine, or what JSON says, here or in a file: a leaf is "
     "{\"hosts\": "
     "H}, any "
     "other switch {\"children\": [..]}",
     4},
    {"devices", OPT_DEVICES, "model|rtl-spine|rtl", 0,
     "What stands beside the switches of a tree: golden models, the RTL at the root and models below, or the RTL (default model)",
     4},
    {"plain-ring", OPT_PLAIN, NULL, 0,
     "Also takes the time of a ring all-reduce without devices on the same cables, by hosts that add in no time", 4},
    {"reboot", OPT_REBOOT, "SWITCH", 0,
     "In the middle of the first ring's tensor this switch's device is switched off and on again; 0 is the root. Rings may stand "
     "still then; tensors that are done are compared, and without --register some below a leaf may be wrong (docs/relay.md)",
     4},
    {NULL, 0, NULL, 0, "The device and the run", 5},
    {"config", OPT_CONFIG, "NAME", 0, "Configuration of the device (default: the smallest that fits)", 5},
    {"stall", OPT_STALL, "P", 0, "Probability, each cycle and port, that an output is held back (default 0)", 5},
    {"seed", OPT_SEED, "S", 0, "Seed of all random choices (default 1)", 5},
    {"out", OPT_OUT, "FILE", 0, "Write what each host receives: pcapng, gzipped if FILE ends in .gz; interface = host", 5},
    {"json", OPT_JSON, "FILE", 0, "Write a summary as JSON", 5},
    {"report", OPT_REPORT, "FILE.html", 0, "Write a page with pictures of the run: throughput, latency, slots, drops", 5},
    {"wave", OPT_WAVE, "FILE.fst", 0, "Write all signals for GTKWave", 5},
    {"help", OPT_HELP, NULL, 0, "Show this help", -1},
    {0},
};

static error_t parse_option(int key, char *value, struct argp_state *state);
static const struct argp parser = {
    .options = option_list,
    .parser = parse_option,
    .doc = "All-reduces random tensors through the device, with hosts that react: RC queue pairs with go-back-N and a window of "
           "messages. Each host's tensor is compared with the sum computed directly, and every packet with the golden model.\v"
           "Exit code: 0 all checks passed, 1 a check failed, 2 bad usage.",
};

static const char *const types[] = {"fp32", "fp16", "bf16", "int32", NULL};
static const char *const ops[] = {"sum", "min", "max", NULL};
static const char *const verbs[] = {
    [RC_SEND] = "send", [RC_SEND_IMM] = "send-imm", [RC_WRITE] = "write", [RC_WRITE_IMM] = "write-imm", NULL};
static const char *const hops[] = {"up", "to-device", "from-device", "down", "to-parent", "from-parent", NULL};
static const char *const devices[] = {"model", "rtl-spine", "rtl", NULL};
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

const char *ring_type_name(uint8_t kind) { return types[kind & 3]; }
const char *ring_op_name(uint8_t kind) { return ops[kind >> 4]; }
const char *ring_verb_name(enum rc_verb verb) { return verbs[verb]; }

// --- whole numbers ---

static const struct usage_whole_option wholes[] = {
    {OPT_HOSTS, "hosts", 2, 16},
    {OPT_RINGS, "rings", 1, 32},
    {OPT_WINDOW, "window", 1, 64},
    {OPT_MSGLEN, "msglen", 1, 16384},
    {OPT_ACK_EVERY, "ack-every", 0, 1 << 20},
    {OPT_SLOW, "slow", 0, TOPOLOGY_MAX_HOSTS - 1},
    {OPT_STOP, "stop", 0, TOPOLOGY_MAX_HOSTS - 1},
    {OPT_REBOOT, "reboot", 0, TOPOLOGY_MAX_NODES - 1},
    {OPT_HOLD, "hold", 1, 10000000},
    {OPT_HOSTILE, "hostile", 1, CLUSTER_MAX_HOSTILE},
    {OPT_SEED, "seed", 0, UINT64_MAX},
};

static error_t take_whole(struct ring_options *o, const struct usage_whole_option *w, const char *value) {
  struct cluster_options *c = &o->cluster;
  uint64_t number;
  const error_t e = usage_take_whole("ring", w, value, &number, &o->refused);
  if (e != 0) return e;
  switch (w->key) {
    case OPT_HOSTS:
      c->hosts = (unsigned)number;
      o->hosts_given = true;
      break;
    case OPT_RINGS: c->rings = (unsigned)number; break;
    case OPT_WINDOW: c->window = (unsigned)number; break;
    case OPT_MSGLEN: c->msglen = (uint16_t)number; break;
    case OPT_ACK_EVERY: c->ack_every = (unsigned)number; break;
    case OPT_SLOW: c->slow = (unsigned)number; break;
    case OPT_STOP: c->dead = (unsigned)number; break;
    case OPT_REBOOT: c->reboot = (unsigned)number; break;
    case OPT_HOLD: c->hold_cycles = number; break;
    case OPT_HOSTILE: c->hostile = (unsigned)number; break;
    default: c->seed = number; o->seed_given = true;
  }
  return 0;
}

// --- probabilities, times, rates ---

static const struct usage_number_option reals[] = {
    {OPT_LOSS, "loss", 0, 1, "a probability, 0 or more and less than 1"},
    {OPT_DUP, "dup", 0, 1, "a probability, 0 or more and less than 1"},
    {OPT_REORDER, "reorder", 0, 1, "a probability, 0 or more and less than 1"},
    {OPT_BER, "ber", 0, 1, "a probability, 0 or more and less than 1"},
    {OPT_RNR, "rnr", 0, 1, "a probability, 0 or more and less than 1"},
    {OPT_STALL, "stall", 0, 1, "a probability, 0 or more and less than 1"},
    {OPT_RTT, "rtt", 0.1, 1e5, "microseconds, 0.1 or more and less than 100000"},
    {OPT_TIMEOUT, "timeout", 1, 1e6, "microseconds, 1 or more and less than 1000000"},
    {OPT_ACK_DELAY, "ack-delay", 0, 1e6, "microseconds, 0 or more and less than 1000000"},
    {OPT_RATE, "rate", 0.1, 128.001, "Gb/s, 0.1 to 128"},
    {OPT_HOSTILE_RATE, "hostile-rate", 0.001, 128.001, "Gb/s, 0.001 to 128"},
    {OPT_OFFER, "offer", 0.001, 1.001, "a share, 0.001 to 1"},
};

static error_t take_real(struct ring_options *o, const struct usage_number_option *r, const char *value) {
  struct cluster_options *c = &o->cluster;
  struct link_faults *faults = &c->faults[0];   // copied to the others in the end
  double number;
  const error_t e = usage_take_number("ring", r, value, &number, &o->refused);
  if (e != 0) return e;
  switch (r->key) {
    case OPT_LOSS: faults->loss = number; break;
    case OPT_DUP: faults->dup = number; break;
    case OPT_REORDER: faults->reorder = number; break;
    case OPT_BER: faults->damage = number; break;
    case OPT_RNR: c->rnr_percent = (unsigned)(number * 100 + 0.5); break;
    case OPT_STALL: c->stall = number; break;
    case OPT_HOSTILE_RATE: c->hostile_gbps = number; break;
    case OPT_OFFER: c->offer = number; break;
    case OPT_RTT: o->rtt_us = number; break;
    case OPT_TIMEOUT: c->timeout_ps = (uint64_t)(number * 1e6); break;
    case OPT_ACK_DELAY: c->ack_delay_ps = (uint64_t)(number * 1e6); break;
    default: c->gbps = number;
  }
  return 0;
}

// --- names and all else ---

static error_t take_name(struct ring_options *o, const char *option, const char *value, const char *const *names, int *index) {
  return usage_take_name("ring", option, value, names, index, &o->refused);
}

static error_t take_tensor(struct ring_options *o, const char *value) {
  char digits[32];
  const size_t len = strlen(value);
  uint64_t unit = 1, number;
  if (len > 0 && len < sizeof digits) {
    memcpy(digits, value, len + 1);
    if (value[len - 1] == 'K') unit = 1 << 10;
    if (value[len - 1] == 'M') unit = 1 << 20;
    if (unit > 1) digits[len - 1] = 0;
    if (usage_whole(digits, 1, (UINT64_C(1) << 32) / unit, &number)) {
      o->cluster.tensor = (size_t)(number * unit);
      return 0;
    }
  }
  return usage_stop(&o->refused, ring_refuse("--tensor %s: must be a number of bytes, 1 to 4096M", value));
}

static error_t take_other(struct ring_options *o, int key, const char *value, unsigned *hop_mask) {
  struct cluster_options *c = &o->cluster;
  int index = 0;
  error_t e = 0;
  switch (key) {
    case OPT_TYPE:
      e = take_name(o, "type", value, types, &index);
      c->kind = (uint8_t)((c->kind & 0xF0) | index);
      return e;
    case OPT_OP:
      e = take_name(o, "op", value, ops, &index);
      c->kind = (uint8_t)((c->kind & 0x0F) | index << 4);
      return e;
    case OPT_VERB:
      e = take_name(o, "verb", value, verbs, &index);
      c->verb = (enum rc_verb)index;
      return e;
    case OPT_HOP:
      e = take_name(o, "hop", value, hops, &index);
      *hop_mask |= 1u << index;
      return e;
    case OPT_DEVICES:
      e = take_name(o, "devices", value, devices, &index);
      o->devices_given = true;
      c->rtl = (enum racks_rtl)index;
      return e;
    case OPT_MTU: return usage_take_mtu("ring", value, &c->mtu, &o->refused);
    default: return take_tensor(o, value);
  }
}

/// What argp hands on: the options, and which hops were named.
struct parsing {
  struct ring_options *options;
  unsigned hops;
};

static error_t parse_option(int key, char *value, struct argp_state *state) {
  struct parsing *p = state->input;
  struct ring_options *o = p->options;
  for (size_t i = 0; i < COUNT(wholes); i++)
    if (wholes[i].key == key) return take_whole(o, &wholes[i], value);
  for (size_t i = 0; i < COUNT(reals); i++)
    if (reals[i].key == key) return take_real(o, &reals[i], value);
  switch (key) {
    case OPT_TYPE:
    case OPT_OP:
    case OPT_VERB:
    case OPT_HOP:
    case OPT_DEVICES:
    case OPT_MTU:
    case OPT_TENSOR: return take_other(o, key, value, &p->hops);
    case OPT_SHORT: o->cluster.short_last = true; return 0;
    case OPT_REGISTER: o->cluster.learn = false; return 0;
    case OPT_NO_PAUSE: o->cluster.pause = false; return 0;
    case OPT_RESTART: o->cluster.restart = true; return 0;
    case OPT_STORM: o->cluster.storm = true; return 0;
    case OPT_TOPOLOGY: o->tree = value; return 0;
    case OPT_PLAIN: o->plain_ring = true; return 0;
    case OPT_OUT: o->out = value; return 0;
    case OPT_JSON: o->json = value; return 0;
    case OPT_REPORT: o->report = value; return 0;
    case OPT_WAVE: o->wave = value; return 0;
    case OPT_CONFIG: return usage_take_config("ring", value, &o->config, &o->refused);
    case OPT_HELP: argp_help(&parser, stdout, ARGP_HELP_STD_HELP, "weir ring"); exit(0);
    case ARGP_KEY_ARG: return usage_stop(&o->refused, ring_refuse("%s: no argument is expected; see weir ring --help", value));
    case ARGP_KEY_ERROR: return usage_misread("ring", state, &o->refused);
    default: return ARGP_ERR_UNKNOWN;
  }
}

/// Reads the tree; what speaks of one device is refused beside it.
static int check_tree(struct ring_options *o) {
  struct cluster_options *c = &o->cluster;
  char error[256];
  if (o->tree == NULL) {
    if (o->devices_given) return ring_refuse("--devices: only with --topology");
    if (o->plain_ring) return ring_refuse("--plain-ring: only with --topology");
    if (c->reboot != CLUSTER_NOBODY) return ring_refuse("--reboot: only with --topology");
    return 0;
  }
  const struct {
    const char *name;
    bool given;
  } alone[] = {{"--hosts", o->hosts_given},    {"--rtt", o->rtt_us > 0},        {"--restart", c->restart},
               {"--hold", c->hold_cycles > 0}, {"--hostile", c->hostile > 0},   {"--config", o->config != NULL},
               {"--stall", c->stall > 0},      {"--report", o->report != NULL}, {"--wave", o->wave != NULL}};
  for (size_t i = 0; i < COUNT(alone); i++)
    if (alone[i].given) return ring_refuse("%s: not with --topology", alone[i].name);
  if (topology_read(&o->topology, o->tree, error, sizeof error) != 0) return ring_refuse("--topology %s: %s", o->tree, error);
  if (c->reboot != CLUSTER_NOBODY && c->reboot >= o->topology.count)
    return ring_refuse("--reboot %u: there are switches 0 to %u", c->reboot, o->topology.count - 1);
  c->topology = &o->topology;
  c->hosts = o->topology.hosts;
  return 0;
}

/// Values that must fit each other.
static int check(struct ring_options *o) {
  const struct cluster_options *c = &o->cluster;
  const int code = check_tree(o);
  if (code != 0) return code;
  const size_t size = ina_element_size(c->kind);
  if (c->tensor % size != 0) {
    return ring_refuse("--tensor %zu: must be a whole number of elements; %s has %zu bytes", c->tensor, ring_type_name(c->kind),
                       size);
  }
  if (c->slow != CLUSTER_NOBODY && c->slow >= c->hosts)
    return ring_refuse("--slow %u: there are hosts 0 to %u", c->slow, c->hosts - 1);
  if (c->dead != CLUSTER_NOBODY && c->dead >= c->hosts)
    return ring_refuse("--stop %u: there are hosts 0 to %u", c->dead, c->hosts - 1);
  if (c->dead != CLUSTER_NOBODY && c->restart) return ring_refuse("--restart: not with --stop, both are about the first ring");
  const struct usage_file files[] = {{"--out", o->out}, {"--json", o->json}, {"--report", o->report}, {"--wave", o->wave}};
  return usage_check_files("ring", files, COUNT(files), 0);
}

int ring_parse(int argc, char **argv, struct ring_options *o) {
  *o = (struct ring_options){.cluster = {.seed = 1,
                                         .hosts = 6,
                                         .rings = 1,
                                         .window = 2,
                                         .msglen = 170,
                                         .mtu = 1024,
                                         .verb = RC_WRITE_IMM,
                                         .learn = true,
                                         .tensor = 1 << 20,
                                         .gbps = 100,
                                         .hostile_gbps = 10,
                                         .pause = true,
                                         .timeout_ps = UINT64_C(100000000),
                                         .slow = CLUSTER_NOBODY,
                                         .dead = CLUSTER_NOBODY,
                                         .reboot = CLUSTER_NOBODY}};
  struct parsing p = {.options = o};
  if (argp_parse(&parser, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT, NULL, &p) != 0) return COMMAND_UNUSABLE;
  const struct link_faults faults = o->cluster.faults[0];
  for (int h = 0; h < FABRIC_HOPS; h++)
    o->cluster.faults[h] = p.hops == 0 || (p.hops >> h & 1) ? faults : (struct link_faults){0};
  return check(o);
}
