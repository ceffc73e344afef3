#include "sim/live/tree/live_tree.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/stop.h"
#include "sim/cli/command.h"
#include "sim/live/live_report.h"
#include "sim/live/tree/live_tree_net.h"
#include "sim/live/tree/live_tree_report.h"
#include "wire/tree.h"

enum { KILL_REPEATS = 1000, LIBRARY_PATIENCE_MS = 100000, BROKEN_PATIENCE_MS = 60000 };

struct live_tree {
  struct live_run *run;
  struct live_tree_net *net;
  unsigned told;   ///< so many jobs have begun
};

// --- a job ---

/// Everybody begins: tells its ends, and waits until the nodes know them.
static void command(struct live_tree *t, unsigned hosts, unsigned repeats) {
  const struct live_options *o = t->run->options;
  char text[LIVE_LINE];
  for (unsigned host = 0; host < hosts; host++) {
    const struct live_tree_door d = live_tree_net_door(t->net, host);
    // Repeats over a loss take half a second each; a Retry Count of 7 is none at all for rdma_rxe.
    snprintf(text, sizeof text,
             "tree %s %02x:%02x:%02x:%02x:%02x:%02x --low %u:%u --sat %u:%u --trees %u:%u --group %u --shape %ux%u --ports %u "
             "--mtu %u "
             "--timeout %d --retries %d --lock %u --collective %s --type %s --op %s --way %s --from %zu --to %zu --repeats %u "
             "--seed %llu --library %s%s%s",
             d.address, d.mac[0], d.mac[1], d.mac[2], d.mac[3], d.mac[4], d.mac[5], d.ends.low_qpn, d.ends.low_psn,
             d.ends.sat_qpn, d.ends.sat_psn, d.low_tree, d.sat_tree, d.group, o->leaves, o->leaves == 1 ? hosts : o->below,
             live_tree_net_config(t->net)->ports, o->mtu, live_breaks(o) ? BROKEN_PATIENCE_MS : LIBRARY_PATIENCE_MS,
             live_breaks(o) ? 6 : 7, o->lock, live_collective_name(o->collective), live_type_name(o->kind), live_op_name(o->kind),
             live_way_name(o->way), o->sweep ? (size_t)4 : o->tensor, o->tensor, repeats,
             (unsigned long long)(o->seed & INT64_MAX), live_library_name(o->library), o->registered ? " --register" : "",
             o->multicast ? " --multicast" : "");
    live_guest_command(&t->run->guests[host], text);
  }
  t->told++;
}

/// Whether a host is so far in its `job`th job.
typedef bool reached(const struct live_run *r, unsigned host, unsigned job);
static bool told(const struct live_run *r, unsigned host, unsigned job) { return r->hosts[host].ends_told >= job; }
static bool done(const struct live_run *r, unsigned host, unsigned job) { return r->hosts[host].done >= job; }
static bool left(const struct live_run *r, unsigned host, unsigned job) { return r->hosts[host].exits >= job; }

/// The first host that is not, or `hosts`.
static unsigned late(const struct live_run *r, unsigned hosts, unsigned job, reached *is) {
  unsigned host = 0;
  while (host < hosts && (r->guests[host].console < 0 || is(r, host, job))) host++;
  return host;
}

/// Kills the last host when a third of what it is to hear has been sent to it.
static void kill_in_time(struct live_tree *t) {
  struct live_run *r = t->run;
  const struct live_options *o = r->options;
  if (o->kill == LIVE_NOBODY || r->broken_at > 0 || t->told > 1) return;
  const struct live_tree_flow f = live_tree_net_flow(t->net, o->kill, true);
  if (f.messages[0] + f.messages[1] < o->repeats) return;
  live_guest_stop(&r->guests[o->kill]);
  live_run_break(r);
}

/// Until the hosts are so far. False if that does not come; why is noted.
static bool await(struct live_tree *t, unsigned hosts, reached *is, const char *what) {
  struct live_run *r = t->run;
  const double start = clock_seconds();
  unsigned host;
  while ((host = late(r, hosts, t->told, is)) < hosts) {
    if (!live_run_turn(r, false)) return false;
    kill_in_time(t);
    const unsigned gone = live_run_ended(r);
    if (gone != LIVE_NOBODY) {
      live_run_report(r, "host %u has ended by itself: %s", gone, r->guests[gone].line.last);
      return false;
    }
    if (is != left && left(r, host, t->told)) {
      live_run_report(r, "host %u: %s", host, *r->hosts[host].error ? r->hosts[host].error : "its program has ended");
      return false;
    }
    if (clock_seconds() - start <= r->options->patience) continue;
    live_run_report(r, "after %u s host %u has not %s; it said last: %s", r->options->patience, host, what,
                    r->guests[host].line.last);
    return false;
  }
  return true;
}

static void say(struct live_tree *t, unsigned hosts, const char *text) {
  for (unsigned host = 0; host < hosts; host++) live_guest_command(&t->run->guests[host], text);
}

/// A job of the first hosts, whose trees are set up for it and closed behind it. False if it did not come to its end.
static bool job(struct live_tree *t, unsigned hosts, unsigned repeats) {
  struct live_run *r = t->run;
  struct live_ends ends[LIVE_MAX_HOSTS];
  char text[256];
  command(t, hosts, repeats);
  if (!await(t, hosts, told, "told its queue pairs")) return false;
  for (unsigned host = 0; host < hosts; host++) ends[host] = r->hosts[host].ends;
  if (live_tree_net_begin(t->net, ends, hosts, text, sizeof text) != 0) {
    live_run_report(r, "%s", text);
    return false;
  }
  say(t, hosts, "connect");
  if (!await(t, hosts, done, "done its job")) return false;
  // An answer may still have to be acknowledged, or sent again.
  const double over = clock_seconds();
  while (!live_tree_net_rests(t->net) && clock_seconds() - over < r->options->patience)
    if (!live_run_turn(r, false)) break;
  const char *wrong = live_tree_net_end(t->net, text, sizeof text);
  if (wrong != NULL) live_run_report(r, "%s", wrong);
  return true;
}

static bool leave(struct live_tree *t, unsigned hosts) {
  say(t, hosts, "leave");
  return await(t, hosts, left, "left");
}

// --- what must have come of it ---

static unsigned sizes_of(const struct live_options *o) {
  unsigned sizes = 1;
  for (size_t bytes = 4; o->sweep && bytes * 2 <= o->tensor; bytes *= 2) sizes++;
  return sizes;
}

/// What a host hears of a job in which nothing broke: a barrier before each operation, the locks, and the results.
static struct live_tree_flow due_down(const struct live_options *o, unsigned host) {
  struct live_tree_flow f = {0};
  const bool vector = strcmp(live_collective_name(o->collective), "barrier") != 0;
  const bool wants = (o->collective == 0) || (o->collective == 1 && host == 0) || (o->collective == 2 && host != 0);
  uint64_t streams = 0, words = 0;   // a barrier of a communicator carries a word
  for (size_t bytes = o->sweep ? 4 : o->tensor; bytes <= o->tensor; bytes *= 2) {
    const bool stream = vector && (o->way == 2 || (o->way == 0 && bytes > TREE_LLT_MOST));
    f.messages[0] += o->repeats;
    if (o->library == 1) words += vector ? o->repeats : 2 * (uint64_t)o->repeats;
    f.messages[stream] += o->repeats;
    if (vector && wants) f.bytes[stream] += (uint64_t)bytes * o->repeats;
    streams += stream ? o->repeats : 0;
  }
  // What is left of the last lock is given back: all of one without end.
  if (streams > 0) f.messages[0] += o->lock == 0 ? 2 : (streams + o->lock - 1) / o->lock + (streams % o->lock != 0);
  for (int kind = 0; kind < 2; kind++) f.bytes[kind] += f.messages[kind] * TREE_BYTES;
  f.bytes[0] += 4 * words;
  return f;
}

static void check_cables(struct live_tree *t) {
  const struct live_options *o = t->run->options;
  for (unsigned host = 0; host < o->hosts; host++) {
    const struct live_tree_flow due = due_down(o, host), was = live_tree_net_flow(t->net, host, true);
    for (int kind = 0; kind < 2; kind++)
      if (was.messages[kind] != due.messages[kind] || was.bytes[kind] != due.bytes[kind])
        live_run_report(t->run, "host %u was sent %llu messages of %llu bytes through its %s tree, %llu of %llu are right", host,
                        (unsigned long long)was.messages[kind], (unsigned long long)was.bytes[kind],
                        kind == 1 ? "streaming" : "low-latency", (unsigned long long)due.messages[kind],
                        (unsigned long long)due.bytes[kind]);
  }
}

static void check_hosts(struct live_tree *t) {
  struct live_run *r = t->run;
  const struct live_options *o = r->options;
  const unsigned alive = o->kill == LIVE_NOBODY ? o->hosts : o->hosts - 1;
  for (unsigned host = 0; host < alive; host++)
    if (r->hosts[host].code != 0)
      live_run_report(r, "host %u: %s", host, *r->hosts[host].error ? r->hosts[host].error : "its program failed");
  for (size_t i = 0; i < r->result_count; i++)
    if (r->results[i].wrong > 0)
      live_run_report(r, "host %u: %zu elements of %zu bytes are wrong", r->results[i].host, r->results[i].wrong,
                      r->results[i].bytes);
  const size_t came = r->result_count - r->results_before;
  if (came != (size_t)alive * sizes_of(o)) live_run_report(r, "%zu results of %zu came", came, (size_t)alive * sizes_of(o));
}

/// Those who are left must have been told in time, whom of them the network missed.
static void check_kill(struct live_tree *t) {
  struct live_run *r = t->run;
  if (r->broken_at == 0)
    live_run_report(r, "host %u was to be killed in the middle, but the job was over before", r->options->kill);
  for (unsigned host = 0; host < r->options->kill; host++) {
    const struct live_host *h = &r->hosts[host];
    if (h->code == 0) live_run_report(r, "host %u did not notice that host %u is gone", host, r->options->kill);
    if (h->failed_after > BROKEN_PATIENCE_MS / 1000)
      live_run_report(r, "host %u noticed that only after %.1f s", host, h->failed_after);
  }
}

static bool sound(const struct live_run *r) { return r->mismatches == 0 && stop_asked() == 0; }

/// The host that is to be killed must be missed by its node, too.
static bool broken_job(struct live_tree *t) {
  const struct live_options *o = t->run->options;
  if (!job(t, o->hosts, KILL_REPEATS) || !leave(t, o->kill)) return false;
  check_kill(t);
  t->run->results_before = t->run->result_count;
  return sound(t->run);
}

static void jobs(struct live_tree *t) {
  struct live_run *r = t->run;
  const struct live_options *o = r->options;
  const unsigned alive = o->kill == LIVE_NOBODY ? o->hosts : o->hosts - 1;
  const double start = clock_seconds();
  r->speaks = o->library == LIVE_MEASURED;   // what was chosen, and why
  if (o->kill != LIVE_NOBODY && !broken_job(t)) return;
  const bool over = job(t, alive, o->repeats) && leave(t, alive);
  r->job_s = clock_seconds() - start;
  if (over) check_hosts(t);
  // What a communicator measures, and what it then chooses, nobody knows before.
  if (over && o->kill == LIVE_NOBODY && o->library != LIVE_MEASURED && sound(r)) check_cables(t);
  if (!over || stop_asked() != 0) return;
  say(t, alive, "counters");
  t->told++;
  await(t, alive, left, "told its counters");
}

int live_tree_run(struct live_run *r, double start) {
  const struct live_options *o = r->options;
  struct topology topology;
  struct live_tree t = {.run = r};
  char shape[32], error[256];
  if (o->leaves == 1)
    snprintf(shape, sizeof shape, "fat-tree:%u", o->below);
  else
    snprintf(shape, sizeof shape, "fat-tree:%ux%u", o->leaves, o->below);
  const struct topology_limits limits = {.nodes = TOPOLOGY_MAX_NODES, .hosts = LIVE_MAX_HOSTS, .children = LIVE_MAX_HOSTS};
  if (topology_read(&topology, shape, &limits, error, sizeof error) != 0) return live_refuse("--tree %s: %s", o->tree, error);
  int code = outputs_open(&r->life->outputs, o->hosts);
  if (code != 0) return code;
  t.net = live_tree_net_open(o, &topology, r->guests, r->life->outputs.writer);
  if (t.net == NULL) return live_refuse("out of memory");
  r->wires = live_tree_net_wires(t.net);
  code = live_run_boot(r);
  if (code == 0 && stop_asked() == 0) jobs(&t);
  if (code == 0 && stop_asked() != 0) code = COMMAND_UNUSABLE;
  const struct live_tree_report report = {.run = r, .net = t.net, .seconds = clock_seconds() - start, .again = r->life->again};
  if (code == 0) {
    live_tree_report_print(stdout, &report);
    code = outputs_write(&r->life->outputs, live_tree_report_json, NULL, &report);
    if (code == 0 && r->mismatches > 0) code = COMMAND_FAILED;
  }
  live_run_stop(r);
  live_tree_net_close(t.net);
  return code;
}
