#include "sim/gather/gather_options.h"

#include <inttypes.h>

#include "sim/gather/gather_devices.h"
#include "sim/engine/world/ranks.h"
#include "wire/gather.h"

#define FIELD(member) OPTION_AT(struct gather_options, member)
#define GIVEN(member) OPTION_GIVEN(struct gather_options, member)
#define RANGE(member, from, to) OPTION_RANGE(struct gather_options, member, from, to)
#define NANOSECONDS .kind = OPTION_NUMBER, .value = "NS", .unit = "nanoseconds", .least = 0, .most = 1e6

static const char *const routings[] = {"both", "dest", "spread", NULL};
static const char *const shapes[] = {"leaf-spine", "hyperx", "dragonfly", NULL};
static const char *const queues[] = {"static", "virtual", NULL};
static const char *const devices[] = {"switch", "nic", "all", NULL};
enum { RTL_SWITCH, RTL_NIC, RTL_ALL };
static const char *const partitions[] = {"racks", "scatter", NULL};
static const char *const sources[] = {"all", "uplinks", NULL};
static const char *const dealings[] = {"rows", "turns", "batches", NULL};
enum { WITHOUT_FILTER, WITHOUT_COALESCE, WITHOUT_CONCAT, WITHOUT_SWITCH, WITHOUT_CACHE };
static const char *const mechanisms[] = {"filter", "coalesce", "concat-nic", "switch", "cache", NULL};

static const struct command_option options[] = {
    {.kind = OPTION_INPUT,
     .argument = "matrix",
     .value = "MATRIX.mtx[.gz]",
     .help = "The matrix, in Matrix Market's format",
     .wrong = "/nowhere.mtx",
     FIELD(file)},
    {.kind = OPTION_GROUP, .help = "The matrix, if no file is named"},
    {"generate", OPTION_CHOICE, .help = "Make one up", .names = matrix_kind_names, FIELD(made.kind), GIVEN(generate)},
    {"rows", OPTION_WHOLE, .value = "N", .help = "Its rows and columns", .standard = "16384", RANGE(made.rows, 64, 1 << 27)},
    {"degree", OPTION_WHOLE, .value = "N", .help = "Nonzeros of a row, about", .absent = "as the kind has",
     RANGE(made.degree, 1, 4096)},
    {"uneven", OPTION_NUMBER, .value = "TIMES", .unit = "times the mean",
     .help =
         "Links of arabic or uk that leave their host, or what europe wants of other nodes, of the 128th of the rows that has "
         "most; an experiment",
     .standard = "1", .least = 1, .most = 16, FIELD(made.uneven)},
    {"lists", OPTION_FLAG,
     .help = "With --uneven of arabic or uk: who wants more has no more links, but lists of other hosts' pages, each once; an "
             "experiment",
     FIELD(made.lists)},
    {"regions", OPTION_WHOLE, .value = "N", .help = "Regions along a side of europe's map, each of 8 surveys; an experiment",
     .standard = "6", RANGE(made.regions, 1, MATRIX_MOST_REGIONS)},
    {"near", OPTION_FLAG,
     .help = "With europe: surveys of neighbouring regions have neighbouring numbers, within an eighth of the map; an experiment",
     FIELD(made.near)},
    {"panel", OPTION_WHOLE, .value = "ROWS",
     .help = "Nodes read nonzeros by panels of so many rows, by column in each; 1: row by row", .absent = "as the kind has, or 1",
     RANGE(run.panel, 1, 1 << 24)},
    {.kind = OPTION_GROUP, .help = "The nodes"},
    {"nodes", OPTION_WHOLE, .value = "P", .help = "Nodes that rows and columns are dealt out to", .standard = "16",
     RANGE(run.fabric.topology.nodes, 1, 1024)},
    {"k", OPTION_WHOLE, .value = "K", .help = "Elements of a property, 4 bytes each", .standard = "16", RANGE(run.k, 1, 65536)},
    {"iterations", OPTION_WHOLE, .value = "N", .help = "Multiplications; Y is the next one's X, scaled by a power of two",
     .standard = "1", RANGE(run.iterations, 1, 65535)},
    {"batch", OPTION_WHOLE, .value = "B", .help = "Nonzeros of a RIG operation", .standard = "512",
     RANGE(run.batch, 1, UINT32_MAX)},
    {"units", OPTION_WHOLE, .value = "U", .help = "RIG units of a node that ask; NetSparse has 16",
     .absent = "4, or what --rtl has", RANGE(run.fabric.node.nic.units, 1, 1024)},
    {"cores", OPTION_CHOICE, .names = dealings, .standard = "rows",
     .help =
         "What of a node each of the 64 cores has that software would fetch with: neighbouring rows, every 64th row, or every "
         "64th batch; the gather is the same",
     FIELD(run.dealing)},
    {"pending", OPTION_WHOLE, .value = "N", .help = "Requests that a RIG unit may have under way",
     .absent = "256, or what --rtl has", RANGE(run.fabric.node.nic.rig.pending, 1, 65536)},
    {"merge", OPTION_WHOLE, .value = "N",
     .help = "Properties under way that the units of a node may share a read of; 0: each unit asks for itself", .standard = "0",
     .powers = true, RANGE(run.fabric.node.nic.merge, 0, 1 << 20)},
    {"memory", NANOSECONDS, .help = "One way between NIC and host memory", .standard = "200", FIELD(memory_ns)},
    {"pcie", OPTION_NUMBER, .value = "GBS", .unit = "GB/s", .help = "Between NIC and host, each way; models only; 0: no bound",
     .standard = "256", .least = 0, .most = 100000, FIELD(pcie)},
    {"filter-memory", OPTION_NUMBER, .value = "GBS", .unit = "GB/s",
     .help = "The NIC's memory, for each 64 bytes of the filter once; models only; 0: no bound", .standard = "64", .least = 0,
     .most = 100000, FIELD(filter)},
    {"watchdog", OPTION_WHOLE, .value = "CYCLES", .help = "Time for a RIG operation; 0: no watchdog", .standard = "10000000",
     RANGE(run.fabric.node.nic.rig.watchdog, 0, UINT64_C(1000000000000))},
    {"tries", OPTION_WHOLE, .value = "N", .help = "Times that a batch is tried", .standard = "3",
     RANGE(run.fabric.node.tries, 1, 100)},
    {.kind = OPTION_GROUP, .help = "The network"},
    {"topology", OPTION_CHOICE,
     .help = "Racks and spines, or 32 switches: 4 x 4 x 2 with four links to each neighbour, or 4 groups of 8 with four links "
             "from each to other groups",
     .standard = "leaf-spine", .names = shapes, FIELD(run.fabric.topology.shape)},
    {"racks", OPTION_WHOLE, .value = "R", .help = "Racks, each with a ToR switch", .standard = "2",
     RANGE(run.fabric.topology.racks, 1, 256)},
    {"spines", OPTION_WHOLE, .value = "S", .help = "Switches between racks", .absent = "as many as a rack has nodes",
     RANGE(run.fabric.topology.spines, 1, 256)},
    {"routing", OPTION_CHOICE,
     .help = "A packet's spine: by both racks, the same there and back; by that of its destination; or by both and the pipe of "
             "the property's node",
     .standard = "both", .names = routings, FIELD(run.fabric.topology.routing)},
    {"rate", OPTION_NUMBER, .value = "GBPS", .unit = "Gb/s", .help = "Rate of a cable", .standard = "400", .least = 1,
     .most = 3200, FIELD(run.fabric.gbps)},
    {"clock", OPTION_NUMBER, .value = "MHZ", .unit = "MHz", .help = "Clock of NICs and switches", .standard = "2000", .least = 10,
     .most = 10000, FIELD(run.fabric.mhz)},
    {"cable", NANOSECONDS, .help = "Delay of a cable", .standard = "450", FIELD(cable_ns)},
    {"switch", NANOSECONDS, .help = "Delay of a switch", .standard = "300", FIELD(switch_ns)},
    {"mtu", OPTION_WHOLE, .value = "BYTES", .help = "Longest IP packet", .standard = "1500", RANGE(mtu, 256, 9000)},
    {"upper", OPTION_WHOLE, .value = "BYTES",
     .help = "Of these, not for the concatenation header and PRs; RoCEv2 takes 52, NetSparse counts 50", .standard = "52",
     RANGE(upper, 40, 128)},
    {"buffers", OPTION_WHOLE, .value = "KIB",
     .help = "What each end of a cable keeps of reads, and of responses; 0: no bound, nothing pushes back", .standard = "128",
     RANGE(buffers, 0, 1 << 20)},
    {"classes", OPTION_WHOLE, .value = "N", .help = "Reads and responses have buffers of their own (2), or share them",
     .standard = "2", RANGE(classes, 1, 2)},
    {"pause-limit", OPTION_WHOLE, .value = "CYCLES",
     .help = "What waits so long for a receiver that takes nothing is thrown away; 0: waits for ever", .standard = "1000000",
     RANGE(run.fabric.pause_limit, 0, UINT64_C(1000000000000))},
    {.kind = OPTION_GROUP, .help = "Concatenation and cache"},
    {"delay-nic", OPTION_WHOLE, .value = "CYCLES", .help = "A PR waits for others in a NIC at most so long", .standard = "500",
     RANGE(run.fabric.node.nic.concat.delay, 0, 1000000)},
    {"delay-switch", OPTION_WHOLE, .value = "CYCLES", .help = "And in a switch", .standard = "125",
     RANGE(run.fabric.pipe.concat.delay, 0, 1000000)},
    {"queues", OPTION_CHOICE, .help = "As large as a packet each, or of pieces of 128 bytes", .standard = "static",
     .names = queues, FIELD(virtual_queues)},
    {"pieces", OPTION_WHOLE, .value = "N", .help = "Pieces that a NIC or a pipe has", .standard = "4096",
     RANGE(pieces, 16, 1 << 24)},
    {"expiry", OPTION_WHOLE, .value = "N", .help = "Entries of an expiry queue", .absent = "as many as can be needed",
     RANGE(expiry, 1, 1 << 24)},
    {"beat", OPTION_WHOLE, .value = "BYTES",
     .help = "Bytes of packets that a pipe of a model takes in a cycle, 64 as in RTL; 0: as many as a PR has, as published",
     .standard = "0", RANGE(run.fabric.beat, 0, 65536)},
    {"cache-sets", OPTION_WHOLE, .value = "N", .help = "Sets of a pipe's cache, 8 KiB each; 0 for none",
     .absent = "64, or what --rtl has", .powers = true, RANGE(run.fabric.pipe.cache_sets, 0, 1 << 16)},
    {"mode", OPTION_WHOLE, .value = "BYTES", .help = "Line of the cache", .absent = "the smallest that holds a property",
     .powers = true, RANGE(run.fabric.pipe.cache_mode, 16, 512)},
    {"cache-from", OPTION_CHOICE, .help = "What is cached: all responses, or those from other racks", .standard = "all",
     .names = sources, FIELD(cache_uplinks)},
    {"without", OPTION_CHOICES, .help = "Leaves a mechanism out. switch: ToRs forward only", .names = mechanisms, FIELD(without)},
    {.kind = OPTION_GROUP, .help = "Verilated devices"},
    {"rtl", OPTION_CHOICE, .help = "ToRs, NICs or both are RTL; --pieces and --expiry are of models only", .absent = "models",
     .names = devices, FIELD(rtl), GIVEN(rtl_given)},
    {"rtl-nics", OPTION_WHOLE, .value = "N", .help = "With --rtl nic or all: the NICs of the first N nodes", .absent = "of all",
     RANGE(run.fabric.devices, 1, 1024)},
    {.kind = OPTION_GROUP, .help = "Faults"},
    {"lose", OPTION_WHOLE, .value = "N", .help = "The Nth packet on any cable is lost", RANGE(run.fabric.lose, 1, UINT64_MAX)},
    {"hold", OPTION_WHOLE, .value = "N", .help = "The Nth packet comes after the watchdog's time",
     RANGE(run.fabric.hold, 1, UINT64_MAX)},
    {"faults", OPTION_NUMBER, .value = "SHARE", .help = "Of all packets, on any cable: lost, late, or there twice, by the seed",
     .standard = "0", .least = 0, .most = 0.5, FIELD(run.fabric.faults)},
    {"kill", OPTION_WHOLE, .value = "NODE", .help = "A node that dies: it sends and takes nothing any more", .absent = "none",
     RANGE(run.fabric.dies, 0, 1023), GIVEN(dies)},
    {"kill-at", OPTION_WHOLE, .value = "CYCLE", .help = "When it dies", .standard = "5000",
     RANGE(run.fabric.dies_at, 0, UINT64_C(1000000000000))},
    {"stop", OPTION_WHOLE, .value = "NODE", .help = "A node whose receiver takes nothing for a while", .absent = "none",
     RANGE(run.fabric.stops, 0, 1023), GIVEN(deaf)},
    {"stop-at", OPTION_WHOLE, .value = "CYCLE", .help = "From when on", .standard = "5000",
     RANGE(run.fabric.stops_at, 0, UINT64_C(1000000000000))},
    {"stop-for", OPTION_WHOLE, .value = "CYCLES", .help = "For how long; 0: for ever", .standard = "0",
     RANGE(run.fabric.stops_for, 0, UINT64_C(1000000000000))},
    {"down", OPTION_WHOLE, .value = "N", .help = "Links, drawn by the seed, that go down one after the other and come back",
     .standard = "0", RANGE(run.fabric.downs, 0, 100000)},
    {"down-at", OPTION_WHOLE, .value = "CYCLE", .help = "When the first of them does", .standard = "2000",
     RANGE(run.fabric.down_at, 0, UINT64_C(1000000000000))},
    {"down-for", OPTION_WHOLE, .value = "CYCLES", .help = "For how long each", .standard = "2000",
     RANGE(run.fabric.down_for, 1, UINT64_C(1000000000000))},
    {.kind = OPTION_GROUP, .help = "The run, and what is written"},
    {"partition", OPTION_CHOICE,
     .help = "With MPI: neighbouring racks to one process, or anything to any. What happens is the same", .standard = "racks",
     .names = partitions, FIELD(partition)},
    {"seed", OPTION_WHOLE, .value = "S", .help = "Seed of all random choices", .standard = "1", RANGE(run.seed, 0, UINT64_MAX),
     GIVEN(seed_given)},
    {"out", OPTION_OUTPUT, .value = "FILE",
     .help = "What each node receives: pcapng, gzipped if FILE ends in .gz; interface = node", FIELD(out)},
    {"json", OPTION_OUTPUT, .value = "FILE", .help = "A summary as JSON", FIELD(json)},
    {"report", OPTION_OUTPUT, .value = "FILE.html", .help = "A page with pictures of the run", FIELD(report)},
    {"wave", OPTION_OUTPUT, .value = "FILE.fst",
     .help = "With --rtl: all signals of the first rack's switch, or of the first node's NIC if switches are models, for GTKWave",
     FIELD(wave)},
    {0},
};

const struct command_line gather_command_line = {
    .name = "weir gather",
    .purpose = "lets nodes fetch what a sparse product needs, through concatenation and caches",
    .about = "Multiplies a sparse matrix with a dense one over nodes that fetch what they need by remote indexed gathers "
             "(NetSparse). All parts "
             "are models unless --rtl is given. The product is compared bit by bit with one computed directly.",
    .example = "--generate road --nodes 8 --report gather.html",
    .exits = "0 all checks passed, 1 a check failed, 2 bad usage or bad input.",
    .options = options,
};

// --- what the options mean for the run ---

static void leave_out(struct gather_options *o) {
  struct gather_fabric_options *f = &o->run.fabric;
  const unsigned without = o->without;
  if (without >> WITHOUT_FILTER & 1) f->node.nic.rig.filter = false;
  if (without >> WITHOUT_COALESCE & 1) f->node.nic.rig.coalesce = false;
  if (without >> WITHOUT_CONCAT & 1) f->node.nic.concat.alone = true;
  if (without >> WITHOUT_SWITCH & 1) f->plain_tors = true;
  if (without >> WITHOUT_CACHE & 1) f->pipe.cache_sets = 0;
}

static void spread(struct gather_options *o) {
  struct gather_concat_options *const concats[] = {&o->run.fabric.node.nic.concat, &o->run.fabric.pipe.concat};
  for (unsigned i = 0; i < 2; i++) {
    concats[i]->virtual_queues = o->virtual_queues == 1;
    concats[i]->pieces = o->pieces;
    concats[i]->expiry_depth = o->expiry;
    concats[i]->mtu = o->mtu;
    concats[i]->upper = o->upper;
  }
  o->run.fabric.cache_uplinks = o->cache_uplinks == 1;
  o->run.fabric.buffers = (size_t)o->buffers * 1024;
  o->run.fabric.one_class = o->classes == 1;
  o->run.fabric.scatter = o->partition == 1;
  o->rtl_switch = o->rtl_given && o->rtl != RTL_NIC;
  o->rtl_nic = o->rtl_given && o->rtl != RTL_SWITCH;
  leave_out(o);
}

// --- values that must fit each other, and those that follow ---

static int check_network(struct gather_options *o) {
  struct gather_topology *t = &o->run.fabric.topology;
  if (t->shape != GATHER_LEAF_SPINE) {
    t->racks = GATHER_GRID_SWITCHES;
    if (t->nodes % t->racks != 0 || o->rtl_given)
      return gather_refuse("--topology %s: %s", shapes[t->shape],
                           o->rtl_given ? "of models only" : "--nodes must be a multiple of 32");
    return 0;
  }
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
  struct gather_fabric_options *f = &o->run.fabric;
  struct gather_concat_options *const concats[] = {&f->node.nic.concat, &f->pipe.concat};
  for (unsigned i = 0; i < 2; i++) {
    concats[i]->nodes = f->topology.nodes;
    // No more entries can wait than cycles until the first of them expires.
    if (concats[i]->expiry_depth == 0) concats[i]->expiry_depth = (uint32_t)concats[i]->delay + 2;
  }
  if (o->made.degree == 0) o->made.degree = matrix_degree(o->made.kind);
  if (o->run.panel == 0) o->run.panel = o->file == NULL ? matrix_panel(o->made.kind) : 1;
  f->cable_delay = cycles(o->cable_ns, f->mhz);
  f->switch_delay = cycles(o->switch_ns, f->mhz);
  // A property is asked for and comes; a command goes to the NIC, asks for indexes and gets them, and its end is told.
  f->node.nic.write_delay = cycles(o->memory_ns, f->mhz);
  f->node.nic.read_delay = 2 * f->node.nic.write_delay;
  f->node.nic.begin_delay = 4 * f->node.nic.write_delay;
  f->node.nic.pcie_cycles = o->pcie > 0 ? f->mhz / (o->pcie * 1000) : 0;
  f->node.nic.filter_cycles = o->filter > 0 ? f->mhz / (o->filter * 1000) : 0;
  f->device.seed = f->node.nic.device.seed = o->run.seed;
  f->fault_seed = o->run.seed;
  f->held_for = 2 * f->node.nic.rig.watchdog;
}

static int check_faults(struct gather_options *o) {
  struct gather_fabric_options *f = &o->run.fabric;
  const struct {
    const char *name;
    bool given;
    uint32_t *node;
  } nodes[] = {{"kill", o->dies, &f->dies}, {"stop", o->deaf, &f->stops}};
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
    if (!nodes[i].given) *nodes[i].node = UINT32_MAX;
    if (nodes[i].given && *nodes[i].node >= f->topology.nodes)
      return gather_refuse("--%s %" PRIu32 ": nodes are 0 to %" PRIu32, nodes[i].name, *nodes[i].node, f->topology.nodes - 1);
    if (nodes[i].given && f->node.nic.rig.watchdog == 0) return gather_refuse("--%s: not with --watchdog 0", nodes[i].name);
  }
  if (f->downs > 0 && f->node.nic.rig.watchdog == 0) return gather_refuse("--down: not with --watchdog 0");
  // Room for two of the longest packets and what has been taken, but not been told of.
  if (o->buffers > 0 && o->buffers < 32) return gather_refuse("--buffers %" PRIu32 ": 0, or 32 and more", o->buffers);
  return 0;
}

static int check(struct gather_options *o) {
  if (o->file == NULL && !o->generate) return gather_refuse("no matrix; name a Matrix Market file, or --generate one");
  if (o->file != NULL && o->generate) return gather_refuse("--generate: there is a matrix, %s", o->file);
  const bool web = o->generate && (o->made.kind == MATRIX_ARABIC || o->made.kind == MATRIX_UK);
  const bool map = o->generate && o->made.kind == MATRIX_EUROPE;
  if (o->made.uneven > 1 && !web && !map) return gather_refuse("--uneven: only with --generate arabic, europe or uk");
  if (o->made.lists && !(web && o->made.uneven > 1)) return gather_refuse("--lists: only with --generate arabic or uk --uneven");
  if (o->made.near && !map) return gather_refuse("--near: only with --generate europe");
  if (o->made.regions != MATRIX_REGIONS && !map) return gather_refuse("--regions: only with --generate europe");
  if (ranks_count() > 1 && (o->out != NULL || o->wave != NULL || o->run.fabric.lose > 0 || o->run.fabric.hold > 0 ||
                            o->run.fabric.faults > 0 || o->dies || o->deaf || o->run.fabric.downs > 0))
    return gather_refuse("--out, --wave, --lose, --hold, --faults, --kill, --stop, --down: of one process, and there are %u",
                         ranks_count());
  if (o->run.fabric.hold > 0 && o->run.fabric.node.nic.rig.watchdog == 0) return gather_refuse("--hold: not with --watchdog 0");
  if (o->run.fabric.faults > 0 && o->run.fabric.node.nic.rig.watchdog == 0)
    return gather_refuse("--faults: not with --watchdog 0");
  int code = check_faults(o);
  if (code == 0) code = check_network(o);
  if (code == 0) code = gather_choose_devices(o);
  if (code == 0) code = check_packets(o);
  if (code != 0) return code;
  derive(o);
  return 0;
}

int gather_options_parse(int argc, char **argv, struct gather_options *o) {
  *o = (struct gather_options){
      .run = {.fabric = {.node = {.nic = {.units = GATHER_AS_DEVICE,
                                          .tx_depth = 64,
                                          .rig = {.pending = GATHER_AS_DEVICE, .filter = true, .coalesce = true}}},
                         .pipe = {.cache_sets = GATHER_AS_DEVICE}}},
  };
  const int code = options_parse(&gather_command_line, argc, argv, o);
  if (code != 0) return code;
  spread(o);
  return check(o);
}
