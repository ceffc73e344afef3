#include "sim/tree/tree_report.h"

#include <inttypes.h>
#include <jansson.h>

#include "sim/engine/jobs.h"
#include "sim/report/report.h"
#include "wire/roce.h"

double tree_report_gbps(const struct tree_report_of *r) {
  const double ps = r->result->jobs.mean_ps;
  return ps > 0 ? 8e3 * r->options->run.jobs.size * r->options->run.jobs.parts / ps : 0;
}

static double us(uint64_t ps) { return (double)ps / 1e6; }

// --- people ---

static void line(FILE *file, const char *name, uint64_t value, const char *remark) {
  fprintf(file, "%-24s %14" PRIu64 "%s%s\n", name, value, *remark ? "  " : "", remark);
}

static void some(FILE *file, const char *name, uint64_t value, const char *remark) {
  if (value > 0) line(file, name, value, remark);
}

static void time_line(FILE *file, const char *name, double value, const char *remark) {
  fprintf(file, "%-24s %14.3f  us%s%s\n", name, value, *remark ? "; " : "", remark);
}

/// Of each kind of bad end the first host that had it, with what the network told it.
static void print_ends(FILE *file, const struct tree_report_of *r) {
  bool told[TREE_VERDICTS] = {false};
  for (unsigned h = 0; h < r->options->topology.hosts; h++) {
    const struct tree_jobs_host *host = tree_run_host(r->run, h);
    if (!host->ended || host->verdict == TREE_OK || told[host->verdict]) continue;
    told[host->verdict] = true;
    fprintf(file, "%s: host %u after %" PRIu32 " operations; ", tree_verdict_name(host->verdict), h, host->done);
    if (host->answer.node == TREE_A_HOST)
      fprintf(file, "a host said so");
    else
      fprintf(file, "node %u said so", host->answer.node);
    if (host->answer.port > 0) fprintf(file, ", its port %u is to blame", host->answer.port - 1);
    if (host->verdict == TREE_LOCK_FAILED || host->verdict == TREE_NO_RESOURCE) {
      fprintf(file, ", tree %u is held by group %u", host->answer.holder_tree, host->answer.holder_group);
      if (host->answer.count != TREE_UNLIMITED) fprintf(file, " for %" PRIu32 " more", host->answer.count);
    }
    fputc('\n', file);
  }
}

/// What the hosts of the group heard of the operation in which one did something wrong.
static void print_wrong(FILE *file, const struct tree_report_of *r) {
  if (r->options->wrong == NULL) return;
  fprintf(file, "wrong, %s:", r->options->wrong);
  for (unsigned v = 0; v < TREE_VERDICTS; v++)
    if (r->result->jobs.wrong[v] > 0) fprintf(file, " %u %s", r->result->jobs.wrong[v], tree_verdict_name(v));
  if (r->result->denied > 0) fprintf(file, "; %" PRIu64 " denied besides", r->result->denied);
  fputc('\n', file);
}

void tree_report_setting(FILE *file, const struct tree_report_of *r) {
  const struct tree_options *o = r->options;
  const struct tree_jobs_options *j = &o->run.jobs;
  const struct tree_net_options *n = &o->run.network;
  fprintf(file, "%u hosts below %u node%s, %u level%s; %u group%s, %u tree%s; seed %" PRIu64 "\n", o->topology.hosts,
          o->topology.count, o->topology.count == 1 ? "" : "s", o->topology.levels, o->topology.levels == 1 ? "" : "s", n->groups,
          n->groups == 1 ? "" : "s", n->pairs, n->pairs == 1 ? "" : "s", n->seed);
  fprintf(file, "%s", tree_options_operation(r->options));
  if (j->operation != TREE_BARRIER)
    fprintf(file, " of %" PRIu32 " bytes %s, %s", j->size * j->parts, ina_types[o->type], ina_ops[o->reduction]);
  if (j->parts > 1) fprintf(file, ", %" PRIu32 " parts", j->parts);
  fprintf(file, ", %s tree, %" PRIu32 " times; MTU %u", j->streams ? "streaming" : "low-latency", j->operations, n->mtu);
  if (j->streams) fprintf(file, ", %u credits, lock %s", n->credits, o->lock);
  fputc('\n', file);
}

void tree_run_report(FILE *file, const struct tree_report_of *r) {
  const struct tree_result *s = r->result;
  const struct tree_totals *t = &s->totals;
  tree_report_setting(file, r);
  const char *comma = "hosts ended:";
  for (unsigned v = 0; v < TREE_VERDICTS; v++) {
    if (s->jobs.verdicts[v] == 0) continue;
    fprintf(file, "%s %u %s", comma, s->jobs.verdicts[v], tree_verdict_name(v));
    comma = ",";
  }
  fputc('\n', file);
  print_ends(file, r);
  print_wrong(file, r);
  line(file, "operations", s->jobs.operations, "of groups, all of whose hosts have it");
  line(file, "bytes compared", s->jobs.compared, "with results computed directly");
  if (s->jobs.operations > 0)
    time_line(file, "an operation", s->jobs.mean_ps / 1e6, "first host's begin to last one's end, mean");
  if (s->jobs.lock_ps > 0) time_line(file, "a lock", s->jobs.lock_ps / 1e6, "at a host, mean");
  if (tree_report_gbps(r) > 0) fprintf(file, "%-24s %14.3f  Gb/s of a vector\n", "bandwidth", tree_report_gbps(r));
  time_line(file, "longest at a host", us(s->longest_ps), "");
  time_line(file, "  of it nothing moved", us(s->silence_ps), "the longest of all; then a host gives up:");
  time_line(file, "  patience", us(s->bound_ps), "");
  time_line(file, "all ended after", us(s->jobs.finished_ps), "");
  line(file, "busiest cable upwards", t->most_up, "bytes of messages, each once");
  line(file, "  downwards", t->most_down, "");
  line(file, "cables checked", s->cables_checked, "directions and trees: once up a node, once down a child");
  line(file, "packets", t->packets, "of data, on all cables");
  some(file, "  repeated", t->repeats, "");
  some(file, "  without a credit", t->limited, "");
  some(file, "NAKs", t->naks, "");
  some(file, "not ready", t->rnrs, "");
  some(file, "time-outs", t->timeouts, "");
  some(file, "duplicates", t->duplicates, "");
  some(file, "lost", t->lost, "by cables");
  some(file, "doubled", t->doubled, "");
  some(file, "overtaken", t->overtaken, "");
  some(file, "damaged", t->damaged, "");
  some(file, "hostile", t->hostile, "frames of somebody else");
  some(file, "results multicast", s->nodes.casts, "to a child");
  some(file, "  taken", t->casts, "by hosts, before their reliable copies came");
  some(file, "  taken", s->nodes.casts_taken, "by nodes, from their parents'");
  some(file, "locks", s->nodes.locks, "taken by nodes");
  some(file, "  refused", s->nodes.lock_failures, "");
  some(file, "groups made anew", s->jobs.regrouped, "at all their nodes, while others ran");
  some(file, "  nodes were busy", s->jobs.busy, "times, and were asked again");
  some(file, "trees torn down", s->nodes.teardowns, "by nodes");
  some(file, "  set up again", s->jobs.reopened, "by all nodes and hosts");
  fprintf(file, "%-24s %14" PRIu64 "  hash %016" PRIx64 "\n", "events", s->events, s->hash);
  some(file, "devices in RTL", s->devices, "");
  some(file, "  messages, packets", s->devices_compared, "that left them, each as the model beside it sent it");
  some(file, "  bits flipped", t->flipped, "in their memories");
  some(file, "  corrected", t->corrected, "cycles with reads of such");
  some(file, "  lost", t->spoilt, "cycles with reads of words that could not be corrected");
  some(file, "  cycles", s->devices_cycles, "of them all, but for those in which nothing could happen");
  for (size_t i = 0; findings_text(&s->findings, i) != NULL; i++) fprintf(file, "MISMATCH %s\n", findings_text(&s->findings, i));
  if (s->findings.count > 0) {
    report_failed(file, s->findings.count, "; again: ");
    fprintf(file, "%s\n", r->again);
  } else {
    fprintf(file, "OK: %" PRIu64 " bytes of results are right, bit by bit (%.1f s)\n", s->jobs.compared, r->seconds);
  }
}

// --- programs ---

static void put(json_t *o, const char *name, uint64_t value) { json_object_set_new(o, name, json_integer((json_int_t)value)); }

static json_t *ends(const struct tree_report_of *r) {
  json_t *list = json_array();
  for (unsigned h = 0; h < r->options->topology.hosts; h++) {
    const struct tree_jobs_host *host = tree_run_host(r->run, h);
    json_t *o = json_object();
    if (host->ended) json_object_set_new(o, "verdict", json_string(tree_verdict_name(host->verdict)));
    put(o, "operations", host->done);
    put(o, "lock_tries", host->lock_tries);
    if (host->verdict != TREE_OK) {
      put(o, "node", host->answer.node);
      put(o, "port", host->answer.port);
      put(o, "holder_tree", host->answer.holder_tree);
      put(o, "holder_group", host->answer.holder_group);
      put(o, "left", host->answer.count);
    }
    json_object_set_new(o, "ended_us", json_real(us(host->ended_ps)));
    json_array_append_new(list, o);
  }
  return list;
}

int tree_run_json(FILE *file, const struct tree_report_of *r) {
  const struct tree_result *s = r->result;
  const struct tree_totals *t = &s->totals;
  const struct {
    const char *name;
    uint64_t value;
  } counts[] = {
      {"hosts", r->options->topology.hosts},
      {"nodes", r->options->topology.count},
      {"levels", r->options->topology.levels},
      {"streams", r->options->run.jobs.streams},
      {"operations", s->jobs.operations},
      {"compared", s->jobs.compared},
      {"most_up", t->most_up},
      {"most_down", t->most_down},
      {"up", t->up},
      {"down", t->down},
      {"cables_checked", s->cables_checked},
      {"packets", t->packets},
      {"repeats", t->repeats},
      {"limited", t->limited},
      {"naks", t->naks},
      {"rnrs", t->rnrs},
      {"timeouts", t->timeouts},
      {"duplicates", t->duplicates},
      {"lost", t->lost},
      {"doubled", t->doubled},
      {"overtaken", t->overtaken},
      {"damaged", t->damaged},
      {"hostile", t->hostile},
      {"casts", s->nodes.casts},
      {"casts_taken", t->casts},
      {"casts_taken_nodes", s->nodes.casts_taken},
      {"copies", t->copies},
      {"columns", s->nodes.columns},
      {"locks", s->nodes.locks},
      {"lock_failures", s->nodes.lock_failures},
      {"unlocks", s->nodes.unlocks},
      {"teardowns", s->nodes.teardowns},
      {"regrouped", s->jobs.regrouped},
      {"reopened", s->jobs.reopened},
      {"refused", s->nodes.refused},
      {"denied_besides", s->denied},
      {"devices", s->devices},
      {"devices_compared", s->devices_compared},
      {"devices_cycles", s->devices_cycles},
      {"flipped", t->flipped},
      {"corrected", t->corrected},
      {"memory_lost", t->spoilt},
      {"events", s->events},
      {"mismatches", s->findings.count},
  };
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
  json_t *o = json_object(), *verdicts = json_object(), *wrong = json_object();
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) put(o, counts[i].name, counts[i].value);
  for (unsigned v = 0; v < TREE_VERDICTS; v++) put(verdicts, tree_verdict_name(v), s->jobs.verdicts[v]);
  for (unsigned v = 0; v < TREE_VERDICTS; v++) put(wrong, tree_verdict_name(v), s->jobs.wrong[v]);
  json_object_set_new(o, "verdicts", verdicts);
  json_object_set_new(o, "wrong_verdicts", wrong);
  json_object_set_new(o, "events_hash", json_string(hash));
  json_object_set_new(o, "operation_us", json_real(s->jobs.mean_ps / 1e6));
  json_object_set_new(o, "lock_us", json_real(s->jobs.lock_ps / 1e6));
  json_object_set_new(o, "bandwidth_gbps", json_real(tree_report_gbps(r)));
  json_object_set_new(o, "longest_us", json_real(us(s->longest_ps)));
  json_object_set_new(o, "silence_us", json_real(us(s->silence_ps)));
  json_object_set_new(o, "bound_us", json_real(us(s->bound_ps)));
  json_object_set_new(o, "finished_us", json_real(us(s->jobs.finished_ps)));
  json_object_set_new(o, "ends", ends(r));
  int result = json_dumpf(o, file, JSON_INDENT(2));
  if (result == 0 && fputc('\n', file) == EOF) result = -1;
  json_decref(o);
  return result;
}
