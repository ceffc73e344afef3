#include "sim/fabric/fabric_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/cli/usage.h"
#include "sim/engine/world/ranks.h"

#define FIELD(member) OPTION_AT(struct fabric_options, member)
#define GIVEN(member) OPTION_GIVEN(struct fabric_options, member)
#define RANGE(member, from, to) OPTION_RANGE(struct fabric_options, member, from, to)
#define RATE .kind = OPTION_NUMBER, .value = "GBPS", .unit = "Gb/s", .least = 0.1, .most = 3200
#define DELAY .kind = OPTION_NUMBER, .value = "NS", .unit = "nanoseconds", .least = 1, .most = 1e6
#define MICROSECONDS .kind = OPTION_NUMBER, .value = "US", .unit = "microseconds"

static const char *const loads[] = {"permutation", "incast",        "all-to-all",         "matrix",
                                    "capture",     "all-reduce",    "tree-all-reduce",    "rabenseifner",
                                    "netreduce",   "nodes",         "reduce-scatter",     "all-gather",
                                    "master-ring", "parallel-ring", "parallel-netreduce", "gather",
                                    NULL};
static const char *const routings[] = {"ecmp", "e-ecmp", "pinned", "te", "flowlet", "spray", NULL};
static const char *const placements[] = {"linear", "random", "spread", "half", NULL};
static const char *const classes[] = {"bulk", "urgent", NULL};
static const char *const qp_modes[] = {"turns", "split", NULL};
static const char *const partitions[] = {"racks", "scatter", NULL};

static const struct command_option options[] = {
    {.kind = OPTION_GROUP, .help = "The network"},
    {"topology", OPTION_TEXT, .value = "clos:HxLxS[,PxA]|machines:MxN|FILE|JSON",
     .help = "L leaves with H hosts each, each with a cable to each of S spines; P such pods, and A switches above spine s of "
             "each pod. Or M machines on one switch, each with N accelerators on an inner switch: these are the hosts. Or any "
             "other network as JSON, here or in a file: {\"hosts\": N, \"switches\": [tier, ..], \"cables\": [[\"h0\", \"s0\", "
             "gbps, ns], ..]}",
     .standard = "clos:8x4x8", .wrong = "clos:0x0x0", FIELD(shape)},
    {"rate", RATE, .help = "Rate of a host's cable", .standard = "100", FIELD(host_gbps)},
    {"inner-rate", RATE, .help = "Of a cable inside a machine of machines:MxN, which has a cable of --rate", .standard = "1200",
     FIELD(inner_gbps)},
    {"leaf-rate", RATE, .help = "Of a cable between leaf and spine", .absent = "that of a host's", FIELD(leaf_gbps),
     GIVEN(leaf_given)},
    {"spine-rate", RATE, .help = "Of a cable above a spine", .absent = "that below it", FIELD(spine_gbps), GIVEN(spine_given)},
    {"cable", DELAY, .help = "Delay of a host's cable", .standard = "15", FIELD(host_ns)},
    {"leaf-cable", DELAY, .help = "Of a cable between leaf and spine", .standard = "250", FIELD(leaf_ns)},
    {"spine-cable", DELAY, .help = "Of a cable above a spine", .standard = "500", FIELD(spine_ns)},
    {"latency", DELAY, .help = "Of a switch's pipeline", .standard = "600", FIELD(latency_ns)},
    {.kind = OPTION_GROUP, .help = "Switches"},
    {"routing", OPTION_CHOICE,
     .help = "Which of several ways a packet takes: by the hash of its addresses and UDP ports, of its queue pair too, by the "
             "destination's "
             "place in its rack, as a controller that knows all flows has placed it, anew behind each gap of its flow, or any",
     .standard = "e-ecmp", .names = routings, FIELD(routing)},
    {"flowlet", MICROSECONDS, .help = "A longer gap begins a flowlet", .standard = "128", .least = 0.01, .most = 1e7,
     FIELD(flowlet_us)},
    {"uplink", OPTION_FLAG,
     .help = "Leaves choose their uplinks as this project's uplink device does, by its golden model: its hash of real headers, "
             "its flowlet table and load of "
             "ports; with --routing ecmp, e-ecmp or flowlet, and up to 16 uplinks",
     FIELD(uplink)},
    {"one-seed", OPTION_FLAG, .help = "All switches hash alike: layers polarize", FIELD(run.one_seed)},
    {"no-pfc", OPTION_FLAG, .help = "No priority flow control: what finds no room is dropped", FIELD(no_pfc)},
    {"leaf-buffer", OPTION_BYTES, .value = "BYTES", .help = "Of a leaf, shared by its ports", .standard = "32M",
     RANGE(leaf_buffer, 65536, UINT64_C(1) << 36)},
    {"alpha", OPTION_NUMBER, .value = "A", .unit = "a number", .help = "A port of it may have A times what is free",
     .standard = "0.125", .least = 0.001, .most = 64, FIELD(alpha)},
    {"spine-buffer", OPTION_BYTES, .value = "BYTES", .help = "Of a spine and of all above, an equal share for each input",
     .standard = "1024M", RANGE(spine_buffer, 65536, UINT64_C(1) << 40)},
    {"credit", MICROSECONDS,
     .help = "A spine's output gives an input credit for a packet after this time (virtual output queues)", .standard = "0",
     .least = 0, .most = 1000, FIELD(credit_us)},
    {"leaf-mark", OPTION_BYTES, .value = "BYTES", .help = "From this queue of an output of a leaf on packets are marked (ECN)",
     .absent = "none is", RANGE(leaf_low, 1, UINT64_C(1) << 36)},
    {"leaf-mark-all", OPTION_BYTES, .value = "BYTES", .help = "From this one on all are", .absent = "none is",
     RANGE(leaf_high, 1, UINT64_C(1) << 36)},
    {"spine-mark", OPTION_BYTES, .value = "BYTES", .help = "The same of a spine", .absent = "none is",
     RANGE(spine_low, 1, UINT64_C(1) << 36)},
    {"spine-mark-all", OPTION_BYTES, .value = "BYTES", .help = "The same of a spine", .absent = "none is",
     RANGE(spine_high, 1, UINT64_C(1) << 36)},
    {"mark-most", OPTION_NUMBER, .value = "P", .unit = "a probability",
     .help = "Of a mark just below the queue at which all are marked", .standard = "0.2", .least = 0, .most = 1,
     FIELD(mark_most)},
    {"watchdog", OPTION_NUMBER, .value = "MS", .unit = "milliseconds",
     .help = "A longer pause is an event, and what it holds back is dropped", .standard = "200", .least = 0.001, .most = 10000,
     FIELD(watchdog_ms)},
    {.kind = OPTION_GROUP, .help = "Hosts"},
    {"mtu", OPTION_WHOLE, .value = "BYTES", .help = "Payload of a packet", .standard = "4096", .powers = true,
     RANGE(run.nic.mtu, 256, 4096)},
    {"qps", OPTION_WHOLE, .value = "N", .help = "Connections between two hosts", .standard = "1", RANGE(run.nic.qps, 1, 64)},
    {"qp-mode", OPTION_CHOICE, .help = "Each message on one of them in turn, or split over all", .standard = "turns",
     .names = qp_modes, FIELD(qp_mode)},
    {"share-port", OPTION_FLAG, .help = "All of them have one UDP source port, so that only their queue pairs differ",
     FIELD(run.nic.share_port)},
    {"window", OPTION_BYTES, .value = "BYTES", .help = "Of a connection that are not acknowledged, at most", .standard = "1M",
     RANGE(run.nic.window, 4096, UINT64_C(1) << 30)},
    {"ack-every", OPTION_WHOLE, .value = "N",
     .help = "Packets between those that ask for an acknowledgement, at most a window; the last one posted does", .standard = "4",
     RANGE(run.nic.ack_every, 1, 65536)},
    {"ack-class", OPTION_CHOICE, .help = "Class of acknowledgements; urgent packets always go first", .standard = "urgent",
     .names = classes, FIELD(ack_class)},
    {"timeout", MICROSECONDS, .help = "Local ACK Timeout", .standard = "4000", .least = 1, .most = 1e7, FIELD(timeout_us)},
    {"retries", OPTION_WHOLE, .value = "N", .help = "Of a packet, before its connection is lost", .standard = "7",
     RANGE(run.nic.retries, 0, 7)},
    {"dcqcn", OPTION_FLAG, .help = "Marked packets make their sender slower (DCQCN)", FIELD(run.nic.dcqcn)},
    {"channels", OPTION_WHOLE, .value = "N",
     .help = "Messages that a receiver has room for: it tells senders when they may send (clear to send). 0: they send unasked",
     .standard = "0", RANGE(run.nic.channels, 0, 65536)},
    {"cts-class", OPTION_CHOICE, .help = "Class of that", .standard = "urgent", .names = classes, FIELD(cts_class)},
    {"drain", OPTION_NUMBER, .value = "F", .unit = "a fraction", .help = "Of line rate, what a receiving host takes",
     .standard = "1", .least = 0.01, .most = 1, FIELD(run.nic.drain)},
    {"rx-buffer", OPTION_BYTES, .value = "BYTES", .help = "In its interface, before that stops the cable", .standard = "512K",
     RANGE(run.nic.rx_buffer, 4096, UINT64_C(1) << 32)},
    {.kind = OPTION_GROUP, .help = "What they do"},
    {"load", OPTION_CHOICE,
     .help =
         "Flows, or a collective of all ranks. All-reduces: ring, binary tree of ranks, recursive halving and doubling, in "
         "switches inside hosts' connections "
         "(NetReduce; as a relay where ranks are in several racks), and through nodes that end connections (SHARP). Of machines "
         "with several accelerators: to the first of each, a ring of these, and back; as many rings as a machine has "
         "accelerators; the same with sums in the switch above them (NetReduce 3.4). all-reduce is their flat ring. gather: each "
         "rank reads properties that others have, through NICs and switches of racks (NetSparse)",
     .standard = "permutation", .names = loads, FIELD(kind)},
    {"size", OPTION_BYTES, .value = "BYTES", .help = "Of a flow, or of a rank's vector", .standard = "8M",
     RANGE(run.load.bytes, 1, UINT64_C(1) << 40)},
    {"message", OPTION_BYTES, .value = "BYTES",
     .help = "Of a message, at most; with --load gather, of a property: 64 unless it is given", .standard = "512K",
     RANGE(run.load.message, 1, UINT64_C(1) << 30), GIVEN(message_given)},
    {"ranks", OPTION_WHOLE, .value = "N", .help = "Hosts that take part", .absent = "all",
     RANGE(run.load.ranks, 2, NET_MAX_HOSTS)},
    {"placement", OPTION_CHOICE, .help = "Where ranks sit; half: in the first half of each rack", .standard = "linear",
     .names = placements, FIELD(placement)},
    {"inflight", OPTION_WHOLE, .value = "N",
     .help = "Messages that a rank of --load netreduce or parallel-netreduce is ahead of its results", .standard = "2",
     RANGE(run.load.window, 1, 1024)},
    {"rtl", OPTION_TEXT, .value = "PLACE,..|none",
     .help = "Verilated devices at these places, each with its golden model in lock step. leaf0, spine0, s5: beside the switches "
             "that "
             "sum with --load netreduce over several racks, nodes of --load nodes, switches of racks of --load gather, whose "
             "NICs are "
             "h0, h3; those that are not named are golden models that take real frames, too. "
             "uplink0: in front of the uplinks of leaf0, with --uplink",
     .wrong = "leaf99", FIELD(rtl)},
    {"node", DELAY, .help = "Delay of a node of --load nodes", .standard = "256", FIELD(node_ns)},
    {"senders", OPTION_WHOLE, .value = "N", .help = "Of an incast", .standard = "16", RANGE(run.load.senders, 1, NET_MAX_HOSTS)},
    {"matrix", OPTION_INPUT, .value = "FILE",
     .help = "Flows of --load matrix: lines SRC,DST,BYTES[,START_US] of ranks; of --load capture a pcap or pcapng, each of whose "
             "RDMA messages is a flow",
     .wrong = "/nowhere/at/all", FIELD(run.load.file)},
    {"background", OPTION_BYTES, .value = "BYTES",
     .help = "Beside it each host sends so many to another one, drawn, over a connection of its own", .absent = "nothing",
     RANGE(run.background.bytes, 1, UINT64_C(1) << 40)},
    {"prepare", MICROSECONDS, .help = "A rank of a collective has data so long before it can send it", .standard = "0",
     .least = 0, .most = 1e6, FIELD(prepare_us)},
    {"stagger", MICROSECONDS, .help = "Flows begin within this time", .standard = "0", .least = 0, .most = 1e7,
     FIELD(stagger_us)},
    {.kind = OPTION_GROUP, .help = "Faults"},
    {"loss", OPTION_NUMBER, .value = "P", .unit = "a probability", .help = "A packet is lost on a cable", .standard = "0",
     .least = 0, .most = 0.5, FIELD(run.loss)},
    {"cut", OPTION_TEXT, .value = "CABLE,..@US", .help = "These cables, as sA-sB or hA-sB, are cut then", .wrong = "s0-s0@1",
     FIELD(cut)},
    {"converge", MICROSECONDS, .help = "Routes are worked out anew so long afterwards", .standard = "100", .least = 0,
     .most = 1e7, FIELD(converge_us)},
    {"kill-host", OPTION_TEXT, .value = "HOST@US", .help = "This host stops for ever then", .wrong = "1", FIELD(dead)},
    {"reboot", OPTION_TEXT, .value = "SWITCH@FROM:TO",
     .help = "This switch, as s3, leaf0 or spine1, is off from one time to the other, microseconds: what is in it, and what it "
             "knew of flows and sums, is lost",
     .wrong = "s99@1:2", FIELD(reboot)},
    {"storm", OPTION_TEXT, .value = "HOST@FROM:TO",
     .help = "The interface of this host stops its cable from one time to the other, microseconds", .wrong = "0@5:1",
     FIELD(storm)},
    {.kind = OPTION_GROUP, .help = "The run, and what is written"},
    {"time", MICROSECONDS, .help = "The run ends then, done or not", .standard = "10000000", .least = 1, .most = 1.7e7,
     FIELD(limit_us)},
    {"partition", OPTION_CHOICE,
     .help = "With MPI: neighbouring racks to one process, or anything to any. What happens is the same", .standard = "racks",
     .names = partitions, FIELD(partition)},
    {"seed", OPTION_WHOLE, .value = "S", .help = "Seed of all random choices", .standard = "1", RANGE(run.seed, 0, UINT64_MAX),
     GIVEN(seed_given)},
    {"tap", OPTION_TEXT, .value = "CABLE,..", .help = "Cables, as hA-sB or sA-sB, of which --out has all packets, both ways",
     .wrong = "s0-s0", FIELD(tap)},
    {"out", OPTION_OUTPUT, .value = "FILE",
     .help = "What is sent on the cables of --tap, before it is lost: pcapng, gzipped if FILE ends in .gz; two interfaces a "
             "cable, the first is of what its first "
             "end sends",
     FIELD(out)},
    {"json", OPTION_OUTPUT, .value = "FILE", .help = "A summary as JSON", FIELD(json)},
    {"report", OPTION_OUTPUT, .value = "FILE.html",
     .help = "A page with a map of the network and its load, and what happened on each cable and in each queue over time",
     FIELD(report)},
    {0},
};

const struct command_line fabric_command_line = {
    .name = "weir fabric",
    .purpose = "runs a Clos network of RDMA hosts, packet by packet",
    .about = "Hosts write messages over RC connections through leaf and spine switches (RoCE at Meta): queues, buffers that have "
             "an end, priority flow "
             "control, ECN and DCQCN, several ways of choosing a way, admission by the receiver, collectives. A message carries "
             "a number in "
             "place of its bytes, and results are compared with what they must be; every packet is accounted for. `weir-mpi "
             "fabric` runs the same on "
             "several processes or machines, with the same result to the bit.",
    .example = "--topology clos:16x8x8 --load all-reduce --size 16M",
    .exits = "0 all checks passed and all ranks are done, 1 not, 2 bad usage or bad input.",
    .options = options,
};

const char *fabric_options_load(const struct fabric_options *o) { return loads[o->kind]; }
const char *fabric_options_routing(const struct fabric_options *o) { return routings[o->routing]; }

// --- the rest ---

static uint64_t ps(double us) { return (uint64_t)(us * 1e6); }

static int fill_switches(struct fabric_options *o) {
  if ((o->leaf_low > 0) != (o->leaf_high > 0) || o->leaf_low > o->leaf_high)
    return fabric_refuse("--leaf-mark %" PRIu64 ": --leaf-mark-all must be given too, and not be less", o->leaf_low);
  if ((o->spine_low > 0) != (o->spine_high > 0) || o->spine_low > o->spine_high)
    return fabric_refuse("--spine-mark %" PRIu64 ": --spine-mark-all must be given too, and not be less", o->spine_low);
  const struct switch_options leaf = {.routing = (enum routing)o->routing,
                                      .pfc = !o->no_pfc,
                                      .policy = BUFFER_SHARED,
                                      .buffer = o->leaf_buffer,
                                      .alpha = o->alpha,
                                      .resume = 2 * (o->run.nic.mtu + PACKET_OVERHEAD),
                                      .mark_low = o->leaf_low,
                                      .mark_high = o->leaf_high,
                                      .mark_most = o->mark_most,
                                      .flowlet_ps = ps(o->flowlet_us),
                                      .uplink = o->uplink,
                                      .watchdog_ps = (uint64_t)(o->watchdog_ms * 1e9)};
  if (o->uplink && o->routing != ROUTING_ECMP && o->routing != ROUTING_E_ECMP && o->routing != ROUTING_FLOWLET)
    return fabric_refuse("--uplink: with --routing ecmp, e-ecmp or flowlet");
  for (uint32_t s = 0; o->uplink && s < o->net.switches; s++) {
    uint32_t up = 0;
    for (uint32_t p = 0; p < o->net.port_count[o->net.hosts + s]; p++) {
      const struct net_cable *c = &o->net.cables[o->net.at[o->net.hosts + s][p]];
      up += c->ends[c->ends[0] == o->net.hosts + s] >= o->net.hosts;
    }
    if (o->net.tiers[s] == 1 && up > UPLINK_MAX_PORTS)
      return fabric_refuse("--uplink: leaf s%" PRIu32 " has %" PRIu32 " uplinks, and the device %d at most", s, up,
                           UPLINK_MAX_PORTS);
  }
  struct switch_options spine = leaf;
  spine.policy = BUFFER_CARVED;
  spine.buffer = o->spine_buffer;
  spine.mark_low = o->spine_low;
  spine.mark_high = o->spine_high;
  spine.credit_ps = ps(o->credit_us);
  o->run.tiers[0] = leaf;
  for (unsigned t = 1; t < FABRIC_TIERS; t++) o->run.tiers[t] = spine;
  return 0;
}

// The parameters of DCQCN that its authors recommend (Zhu et al., SIGCOMM'15, 5), steps in proportion to the rate.
static void fill_hosts(struct fabric_options *o) {
  struct nic_options *n = &o->run.nic;
  n->timeout_ps = ps(o->timeout_us);
  n->cnp_ps = ps(50);
  n->ack_class = o->ack_class;
  n->cts_class = o->cts_class;
  n->split = o->qp_mode == 1;
  n->hash_qp = o->routing != ROUTING_ECMP;
  const double line = strncmp(o->shape, "machines:", 9) == 0 ? o->inner_gbps : o->host_gbps;
  n->rate = (struct dcqcn_options){.line_gbps = line,
                                   .least_gbps = line / 1000,
                                   .step_gbps = line / 1000,
                                   .hyper_gbps = line / 100,
                                   .gain = 1.0 / 256,
                                   .alpha_ps = ps(55),
                                   .rise_ps = ps(55),
                                   .rise_bytes = 10000000,
                                   .fast = 5};
}

static int check(struct fabric_options *o) {
  char error[300];
  const double leaf = o->leaf_given ? o->leaf_gbps : o->host_gbps;
  const struct net_speeds speeds = {.nodes = o->kind == LOAD_NODES,
                                    .inner = o->inner_gbps,
                                    .node_ps = (uint64_t)(o->node_ns * 500),
                                    .host = o->host_gbps,
                                    .leaf = leaf,
                                    .spine = o->spine_given ? o->spine_gbps : leaf,
                                    .delay_ps = {(uint64_t)(o->host_ns * 1e3), (uint64_t)(o->leaf_ns * 1e3),
                                                 (uint64_t)(o->spine_ns * 1e3)}};
  if (net_read(&o->net, o->shape, &speeds, error, sizeof error) != 0) return fabric_refuse("--topology %s: %s", o->shape, error);
  // One packet of each window asks: otherwise nothing would open a full one again.
  const uint64_t window = o->run.nic.window / o->run.nic.mtu;
  if (o->run.nic.ack_every > window) o->run.nic.ack_every = (uint32_t)window;
  struct load_options *l = &o->run.load;
  l->kind = (enum load_kind)o->kind;
  o->run.background = (struct load_options){.kind = LOAD_PERMUTATION,
                                            .bytes = o->run.background.bytes,
                                            .message = l->message,
                                            .seed = l->seed + 1};
  if (l->kind == LOAD_NODES) l->message = o->run.nic.mtu;
  if (l->kind == LOAD_GATHER && !o->message_given) l->message = 64;
  if ((l->kind == LOAD_NETREDUCE || l->kind == LOAD_PARALLEL_NETREDUCE) && (o->run.nic.qps > 1 || o->run.nic.channels > 0))
    return fabric_refuse("--load netreduce, parallel-netreduce: rings have one connection between two ranks, and no clearance; "
                         "without --qps and --channels");
  l->placement = (enum placement)o->placement;
  l->stagger_ps = ps(o->stagger_us);
  l->prepare_ps = ps(o->prepare_us);
  l->seed = o->run.seed;
  if ((l->kind == LOAD_MATRIX || l->kind == LOAD_CAPTURE) != (l->file != NULL))
    return fabric_refuse("--matrix: a file of flows goes with --load matrix or capture, and only with these");
  if (l->bytes / l->message > 1 << 24)
    return fabric_refuse("--message %" PRIu64 ": more than %d messages; it must be larger", l->message, 1 << 24);
  o->run.net = &o->net;
  o->run.latency_ps = (uint64_t)(o->latency_ns * 1e3);
  o->run.limit_ps = ps(o->limit_us);
  o->run.lines = o->report != NULL;
  o->run.partition = (enum partition)o->partition;
  int code = fill_switches(o);
  fill_hosts(o);
  return code == 0 ? fabric_options_places(o) : code;
}

int fabric_options_parse(int argc, char **argv, struct fabric_options *o) {
  *o = (struct fabric_options){0};
  const int code = options_parse(&fabric_command_line, argc, argv, o);
  return code == 0 ? check(o) : code;
}

void fabric_options_free(struct fabric_options *o) {
  net_free(&o->net);
  free(o->run.cuts);
  free(o->run.taps);
  free(o->rtl_at);
  free(o->rtl_uplink);
  free(o->rtl_host);
}
