#include "sim/gather/gather_report.h"

#include <inttypes.h>
#include <jansson.h>

#include "sim/engine/world/ranks.h"

static double over(double a, double b) { return b > 0 ? a / b : 0; }

/// Bytes that a cable carries in the time of the run.
static double line_bytes(const struct gather_report *r) {
  const struct gather_fabric_options *f = &r->options->run.fabric;
  return (double)r->result->cycles / (f->mhz * 1e6) * f->gbps * 1e9 / 8;
}

struct gather_ratios gather_report_ratios(const struct gather_report *r) {
  const struct gather_result *s = r->result;
  const struct gather_fabric_options *f = &r->options->run.fabric;
  const double line = line_bytes(r);
  const double all_to_all = (double)(f->topology.nodes - 1) * r->matrix->columns;
  return (struct gather_ratios){
      .prs_per_packet = over((double)s->packed_prs, (double)s->packed_packets),
      .hit_rate = over((double)s->fabric.tors.cache.hits, (double)s->fabric.tors.cache.lookups),
      .filter_rate = over((double)(s->rig.filtered + s->rig.coalesced), (double)s->rig.wanted),
      .header_share = over((double)s->fabric.header_bytes, (double)s->fabric.bytes),
      .goodput = over((double)s->tail_properties, line),
      .utilisation = over((double)s->tail_bytes, line),
      .less_than_su = over((double)s->bytes_su, (double)s->fabric.bytes),
      .less_than_sa = over((double)s->bytes_sa, (double)s->fabric.bytes),
      .tail_less_than_su = over((double)s->tail_su, (double)s->tail_bytes),
      .last_filter_rate = over((double)(s->last.filtered + s->last.coalesced), (double)s->last.wanted),
      .last_prs_per_packet = over((double)s->last.prs, (double)s->last.packets),
      .last_hit_rate = over((double)s->last.hits, (double)s->last.lookups),
      .last_goodput = over((double)s->last.property_bytes, line),
      .last_utilisation = over((double)s->last.bytes, line),
      .last_less_than_su = over((double)s->tail_su, (double)s->last.bytes),
      .last_less_than_software = over((double)s->software.last, (double)s->last.sent),
      .asked_hit_rate = over((double)s->asked_hits, (double)s->asked_lookups),
      .speedup_su = over((double)s->tail_su, line),
      .redundant_su = over(all_to_all - (double)s->needed, (double)s->needed),
      .redundant_sa = over((double)(s->wanted - s->needed), (double)s->needed),
  };
}

// --- people ---

static void line(FILE *file, const char *name, uint64_t value, const char *remark) {
  fprintf(file, "%-24s %14" PRIu64 "%s%s\n", name, value, *remark ? "  " : "", remark);
}

static void some(FILE *file, const char *name, uint64_t value, const char *remark) {
  if (value > 0) line(file, name, value, remark);
}

static void share(FILE *file, const char *name, double value, const char *remark) {
  fprintf(file, "%-24s %13.1f%%  %s\n", name, 100 * value, remark);
}

static void times(FILE *file, const char *name, uint64_t value, double less, const char *than) {
  fprintf(file, "%-24s %14" PRIu64 "  %.4g times as much as here: %s\n", name, value, less, than);
}

static void print_setting(FILE *file, const struct gather_report *r) {
  const struct gather_run_options *o = &r->options->run;
  const struct gather_fabric_options *f = &o->fabric;
  fprintf(file, "matrix %s: %" PRIu32 " rows, %" PRIu32 " columns, %zu nonzeros%s; seed %" PRIu64 "\n",
          r->options->file != NULL ? r->options->file : matrix_kind_names[r->options->made.kind], r->matrix->rows,
          r->matrix->columns, r->matrix->count, r->matrix->imaginary != NULL ? ", complex" : "", o->seed);
  fprintf(file,
          "%" PRIu32 " nodes in %" PRIu32 " rack%s, %" PRIu32 " spine%s, %s; K %" PRIu32 ", batch %zu, %" PRIu32 " RIG units\n",
          f->topology.nodes, f->topology.racks, f->topology.racks == 1 ? "" : "s", f->topology.spines,
          f->topology.spines == 1 ? "" : "s", gather_options_rtl(r->options), o->k, o->batch, f->node.nic.units);
  fprintf(file,
          "%s queues, delay %" PRIu64 " and %" PRIu64 " cycles; cache of %" PRIu32 " sets a pipe, lines of %" PRIu32 " bytes\n",
          f->pipe.concat.virtual_queues ? "virtual" : "static", f->node.nic.concat.delay, f->pipe.concat.delay,
          f->plain_tors ? 0 : f->pipe.cache_sets, f->pipe.cache_mode);
  if (o->tile < o->k) fprintf(file, "properties are gathered in tiles of %" PRIu32 " elements\n", o->tile);
}

static void print_requests(FILE *file, const struct gather_result *s, const struct gather_ratios *x) {
  line(file, "PRs wanted", s->wanted, "nonzeros whose property another node has");
  line(file, "  needed", s->needed, "of these, different ones of a node");
  line(file, "  filtered", s->rig.filtered, "the property was here already");
  line(file, "  coalesced", s->rig.coalesced, "it was asked for already");
  line(file, "  sent", s->rig.sent - s->merged, "");
  some(file, "  shared", s->merged, "another unit of the node had asked for the same");
  some(file, "  fetched twice", s->rig.doubled, "by two units of a node");
  share(file, "filtered and coalesced", x->filter_rate, "of those wanted");
  some(file, "stalls, table full", s->rig.stalls_pending, "cycles of a RIG unit");
  some(file, "stalls, queue full", s->rig.stalls_tx, "");
  some(file, "operations failed", s->rig.failures, "by the watchdog");
  some(file, "  late responses", s->rig.late, "dropped");
  some(file, "of an older generation", s->older, "passed on without the cache, or not served");
}

static void print_packets(FILE *file, const struct gather_result *s, const struct gather_ratios *x) {
  fprintf(file, "%-24s %14.2f  received by nodes; %.2f different destinations among 64 PRs\n", "PRs a packet", x->prs_per_packet,
          s->locality);
  line(file, "packets", s->fabric.packets, "on all cables");
  line(file, "  of NICs", s->nic.packets, "");
  some(file, "  of switches", s->fabric.tors.concat.packets, "");
  some(file, "waits, expiry queue full", s->nic.waits_expiry + s->fabric.tors.concat.waits_expiry, "cycles");
  some(file, "waits, pool empty", s->nic.waits_pool + s->fabric.tors.concat.waits_pool, "cycles");
  some(file, "packets lost", s->fabric.lost, "as was asked for");
  some(file, "packets held", s->fabric.held, "as was asked for");
  some(file, "packets sent twice", s->fabric.doubled, "as was asked for");
  some(file, "packets unheard", s->fabric.unheard, "by a node that had died");
  some(file, "  on links that were down", s->fabric.cut, "of those that were lost");
  some(file, "packets thrown away", s->fabric.stopped, "for a receiver that took nothing");
  some(file, "reads not looked up", s->fabric.tors.not_turned, "without room for responses");
  if (s->fabric.tors.cache.lookups > 0) {
    line(file, "cache look-ups", s->fabric.tors.cache.lookups, "");
    share(file, "  hits", x->hit_rate, "");
    some(file, "  evicted", s->fabric.tors.cache.evicted, "");
  }
}

/// What its busiest cable has carried in this time, of what it could.
static void print_legs(FILE *file, const struct gather_report *r) {
  const bool spines = r->options->run.fabric.topology.spines > 0;
  const char *const names[GATHER_LEGS] = {"from nodes", "to nodes", spines ? "to spines" : "between switches", "from spines"};
  const struct gather_result *s = r->result;
  for (unsigned i = 0; i < GATHER_LEGS; i++)
    if (s->fabric.used[i] > 0)
      fprintf(file, "  %-22s %13.1f%%  utilisation of the busiest of %" PRIu64 " in use\n", names[i],
              100 * over((double)s->fabric.busiest[i], line_bytes(r)), s->fabric.used[i]);
}

static void print_traffic(FILE *file, const struct gather_report *r, const struct gather_ratios *x) {
  const struct gather_result *s = r->result;
  line(file, "bytes on cables", s->fabric.bytes, "each cable counted; frames with FCS");
  share(file, "  headers", x->header_share, "");
  times(file, "  sparsity-unaware", s->bytes_su, x->less_than_su, "all properties to all nodes, without headers");
  print_legs(file, r);
  times(file, "  per nonzero", s->bytes_sa, x->less_than_sa, "a read and a response for each, alone in packets");
  line(file, "tail node received", s->tail_bytes, "bytes");
  times(file, "  sparsity-unaware", s->tail_su, x->tail_less_than_su, "all properties that it has not");
  share(file, "  line utilisation", x->utilisation, "");
  share(file, "  goodput", x->goodput, "");
  fprintf(file, "%-24s %14" PRIu64 "  %.3f us; %.3g times as fast as all-to-all at line rate\n", "cycles", s->cycles,
          (double)s->cycles / r->options->run.fabric.mhz, x->speedup_su);
  some(file, "cycles of RTL", s->fabric.tors.clocked, "of all switches together");
  fprintf(file, "%-24s %14" PRIu64 "  hash %016" PRIx64 "\n", "events", s->events, s->hash);
  fprintf(file, "%-24s %14.2f  s on %u process%s\n", "took", r->seconds, ranks_count(), ranks_count() == 1 ? "" : "es");
}

/// Rows that nobody has computed, and who is the reason, as hosts see it.
static void print_refused(FILE *file, const struct gather_report *r) {
  const struct gather_result *s = r->result;
  if (s->refused == 0) return;
  fprintf(file, "REFUSED: %" PRIu64 " rows\n", s->refused);
  for (uint32_t n = 0; n < r->options->run.fabric.topology.nodes; n++)
    if (s->silent[n] > 0) fprintf(file, "  node %" PRIu32 " does not answer %" PRIu64 " others\n", n, s->silent[n]);
}

void gather_report_print(FILE *file, const struct gather_report *r) {
  const struct gather_result *s = r->result;
  const struct gather_ratios x = gather_report_ratios(r);
  print_setting(file, r);
  print_requests(file, s, &x);
  print_packets(file, s, &x);
  print_traffic(file, r, &x);
  if (s->mismatches.count == 0) {
    fprintf(file, "OK: %" PRIu64 " elements of the product are right, bit by bit\n", s->compared);
    print_refused(file, r);
    return;
  }
  fprintf(file, "FAILED: %zu mismatch%s\n", s->mismatches.count, s->mismatches.count == 1 ? "" : "es");
  const char *text;
  for (size_t i = 0; (text = findings_text(&s->mismatches, i)) != NULL; i++) fprintf(file, "  %s\n", text);
  fprintf(file, "repeat it with: %s\n", r->again);
}

// --- programs ---

int gather_report_json(FILE *file, const struct gather_report *r) {
  const struct gather_result *s = r->result;
  const struct gather_ratios x = gather_report_ratios(r);
  const struct gather_cache_counts *cache = &s->fabric.tors.cache;
  const struct gather_concat_counts *tors = &s->fabric.tors.concat;
  const struct {
    const char *name;
    uint64_t value;
  } counts[] = {
      {"rows", r->matrix->rows},
      {"columns", r->matrix->columns},
      {"nonzeros", r->matrix->count},
      {"prs_wanted", s->wanted},
      {"prs_needed", s->needed},
      {"prs_sent", s->rig.sent - s->merged},
      {"filtered", s->rig.filtered},
      {"coalesced", s->rig.coalesced},
      {"fetched_twice", s->rig.doubled},
      {"merged", s->merged},
      {"merge_copies", s->copied},
      {"served", s->served},
      {"reads_paused", s->reads_paused},
      {"cache_hits", cache->hits},
      {"cache_lookups", cache->lookups},
      {"cache_evicted", cache->evicted},
      {"packets", s->fabric.packets},
      {"packets_nic", s->nic.packets},
      {"packets_switch", tors->packets},
      {"bytes_on_links", s->fabric.bytes},
      {"bytes_su", s->bytes_su},
      {"bytes_sa", s->bytes_sa},
      {"tail_bytes", s->tail_bytes},
      {"tail_bytes_su", s->tail_su},
      {"cycles", s->cycles},
      {"mean_cycles", s->mean_finished},
      {"stalls_pending", s->rig.stalls_pending},
      {"stalls_tx", s->rig.stalls_tx},
      {"waits_expiry", s->nic.waits_expiry + tors->waits_expiry},
      {"waits_pool", s->nic.waits_pool + tors->waits_pool},
      {"pool_flushes", s->nic.pool_flushes + tors->pool_flushes},
      {"expiry_lateness", s->nic.latest > tors->latest ? s->nic.latest : tors->latest},
      {"operations", s->rig.done},
      {"watchdog_failures", s->rig.failures},
      {"late_responses", s->rig.late},
      {"older_prs", s->older},
      {"promises_checked", s->promises},
      {"iterations", r->options->run.iterations},
      {"given_up", s->given_up},
      {"packets_lost", s->fabric.lost},
      {"packets_held", s->fabric.held},
      {"packets_doubled", s->fabric.doubled},
      {"packets_unheard", s->fabric.unheard},
      {"packets_cut", s->fabric.cut},
      {"packets_stopped", s->fabric.stopped},
      {"not_turned", s->fabric.tors.not_turned},
      {"rows_refused", s->refused},
      {"longest_backlog", s->fabric.most_backlog},
      {"tiles", (r->options->run.k + r->options->run.tile - 1) / r->options->run.tile},
      {"compared", s->compared},
      {"mismatches", s->mismatches.count},
      {"last_node", s->last.node},
      {"busiest_from_nodes", s->fabric.busiest[GATHER_FROM_NODES]},
      {"busiest_to_nodes", s->fabric.busiest[GATHER_TO_NODES]},
      {"busiest_up", s->fabric.busiest[GATHER_UP]},
      {"busiest_down", s->fabric.busiest[GATHER_DOWN]},
      {"uplinks_used", s->fabric.used[GATHER_UP]},
      {"software_prs", s->software.prs},
      {"software_tail_prs", s->software.tail},
      {"software_core_prs", s->software.tail_core},
      {"most_nonzeros", s->most_nonzeros},
      {"most_columns", s->most_columns},
      {"events", s->events},
  };
  const struct {
    const char *name;
    double value;
  } ratios[] = {
      {"prs_per_packet", x.prs_per_packet},
      {"header_share", x.header_share},
      {"hit_rate", x.hit_rate},
      {"filter_rate", x.filter_rate},
      {"goodput", x.goodput},
      {"utilisation", x.utilisation},
      {"less_than_su", x.less_than_su},
      {"less_than_sa", x.less_than_sa},
      {"tail_less_than_su", x.tail_less_than_su},
      {"speedup_su", x.speedup_su},
      {"last_filter_rate", x.last_filter_rate},
      {"last_prs_per_packet", x.last_prs_per_packet},
      {"last_hit_rate", x.last_hit_rate},
      {"last_goodput", x.last_goodput},
      {"last_utilisation", x.last_utilisation},
      {"last_less_than_su", x.last_less_than_su},
      {"last_less_than_software", x.last_less_than_software},
      {"asked_hit_rate", x.asked_hit_rate},
      {"redundant_su", x.redundant_su},
      {"redundant_sa", x.redundant_sa},
      {"locality", s->locality},
  };
  json_t *o = json_object();
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    json_object_set_new(o, counts[i].name, json_integer((json_int_t)counts[i].value));
  for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) json_object_set_new(o, ratios[i].name, json_real(ratios[i].value));
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
  json_object_set_new(o, "events_hash", json_string(hash));
  json_t *finished = json_array();
  for (uint32_t n = 0; n < r->options->run.fabric.topology.nodes; n++)
    json_array_append_new(finished, json_integer((json_int_t)s->finished[n]));
  json_object_set_new(o, "finished", finished);
  int result = json_dumpf(o, file, JSON_INDENT(2));
  if (result == 0 && fputc('\n', file) == EOF) result = -1;
  json_decref(o);
  return result;
}
