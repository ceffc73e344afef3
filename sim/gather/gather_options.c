#include "sim/gather/gather_options.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>

#include "sim/cli/command.h"
#include "sim/gather/gather_devices.h"
#include "wire/gather.h"

enum {
  OPT_GENERATE = 256,
  OPT_ROWS,
  OPT_DEGREE,
  OPT_NODES,
  OPT_RACKS,
  OPT_SPINES,
  OPT_ROUTING,
  OPT_K,
  OPT_BATCH,
  OPT_UNITS,
  OPT_PENDING,
  OPT_DELAY_NIC,
  OPT_DELAY_SWITCH,
  OPT_CACHE_SETS,
  OPT_MODE,
  OPT_CACHE_FROM,
  OPT_QUEUES,
  OPT_PIECES,
  OPT_EXPIRY,
  OPT_MTU,
  OPT_UPPER,
  OPT_RATE,
  OPT_CLOCK,
  OPT_CABLE,
  OPT_SWITCH,
  OPT_MEMORY,
  OPT_WITHOUT,
  OPT_LOSE,
  OPT_HOLD,
  OPT_WATCHDOG,
  OPT_TRIES,
  OPT_SEED,
  OPT_JSON,
  OPT_REPORT,
  OPT_OUT,
  OPT_RTL,
  OPT_RTL_NICS,
  OPT_WAVE,
  OPT_HELP
};

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "The matrix, if no file is named", 1},
    {"generate", OPT_GENERATE, "power-law|road|banded|block|hot", 0, "Make one up", 1},
    {"rows", OPT_ROWS, "N", 0, "Its rows and columns (default 16384)", 1},
    {"degree", OPT_DEGREE, "N", 0, "Nonzeros of a row, about (default: as the kind has)", 1},
    {NULL, 0, NULL, 0, "The nodes", 2},
    {"nodes", OPT_NODES, "P", 0, "Nodes that rows and columns are dealt out to (default 16)", 2},
    {"k", OPT_K, "K", 0, "Elements of a property, 4 bytes each (default 16)", 2},
    {"batch", OPT_BATCH, "B", 0, "Nonzeros of a RIG operation (default 512)", 2},
    {"units", OPT_UNITS, "U", 0, "RIG units of a node that ask (default 4, or what --rtl has; NetSparse has 16)", 2},
    {"pending", OPT_PENDING, "N", 0, "Requests that a RIG unit may have under way (default 256, or what --rtl has)", 2},
    {"memory", OPT_MEMORY, "NS", 0, "One way between NIC and host memory (default 200)", 2},
    {"watchdog", OPT_WATCHDOG, "CYCLES", 0, "Time for a RIG operation; 0: no watchdog (default 10000000)", 2},
    {"tries", OPT_TRIES, "N", 0, "Times that a batch is tried (default 3)", 2},
    {NULL, 0, NULL, 0, "The network", 3},
    {"racks", OPT_RACKS, "R", 0, "Racks, each with a ToR switch (default 2)", 3},
    {"spines", OPT_SPINES, "S", 0, "Switches between racks (default: as many as a rack has nodes)", 3},
    {"routing", OPT_ROUTING, "both|dest", 0,
     "A packet's spine: by both racks, the same there and back, or by that of its destination (default both)", 3},
    {"rate", OPT_RATE, "GBPS", 0, "Rate of a cable (default 400)", 3},
    {"clock", OPT_CLOCK, "MHZ", 0, "Clock of NICs and switches (default 2000)", 3},
    {"cable", OPT_CABLE, "NS", 0, "Delay of a cable (default 450)", 3},
    {"switch", OPT_SWITCH, "NS", 0, "Delay of a switch (default 300)", 3},
    {"mtu", OPT_MTU, "BYTES", 0, "Longest IP packet (default 1500)", 3},
    {"upper", OPT_UPPER, "BYTES", 0,
     "Of these, not for the concatenation header and PRs (default 52, what RoCEv2 takes; NetSparse counts 50)", 3},
    {NULL, 0, NULL, 0, "Concatenation and cache", 4},
    {"delay-nic", OPT_DELAY_NIC, "CYCLES", 0, "A PR waits for others in a NIC at most so long (default 500)", 4},
    {"delay-switch", OPT_DELAY_SWITCH, "CYCLES", 0, "and in a switch (default 125)", 4},
    {"queues", OPT_QUEUES, "static|virtual", 0, "As large as a packet each, or of pieces of 128 bytes (default static)", 4},
    {"pieces", OPT_PIECES, "N", 0, "Pieces that a NIC or a pipe has (default 4096)", 4},
    {"expiry", OPT_EXPIRY, "N", 0, "Entries of an expiry queue (default: as many as can be needed)", 4},
    {"cache-sets", OPT_CACHE_SETS, "N", 0,
     "Sets of a pipe's cache, 8 KiB each; power of two, or 0 for none (default 64, or what --rtl has)", 4},
    {"mode", OPT_MODE, "BYTES", 0, "Line of the cache: 16, 32, .. 512 (default: the smallest that holds a property)", 4},
    {"cache-from", OPT_CACHE_FROM, "all|uplinks", 0, "What is cached: all responses, or those from other racks (default all)", 4},
    {"without", OPT_WITHOUT, "filter|coalesce|concat-nic|switch|cache", 0,
     "Leaves a mechanism out; may be given several times. switch: ToRs forward only", 4},
    {NULL, 0, NULL, 0, "Verilated devices", 5},
    {"rtl", OPT_RTL, "switch|nic|all", 0,
     "ToRs, NICs or both are RTL (default: models); --pieces and --expiry are of models only", 5},
    {"rtl-nics", OPT_RTL_NICS, "N", 0, "With --rtl nic or all: the NICs of the first N nodes (default: of all)", 5},
    {"wave", OPT_WAVE, "FILE.fst", 0,
     "With --rtl: write all signals of the first rack's switch, or of the first node's NIC if switches are models, for GTKWave",
     5},
    {NULL, 0, NULL, 0, "Faults", 6},
    {"lose", OPT_LOSE, "N", 0, "The Nth packet on any cable is lost", 6},
    {"hold", OPT_HOLD, "N", 0, "The Nth packet comes after the watchdog's time", 6},
    {NULL, 0, NULL, 0, "The run", 7},
    {"seed", OPT_SEED, "S", 0, "Seed of all random choices (default 1)", 7},
    {"json", OPT_JSON, "FILE", 0, "Write a summary as JSON", 7},
    {"report", OPT_REPORT, "FILE.html", 0, "Write a page with pictures of the run", 7},
    {"out", OPT_OUT, "FILE", 0, "Write what each node receives: pcapng, gzipped if FILE ends in .gz; interface = node", 7},
    {"help", OPT_HELP, NULL, 0, "Show this help", -1},
    {0},
};

static error_t parse_option(int key, char *value, struct argp_state *state);
static const struct argp parser = {
    .options = option_list,
    .parser = parse_option,
    .args_doc = "[MATRIX.mtx[.gz]]",
    .doc = "Multiplies a sparse matrix with a dense one over nodes that fetch what they need by remote indexed gathers "
           "(NetSparse). All parts are models unless --rtl is given. The product is compared bit by bit with one computed "
           "directly.\v"
           "Exit code: 0 all checks passed, 1 a check failed, 2 bad usage or bad input.",
};

static const char *const routings[] = {"both", "dest", NULL};
static const char *const queues[] = {"static", "virtual", NULL};
static const char *const devices[] = {"switch", "nic", "all", NULL};
enum { RTL_SWITCH, RTL_NIC, RTL_ALL };
static const char *const sources[] = {"all", "uplinks", NULL};
enum { WITHOUT_FILTER, WITHOUT_COALESCE, WITHOUT_CONCAT, WITHOUT_SWITCH, WITHOUT_CACHE };
static const char *const mechanisms[] = {"filter", "coalesce", "concat-nic", "switch", "cache", NULL};

static const struct usage_whole_option wholes[] = {
    {OPT_ROWS, "rows", 64, 1 << 24},
    {OPT_DEGREE, "degree", 1, 4096},
    {OPT_NODES, "nodes", 1, 1024},
    {OPT_RACKS, "racks", 1, 256},
    {OPT_SPINES, "spines", 1, 256},
    {OPT_K, "k", 1, 65536},
    {OPT_BATCH, "batch", 1, UINT32_MAX},
    {OPT_UNITS, "units", 1, 1024},
    {OPT_PENDING, "pending", 1, 65536},
    {OPT_DELAY_NIC, "delay-nic", 0, 1000000},
    {OPT_DELAY_SWITCH, "delay-switch", 0, 1000000},
    {OPT_CACHE_SETS, "cache-sets", 0, 1 << 16},
    {OPT_MODE, "mode", 16, 512},
    {OPT_PIECES, "pieces", 16, 1 << 24},
    {OPT_EXPIRY, "expiry", 1, 1 << 24},
    {OPT_MTU, "mtu", 256, 9000},
    {OPT_UPPER, "upper", 40, 128},
    {OPT_WATCHDOG, "watchdog", 0, UINT64_C(1000000000000)},
    {OPT_TRIES, "tries", 1, 100},
    {OPT_RTL_NICS, "rtl-nics", 1, 1024},
    {OPT_LOSE, "lose", 1, UINT64_MAX},
    {OPT_HOLD, "hold", 1, UINT64_MAX},
    {OPT_SEED, "seed", 0, UINT64_MAX},
};

static error_t take_whole(struct gather_options *o, const struct usage_whole_option *w, const char *value) {
  struct gather_fabric_options *f = &o->run.fabric;
  uint64_t number;
  const error_t e = usage_take_whole("gather", w, value, &number, &o->refused);
  if (e != 0) return e;
  switch (w->key) {
    case OPT_ROWS: o->rows = (uint32_t)number; break;
    case OPT_DEGREE: o->degree = (uint32_t)number; break;
    case OPT_NODES: f->topology.nodes = (uint32_t)number; break;
    case OPT_RACKS: f->topology.racks = (uint32_t)number; break;
    case OPT_SPINES: f->topology.spines = (uint32_t)number; break;
    case OPT_K: o->run.k = (uint32_t)number; break;
    case OPT_BATCH: o->run.batch = (size_t)number; break;
    case OPT_UNITS: f->node.nic.units = (uint32_t)number; break;
    case OPT_PENDING: f->node.nic.rig.pending = (uint32_t)number; break;
    case OPT_DELAY_NIC: f->node.nic.concat.delay = number; break;
    case OPT_DELAY_SWITCH: f->pipe.concat.delay = number; break;
    case OPT_CACHE_SETS: f->pipe.cache_sets = (uint32_t)number; break;
    case OPT_MODE: f->pipe.cache_mode = (uint32_t)number; break;
    case OPT_PIECES: f->node.nic.concat.pieces = f->pipe.concat.pieces = (uint32_t)number; break;
    case OPT_EXPIRY: f->node.nic.concat.expiry_depth = f->pipe.concat.expiry_depth = (uint32_t)number; break;
    case OPT_MTU: f->node.nic.concat.mtu = f->pipe.concat.mtu = (size_t)number; break;
    case OPT_UPPER: f->node.nic.concat.upper = f->pipe.concat.upper = (size_t)number; break;
    case OPT_WATCHDOG: f->node.nic.rig.watchdog = number; break;
    case OPT_TRIES: f->node.tries = (unsigned)number; break;
    case OPT_RTL_NICS: f->devices = (uint32_t)number; break;
    case OPT_LOSE: f->lose = number; break;
    case OPT_HOLD: f->hold = number; break;
    default: o->run.seed = number; o->seed_given = true;
  }
  return 0;
}

static const struct usage_number_option reals[] = {
    {OPT_RATE, "rate", 1, 3201, "Gb/s, 1 to 3200"},
    {OPT_CLOCK, "clock", 10, 10001, "MHz, 10 to 10000"},
    {OPT_CABLE, "cable", 0, 1e6, "nanoseconds, 0 or more and less than 1000000"},
    {OPT_SWITCH, "switch", 0, 1e6, "nanoseconds, 0 or more and less than 1000000"},
    {OPT_MEMORY, "memory", 0, 1e6, "nanoseconds, 0 or more and less than 1000000"},
};

static error_t take_real(struct gather_options *o, const struct usage_number_option *r, const char *value) {
  double number;
  const error_t e = usage_take_number("gather", r, value, &number, &o->refused);
  if (e != 0) return e;
  switch (r->key) {
    case OPT_RATE: o->run.fabric.gbps = number; break;
    case OPT_CLOCK: o->run.fabric.mhz = number; break;
    case OPT_CABLE: o->cable_ns = number; break;
    case OPT_SWITCH: o->switch_ns = number; break;
    default: o->memory_ns = number;
  }
  return 0;
}

static error_t take_name(struct gather_options *o, const char *option, const char *value, const char *const *names, int *index) {
  return usage_take_name("gather", option, value, names, index, &o->refused);
}

static void leave_out(struct gather_options *o, int mechanism) {
  struct gather_fabric_options *f = &o->run.fabric;
  switch (mechanism) {
    case WITHOUT_FILTER: f->node.nic.rig.filter = false; break;
    case WITHOUT_COALESCE: f->node.nic.rig.coalesce = false; break;
    case WITHOUT_CONCAT: f->node.nic.concat.alone = true; break;
    case WITHOUT_SWITCH: f->plain_tors = true; break;
    default: f->pipe.cache_sets = 0;
  }
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
  struct gather_options *o = state->input;
  int index = 0;
  error_t e;
  for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
    if (wholes[i].key == key) return take_whole(o, &wholes[i], value);
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
    if (reals[i].key == key) return take_real(o, &reals[i], value);
  switch (key) {
    case OPT_GENERATE:
      e = take_name(o, "generate", value, matrix_kind_names(), &index);
      o->kind = (enum matrix_kind)index;
      o->generate = true;
      return e;
    case OPT_ROUTING:
      e = take_name(o, "routing", value, routings, &index);
      o->run.fabric.topology.routing = (enum gather_routing)index;
      return e;
    case OPT_QUEUES:
      e = take_name(o, "queues", value, queues, &index);
      o->run.fabric.node.nic.concat.virtual_queues = o->run.fabric.pipe.concat.virtual_queues = index == 1;
      return e;
    case OPT_CACHE_FROM:
      e = take_name(o, "cache-from", value, sources, &index);
      o->run.fabric.cache_uplinks = index == 1;
      return e;
    case OPT_WITHOUT:
      e = take_name(o, "without", value, mechanisms, &index);
      if (e == 0) leave_out(o, index);
      return e;
    case OPT_RTL:
      e = take_name(o, "rtl", value, devices, &index);
      o->rtl_switch = index != RTL_NIC;
      o->rtl_nic = index != RTL_SWITCH;
      return e;
    case OPT_WAVE: o->wave = value; return 0;
    case OPT_JSON: o->json = value; return 0;
    case OPT_REPORT: o->report = value; return 0;
    case OPT_OUT: o->out = value; return 0;
    case OPT_HELP: argp_help(&parser, stdout, ARGP_HELP_STD_HELP, "weir gather"); exit(0);
    case ARGP_KEY_ARG:
      if (o->file != NULL)
        return usage_stop(&o->refused, gather_refuse("%s: only one matrix is expected, and there is %s", value, o->file));
      o->file = value;
      return 0;
    case ARGP_KEY_ERROR: return usage_misread("gather", state, &o->refused);
    default: return ARGP_ERR_UNKNOWN;
  }
}

// --- values that must fit each other, and those that follow ---

static int check_network(struct gather_options *o) {
  struct gather_topology *t = &o->run.fabric.topology;
  if (t->racks > t->nodes) return gather_refuse("--racks %" PRIu32 ": there are only %" PRIu32 " nodes", t->racks, t->nodes);
  if (gather_rack_size(t) * (t->racks - 1) >= t->nodes)
    return gather_refuse("--racks %" PRIu32 ": with %" PRIu32 " nodes a rack, the last would be empty", t->racks,
                         gather_rack_size(t));
  if (t->spines == 0) t->spines = gather_rack_size(t);
  if (t->racks == 1) t->spines = 0;
  return 0;
}

static int check_packets(struct gather_options *o) {
  struct gather_fabric_options *f = &o->run.fabric;
  struct gather_pipe_options *p = &f->pipe;
  const bool cached = p->cache_sets > 0 && !f->plain_tors;
  const uint32_t line = p->cache_mode > 0 ? p->cache_mode : GATHER_CACHE_MAX;
  if ((p->cache_sets & (p->cache_sets - 1)) != 0)
    return gather_refuse("--cache-sets %" PRIu32 ": must be a power of two, or 0", p->cache_sets);
  if ((line & (line - 1)) != 0) return gather_refuse("--mode %" PRIu32 ": must be 16, 32, 64, 128, 256 or 512", line);
  // What no line of the cache holds is gathered in tiles (NetSparse 6.2.2).
  o->run.tile = cached && 4 * o->run.k > line ? line / 4 : o->run.k;
  if (p->cache_mode == 0) p->cache_mode = gather_cache_mode(cached ? 4 * o->run.tile : 4);
  const size_t mtu = p->concat.mtu, upper = p->concat.upper;
  if (gather_capacity(GATHER_RESPONSE, 4 * o->run.tile, mtu, upper) == 0)
    return gather_refuse("--k %" PRIu32 ": a property of %" PRIu32 " bytes does not fit into a packet of %zu", o->run.k,
                         4 * o->run.tile, mtu);
  if ((o->tor != NULL || o->nic != NULL) && 4 * o->run.tile > GATHER_CONFIG_LONGEST)
    return gather_refuse("--k %" PRIu32 ": the %s takes properties of up to %d bytes", o->run.k,
                         o->tor != NULL ? "switch" : "NIC", GATHER_CONFIG_LONGEST);
  const uint32_t needed = (uint32_t)((GATHER_PR_BYTES + 4 * o->run.tile + GATHER_PIECE_BYTES - 1) / GATHER_PIECE_BYTES);
  if (p->concat.virtual_queues && p->concat.pieces < needed)
    return gather_refuse("--pieces %" PRIu32 ": one PR takes %" PRIu32, p->concat.pieces, needed);
  return 0;
}

static uint64_t cycles(double ns, double mhz) { return (uint64_t)(ns * mhz / 1000 + 0.5); }

static void derive(struct gather_options *o) {
  static const uint32_t degrees[MATRIX_KINDS] = {
      [MATRIX_POWER_LAW] = 28, [MATRIX_ROAD] = 2, [MATRIX_BANDED] = 76, [MATRIX_BLOCK] = 31, [MATRIX_HOT] = 8};
  struct gather_fabric_options *f = &o->run.fabric;
  struct gather_concat_options *const concats[] = {&f->node.nic.concat, &f->pipe.concat};
  for (unsigned i = 0; i < 2; i++) {
    concats[i]->nodes = f->topology.nodes;
    // No more entries can wait than cycles until the first of them expires.
    if (concats[i]->expiry_depth == 0) concats[i]->expiry_depth = (uint32_t)concats[i]->delay + 2;
  }
  if (o->degree == 0) o->degree = degrees[o->kind];
  f->cable_delay = cycles(o->cable_ns, f->mhz);
  f->switch_delay = cycles(o->switch_ns, f->mhz);
  // A property is asked for and comes; a command goes to the NIC, asks for indexes and gets them, and its end is told.
  f->node.nic.write_delay = cycles(o->memory_ns, f->mhz);
  f->node.nic.read_delay = 2 * f->node.nic.write_delay;
  f->node.nic.begin_delay = 4 * f->node.nic.write_delay;
  f->device.seed = f->node.nic.device.seed = o->run.seed;
  f->held_for = 2 * f->node.nic.rig.watchdog;
}

static int check(struct gather_options *o) {
  if (o->file == NULL && !o->generate) return gather_refuse("no matrix; name a Matrix Market file, or --generate one");
  if (o->file != NULL && o->generate) return gather_refuse("--generate: there is a matrix, %s", o->file);
  if (o->run.fabric.hold > 0 && o->run.fabric.node.nic.rig.watchdog == 0) return gather_refuse("--hold: not with --watchdog 0");
  int code = check_network(o);
  if (code == 0) code = gather_choose_devices(o);
  if (code == 0) code = check_packets(o);
  if (code != 0) return code;
  derive(o);
  const struct usage_file files[] = {
      {"the matrix", o->file}, {"--out", o->out}, {"--json", o->json}, {"--report", o->report}, {"--wave", o->wave}};
  return usage_check_files("gather", files, sizeof files / sizeof *files, 1);
}

int gather_options_parse(int argc, char **argv, struct gather_options *o) {
  const struct gather_concat_options concat = {.mtu = 1500, .upper = GATHER_UPPER_BYTES, .pieces = 4096};
  *o = (struct gather_options){
      .rows = 16384,
      .cable_ns = 450,
      .switch_ns = 300,
      .memory_ns = 200,
      .run = {.k = 16,
              .batch = 512,
              .seed = 1,
              .fabric =
                  {.topology = {.nodes = 16, .racks = 2},
                   .gbps = 400,
                   .mhz = 2000,
                   .node = {.tries = 3,
                            .nic = {.units = GATHER_AS_DEVICE,
                                    .tx_depth = 64,
                                    .rig = {.pending = GATHER_AS_DEVICE, .filter = true, .coalesce = true, .watchdog = 10000000},
                                    .concat = concat}},
                   .pipe = {.cache_sets = GATHER_AS_DEVICE, .concat = concat}}},
  };
  o->run.fabric.node.nic.concat.delay = 500;
  o->run.fabric.pipe.concat.delay = 125;
  if (argp_parse(&parser, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT, NULL, o) != 0) return COMMAND_UNUSABLE;
  return check(o);
}
