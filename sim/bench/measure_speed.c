// How fast the simulation is: what `weir replay` says of itself, in a process of its own as a user runs it.
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"
#include "sim/bench/measure.h"

enum { RUNS = 7 };

extern char **environ;

struct speed {
  double frames, cycles, share;   // a second; a second; of the time, outside of the device
};

/// Lets this program replay the capture. Its exit code, or -1.
static int spawn_replay(const struct measure *m, const struct measurement *what, char *json) {
  char *const arguments[] = {"weir", "replay", (char *)m->capture, "--config", (char *)what->config, "--json", json, NULL};
  posix_spawn_file_actions_t actions;
  pid_t pid;
  int status;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const int refused = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) return -1;
  while (waitpid(pid, &status, 0) != pid) {
    if (errno != EINTR) return -1;
    if (stop_asked() != 0) kill(pid, SIGTERM);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool read_summary(const char *path, struct speed *speed) {
  json_t *root = json_load_file(path, 0, NULL);
  json_int_t frames, cycles;
  const bool good = root != NULL && json_unpack(root, "{s:I, s:I, s:F, s:F}", "frames_in", &frames, "cycles", &cycles,
                                                "frames_per_second", &speed->frames, "bench_share", &speed->share) == 0;
  if (good) speed->cycles = speed->frames * (double)cycles / (double)frames;
  json_decref(root);
  return good;
}

static bool replay(struct measure *m, const struct measurement *what, struct speed *speed) {
  char json[] = "/tmp/weir-bench-XXXXXX";
  const int file = mkstemp(json);
  if (file < 0) return measure_fail(m, "%s: %s", json, strerror(errno));
  close(file);
  const int code = spawn_replay(m, what, json);
  const bool good = code == 0 && read_summary(json, speed);
  unlink(json);
  return good || measure_fail(m, "%s: its replay ends with code %d", m->capture, code);
}

static int faster(const void *a, const void *b) {
  const double x = ((const struct speed *)a)->frames, y = ((const struct speed *)b)->frames;
  return (x > y) - (x < y);
}

bool measure_speed(struct measure *m, const struct measurement *what) {
  struct speed speeds[RUNS];
  const size_t runs = m->quick ? 1 : RUNS;
  for (size_t i = 0; i < runs; i++) {
    measure_progress(m, i, runs);
    if (!replay(m, what, &speeds[i])) return false;
  }
  qsort(speeds, runs, sizeof *speeds, faster);
  const struct speed *s = &speeds[runs / 2];
  double share = 0;
  for (size_t i = 0; i < runs; i++) share += speeds[i].share / (double)runs;
  measure_add(m, "sim_frames_per_second", s->frames, 0, "frames/s",
              "this machine's processor: median of %zu replays, %.0f to %.0f", runs, speeds[0].frames, speeds[runs - 1].frames);
  measure_add(m, "sim_cycles_per_second", s->cycles, 0, "cycles/s",
              "this machine's processor: evaluation of the Verilated device");
  measure_add(m, "bench_share", 100 * share, 1, "%",
              "this machine's processor: models, checks and frames, all outside of the device")
      ->high = 25;
  return true;
}
