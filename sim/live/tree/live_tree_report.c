#include "sim/live/tree/live_tree_report.h"

#include <jansson.h>

#include "drive/tree/node_config.h"
#include "sim/live/live_told.h"
#include "sim/report/report.h"

static void print_setting(FILE *file, const struct live_tree_report *r) {
  const struct live_options *o = r->run->options;
  fprintf(file, "nodes of configuration %s: %u ports; seed %llu\n", live_tree_net_config(r->net)->name,
          live_tree_net_config(r->net)->ports, (unsigned long long)o->seed);
  live_told_guests(file, r->run);
  if (o->leaves == 1)
    fprintf(file, "one node");
  else
    fprintf(file, "%u leaves below a root", o->leaves);
  fprintf(file, ": %s, %s %s, MTU %u, way %s, %s", live_collective_name(o->collective), live_op_name(o->kind),
          live_type_name(o->kind), o->mtu, live_way_name(o->way), o->ipv6 ? "IPv6" : "IPv4");
  if (o->vlan > 0) fprintf(file, ", VLAN %u", o->vlan);
  if (o->multicast) fprintf(file, ", multicasts");
  if (o->loss > 0) fprintf(file, ", loss %g on each cable, each way", o->loss);
  fputc('\n', file);
}

static void print_kill(FILE *file, const struct live_run *run) {
  if (run->options->kill == LIVE_NOBODY || run->broken_at == 0) return;
  fprintf(file, "host %u was killed; the last of the others had its verdict after %.1f s; the next job is without it\n",
          run->options->kill, live_told_longest(run));
}

static void print_nodes(FILE *file, const struct live_tree_report *r) {
  static const char *const names[] = {"low-latency tree", "streaming tree"};
  const struct live_net_counts net = live_tree_net_counts(r->net);
  const struct live_tree_counts d = live_tree_net_done(r->net);
  uint64_t multicasts = 0;
  for (size_t i = 0; i < r->run->result_count; i++) multicasts += r->run->results[i].multicasts;
  report_line(file, "frames from hosts", net.in, "");
  report_some(file, "  lost", net.lost_in, "on purpose");
  report_some(file, "nodes: wrong ICRC", d.nodes.damaged, "");
  report_some(file, "nodes: strays", d.nodes.strays, "of no connection");
  report_some(file, "locks", d.nodes.locks, "taken by nodes");
  report_some(file, "results multicast", d.nodes.casts, "to a child");
  report_some(file, "  taken", multicasts, "by hosts, before their reliable copies came");
  report_some(file, "  taken", d.nodes.casts_taken, "by nodes, from their parents'");
  report_some(file, "teardowns", d.nodes.teardowns, "of trees, by nodes");
  for (int i = 0; i < 2; i++) {
    report_line(file, names[i], d.nodes.operations[i], "operations, of each node");
    report_line(file, "  packets", d.ends[i].sent, "from nodes");
    report_some(file, "  repeated", d.ends[i].repeats, "");
    report_some(file, "  time-outs", d.ends[i].timeouts, "");
    report_some(file, "  duplicate", d.ends[i].duplicates, "to nodes");
  }
  report_line(file, "frames to hosts", net.out, "");
  report_some(file, "  lost", net.lost_out, "on purpose");
  report_some(file, "  dropped", net.dropped, "no room, or the host is gone");
  report_line(file, "messages compared", d.compared, "that left a node, with its golden model's");
  report_line(file, "cycles clocked", d.cycles, "of all nodes together");
}

void live_tree_report_print(FILE *file, const struct live_tree_report *r) {
  const struct live_net_counts net = live_tree_net_counts(r->net);
  print_setting(file, r);
  live_told_results(file, r->run);
  print_kill(file, r->run);
  live_told_drivers(file, r->run, &net);
  print_nodes(file, r);
  fprintf(file, "%-22s %12.1f  s on this machine, %.1f of them for the jobs\n", "time", r->seconds, r->run->job_s);
  if (r->run->mismatches == 0) {
    fprintf(file, "OK: every element right on every host; every message of a node as its golden model has it\n");
    return;
  }
  report_failed(file, r->run->mismatches, "\n");
  live_told_faults(file, r->run);
  fprintf(file, "repeat it with: %s\n", r->again);
}

int live_tree_report_json(FILE *file, const void *report) {
  const struct live_tree_report *r = report;
  const struct live_net_counts net = live_tree_net_counts(r->net);
  size_t wrong = 0;
  for (size_t i = 0; i < r->run->result_count; i++) wrong += r->run->results[i].wrong;
  json_t *o = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:s, s:s}", "frames_in", (json_int_t)net.in, "frames_out",
                        (json_int_t)net.out, "lost", (json_int_t)(net.lost_in + net.lost_out), "cycles",
                        (json_int_t)live_tree_net_done(r->net).cycles, "mismatches", (json_int_t)r->run->mismatches, "compared",
                        (json_int_t)live_tree_net_done(r->net).compared, "wrong", (json_int_t)wrong, "boot_s", r->run->boot_s,
                        "job_s", r->run->job_s, "accel", r->run->accel, "kernel", r->run->kernel);
  json_object_set_new(o, "hosts", live_told_hosts_json(r->run, &net));
  json_object_set_new(o, "reductions", live_told_results_json(r->run));
  int result = json_dumpf(o, file, JSON_INDENT(2));
  if (result == 0 && fputc('\n', file) == EOF) result = -1;
  json_decref(o);
  return result;
}
