#include "sim/tree/tree_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/engine/jobs.h"

#define FIELD(member) OPTION_AT(struct tree_options, member)
#define GIVEN(member) OPTION_GIVEN(struct tree_options, member)
#define RANGE(member, from, to) OPTION_RANGE(struct tree_options, member, from, to)
#define PROBABILITY .kind = OPTION_NUMBER, .value = "P", .unit = "a probability", .standard = "0", .least = 0, .most = 0.5

static const char *const operations[] = {"barrier", "all-reduce", "reduce", "broadcast", NULL};
enum { MODE_AUTO, MODE_LLT, MODE_SAT };
static const char *const modes[] = {"auto", "llt", "sat", NULL};
/// Hosts' vectors in memory, each with its result.
#define MOST_MEMORY (UINT64_C(1) << 31)

static const struct command_option options[] = {
    {.kind = OPTION_GROUP, .help = "The tree"},
    {"topology", OPTION_TEXT, .value = "FILE|JSON|fat-tree:AxB..xH",
     .help =
         "Nodes and hosts: a root with A nodes below it, each with B, and so on, each of the last with H hosts (fat-tree:H: one "
         "node), or what JSON says, here or in a file: a leaf is {\"hosts\": H}, any other node {\"children\": [..]}",
     .standard = "fat-tree:4x4", .wrong = "fat-tree:0x0", FIELD(shape)},
    {"trees", OPTION_WHOLE, .value = "T", .help = "Trees of this shape, each a low-latency and a streaming one", .standard = "1",
     RANGE(run.network.pairs, 1, TREE_NET_PAIRS)},
    {"groups", OPTION_WHOLE, .value = "G", .help = "Groups: host h is in group h modulo G, which uses tree group modulo T",
     .standard = "1", RANGE(run.network.groups, 1, TREE_NET_GROUPS)},
    {"cells", OPTION_WHOLE, .value = "N", .help = "Lock cells of a node", .standard = "2",
     RANGE(run.network.lock_cells, 1, TREE_LOCK_CELLS)},
    {.kind = OPTION_GROUP, .help = "What is done"},
    {"op", OPTION_CHOICE, .help = "Operation", .standard = "all-reduce", .names = operations, FIELD(operation)},
    {"type", OPTION_CHOICE, .help = "Elements", .standard = "fp32", .names = job_types, FIELD(type)},
    {"reduction", OPTION_CHOICE, .help = "What is done to them", .standard = "sum", .names = job_ops, FIELD(reduction)},
    {"size", OPTION_BYTES, .value = "BYTES", .help = "Of a host's vector", .standard = "64K",
     RANGE(run.jobs.size, 4, UINT64_C(256) << 20), GIVEN(size_given)},
    {"operations", OPTION_WHOLE, .value = "N", .help = "One after the other, of each group", .standard = "4",
     RANGE(run.jobs.operations, 1, 1000000)},
    {"mode", OPTION_CHOICE,
     .help = "Low-latency trees take vectors of up to 1024 bytes, streaming trees any; auto: those that fit go the first way",
     .standard = "auto", .names = modes, FIELD(mode)},
    {"lock", OPTION_TEXT, .value = "COUNT|unlimited",
     .help = "Operations that a streaming tree is locked for at a time; unlimited: until it is unlocked", .standard = "1",
     .wrong = "0", FIELD(lock)},
    {"tries", OPTION_WHOLE, .value = "N", .help = "Times that a lock is asked for, with longer and longer pauses",
     .standard = "1000", RANGE(run.jobs.tries, 1, 1000000)},
    {.kind = OPTION_GROUP, .help = "Connections and cables"},
    {"mtu", OPTION_WHOLE, .value = "BYTES", .help = "Payload of a packet", .standard = "1024", .powers = true,
     RANGE(run.network.mtu, 256, 4096)},
    {"ipv6", OPTION_FLAG, .help = "Over IPv6", FIELD(run.network.v6)},
    {"vlan", OPTION_WHOLE, .value = "VID", .help = "In this VLAN", .absent = "without a tag", RANGE(run.network.vlan, 1, 4094)},
    {"credits", OPTION_WHOLE, .value = "N", .help = "Packets that a receiver of a streaming tree has room for", .standard = "32",
     RANGE(run.network.credits, 1, 32768)},
    {"window", OPTION_WHOLE, .value = "N", .help = "Packets that its sender keeps until they are acknowledged", .standard = "64",
     RANGE(run.network.window, 1, 32768)},
    {"no-credits", OPTION_FLAG, .help = "Receivers tell of none: \"not ready\" holds senders back",
     FIELD(run.network.no_credits)},
    {"rate", OPTION_NUMBER, .value = "GBPS", .unit = "Gb/s", .help = "Rate of a cable", .standard = "100", .least = 1,
     .most = 3200, FIELD(run.network.gbps)},
    {"cable", OPTION_NUMBER, .value = "NS", .unit = "nanoseconds", .help = "Delay of a cable", .standard = "450", .least = 0,
     .most = 1e6, FIELD(cable_ns)},
    {"node", OPTION_NUMBER, .value = "NS", .unit = "nanoseconds", .help = "Delay of a node", .standard = "256", .least = 0,
     .most = 1e6, FIELD(node_ns)},
    {"timeout", OPTION_NUMBER, .value = "US", .unit = "microseconds", .help = "Local ACK Timeout", .standard = "30", .least = 1,
     .most = 1e6, FIELD(timeout_us)},
    {"retries", OPTION_WHOLE, .value = "N", .help = "Times that a packet is repeated before its connection is lost",
     .standard = "7", RANGE(run.network.retries, 0, 7)},
    {"patience", OPTION_NUMBER, .value = "US", .unit = "microseconds",
     .help = "How long a leaf waits for a host whose siblings have contributed; other nodes and hosts in proportion to the "
             "tree's depth",
     .standard = "2000", .least = 1, .most = 1e7, FIELD(patience_us)},
    {.kind = OPTION_GROUP, .help = "Faults"},
    {"loss", PROBABILITY, .help = "A packet is lost on a cable", FIELD(run.network.faults.loss)},
    {"dup", PROBABILITY, .help = "It arrives twice", FIELD(run.network.faults.dup)},
    {"reorder", PROBABILITY, .help = "Others overtake it", FIELD(run.network.faults.reorder)},
    {"damage", PROBABILITY, .help = "One to three of its bits are wrong", FIELD(run.network.faults.damage)},
    {"kill-host", OPTION_TEXT, .value = "HOST@US", .help = "This host stops for ever after so many microseconds", .wrong = "1",
     FIELD(kill_host)},
    {"kill-link", OPTION_TEXT, .value = "NODE@US|hHOST@US",
     .help = "The cable from this node to its parent is cut then, or that of a host; node 0 is the root, which has none",
     .wrong = "@", FIELD(kill_link)},
    {.kind = OPTION_GROUP, .help = "The run, and what is written"},
    {"seed", OPTION_WHOLE, .value = "S", .help = "Seed of all random choices", .standard = "1",
     RANGE(run.network.seed, 0, UINT64_MAX), GIVEN(seed_given)},
    {"out", OPTION_OUTPUT, .value = "FILE",
     .help = "What each host receives: pcapng, gzipped if FILE ends in .gz; interface = host", FIELD(out)},
    {"json", OPTION_OUTPUT, .value = "FILE", .help = "A summary as JSON", FIELD(json)},
    {0},
};

const struct command_line tree_command_line = {
    .name = "weir tree",
    .purpose = "lets hosts reduce through trees of nodes that end their connections",
    .about =
        "Runs collective operations over aggregation trees (SHARP): hosts and nodes talk RC hop by hop, short vectors take a "
        "low-latency tree, long ones stream through another one that is locked for them. All parts are models. Each host's "
        "vector is compared bit by bit with one computed directly, and what went over each cable is counted.",
    .example = "--topology fat-tree:4x8 --size 1M --loss 0.001",
    .exits = "0 all checks passed, 1 a check failed, 2 bad usage or bad input.",
    .options = options,
};

/// "WHO@MICROSECONDS": splits it. False if it is none.
static bool read_event(const char *text, char who[16], uint64_t *when_ps) {
  const char *at = strchr(text, '@');
  double us;
  memset(who, 0, 16);
  if (at == NULL || at - text >= 16 || !usage_number(at + 1, &us) || us < 0 || us > 1e9) return false;
  memcpy(who, text, (size_t)(at - text));
  *when_ps = (uint64_t)(us * 1e6);
  return true;
}

static int check_lock(struct tree_options *o) {
  uint64_t count = 0;
  if (strcmp(o->lock, "unlimited") != 0 && !text_whole(o->lock, 1, UINT32_MAX - 1, &count))
    return tree_refuse("--lock %s: must be unlimited, or a number from 1 on", o->lock);
  o->run.jobs.lock = (uint32_t)count;
  return 0;
}

static int check_kills(struct tree_options *o) {
  struct tree_net_options *n = &o->run.network;
  const unsigned hosts = o->topology.hosts, nodes = o->topology.count;
  char who[16];
  uint64_t number;
  n->dead_host = n->cut_cable = TREE_NET_NOBODY;
  if (o->kill_host != NULL) {
    if (!read_event(o->kill_host, who, &n->dead_ps) || !text_whole(who, 0, hosts - 1, &number))
      return tree_refuse("--kill-host %s: must be 0 to %u, @, and microseconds", o->kill_host, hosts - 1);
    n->dead_host = (unsigned)number;
  }
  if (o->kill_link == NULL) return 0;
  const bool known = read_event(o->kill_link, who, &n->cut_ps);
  if (known && who[0] == 'h' && text_whole(who + 1, 0, hosts - 1, &number))
    n->cut_cable = (unsigned)number;
  else if (known && nodes > 1 && text_whole(who, 1, nodes - 1, &number))
    n->cut_cable = hosts + (unsigned)number - 1;
  else if (nodes > 1)
    return tree_refuse("--kill-link %s: must be a node, 1 to %u, or a host, h0 to h%u, @, and microseconds", o->kill_link,
                       nodes - 1, hosts - 1);
  else
    return tree_refuse("--kill-link %s: must be a host, h0 to h%u, @, and microseconds: there is one node", o->kill_link,
                       hosts - 1);
  return 0;
}

static int check_jobs(struct tree_options *o) {
  struct tree_jobs_options *j = &o->run.jobs;
  j->operation = (enum tree_operation)o->operation;
  j->type = (uint8_t)(o->reduction << 4 | o->type);
  j->seed = o->run.network.seed;
  if (j->operation == TREE_BARRIER) {
    if (o->size_given) return tree_refuse("--size: a barrier has no vector");
    if (o->mode == MODE_SAT) return tree_refuse("--mode sat: a barrier takes the low-latency tree");
    j->size = 0;
  }
  const size_t element = ina_element_size(j->type);
  if (j->size % element != 0)
    return tree_refuse("--size %" PRIu32 ": must be a multiple of %zu, an element's bytes", j->size, element);
  if (o->mode == MODE_LLT && j->size > TREE_LLT_MOST)
    return tree_refuse("--size %" PRIu32 ": --mode llt takes vectors of up to %d bytes", j->size, TREE_LLT_MOST);
  j->streams = o->mode == MODE_SAT || j->size > TREE_LLT_MOST;
  const uint64_t memory = 2 * (uint64_t)j->size * o->topology.hosts;
  if (memory > MOST_MEMORY)
    return tree_refuse("--size %" PRIu32 ": vectors and results of %u hosts take more than %" PRIu64 " bytes", j->size,
                       o->topology.hosts, MOST_MEMORY);
  return 0;
}

static int check(struct tree_options *o) {
  char error[256];
  struct tree_net_options *n = &o->run.network;
  const struct topology_limits limits = {TOPOLOGY_MAX_NODES, TOPOLOGY_MAX_HOSTS, TOPOLOGY_MAX_CHILDREN};
  if (topology_read(&o->topology, o->shape, &limits, error, sizeof error) != 0)
    return tree_refuse("--topology %s: %s", o->shape, error);
  n->topology = &o->topology;
  if (n->groups > o->topology.hosts) return tree_refuse("--groups %u: there are %u hosts", n->groups, o->topology.hosts);
  n->cable_ps = (uint64_t)(o->cable_ns * 1e3);
  n->node_ps = (uint64_t)(o->node_ns * 1e3);
  n->timeout_ps = (uint64_t)(o->timeout_us * 1e6);
  n->patience_ps = (uint64_t)(o->patience_us * 1e6);
  int code = check_lock(o);
  if (code == 0) code = check_jobs(o);
  return code == 0 ? check_kills(o) : code;
}

int tree_options_parse(int argc, char **argv, struct tree_options *o) {
  *o = (struct tree_options){0};
  const int code = options_parse(&tree_command_line, argc, argv, o);
  return code == 0 ? check(o) : code;
}
