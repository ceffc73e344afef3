#include "sim/ring/tree_report.h"

#include <inttypes.h>

#include "sim/report/report.h"

enum { KINDS = 4 };

static const struct {
  enum fabric_hop hop;
  const char *words, *key;
} kinds[KINDS] = {{FABRIC_UP, "host to leaf", "host_to_leaf"},
                  {FABRIC_TO_PARENT, "switch to parent", "to_parent"},
                  {FABRIC_FROM_PARENT, "parent to switch", "from_parent"},
                  {FABRIC_DOWN, "leaf to host", "leaf_to_host"}};

/// What all devices of a kind did.
struct tree_sums {
  struct relay_counts is;
  uint64_t passed, stored, duplicates, drops;
};

static struct tree_sums sum_up(const struct tree_report *r) {
  struct tree_sums s = {0};
  for (unsigned n = 0; n < r->topology->count; n++) {
    const struct relay_counts *c = racks_relay(r->racks, n);
    s.passed += c->fates[FATE_PASSED];
    s.stored += c->fates[FATE_STORED];
    s.duplicates += c->fates[FATE_DUPLICATE];
    s.drops += fate_drops(c->fates);
    s.is.completed += c->completed;
    s.is.again += c->again;
    s.is.merged += c->merged;
    s.is.up += c->up;
    s.is.down += c->down;
    s.is.parents += c->parents;
    s.is.results += c->results;
    s.is.notes_out += c->notes_out;
    s.is.notes_in += c->notes_in;
    s.is.note_refused += c->note_refused;
    s.is.table_full += c->table_full;
    s.is.no_row += c->no_row;
    s.is.no_template += c->no_template;
    s.is.bad_parent += c->bad_parent;
  }
  return s;
}

static double share(const struct tree_report *r, uint64_t bytes) {
  return r->sent_bytes > 0 ? (double)bytes / (double)r->sent_bytes : 0;
}

void tree_report_print(FILE *file, const struct tree_report *r) {
  const struct tree_sums s = sum_up(r);
  fprintf(file, "tree: %u switches with a device each, %u levels, %u hosts\n", r->topology->count, r->topology->levels,
          r->topology->hosts);
  if (racks_compared(r->racks) > 0) {
    report_line(file, "devices in RTL sent", racks_compared(r->racks), "frames, each compared with the golden model's");
    report_line(file, "devices in RTL did", racks_followed(r->racks),
                "decisions, commits and takes, each a step of the protocol's model");
  }
  fprintf(file, "%-22s %12s %12s %8s\n", "bytes over a cable", "least", "most", "most/M");
  for (int k = 0; k < KINDS; k++) {
    const struct racks_load load = racks_load(r->racks, kinds[k].hop);
    fprintf(file, "  %-20s %12" PRIu64 " %12" PRIu64 " %8.3f  %u cables\n", kinds[k].words, load.least, load.most,
            share(r, load.most), load.cables);
  }
  report_line(file, "devices: stored", s.stored, "contributions");
  report_some(file, "  duplicates", s.duplicates, "");
  report_some(file, "  drops", s.drops, "");
  report_some(file, "  passed", s.passed, "");
  report_line(file, "  columns complete", s.is.completed, "");
  report_some(file, "  sent on again", s.is.again, "a child repeated its packet");
  report_some(file, "  merged with these", s.is.merged, "repeats that another child's had answered");
  report_line(file, "  to parents", s.is.up, "");
  report_line(file, "  to child devices", s.is.down, "");
  report_line(file, "  results", s.is.results, "to hosts");
  report_line(file, "  notifications", s.is.notes_out, "to other leaves");
  report_some(file, "  of these refused", s.is.note_refused, "old or of nobody here");
  report_some(file, "  without template", s.is.no_template, "results dropped for want of a notification");
  report_some(file, "  table full", s.is.table_full, "");
  report_some(file, "  without row", s.is.no_row, "");
  report_some(file, "  bad of a parent", s.is.bad_parent, "");
  if (r->plain_us > 0)
    fprintf(file, "%-22s %12.3f  us; %.3f us for a ring all-reduce without devices, %.2f times as long\n", "all-reduce",
            r->time_us, r->plain_us, r->time_us > 0 ? r->plain_us / r->time_us : 0);
}

void tree_report_json(json_t *o, const struct tree_report *r) {
  const struct tree_sums s = sum_up(r);
  json_t *cables = json_object();
  report_put(o, "switches", r->topology->count);
  report_put(o, "turns", r->turns);
  report_put(o, "rtl_compared", racks_compared(r->racks));
  report_put(o, "rtl_followed", racks_followed(r->racks));
  report_put(o, "levels", r->topology->levels);
  report_put(o, "hosts", r->topology->hosts);
  report_put(o, "message_bytes", r->sent_bytes);
  for (int k = 0; k < KINDS; k++) {
    const struct racks_load load = racks_load(r->racks, kinds[k].hop);
    json_t *c = json_object();
    report_put(c, "cables", load.cables);
    report_put(c, "least_bytes", load.least);
    report_put(c, "most_bytes", load.most);
    report_put(c, "frames", load.frames);
    json_object_set_new(c, "most_share", json_real(share(r, load.most)));
    json_object_set_new(cables, kinds[k].key, c);
  }
  json_object_set_new(o, "cables", cables);
  report_put(o, "stored", s.stored);
  report_put(o, "dropped", s.drops);
  report_put(o, "columns", s.is.completed);
  report_put(o, "columns_again", s.is.again);
  report_put(o, "repeats_merged", s.is.merged);
  report_put(o, "to_parents", s.is.up);
  report_put(o, "from_parents", s.is.parents);
  report_put(o, "to_children", s.is.down);
  report_put(o, "notifications", s.is.notes_out);
  report_put(o, "notifications_taken", s.is.notes_in);
  report_put(o, "notifications_refused", s.is.note_refused);
  report_put(o, "without_template", s.is.no_template);
  report_put(o, "without_row", s.is.no_row);
  report_put(o, "table_full", s.is.table_full);
  report_put(o, "bad_of_parent", s.is.bad_parent);
  json_object_set_new(o, "all_reduce_us", json_real(r->time_us));
  json_object_set_new(o, "plain_ring_us", r->plain_us > 0 ? json_real(r->plain_us) : json_null());
}
