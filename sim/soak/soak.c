// Random scenarios on the device, one a seed. A program of its own: build/sim/soak.
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
#include "sim/cli/life.h"
#include "sim/cli/options.h"
#include "sim/soak/soak_options.h"
#include "sim/soak/soak_run.h"
#include "sim/soak/tenants/tenants.h"

enum { FAILURES_TOLD = 5, POLL_MS = 200 };
/// From so many seeds on, a fate that no frame met is a failure: the traffic does not test what it should.
enum { SEEDS_FOR_ALL_FATES = 300 };
/// The same of flipped bits.
enum { SEEDS_FOR_FLIPS = 20 };

/// A process that runs every `jobs`-th seed.
struct soak_job {
  pid_t pid;       // 0 if it has ended
  uint64_t next;   // seed whose result is to come next
};

struct soak {
  const struct soak_options *options;
  struct life life;
  struct soak_job jobs[SOAK_JOBS];
  int in, out;   // the pipe that results come through
  uint64_t passed, failed, seeds;
  time_t start, shown;
  struct soak_result sum;
  struct soak_tenants under_way;   // of the latest run that said how far it is
};

// ------------------------------------------------------------------------------------------------ jobs

/// In the child: a run that lasts says how far it is.
static void tell_reached(void *user, const struct soak_tenants *counts) {
  const struct soak *s = user;
  const struct soak_result part = {.part = true, .tenants = *counts};
  if (write(s->out, &part, sizeof part) != (ssize_t)sizeof part) _exit(COMMAND_UNUSABLE);
}

static void run_tenants(const struct soak *s, uint64_t seed, struct soak_result *result) {
  const struct soak_options *o = s->options;
  struct soak copy = *s;
  const struct tenants_options t = {.config = o->config,
                                    .wave = outputs_wave(&s->life.outputs),
                                    .seed = seed,
                                    .tenants = o->tenants,
                                    .frames = o->frames,
                                    .jobs = o->lives,
                                    .reached = tell_reached,
                                    .user = &copy};
  tenants_run(&t, result);
}

/// The child: runs its seeds and writes a result for each. A result fits a pipe's buffer, so results never mix. Its parent ends it.
static void work(const struct soak *s, uint64_t seed) {
  _Static_assert(sizeof(struct soak_result) <= 4096, "PIPE_BUF");
  const struct soak_options *o = s->options;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (; seed <= o->last; seed += o->jobs) {
    struct soak_result result;
    if (o->tenants > 0)
      run_tenants(s, seed, &result);
    else
      soak_run(o->config, seed, outputs_wave(&s->life.outputs), o->flips, &result);
    if (stop_asked() != 0) _exit(COMMAND_UNUSABLE);   // before it was done, perhaps
    if (write(s->out, &result, sizeof result) != (ssize_t)sizeof result) _exit(COMMAND_UNUSABLE);
  }
  _exit(COMMAND_PASSED);
}

/// 0, or COMMAND_UNUSABLE.
static int start(struct soak *s, struct soak_job *job) {
  if (job->next > s->options->last) return 0;
  life_quiet(&s->life);
  fflush(NULL);
  const pid_t pid = fork();
  if (pid < 0) return soak_refuse("cannot start a process: %s", strerror(errno));
  if (pid == 0) work(s, job->next);
  job->pid = pid;
  return 0;
}

static void tell_failure(struct soak *s, const struct soak_result *r) {
  if (s->failed > FAILURES_TOLD) return;
  life_quiet(&s->life);
  printf("FAILED seed %" PRIu64 ": %" PRIu64 " mismatches\n", r->seed, r->mismatches);
  for (int i = 0; i < SOAK_TEXTS && r->texts[i][0] != 0; i++) printf("  %s\n", r->texts[i]);
  printf("  %s --config %s --seeds %" PRIu64 "..%" PRIu64, program_invocation_name, s->options->config->name, r->seed, r->seed);
  if (s->options->flips != 0) printf(" --flips %u", s->options->flips);
  if (s->options->tenants != 0)
    printf(" --tenants %u --frames %" PRIu64 " --job-count %" PRIu64, s->options->tenants, s->options->frames, s->options->lives);
  putchar('\n');
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
  sum->memories.flipped += r->memories.flipped;
  sum->memories.spoiled += r->memories.spoiled;
  sum->memories.dropped += r->memories.dropped;
  sum->memories.marked += r->memories.marked;
  for (int m = 0; m < DRIVE_MEMORIES; m++) {
    sum->memories.corrected[m] += r->memories.corrected[m];
    sum->memories.bad[m] += r->memories.bad[m];
  }
  for (int f = 0; f < FATE_COUNT; f++) sum->fates[f] += r->fates[f];
  for (int i = 0; i < REFINEMENT_STEPS; i++) sum->steps[i] += r->steps[i];
  soak_tenants_add(&sum->tenants, &r->tenants);
  s->under_way = (struct soak_tenants){.jobs = 0};
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
    if (r.part) {
      s->under_way = r.tenants;
      continue;
    }
    s->jobs[(r.seed - s->options->first) % s->options->jobs].next = r.seed + s->options->jobs;
    note(s, &r);
  }
}

/// A job that ended before its last seed broke down in the one whose result is missing; another goes on behind it. 0, or
/// COMMAND_UNUSABLE.
static int bury(struct soak *s, pid_t pid, int status) {
  for (unsigned j = 0; j < s->options->jobs; j++) {
    struct soak_job *job = &s->jobs[j];
    if (job->pid != pid) continue;
    job->pid = 0;
    if (job->next > s->options->last) return 0;
    struct soak_result r = {.seed = job->next, .mismatches = 1};
    if (WIFSIGNALED(status))
      snprintf(r.texts[0], sizeof r.texts[0], "the run was ended by a signal: %s", strsignal(WTERMSIG(status)));
    else
      snprintf(r.texts[0], sizeof r.texts[0], "the run ended early, with exit code %d", WEXITSTATUS(status));
    note(s, &r);
    job->next += s->options->jobs;
    return start(s, job);
  }
  return 0;
}

static bool jobs_left(const struct soak *s) {
  for (unsigned j = 0; j < s->options->jobs; j++)
    if (s->jobs[j].pid != 0) return true;
  return false;
}

static void end_jobs(struct soak *s) {
  for (unsigned j = 0; j < s->options->jobs; j++) {
    if (s->jobs[j].pid == 0) continue;
    kill(s->jobs[j].pid, SIGKILL);   // which it cannot put off
    waitpid(s->jobs[j].pid, NULL, 0);
    s->jobs[j].pid = 0;
  }
}

static void show_progress(struct soak *s) {
  if (time(NULL) == s->shown) return;
  s->shown = time(NULL);
  life_reached(&s->life, "%" PRIu64 " passed, %" PRIu64 " failed; %" PRIu64 " frames into the device", s->passed, s->failed,
               s->sum.frames + s->under_way.frames);
}

/// All seeds, unless the time is over or a signal asks to stop before. 0, or COMMAND_UNUSABLE.
static int run(struct soak *s) {
  const struct soak_options *o = s->options;
  int code = 0;
  for (unsigned j = 0; j < o->jobs && code == 0; j++) {
    s->jobs[j].next = o->first + j;
    code = start(s, &s->jobs[j]);
  }
  while (code == 0 && jobs_left(s)) {
    struct pollfd fd = {.fd = s->in, .events = POLLIN};
    int status;
    poll(&fd, 1, POLL_MS);
    // First who has ended, then the results: so all of theirs are there.
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (stop_asked() != 0) break;
    read_results(s);
    if (ended > 0) code = bury(s, ended, status);
    show_progress(s);
    if (o->minutes != 0 && (uint64_t)(time(NULL) - s->start) >= 60 * o->minutes) break;
  }
  end_jobs(s);
  if (code != 0 || stop_asked() != 0) return COMMAND_UNUSABLE;
  read_results(s);
  life_quiet(&s->life);
  return 0;
}

// ------------------------------------------------------------------------------------------------ the end

/// Why no frame can meet a fate; NULL if one can. The table has an entry for every (ring, rank) there can be, and each takes no more than one.
static const char *unreachable(const struct soak_options *o, int fate) {
  if (fate == FATE_TABLE_FULL && o->config->conns >= o->config->rings * o->config->ranks)
    return "there is an entry for every rank";
  return fate == FATE_MEMORY_ERROR && o->flips == 0 ? "no bit is flipped" : NULL;
}

static void tell_memories(struct soak *s) {
  static const char *const names[DRIVE_MEMORIES] = {"payload rows", "header records", "slot records", "frames in",
                                                    "results out",  "passed frames",  "connections",  "messages"};
  const struct bench_memories *m = &s->sum.memories;
  uint64_t corrected = 0, bad = 0;
  printf("%" PRIu64 " bits flipped; %" PRIu64 " results left with a wrong ICRC, %" PRIu64 " were dropped, %" PRIu64
         " passed frames left as errors\n",
         m->flipped, m->spoiled, m->dropped, m->marked);
  for (int i = 0; i < DRIVE_MEMORIES; i++) {
    printf("  %-18s %10" PRIu64 " reads corrected, %" PRIu64 " not\n", names[i], m->corrected[i], m->bad[i]);
    corrected += m->corrected[i];
    bad += m->bad[i];
  }
  if (s->seeds < SEEDS_FOR_FLIPS || (corrected != 0 && bad != 0 && m->spoiled != 0 && m->dropped != 0)) return;
  printf("  FAILED: flips that nobody met test nothing\n");
  s->failed++;
}

static void tell_tenants(const struct soak_tenants *t) {
  printf("%" PRIu64 " jobs of tenants: %" PRIu64 " left in order, %" PRIu64 " crashed (%" PRIu64
         " of them found stalled), %" PRIu64 " were drained in the middle, %" PRIu64 " ended by %" PRIu64 " soft resets\n",
         t->jobs, t->orderly, t->crashed, t->stalls, t->evicted, t->reset, t->resets);
  printf("%" PRIu64 " result messages taken, all right; %" PRIu64 " outputs paused, %" PRIu64 " links down, %" PRIu64
         " drains ended meanwhile, %" PRIu64 " ended by a flush, %" PRIu64 " retired connections swept, %" PRIu64
         " found no place\n",
         t->messages, t->pauses, t->unplugged, t->unhindered, t->forced, t->swept, t->refused);
  printf("%" PRIu64 " jobs were idle for a while, %" PRIu64 " connections retired because of their age\n", t->naps, t->aged);
  printf("%" PRIu64 " frames of bystanders came through, %" PRIu64 " of them during drains and resets; at most %" PRIu64
         " connections, %" PRIu64 " retired ones, %" PRIu64 " columns at a time; in the end none\n",
         t->bystanders, t->meanwhile, t->most_connections, t->most_retired, t->most_columns);
}

/// Steps of the protocol's small model that the device has taken (sim/engine/follow/refinement.h).
static void tell_steps(struct soak *s) {
  static const char *const names[REFINEMENT_ALONE_STEPS] = {
      [REFINEMENT_NONE] = "none",           [REFINEMENT_STORES] = "stores",
      [REFINEMENT_COMPLETES] = "completes", [REFINEMENT_DUPLICATES] = "has already",
      [REFINEMENT_REPEATS] = "repeats",     [REFINEMENT_STALE] = "drops as stale",
      [REFINEMENT_VIOLATION] = "violation", [REFINEMENT_GIVES_UP] = "gives up",
      [REFINEMENT_EMITS] = "result leaves"};
  printf("steps of the protocol's small model:\n");
  for (int i = 0; i < REFINEMENT_ALONE_STEPS; i++) {
    const bool missing = s->options->tenants == 0 && s->sum.steps[i] == 0 && s->seeds >= SEEDS_FOR_ALL_FATES;
    printf("  %-18s %10" PRIu64 "%s\n", names[i], s->sum.steps[i], missing ? "  FAILED: never taken" : "");
    if (missing) s->failed++;
  }
}

static void tell_sum(struct soak *s) {
  const struct soak_result *sum = &s->sum;
  printf("%s, %" PRIu64 " seeds from %" PRIu64 " on: %" PRIu64 " frames, %" PRIu64 " results, %" PRIu64 " cycles, %ld s\n",
         s->options->config->name, s->seeds, s->options->first, sum->frames, sum->results, sum->cycles,
         (long)(time(NULL) - s->start));
  if (s->options->tenants != 0)
    tell_tenants(&sum->tenants);
  else
    printf("%zu of %" PRIu64 " columns complete, %zu packets that the senders told the meaning of\n",
           sum->undecided.witness.complete, sum->columns, sum->undecided.witness.told);
  if (s->options->tenants == 0) undecided_print(stdout, &sum->undecided);
  if (s->options->flips != 0) tell_memories(s);
  for (int f = 0; f < FATE_COUNT; f++) {
    const char *why = unreachable(s->options, f);
    const bool missing = s->options->tenants == 0 && sum->fates[f] == 0 && s->seeds >= SEEDS_FOR_ALL_FATES && why == NULL;
    printf("  %-18s %10" PRIu64 "%s", fate_name((enum fate)f), sum->fates[f], missing ? "  FAILED: no frame met this fate" : "");
    if (why != NULL) printf("  (cannot be: %s)", why);
    putchar('\n');
    if (missing) s->failed++;
  }
  tell_steps(s);
  printf("%" PRIu64 " passed, %" PRIu64 " failed; %" PRIu64 " frames in %ld s\n", s->passed, s->failed, sum->frames,
         (long)(time(NULL) - s->start));
}

static int soak(struct soak *s) {
  int ends[2];
  int code = outputs_open(&s->life.outputs, 0);
  if (code != 0) return code;
  if (pipe2(ends, O_CLOEXEC) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return soak_refuse("no pipe: %s", strerror(errno));
  s->in = ends[0];
  s->out = ends[1];
  code = run(s);
  if (code != 0) return code;
  tell_sum(s);
  return life_finish(&s->life, s->failed == 0 && s->passed > 0 ? COMMAND_PASSED : COMMAND_FAILED);
}

int main(int argc, char **argv) {
  struct soak_options options;
  const int code = soak_parse(argc, argv, &options);
  if (code != 0) return code;
  struct soak s = {.options = &options, .life.outputs = {.wave = options.wave}, .start = time(NULL)};
  life_begin(&s.life, "soak", argc, argv, NULL);
  return life_end(&s.life, soak(&s));
}
