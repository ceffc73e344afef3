#include "sim/soak/soak_options.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "sim/cli/options.h"

#define FIELD(member) OPTION_AT(struct soak_options, member)
#define RANGE(member, from, to) OPTION_RANGE(struct soak_options, member, from, to)

/// Seeds without --seeds, and the last one that there may be.
enum { SEEDS = 1000 };
#define SEED_MOST ((uint64_t)INT64_MAX)

static const struct command_option options[] = {
    {"config", OPTION_CONFIG, .value = "NAME", .help = "Configuration of the device", .standard = "tiny", FIELD(config_name)},
    {"seeds", OPTION_TEXT, .value = "A..B", .help = "Scenarios to run, or A alone",
     .absent = "1..1000, or with --minutes all from 1 on", .wrong = "2..1", FIELD(seeds)},
    {"jobs", OPTION_WHOLE, .value = "N", .help = "Processes", .absent = "as many as there are processors",
     RANGE(jobs, 1, SOAK_JOBS)},
    {"minutes", OPTION_WHOLE, .value = "N", .help = "End after so long", .absent = "no end before the last seed",
     RANGE(minutes, 1, 100000)},
    {"flips", OPTION_WHOLE, .value = "N", .help = "Bits of memories flipped in 1000 cycles, on average; with --config tiny_ecc",
     .standard = "0", RANGE(flips, 0, 5000)},
    {"tenants", OPTION_WHOLE, .value = "N",
     .help = "Instead of random frames: tenants whose jobs come and go in one life of the device", .standard = "0",
     RANGE(tenants, 0, SOAK_TENANTS)},
    {"frames", OPTION_WHOLE, .value = "N", .help = "With --tenants: into the device, at least", .standard = "8000",
     RANGE(frames, 1, 1000000000)},
    {"job-count", OPTION_WHOLE, .value = "N", .help = "With --tenants: jobs that are over, at least", .standard = "12",
     RANGE(lives, 1, 1000000000)},
    {"wave", OPTION_OUTPUT, .value = "FILE.fst", .help = "All signals for GTKWave; of one seed", FIELD(wave)},
    {0},
};

static const struct command_line soak_command_line = {
    .name = "soak",
    .purpose = "runs random scenarios on the device, and checks each against golden model and witness",
    .about = "A seed is the same scenario each time: rings, traffic, faults, stalls and idle inputs. The last line is `N passed, "
             "N failed; ..'.",
    .example = "--config tiny --seeds 1..100",
    .exits = "0 all passed, 1 one failed, 2 bad usage.",
    .options = options,
};

/// "A..B", or "A" for A..A.
static bool read_seeds(struct soak_options *o) {
  const char *dots = strstr(o->seeds, "..");
  char first[24];
  const size_t len = dots != NULL ? (size_t)(dots - o->seeds) : strlen(o->seeds);
  if (len >= sizeof first) return false;
  memcpy(first, o->seeds, len);
  first[len] = 0;
  return text_whole(first, 0, SEED_MOST, &o->first) && text_whole(dots != NULL ? dots + 2 : first, o->first, SEED_MOST, &o->last);
}

int soak_parse(int argc, char **argv, struct soak_options *o) {
  *o = (struct soak_options){.first = 1};
  const int code = options_parse(&soak_command_line, argc, argv, o);
  if (code != 0) return code;
  o->config = drive_config_named(o->config_name);
  o->last = o->minutes > 0 ? SEED_MOST : SEEDS;
  if (o->seeds != NULL && !read_seeds(o))
    return soak_refuse("--seeds %s: must be two whole numbers A..B, A not above B, or one", o->seeds);
  if (o->flips != 0 && o->config->ecc == 0)
    return soak_refuse("--flips %u: %s has no corrected memories", o->flips, o->config_name);
  if (o->flips != 0 && o->tenants != 0) return soak_refuse("--flips %u: not with --tenants", o->flips);
  if (o->wave != NULL && o->first != o->last) return soak_refuse("--wave %s: only with one seed, as in --seeds 7", o->wave);
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (o->jobs == 0) o->jobs = processors < 1 ? 1 : processors > SOAK_JOBS ? SOAK_JOBS : (unsigned)processors;
  return 0;
}
