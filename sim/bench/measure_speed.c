// How fast the simulation is: what `weir replay` says of itself, in a process of its own as a user runs it.
#include <jansson.h>
#include <stdlib.h>

#include "sim/bench/measure.h"

enum { RUNS = 7 };

struct speed {
  double frames, cycles, share;   // a second; a second; of the time, outside of the device
};

static bool replay(struct measure *m, const struct measurement *what, struct speed *speed) {
  const char *const words[] = {"weir", "replay", m->capture, "--config", what->config, NULL};
  json_t *root = measure_summary(m, "/proc/self/exe", words);
  json_int_t frames, cycles;
  if (root == NULL) return false;
  const bool good = json_unpack(root, "{s:I, s:I, s:F, s:F}", "frames_in", &frames, "cycles", &cycles, "frames_per_second",
                                &speed->frames, "bench_share", &speed->share) == 0;
  if (good) speed->cycles = speed->frames * (double)cycles / (double)frames;
  json_decref(root);
  return good || measure_fail(m, "%s: its replay has another summary", m->capture);
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
              "this machine's processor: frames, and models and checks that have no thread of their own")
      ->high = 25;
  return true;
}
