#include "sim/ring/ring_options.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "wire/roce.h"

#define COUNT(table) (sizeof(table) / sizeof(table)[0])
#define FIELD(member) OPTION_AT(struct ring_options, member)
#define GIVEN(member) OPTION_GIVEN(struct ring_options, member)
#define RANGE(member, from, to) OPTION_RANGE(struct ring_options, member, from, to)
#define PROBABILITY .value = "P", .unit = "a probability", .standard = "0", .least = 0, .most = 1, .below = true
#define MICROSECONDS .value = "US", .unit = "microseconds"
#define GBPS .value = "GBPS", .unit = "Gb/s"

static const char *const verbs[] = {
    [RC_SEND] = "send", [RC_SEND_IMM] = "send-imm", [RC_WRITE] = "write", [RC_WRITE_IMM] = "write-imm", NULL};
static const char *const hops[] = {"up", "to-device", "from-device", "down", "to-parent", "from-parent", NULL};
static const char *const devices[] = {"model", "rtl-spine", "rtl", NULL};

const char *ring_verb_name(enum rc_verb verb) { return verbs[verb]; }

static const struct command_option options[] = {
    {.kind = OPTION_GROUP, .help = "What is reduced"},
    {"hosts", OPTION_WHOLE, .value = "H", .help = "Hosts; each is a rank of every ring", .standard = "6",
     RANGE(hosts, 2, JOBS_MOST_HOSTS), GIVEN(hosts_given)},
    {"rings", OPTION_WHOLE, .value = "R", .help = "Rings at the same time", .standard = "1", RANGE(rings, 1, JOBS_MOST),
     GIVEN(rings_given)},
    {"tensor", OPTION_BYTES, .value = "BYTES", .help = "Tensor of each host and ring; K and M may follow", .standard = "1M",
     RANGE(standard.tensor, 1, JOBS_MOST_BYTES)},
    {"type", OPTION_CHOICE, .help = "Its elements", .standard = "fp32", .names = ina_types, FIELD(type)},
    {"op", OPTION_CHOICE, .help = "Reduction", .standard = "sum", .names = ina_ops, FIELD(op)},
    {"jobs", OPTION_TEXT, .value = "FILE|JSON",
     .help =
         "Rings of some hosts each: [{\"hosts\": [0, 1, 2]}, {\"hosts\": [3, 4], \"type\": \"bf16\"}], here or in a file; rank i "
         "is the i-th of them. \"type\", \"op\" and \"tensor\" are as above for a job that has its own",
     .wrong = "[]", FIELD(jobs)},
    {.kind = OPTION_GROUP, .help = "How hosts send it"},
    {"window", OPTION_WHOLE, .value = "N", .help = "Messages a host may have outstanding", .standard = "2",
     RANGE(cluster.window, 1, 64)},
    {"msglen", OPTION_WHOLE, .value = "PACKETS", .help = "Packets of a message", .standard = "170",
     RANGE(cluster.msglen, 1, 16384)},
    {"mtu", OPTION_WHOLE, .value = "BYTES", .help = "Payload of a packet", .standard = "1024", .powers = true,
     RANGE(cluster.mtu, 256, 4096)},
    {"verb", OPTION_CHOICE, .help = "RDMA operation; -imm tells completion, the others are polled", .standard = "write-imm",
     .names = verbs, FIELD(cluster.verb)},
    {"short-last", OPTION_FLAG, .help = "The last message ends with the tensor instead of being padded",
     FIELD(cluster.short_last)},
    {"register", OPTION_FLAG, .help = "Connections are registered by the control plane, not learned", .off = true,
     FIELD(cluster.learn)},
    {"timeout", OPTION_NUMBER, MICROSECONDS, .help = "Local ACK Timeout", .standard = "100", .least = 1, .most = 1e6,
     FIELD(timeout_us)},
    {"ack-every", OPTION_WHOLE, .value = "PACKETS", .help = "Ask for an ACK so often; 0: at each message's end", .standard = "0",
     RANGE(cluster.ack_every, 0, 1 << 20)},
    {"ack-delay", OPTION_NUMBER, MICROSECONDS, .help = "ACKs are so late, and cover what came meanwhile", .standard = "0",
     .least = 0, .most = 1e6, FIELD(ack_delay_us)},
    {"rnr", OPTION_NUMBER, PROBABILITY, .help = "Probability that a receiver is not ready for a message, in whole hundredths",
     FIELD(rnr)},
    {.kind = OPTION_GROUP, .help = "What happens on the way"},
    {"loss", OPTION_NUMBER, PROBABILITY, .help = "Probability that a frame is lost, on each cable", FIELD(faults.loss)},
    {"dup", OPTION_NUMBER, PROBABILITY, .help = "That it arrives twice", FIELD(faults.dup)},
    {"reorder", OPTION_NUMBER, PROBABILITY, .help = "That others overtake it", FIELD(faults.reorder)},
    {"ber", OPTION_NUMBER, PROBABILITY, .help = "That bits of it are flipped; half of the cases escape the FCS",
     FIELD(faults.damage)},
    {"hop", OPTION_CHOICES, .help = "These four happen on this kind of cable only", .absent = "all", .names = hops, FIELD(hops)},
    {"rate", OPTION_NUMBER, GBPS, .help = "Rate of the cables", .standard = "100", .least = 0.1, .most = 256,
     FIELD(cluster.gbps)},
    {"rtt", OPTION_NUMBER, MICROSECONDS, .help = "From a packet's start to its result at the next host, on an idle network",
     .absent = "cables without delay", .least = 0.1, .most = 1e5, FIELD(rtt_us)},
    {"no-pause", OPTION_FLAG, .help = "The switch drops where it would pause", .off = true, FIELD(cluster.pause)},
    {"slow", OPTION_WHOLE, .value = "HOST", .help = "This host's cable has a thousandth of the rate",
     RANGE(cluster.slow, 0, RACKS_MAX_HOSTS - 1)},
    {"stop", OPTION_WHOLE, .value = "HOST", .help = "This host stops for ever in the middle of the first ring's tensor",
     RANGE(cluster.dead, 0, RACKS_MAX_HOSTS - 1)},
    {"restart", OPTION_FLAG,
     .help =
         "In the middle of the first ring's tensor it is torn down, packets still under way, and set up again for another tensor",
     FIELD(cluster.restart)},
    {"hold", OPTION_WHOLE, .value = "CYCLES", .help = "In the middle, all outputs of the device are held for so long",
     RANGE(cluster.hold_cycles, 1, 10000000)},
    {"pause-port", OPTION_TEXT, .value = "PORT:FROM:TO",
     .help = "This output of the device is held, as PFC from its host's side does it, between these two times in microseconds",
     .wrong = "0:5:5", FIELD(pause_port)},
    {"flush-other", OPTION_WHOLE, .value = "N",
     .help = "When the first rank of the first ring has half of its results, all ranks of the last ring stop for ever; then its "
             "ring is flushed so often, one flush behind the other, while the others go on",
     RANGE(cluster.flushes, 1, 1000000)},
    {"hostile", OPTION_WHOLE, .value = "HOSTS",
     .help = "More hosts, in no ring, that send forged, broken and senseless frames; without --register they begin when all "
             "ranks are known, because the first to claim a rank gets it",
     RANGE(cluster.hostile, 1, CLUSTER_MAX_HOSTILE)},
    {"hostile-rate", OPTION_NUMBER, GBPS, .help = "What each of them sends", .standard = "10", .least = 0.001, .most = 128,
     FIELD(cluster.hostile_gbps)},
    {"offer", OPTION_NUMBER, .value = "SHARE", .unit = "a share", .help = "New packets take this share of a host's cable",
     .absent = "as much as there is", .least = 0.001, .most = 1, FIELD(cluster.offer)},
    {"storm", OPTION_FLAG,
     .help = "Hosts fill their cables with copies of the latest two messages they sent; with --offer, says how many new packets "
             "get through",
     FIELD(cluster.storm)},
    {"epoch", OPTION_WHOLE, .value = "E",
     .help = "The device marks results with it, with the next one when it was switched off, and hosts with an -imm verb take "
             "nothing without (docs/protocol.md)",
     .absent = "results carry no mark", RANGE(epoch, 1, 255)},
    {"reboot-at", OPTION_NUMBER, MICROSECONDS, .help = "When --reboot happens, of one device",
     .absent = "when the first host has half of its results", .least = 1, .most = 1e6, FIELD(reboot_us)},
    {"reboot-down", OPTION_NUMBER, MICROSECONDS, .help = "How long it is off, of one device: frames are lost", .standard = "10",
     .least = 0, .most = 1e6, FIELD(down_us)},
    {.kind = OPTION_GROUP, .help = "More than one rack"},
    {"topology", OPTION_TEXT, .value = "FILE|JSON|leaf-spine:LxH|fat-tree:AxB..xH",
     .help = "A tree of switches with a device each: L leaves of H hosts below a spine, A switches with B below each and so on, "
             "or what "
             "JSON says, here or in a file: a leaf is {\"hosts\": H}, any other switch {\"children\": [..]}",
     .wrong = "leaf-spine:0x0", FIELD(tree)},
    {"devices", OPTION_CHOICE,
     .help = "What stands beside the switches of a tree: golden models, the RTL at the root and models below, or the RTL",
     .standard = "model", .names = devices, FIELD(cluster.rtl), GIVEN(devices_given)},
    {"turns", OPTION_WHOLE, .value = "N",
     .help = "So many jobs one after the other in each ring, with queue pairs of their own: when all are over, each device's "
             "rings are released, or flushed after the second of three, and set up again; with --register the first of three "
             "is registered, and the others are learned. Only with --devices rtl; the hosts' counts are those of the last job",
     .standard = "1", RANGE(cluster.turns, 1, 200)},
    {"plain-ring", OPTION_FLAG,
     .help = "Also takes the time of a ring all-reduce without devices on the same cables, by hosts that add in no time",
     FIELD(plain_ring)},
    {"reboot", OPTION_WHOLE, .value = "SWITCH",
     .help = "In the middle of the first ring's tensor this switch's device is switched off and on again; 0 is the root, or the "
             "only one. Rings may stand still then; what hosts took is compared, and without --register or --epoch some may be "
             "wrong (docs/protocol.md, docs/relay.md)",
     RANGE(cluster.reboot, 0, RACKS_MAX_NODES - 1)},
    {.kind = OPTION_GROUP, .help = "The device and the run"},
    {"config", OPTION_CONFIG, .value = "NAME", .help = "Configuration of the device", .absent = "the smallest that fits",
     FIELD(config)},
    {"stall", OPTION_NUMBER, .value = "P", .unit = "a probability",
     .help = "Probability, each cycle and port, that an output is held back", .standard = "0", .least = 0, .most = 0.999,
     FIELD(cluster.stall)},
    {"seed", OPTION_WHOLE, .value = "S", .help = "Seed of all random choices", .standard = "1",
     RANGE(cluster.seed, 0, UINT64_MAX), GIVEN(seed_given)},
    {.kind = OPTION_GROUP, .help = "What is written"},
    {"out", OPTION_OUTPUT, .value = "FILE",
     .help = "What each host receives: pcapng, gzipped if FILE ends in .gz; interface = host", FIELD(out)},
    {"json", OPTION_OUTPUT, .value = "FILE", .help = "A summary as JSON", FIELD(json)},
    {"report", OPTION_OUTPUT, .value = "FILE.html", .help = "A page with pictures of the run: throughput, latency, slots, drops",
     FIELD(report)},
    {"wave", OPTION_OUTPUT, .value = "FILE.fst", .help = "All signals for GTKWave", FIELD(wave)},
    {0},
};

const struct command_line ring_command_line = {
    .name = "weir ring",
    .purpose = "lets hosts all-reduce tensors through the device, in closed loop",
    .about = "The hosts react: they are RC queue pairs with go-back-N and a window of messages. Tensors are random; each host's "
             "is compared with "
             "the sum computed directly, and every packet with the golden model.",
    .example = "--hosts 4 --tensor 256K --loss 0.001 --report ring.html",
    .exits = "0 all checks passed, 1 a check failed, 2 bad usage.",
    .options = options,
};

/// Of one device.
static int check_reboot(const struct ring_options *o) {
  const struct cluster_options *c = &o->cluster;
  if (c->reboot == CLUSTER_NOBODY) return o->reboot_us > 0 ? ring_refuse("--reboot-at: only with --reboot") : 0;
  if (c->reboot > 0) return ring_refuse("--reboot %u: there is switch 0 alone without --topology", c->reboot);
  if (c->restart || c->hostile > 0 || c->storm || c->flushes > 0 || c->dead != CLUSTER_NOBODY || o->report != NULL)
    return ring_refuse("--reboot: not with --restart, --hostile, --storm, --flush-other, --stop or --report");
  return 0;
}

/// Reads the tree; what speaks of one device is refused beside it.
static int check_tree(struct ring_options *o) {
  struct cluster_options *c = &o->cluster;
  char error[256];
  if (o->tree == NULL) {
    if (o->devices_given) return ring_refuse("--devices: only with --topology");
    if (o->plain_ring) return ring_refuse("--plain-ring: only with --topology");
    if (c->turns > 1) return ring_refuse("--turns: only with --topology");
    return check_reboot(o);
  }
  const struct {
    const char *name;
    bool given;
  } alone[] = {{"--hosts", o->hosts_given},     {"--reboot-at", o->reboot_us > 0},       {"--rtt", o->rtt_us > 0},
               {"--restart", c->restart},       {"--hold", c->hold_cycles > 0},          {"--hostile", c->hostile > 0},
               {"--config", o->config != NULL}, {"--pause-port", o->pause_port != NULL}, {"--flush-other", c->flushes > 0},
               {"--stall", c->stall > 0},       {"--report", o->report != NULL},         {"--wave", o->wave != NULL}};
  for (size_t i = 0; i < COUNT(alone); i++)
    if (alone[i].given) return ring_refuse("%s: not with --topology", alone[i].name);
  if (c->turns > 1 && (c->rtl != RACKS_ALL || c->dead != CLUSTER_NOBODY || c->reboot != CLUSTER_NOBODY || o->plain_ring))
    return ring_refuse("--turns: only with --devices rtl, and not with --stop, --reboot or --plain-ring");
  const struct topology_limits limits = {RACKS_MAX_NODES, RACKS_MAX_HOSTS, RACKS_MAX_CHILDREN, 0};
  if (topology_read(&o->topology, o->tree, &limits, error, sizeof error) != 0)
    return ring_refuse("--topology %s: %s", o->tree, error);
  if (o->topology.nodes[0].leaf) return ring_refuse("--topology %s: one leaf alone is no tree: leave out --topology", o->tree);
  if (c->reboot != CLUSTER_NOBODY && c->reboot >= o->topology.count)
    return ring_refuse("--reboot %u: there are switches 0 to %u", c->reboot, o->topology.count - 1);
  c->topology = &o->topology;
  o->hosts = o->topology.hosts;
  return 0;
}

/// Which host is in which ring, and what is reduced there.
static int check_jobs(struct ring_options *o) {
  struct jobs *jobs = &o->cluster.jobs;
  char error[256];
  unsigned wrong;
  if (o->jobs == NULL) {
    jobs_alike(jobs, o->rings, o->hosts, o->standard.kind, o->standard.tensor);
  } else {
    const char *other = o->hosts_given ? "--hosts" : o->rings_given ? "--rings" : o->tree != NULL ? "--topology" : NULL;
    if (other != NULL) return ring_refuse("--jobs: not with %s", other);
    if (jobs_read(jobs, o->jobs, &o->standard, error, sizeof error) != 0) return ring_refuse("--jobs %s: %s", o->jobs, error);
  }
  if (jobs_whole(jobs, &wrong)) return 0;
  const struct job *job = &jobs->list[wrong];
  snprintf(error, sizeof error, "--jobs: job %u: a tensor of", wrong + 1);
  return ring_refuse("%s %zu: must be a whole number of elements; %s has %zu bytes", o->jobs != NULL ? error : "--tensor",
                     job->tensor, ina_types[job->kind & 15], ina_element_size(job->kind));
}

/// Reads PORT:FROM:TO.
static int check_pause(struct ring_options *o) {
  struct cluster_options *c = &o->cluster;
  const char *text = o->pause_port, *from = text != NULL ? strchr(text, ':') : NULL,
             *to = from != NULL ? strchr(from + 1, ':') : NULL;
  char words[2][24];
  uint64_t port;
  double us[2];
  if (text == NULL) return 0;
  if (to == NULL || (size_t)(from - text) >= sizeof words[0] || (size_t)(to - from) > sizeof words[1])
    return ring_refuse("--pause-port %s: must be PORT:FROM:TO", text);
  snprintf(words[0], sizeof words[0], "%.*s", (int)(from - text), text);
  snprintf(words[1], sizeof words[1], "%.*s", (int)(to - from - 1), from + 1);
  if (!text_whole(words[0], 0, FABRIC_MAX_PORTS - 1, &port))
    return ring_refuse("--pause-port %s: the port must be a whole number, 0 to %d", text, FABRIC_MAX_PORTS - 1);
  if (!usage_number(words[1], &us[0]) || !usage_number(to + 1, &us[1]) || us[0] < 0 || us[1] > 1e6)
    return ring_refuse("--pause-port %s: times must be microseconds, 0 to 1000000", text);
  c->pause_port = (unsigned)port;
  c->pause_from_ps = (uint64_t)(us[0] * 1e6);
  c->pause_to_ps = us[1] > 0 ? (uint64_t)(us[1] * 1e6) : 0;
  if (c->pause_to_ps <= c->pause_from_ps) return ring_refuse("--pause-port %s: must end after it begins", text);
  return 0;
}

/// A ring is flushed beside others, when nothing of it is under way.
static int check_flush(struct ring_options *o) {
  struct cluster_options *c = &o->cluster;
  if (c->flushes == 0) return 0;
  c->crash = true;
  if (c->jobs.count < 2) return ring_refuse("--flush-other: wants two rings or more, of --jobs or --rings");
  const struct {
    const char *name;
    bool given;
  } never[] = {{"--stop", c->dead != CLUSTER_NOBODY},
               {"--restart", c->restart},
               {"--hostile", c->hostile > 0},
               {"--hold", c->hold_cycles > 0},
               {"--pause-port", c->pause_to_ps > 0}};
  for (size_t i = 0; i < COUNT(never); i++)
    if (never[i].given) return ring_refuse("--flush-other: not with %s", never[i].name);
  return 0;
}

/// Values that must fit each other.
static int check(struct ring_options *o) {
  const struct cluster_options *c = &o->cluster;
  const struct jobs *jobs = &c->jobs;
  int code = check_tree(o);
  if (code == 0) code = check_jobs(o);
  if (code != 0) return code;
  if (c->slow != CLUSTER_NOBODY && c->slow >= jobs->hosts)
    return ring_refuse("--slow %u: there are hosts 0 to %u", c->slow, jobs->hosts - 1);
  if (c->dead != CLUSTER_NOBODY && c->dead >= jobs->hosts)
    return ring_refuse("--stop %u: there are hosts 0 to %u", c->dead, jobs->hosts - 1);
  if (c->dead != CLUSTER_NOBODY && job_rank(&jobs->list[0], c->dead) < 0)
    return ring_refuse("--stop %u: is not in the first job", c->dead);
  if (c->dead != CLUSTER_NOBODY && c->restart) return ring_refuse("--restart: not with --stop, both are about the first ring");
  if (o->rnr > 0 && (c->rnr_percent == 0 || c->rnr_percent == 100))
    return ring_refuse("--rnr %g: must be 0, or 0.01 to 0.99 in whole hundredths", o->rnr);
  code = check_pause(o);
  return code == 0 ? check_flush(o) : code;
}

/// What the cluster has in its own units.
static void derive(struct ring_options *o) {
  struct cluster_options *c = &o->cluster;
  o->standard.kind = (uint8_t)(o->op << 4 | o->type);
  c->timeout_ps = (uint64_t)(o->timeout_us * 1e6);   // less than 2^40
  c->ack_delay_ps = (uint64_t)(o->ack_delay_us * 1e6);
  c->epoch = (uint8_t)o->epoch;
  c->reboot_ps = (uint64_t)(o->reboot_us * 1e6);
  c->down_ps = (uint64_t)(o->down_us * 1e6);
  c->rnr_percent = (unsigned)(o->rnr * 100 + 0.5);
  for (int h = 0; h < FABRIC_HOPS; h++) c->faults[h] = o->hops == 0 || (o->hops >> h & 1) ? o->faults : (struct link_faults){0};
}

int ring_parse(int argc, char **argv, struct ring_options *o) {
  *o = (struct ring_options){
      .cluster = {.learn = true, .pause = true, .slow = CLUSTER_NOBODY, .dead = CLUSTER_NOBODY, .reboot = CLUSTER_NOBODY}};
  const int code = options_parse(&ring_command_line, argc, argv, o);
  if (code != 0) return code;
  derive(o);
  return check(o);
}
