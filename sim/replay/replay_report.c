#include "sim/replay/replay_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/pace.h"
#include "sim/report/page.h"

static double frames_per_second(const struct replay_report *r) { return r->seconds > 0 ? (double)r->frames_in / r->seconds : 0; }

// --------------------------------------------------------------------------------------------------------- people

static void line(FILE *file, const char *name, uint64_t value, const char *remark) {
  fprintf(file, "%-20s %12" PRIu64 "%s%s\n", name, value, *remark ? "  " : "", remark);
}

static void print_setting(FILE *file, const struct replay_report *r) {
  report_setting(file, r->plan->config, r->seed);
  if (r->plan->ring_count == 0) fprintf(file, "no ring: every frame should pass\n");
  for (size_t i = 0; i < r->plan->ring_count; i++) {
    const struct drive_ring *ring = &r->plan->rings[i];
    fprintf(file, "ring %u: %u workers, MsgLen up to %u, window %u, slots %u to %u%s\n", ring->id, ring->workers, ring->stride,
            ring->window, ring->base, ring->base + 2 * ring->window * ring->stride - 1,
            ring->learn ? "" : ", connections as registered");
  }
  const char *notes = r->plan->notes;
  if (*notes) fprintf(file, "%s%s", notes, notes[strlen(notes) - 1] == '\n' ? "" : "\n");
}

static void print_fates(FILE *file, const struct replay_report *r) {
  line(file, "frames in", r->frames_in, "");
  if (r->frames_cut > 0) line(file, "  left out", r->frames_cut, "cut in the capture, so not sent");
  line(file, "  passed", r->fates[FATE_PASSED], "");
  line(file, "  stored", r->fates[FATE_STORED], "");
  line(file, "  duplicates", r->fates[FATE_DUPLICATE], "");
  line(file, "  dropped", fate_drops(r->fates), "");
  for (int f = FATE_FIRST_DROP; f < FATE_COUNT; f++) {
    char name[40];
    snprintf(name, sizeof name, "    %s", fate_name((enum fate)f));
    if (r->fates[f] > 0) line(file, name, r->fates[f], "");
  }
}

static void print_out(FILE *file, const struct replay_report *r) {
  line(file, "frames out", r->frames_out, "");
  line(file, "  results", r->results, "");
  undecided_print(file, &r->undecided);
  if (r->unforwarded > 0) line(file, "  not forwarded", r->unforwarded, "by the switch: no whole Ethernet header");
  line(file, "cycles", r->cycles, "");
  const struct report_latency *l = &r->latency;
  if (l->count > 0) {
    fprintf(file, "%-20s %12s %8s %8s %8s\n", "latency", "min", "p50", "p99", "max");
    fprintf(file, "%-20s %12u %8u %8u %8u\n", "  cycles", l->min, l->p50, l->p99, l->max);
    fprintf(file, "%-20s %12" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n", "  ns at 250 MHz", (uint64_t)l->min * PACE_NS,
            (uint64_t)l->p50 * PACE_NS, (uint64_t)l->p99 * PACE_NS, (uint64_t)l->max * PACE_NS);
  }
  fprintf(file, "%-20s %12.0f  in %.2f s on this machine, %.0f %% of it outside of the device\n", "frames a second",
          frames_per_second(r), r->seconds, 100 * r->bench_share);
}

static void print_verdict(FILE *file, const struct replay_report *r) {
  if (r->mismatches == 0) {
    fprintf(file, "OK: every packet that left is right\n");
    return;
  }
  report_failed(file, r->mismatches, "\n");
  for (size_t i = 0; i < r->text_count; i++) fprintf(file, "  %s\n", r->texts[i]);
  if (r->mismatches > r->text_count) fprintf(file, "  and %zu more\n", r->mismatches - r->text_count);
  fprintf(file, "repeat it with: %s\n", r->again);
}

void replay_report_print(FILE *file, const struct replay_report *r) {
  print_setting(file, r);
  print_fates(file, r);
  print_out(file, r);
  print_verdict(file, r);
}

// ------------------------------------------------------------------------------------------------------- programs

int replay_report_json(FILE *file, const struct replay_report *r) {
  json_t *object =
      json_pack("{s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:o, s:f, s:f}", "frames_in", (json_int_t)r->frames_in, "frames_out",
                (json_int_t)r->frames_out, "results", (json_int_t)r->results, "duplicates", (json_int_t)r->fates[FATE_DUPLICATE],
                "drops", report_drops_json(r->fates), "passed", (json_int_t)r->fates[FATE_PASSED], "cycles",
                (json_int_t)r->cycles, "mismatches", (json_int_t)r->mismatches, "latency_cycles",
                report_latency_json(&r->latency), "frames_per_second", frames_per_second(r), "bench_share", r->bench_share);
  if (object == NULL) return -1;
  json_object_set_new(object, "undecided", undecided_json(&r->undecided));
  int result = json_dumpf(object, file, JSON_INDENT(2));
  if (result == 0 && fputc('\n', file) == EOF) result = -1;
  json_decref(object);
  return result;
}

// ----------------------------------------------------------------------------------------------------------- a page

static char *setting_of(const struct replay_report *r) {
  const struct drive_config *c = r->plan->config;
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (f == NULL) return NULL;
  fprintf(f, "Configuration %s: %u ports, %u slots of %u bytes", c->name, c->ports, c->slots, c->slot_bytes);
  if (r->plan->ring_count == 0) fprintf(f, "; no ring");
  for (size_t i = 0; i < r->plan->ring_count; i++) {
    const struct drive_ring *ring = &r->plan->rings[i];
    fprintf(f, "; ring %u: %u workers, MsgLen up to %u, window %u", ring->id, ring->workers, ring->stride, ring->window);
  }
  return fclose(f) == 0 ? text : NULL;
}

int replay_report_page(FILE *file, const struct replay_report *r) {
  const char *slash = strrchr(r->input, '/');
  char title[300], verdict[120] = "OK: every packet that left is right";
  char *setting = setting_of(r);
  if (setting == NULL) return -1;
  snprintf(title, sizeof title, "Replay of %s", slash != NULL ? slash + 1 : r->input);
  page_failed(verdict, sizeof verdict, r->mismatches);
  const struct page_figure figures[] = {
      page_counted("frames_in", "frames in", r->frames_in),
      page_counted("passed", "passed", r->fates[FATE_PASSED]),
      page_counted("stored", "stored", r->fates[FATE_STORED]),
      page_counted("duplicates", "duplicates", r->fates[FATE_DUPLICATE]),
      page_counted("dropped", "dropped", fate_drops(r->fates)),
      page_counted("frames_out", "frames out", r->frames_out),
      page_counted("results", "results", r->results),
      page_cycles("latency_p50", "latency p50", r->latency.p50),
      page_cycles("latency_p99", "latency p99", r->latency.p99),
      page_time(r->history),
      page_counted("cycles", "cycles clocked", r->cycles),
  };
  const struct page page = {
      .title = title,
      .good = r->mismatches == 0,
      .verdict = verdict,
      .setting = setting,
      .again = r->again,
      .texts = r->texts,
      .text_count = r->text_count,
      .figures = figures,
      .figure_count = sizeof figures / sizeof *figures,
      .fates = r->fates,
      .undecided = &r->undecided,
  };
  const int result = page_write(file, &page, r->history);
  free(setting);
  return result;
}
