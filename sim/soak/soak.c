// Random scenarios on the device, one a seed. A program of its own: build/sim/soak.
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drive/config.h"
#include "sim/soak/soak_run.h"

enum { PASSED = 0, FAILED = 1, UNUSABLE = 2 };
enum { MAX_JOBS = 64, FAILURES_TOLD = 5, POLL_MS = 200 };
/// From so many seeds on, a fate that no frame met is a failure: the traffic does not test what it should.
enum { SEEDS_FOR_ALL_FATES = 300 };

struct soak_options {
  const struct drive_config *config;
  uint64_t first, last;
  bool ranged;   // --seeds was given
  unsigned jobs;
  uint64_t seconds;   // 0: no limit
  const char *wave;
};

/// A process that runs every `jobs`-th seed.
struct job {
  pid_t pid;       // 0 if it has ended
  uint64_t next;   // seed whose result is to come next
};

struct soak {
  const struct soak_options *options;
  struct job jobs[MAX_JOBS];
  int in, out;   // the pipe that results come through
  uint64_t passed, failed, seeds;
  time_t start, shown;
  struct soak_result sum;
};

// ------------------------------------------------------------------------------------------------ options

enum { OPT_CONFIG = 256, OPT_SEEDS, OPT_JOBS, OPT_MINUTES, OPT_WAVE };

static const struct argp_option option_list[] = {
    {"config", OPT_CONFIG, "NAME", 0, "Configuration of the device (default: tiny)", 0},
    {"seeds", OPT_SEEDS, "A..B", 0, "Scenarios to run (default: 1..1000)", 0},
    {"jobs", OPT_JOBS, "N", 0, "Processes (default: as many as there are processors)", 0},
    {"minutes", OPT_MINUTES, "N", 0, "End after so long; the seeds then go on without end, unless --seeds says where", 0},
    {"wave", OPT_WAVE, "FILE", 0, "Write an FST file (of one seed)", 0},
    {0},
};

static bool whole(const char *text, uint64_t low, uint64_t high, uint64_t *value) {
  if (*text == 0 || strspn(text, "0123456789") != strlen(text)) return false;
  errno = 0;
  *value = strtoull(text, NULL, 10);
  return errno == 0 && *value >= low && *value <= high;
}

static bool seeds(char *text, struct soak_options *o) {
  o->ranged = true;
  char *dots = strstr(text, "..");
  if (dots == NULL) return whole(text, 0, INT64_MAX, &o->first) && (o->last = o->first, true);
  const size_t len = (size_t)(dots - text);
  char first[32];
  if (len >= sizeof first) return false;
  memcpy(first, text, len);
  first[len] = 0;
  return whole(first, 0, INT64_MAX, &o->first) && whole(dots + 2, o->first, INT64_MAX, &o->last);
}

static error_t parse(int key, char *value, struct argp_state *state) {
  struct soak_options *o = state->input;
  uint64_t number = 0;
  switch (key) {
    case OPT_CONFIG:
      o->config = drive_config_named(value);
      if (o->config == NULL) argp_failure(state, UNUSABLE, 0, "--config %s: no such configuration", value);
      return 0;
    case OPT_SEEDS:
      if (!seeds(value, o)) argp_failure(state, UNUSABLE, 0, "--seeds %s: not two numbers A..B with A <= B", value);
      return 0;
    case OPT_JOBS:
      if (!whole(value, 1, MAX_JOBS, &number)) argp_failure(state, UNUSABLE, 0, "--jobs %s: not 1 to %d", value, MAX_JOBS);
      o->jobs = (unsigned)number;
      return 0;
    case OPT_MINUTES:
      if (!whole(value, 1, 100000, &number)) argp_failure(state, UNUSABLE, 0, "--minutes %s: not 1 to 100000", value);
      o->seconds = 60 * number;
      return 0;
    case OPT_WAVE: o->wave = value; return 0;
    case ARGP_KEY_ARG: argp_failure(state, UNUSABLE, 0, "%s: no argument is expected", value); return 0;
    case ARGP_KEY_END:
      if (!o->ranged) o->last = o->seconds ? INT64_MAX : 1000;
      if (o->wave != NULL && o->first != o->last) argp_failure(state, UNUSABLE, 0, "--wave needs a single seed, --seeds A..A");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp parser = {
    .options = option_list,
    .parser = parse,
    .doc = "Runs random scenarios on the device and checks each against golden model and witness.\v"
           "Exit code: 0 all passed, 1 one failed, 2 bad usage. The last line is `N passed, N failed; ..'.",
};

// ------------------------------------------------------------------------------------------------ jobs

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/// The child: runs its seeds and writes a result for each. A result fits a pipe's buffer, so results never mix.
static void work(const struct soak *s, uint64_t seed) {
  _Static_assert(sizeof(struct soak_result) <= 4096, "PIPE_BUF");
  const struct soak_options *o = s->options;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  for (; seed <= o->last; seed += o->jobs) {
    struct soak_result result;
    soak_run(o->config, seed, o->wave, &result);
    if (write(s->out, &result, sizeof result) != (ssize_t)sizeof result) _exit(UNUSABLE);
  }
  _exit(PASSED);
}

static void start(struct soak *s, struct job *job) {
  if (job->next > s->options->last) return;
  fflush(NULL);
  job->pid = fork();
  if (job->pid < 0) {
    fprintf(stderr, "soak: cannot start a process: %s\n", strerror(errno));
    exit(UNUSABLE);
  }
  if (job->pid == 0) work(s, job->next);
}

static void tell_failure(const struct soak *s, const struct soak_result *r) {
  if (s->failed > FAILURES_TOLD) return;
  printf("FAILED seed %" PRIu64 ": %" PRIu64 " mismatches\n", r->seed, r->mismatches);
  for (int i = 0; i < SOAK_TEXTS && r->texts[i][0] != 0; i++) printf("  %s\n", r->texts[i]);
  printf("  %s --config %s --seeds %" PRIu64 "..%" PRIu64 "\n", program_invocation_name, s->options->config->name, r->seed,
         r->seed);
  fflush(stdout);
}

static void note(struct soak *s, const struct soak_result *r) {
  struct soak_result *sum = &s->sum;
  s->seeds++;
  sum->frames += r->frames;
  sum->results += r->results;
  sum->cycles += r->cycles;
  sum->columns += r->columns;
  undecided_add(&sum->undecided, &r->undecided);
  for (int f = 0; f < FATE_COUNT; f++) sum->fates[f] += r->fates[f];
  if (r->mismatches == 0) {
    s->passed++;
  } else {
    s->failed++;
    tell_failure(s, r);
  }
}

/// Takes the results that have come.
static void read_results(struct soak *s) {
  struct soak_result r;
  while (read(s->in, &r, sizeof r) == (ssize_t)sizeof r) {
    s->jobs[(r.seed - s->options->first) % s->options->jobs].next = r.seed + s->options->jobs;
    note(s, &r);
  }
}

/// A job that ended before its last seed broke down in the one whose result is missing; another goes on behind it.
static void bury(struct soak *s, pid_t pid, int status) {
  for (unsigned j = 0; j < s->options->jobs; j++) {
    struct job *job = &s->jobs[j];
    if (job->pid != pid) continue;
    job->pid = 0;
    if (job->next > s->options->last) return;
    struct soak_result r = {.seed = job->next, .mismatches = 1};
    if (WIFSIGNALED(status))
      snprintf(r.texts[0], sizeof r.texts[0], "the run was ended by a signal: %s", strsignal(WTERMSIG(status)));
    else
      snprintf(r.texts[0], sizeof r.texts[0], "the run ended early, with exit code %d", WEXITSTATUS(status));
    note(s, &r);
    job->next += s->options->jobs;
    start(s, job);
  }
}

static bool jobs_left(const struct soak *s) {
  for (unsigned j = 0; j < s->options->jobs; j++)
    if (s->jobs[j].pid != 0) return true;
  return false;
}

static void end_jobs(struct soak *s) {
  for (unsigned j = 0; j < s->options->jobs; j++) {
    if (s->jobs[j].pid == 0) continue;
    kill(s->jobs[j].pid, SIGTERM);
    waitpid(s->jobs[j].pid, NULL, 0);
    s->jobs[j].pid = 0;
  }
}

static void show_progress(struct soak *s) {
  if (!isatty(STDERR_FILENO) || time(NULL) == s->shown) return;
  s->shown = time(NULL);
  fprintf(stderr, "\r%" PRIu64 " passed, %" PRIu64 " failed; %" PRIu64 " frames into the device ", s->passed, s->failed,
          s->sum.frames);
}

static void run(struct soak *s) {
  const struct soak_options *o = s->options;
  for (unsigned j = 0; j < o->jobs; j++) {
    s->jobs[j].next = o->first + j;
    start(s, &s->jobs[j]);
  }
  while (jobs_left(s)) {
    struct pollfd fd = {.fd = s->in, .events = POLLIN};
    int status;
    poll(&fd, 1, POLL_MS);
    // First who has ended, then the results: so all of theirs are there.
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    read_results(s);
    if (ended > 0) bury(s, ended, status);
    show_progress(s);
    if (o->seconds != 0 && (uint64_t)(time(NULL) - s->start) >= o->seconds) end_jobs(s);
  }
  read_results(s);
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%60s\r", "");
}

// ------------------------------------------------------------------------------------------------ the end

/// The table has an entry for every (ring, rank) there can be, and each takes no more than one.
static bool unreachable(const struct drive_config *c, int fate) {
  return fate == FATE_TABLE_FULL && c->conns >= c->rings * c->ranks;
}

static void tell_sum(struct soak *s) {
  const struct soak_result *sum = &s->sum;
  printf("%s, %" PRIu64 " seeds from %" PRIu64 " on: %" PRIu64 " frames, %" PRIu64 " results, %" PRIu64 " cycles, %ld s\n",
         s->options->config->name, s->seeds, s->options->first, sum->frames, sum->results, sum->cycles,
         (long)(time(NULL) - s->start));
  printf("%zu of %" PRIu64 " columns complete, %zu packets that the senders told the meaning of\n",
         sum->undecided.witness.complete, sum->columns, sum->undecided.witness.told);
  undecided_print(stdout, &sum->undecided);
  for (int f = 0; f < FATE_COUNT; f++) {
    const bool missing = sum->fates[f] == 0 && s->seeds >= SEEDS_FOR_ALL_FATES && !unreachable(s->options->config, f);
    printf("  %-18s %10" PRIu64 "%s%s\n", fate_name((enum fate)f), sum->fates[f],
           missing ? "  FAILED: no frame met this fate" : "",
           unreachable(s->options->config, f) ? "  (cannot be: there is an entry for every rank)" : "");
    if (missing) s->failed++;
  }
  printf("%" PRIu64 " passed, %" PRIu64 " failed; %" PRIu64 " frames in %ld s\n", s->passed, s->failed, sum->frames,
         (long)(time(NULL) - s->start));
}

int main(int argc, char **argv) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  struct soak_options o = {.config = drive_config_named("tiny"), .first = 1};
  o.jobs = processors < 1 ? 1 : (unsigned)least((uint64_t)processors, MAX_JOBS);
  argp_err_exit_status = UNUSABLE;
  argp_parse(&parser, argc, argv, 0, NULL, &o);

  struct soak s = {.options = &o, .start = time(NULL)};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
    fprintf(stderr, "soak: no pipe: %s\n", strerror(errno));
    return UNUSABLE;
  }
  s.in = ends[0];
  s.out = ends[1];
  run(&s);
  tell_sum(&s);
  return s.failed == 0 && s.passed > 0 ? PASSED : FAILED;
}
