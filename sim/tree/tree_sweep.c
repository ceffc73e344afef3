#include "sim/tree/tree_sweep.h"

#include <inttypes.h>
#include <jansson.h>

#include "sim/report/report.h"

void tree_sweep_add(struct tree_sweep *s, FILE *file, const struct tree_report_of *r) {
  struct tree_point *p = &s->points[s->count++];
  const struct tree_result *result = r->result;
  const struct tree_jobs_options *j = &r->options->run.jobs;
  *p = (struct tree_point){.size = j->size * j->parts,
                           .streams = j->streams,
                           .operation_us = result->jobs.mean_ps / 1e6,
                           .lock_us = result->jobs.lock_ps / 1e6,
                           .gbps = tree_report_gbps(r),
                           .compared = result->jobs.compared,
                           .mismatches = result->findings.count};
  s->mismatches += p->mismatches;
  if (s->count == 1) {
    tree_report_setting(file, r);
    fprintf(file, "%14s  %-11s %14s %12s %10s %14s\n", "bytes", "tree", "operation, us", "lock, us", "Gb/s", "compared");
  }
  fprintf(file, "%14" PRIu32 "  %-11s %14.3f %12.3f %10.3f %14" PRIu64 "\n", p->size, p->streams ? "streaming" : "low-latency",
          p->operation_us, p->lock_us, p->gbps, p->compared);
  const struct findings *f = &result->findings;
  for (size_t i = 0; findings_text(f, i) != NULL; i++)
    fprintf(file, "MISMATCH %" PRIu32 " bytes: %s\n", p->size, findings_text(f, i));
}

void tree_sweep_end(FILE *file, const struct tree_sweep *s) {
  if (s->mismatches > 0) {
    report_failed(file, s->mismatches, "; again: ");
    fprintf(file, "%s\n", s->again);
  } else {
    fprintf(file, "OK: results of %zu sizes are right, bit by bit\n", s->count);
  }
}

int tree_sweep_json(FILE *file, const struct tree_sweep *s) {
  json_t *o = json_object(), *sizes = json_array();
  for (size_t i = 0; i < s->count; i++) {
    const struct tree_point *p = &s->points[i];
    json_array_append_new(sizes,
                          json_pack("{s:I, s:b, s:f, s:f, s:f, s:I, s:I}", "size", (json_int_t)p->size, "streams",
                                    (int)p->streams, "operation_us", p->operation_us, "lock_us", p->lock_us, "bandwidth_gbps",
                                    p->gbps, "compared", (json_int_t)p->compared, "mismatches", (json_int_t)p->mismatches));
  }
  json_object_set_new(o, "hosts", json_integer(s->options->topology.hosts));
  json_object_set_new(o, "sizes", sizes);
  json_object_set_new(o, "mismatches", json_integer((json_int_t)s->mismatches));
  int result = json_dumpf(o, file, JSON_INDENT(2));
  if (result == 0 && fputc('\n', file) == EOF) result = -1;
  json_decref(o);
  return result;
}
