#include "sim/live/live_told.h"

#include <inttypes.h>
#include <string.h>

#include "sim/report/report.h"
#include "wire/roce.h"

static const char *const errors[] = {"retry_exceeded_err", "retry_rnr_exceeded_err", "send_err"};
enum { ERRORS = sizeof errors / sizeof *errors };

bool live_told_is_error(const char *counter) {
  for (size_t i = 0; i < ERRORS; i++)
    if (strcmp(counter, errors[i]) == 0) return true;
  return false;
}

int64_t live_told_refused(const struct live_run *run, const struct live_net_counts *counts, unsigned host) {
  return (int64_t)counts->roce[host] - json_integer_value(json_object_get(run->hosts[host].counters, "rcvd_pkts"));
}

/// A counter of the driver, over all hosts.
static uint64_t counted(const struct live_run *run, const char *name) {
  uint64_t sum = 0;
  for (unsigned host = 0; host < run->options->hosts; host++)
    sum += (uint64_t)json_integer_value(json_object_get(run->hosts[host].counters, name));
  return sum;
}

void live_told_guests(FILE *file, const struct live_run *run) {
  fprintf(file, "%u guests, Linux %s under %s, rdma_rxe; up after %.1f s\n", run->options->hosts, run->kernel, run->accel,
          run->boot_s);
}

double live_told_longest(const struct live_run *run) {
  double longest = 0;
  for (unsigned host = 0; host < run->options->hosts; host++)
    if (run->hosts[host].failed_after > longest) longest = run->hosts[host].failed_after;
  return longest;
}

void live_told_faults(FILE *file, const struct live_run *run) {
  for (size_t i = 0; i < run->text_count; i++) fprintf(file, "  %s\n", run->texts[i]);
}

void live_told_results(FILE *file, const struct live_run *run) {
  if (run->result_count == 0) return;
  fprintf(file, "%8s %6s %12s %14s %12s %8s %8s\n", "ring", "hosts", "bytes", "elements", "us, slowest", "MB/s", "wrong");
  for (size_t i = 0; i < run->result_count; i++) {
    const struct live_result *a = &run->results[i];
    unsigned hosts = 0;
    size_t wrong = 0, before = 0;
    double us = 0;
    for (size_t k = 0; k < run->result_count; k++) {
      const struct live_result *b = &run->results[k];
      if (a->ring != b->ring || a->bytes != b->bytes) continue;
      before += k < i;
      hosts++;
      wrong += b->wrong;
      if (b->us > us) us = b->us;
    }
    if (before > 0) continue;
    fprintf(file, "%8u %6u %12zu %14zu %12.0f %8.2f %8zu\n", a->ring, hosts, a->bytes,
            a->bytes / ina_element_size(run->options->kind), us, us > 0 ? (double)a->bytes / us : 0, wrong);
  }
}

void live_told_drivers(FILE *file, const struct live_run *run, const struct live_net_counts *counts) {
  static const char *const names[] = {"sent_pkts",          "rcvd_pkts",    "duplicate_request",
                                      "out_of_seq_request", "rcvd_seq_err", "completer_retry_err"};
  if (run->options->attach != NULL || run->options->shell) return;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[40];
    snprintf(text, sizeof text, "rxe: %s", names[i]);
    report_some(file, text, counted(run, names[i]), "");
  }
  uint64_t sum = 0;
  for (size_t i = 0; i < ERRORS; i++) sum += counted(run, errors[i]);
  fprintf(file, "%-22s %12" PRIu64 "  of retry_exceeded_err, retry_rnr_exceeded_err, send_err\n", "rxe: errors", sum);
  int64_t refused = 0;
  for (unsigned host = 0; host < run->options->hosts; host++)
    refused += run->hosts[host].counters == NULL ? 0 : live_told_refused(run, counts, host);
  fprintf(file, "%-22s %12" PRId64 "  of what it was given: wrong ICRC, or no such queue pair any more\n", "rxe: refused",
          refused);
  report_some(file, "other programs", run->passed, "ran well beside the rings: ib_write_bw, ib_send_lat, ibv_rc_pingpong");
}

// --- programs ---

json_t *live_told_hosts_json(const struct live_run *run, const struct live_net_counts *counts) {
  json_t *list = json_array();
  for (unsigned host = 0; host < run->options->hosts; host++) {
    const struct live_host *h = &run->hosts[host];
    json_t *o = json_object();
    report_put(o, "host", host);
    json_object_set_new(o, "code", json_integer(h->code));
    json_object_set_new(o, "error", *h->error ? json_string(h->error) : json_null());
    json_object_set_new(o, "error_after_s", h->failed_after > 0 ? json_real(h->failed_after) : json_null());
    json_object_set_new(o, "refused", json_integer(live_told_refused(run, counts, host)));
    json_object_set(o, "counters", h->counters != NULL ? h->counters : json_null());
    json_array_append_new(list, o);
  }
  return list;
}

json_t *live_told_results_json(const struct live_run *run) {
  json_t *list = json_array();
  for (size_t i = 0; i < run->result_count; i++) {
    const struct live_result *a = &run->results[i];
    json_t *o = json_object();
    report_put(o, "host", a->host);
    report_put(o, "ring", a->ring);
    report_put(o, "bytes", a->bytes);
    report_put(o, "wrong", a->wrong);
    report_put(o, "multicasts", a->multicasts);
    json_object_set_new(o, "us", json_real(a->us));
    json_object_set_new(o, "device", json_boolean(a->device));
    json_array_append_new(list, o);
  }
  return list;
}
