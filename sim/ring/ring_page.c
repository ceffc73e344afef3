// The page of a closed-loop run.
#include "sim/report/page.h"
#include "sim/ring/ring_sums.h"

static struct page_figure goodput_figure(const struct ring_sums *s) {
  struct page_figure f = {.id = "goodput", .name = "goodput, slowest"};
  snprintf(f.value, sizeof f.value, "%.2f Gb/s", s->goodput[0]);
  return f;
}

/// What all jobs have in common, and the jobs.
static void put_texts(char title[120], char *setting, size_t size, const struct ring_report *r, const struct ring_sums *s) {
  const struct cluster_options *c = &r->options->cluster;
  const struct jobs *jobs = &c->jobs;
  const char *plural = jobs->count == 1 ? "" : "s";
  bool alike = true;
  for (unsigned ring = 1; ring < jobs->count; ring++) alike = alike && jobs->list[ring].tensor == jobs->list[0].tensor;
  if (alike)
    snprintf(title, 120, "%u hosts all-reduce %zu bytes in %u ring%s", s->hosts, jobs->list[0].tensor, jobs->count, plural);
  else
    snprintf(title, 120, "%u hosts all-reduce in %u ring%s", s->hosts, jobs->count, plural);
  FILE *f = fmemopen(setting, size, "w");
  setting[0] = 0;
  if (f == NULL) return;
  fprintf(f, "Configuration %s: %u ports, %u slots of %u bytes; window %u, MsgLen %u, MTU %u, %s, %g Gb/s", c->config->name,
          c->config->ports, c->config->slots, c->config->slot_bytes, c->window, c->msglen, c->mtu, ring_verb_name(c->verb),
          c->gbps);
  for (unsigned ring = 0; ring < jobs->count; ring++) {
    fprintf(f, "; ring %u: ", ring + 1);
    job_print(f, &jobs->list[ring]);
  }
  fclose(f);
}

int ring_report_page(FILE *file, const struct ring_report *r) {
  const struct cluster_options *c = &r->options->cluster;
  const struct ring_sums s = ring_sum_up(r);
  char title[120], verdict[120], setting[JOBS_MOST * 128];
  const char *texts[8];
  size_t text_count = 0;
  uint64_t lost = 0;
  for (int h = 0; h < FABRIC_HOPS; h++) lost += s.fabric.hop[h].lost;
  while (text_count < sizeof texts / sizeof *texts && (texts[text_count] = cluster_text(r->cluster, text_count)) != NULL)
    text_count++;
  put_texts(title, setting, sizeof setting, r, &s);
  snprintf(verdict, sizeof verdict, "OK: %zu of %zu tensors are reduced and right", s.done, s.seats);
  page_failed(verdict, sizeof verdict, r->mismatches);
  const struct page_figure figures[] = {
      page_counted("frames_in", "frames in", s.frames_in),
      page_counted("stored", "stored", s.fates[FATE_STORED]),
      page_counted("duplicates", "duplicates", s.fates[FATE_DUPLICATE]),
      page_counted("dropped", "dropped", fate_drops(s.fates)),
      page_counted("results", "results", s.results),
      page_cycles("latency_p50", "latency p50", s.latency.p50),
      page_cycles("latency_p99", "latency p99", s.latency.p99),
      page_counted("lost", "lost on cables", lost),
      page_counted("retransmissions", "sent again", s.sent.repeats),
      goodput_figure(&s),
      page_time(c->history),
      page_counted("cycles", "cycles clocked", cluster_clocked(r->cluster)),
  };
  const struct undecided undecided = bench_undecided(cluster_bench(r->cluster));
  const struct page page = {
      .title = title,
      .good = r->mismatches == 0,
      .verdict = verdict,
      .setting = setting,
      .again = r->again,
      .texts = texts,
      .text_count = text_count,
      .figures = figures,
      .figure_count = sizeof figures / sizeof *figures,
      .fates = s.fates,
      .undecided = &undecided,
  };
  return page_write(file, &page, c->history);
}
