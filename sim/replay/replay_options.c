#include "sim/replay/replay_options.h"

#define FIELD(member) OPTION_AT(struct replay_options, member)
#define RANGE(member, from, to) OPTION_RANGE(struct replay_options, member, from, to)

static const char *const paces[] = {[PACE_ASAP] = "asap", [PACE_LINE] = "line", [PACE_RECORDED] = "recorded", NULL};
static const char *const devices[] = {[REPLAY_AGGREGATOR] = "aggregator", [REPLAY_UPLINK] = "uplink", NULL};

static const struct command_option options[] = {
    {.kind = OPTION_INPUT,
     .argument = "capture",
     .required = true,
     .value = "IN",
     .help = "The capture: pcap or pcapng, gzipped or not; interface number = switch port. One with a single interface is split "
             "into ports "
             "by source MAC",
     .wrong = "/nowhere.pcap",
     FIELD(input)},
    {.kind = OPTION_GROUP, .help = "What is replayed, and how"},
    {"device", OPTION_CHOICE, .help = "What it is replayed through: in a ring's way, or in front of a leaf switch's uplinks",
     .standard = "aggregator", .names = devices, FIELD(device)},
    {"config", OPTION_CONFIG, .value = "NAME", .help = "Configuration of the device",
     .absent = "the smallest that fits the capture", FIELD(plan.config)},
    {"window", OPTION_WHOLE, .value = "N", .help = "Messages a host may have outstanding, for rings found in the capture",
     .standard = "2", RANGE(plan.window, 1, 32768)},
    {"rings", OPTION_INPUT, .value = "FILE", .help = "JSON file that names the rings", .absent = "those found in the capture",
     .wrong = "/nowhere.json", FIELD(plan.rings_file)},
    {"pace", OPTION_CHOICE,
     .help = "Frames start as soon as they can, which keeps the capture's order over all ports where it matters; in its order, "
             "at 100 Gb/s a port at most; or at their time stamps",
     .standard = "asap", .names = paces, FIELD(pace)},
    {"stall", OPTION_NUMBER, .value = "P", .unit = "a probability",
     .help = "Probability, each cycle and port, that an output is held back", .standard = "0", .least = 0, .most = 0.999,
     FIELD(stall)},
    {"flowlets", OPTION_WHOLE, .value = "N", .unit = "cycles",
     .help = "Of uplinks: a flow that has been still for longer goes where the load is least; 0: each flow by its hash",
     .standard = "0", RANGE(flowlets, 0, UINT32_MAX)},
    {"cut", OPTION_FLAG, .help = "Of uplinks: half way the first link goes down", FIELD(cut)},
    {"seed", OPTION_WHOLE, .value = "S", .help = "Seed of all random choices", .standard = "1", RANGE(seed, 0, UINT64_MAX),
     OPTION_GIVEN(struct replay_options, seed_given)},
    {"limit", OPTION_WHOLE, .value = "FRAMES", .help = "Replay only so many frames", .absent = "all", RANGE(limit, 1, SIZE_MAX)},
    {.kind = OPTION_GROUP, .help = "What is written"},
    {"out", OPTION_OUTPUT, .value = "FILE",
     .help = "What each host would receive: pcapng, gzipped if FILE ends in .gz; interface = port", FIELD(out)},
    {"json", OPTION_OUTPUT, .value = "FILE", .help = "A summary as JSON", FIELD(json)},
    {"report", OPTION_OUTPUT, .value = "FILE.html", .help = "A page with pictures of the run: throughput, latency, slots, drops",
     FIELD(report)},
    {"wave", OPTION_OUTPUT, .value = "FILE.fst", .help = "All signals for GTKWave", FIELD(wave)},
    {0},
};

const struct command_line replay_command_line = {
    .name = "weir replay",
    .purpose = "replays a capture through the device and checks every packet that leaves it",
    .about = "Every packet that leaves the device is compared, byte by byte, with the golden model, and with what an independent "
             "witness makes "
             "of the capture. Rings are found in the capture.",
    .example = "sim/captures/ring4.in.pcapng.gz --report ring4.html",
    .exits = "0 all checks passed, 1 a check failed, 2 bad usage or bad input.",
    .options = options,
};

int replay_parse(int argc, char **argv, struct replay_options *o) {
  *o = (struct replay_options){0};
  return options_parse(&replay_command_line, argc, argv, o);
}
