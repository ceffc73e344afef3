#include "sim/live/live_jobs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/stop.h"

enum { QP_TIMEOUT = 17, LAZY_QP_TIMEOUT = 20 };
/// RingIDs from here on are none of the device: hosts find that out, and reduce themselves.
enum { NO_RING = 101 };
/// Nothing of a job comes after so many seconds without a frame.
#define QUIET_SECONDS 0.2

/// Local ACK Timeout of the queue pairs. Where nothing is lost, a time-out can only mean that somebody is slow, the device that writes waves or
/// a busy machine: hosts would send again what it has not come to yet, and more and more of it. Where frames are lost, it is what mends that;
/// but guests that share a processor are slow, too.
static unsigned qp_timeout(const struct live_options *o) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  unsigned timeout = QP_TIMEOUT;
  if (live_breaks(o)) return timeout;
  if (o->wave != NULL || o->loss == 0) return LAZY_QP_TIMEOUT;
  for (long guests = 2 * (processors > 0 ? processors : 1); guests < o->hosts && timeout < LAZY_QP_TIMEOUT; guests *= 2)
    timeout++;
  return timeout;
}

/// What weir_perf is to do. Where somebody is killed, or the device restarted, a queue pair and the library give up in their own time: rdma_rxe takes a Retry Count of 7
/// for any number. Elsewhere --patience bounds a job.
void live_jobs_text(const struct live_options *o, unsigned repeats, char *text, size_t size) {
  snprintf(
      text, size,
      "--window %u --msglen %u --mtu %u --verb %s --type %s --op %s --from %zu --to %zu --repeats %u --warm-up 0 --seed %llu "
      "--qp-timeout %u%s%s%s%s%s",
      o->window, o->msglen, o->mtu, live_verb_name(o->verb), live_type_name(o->kind), live_op_name(o->kind),
      o->sweep ? (size_t)4 : o->tensor, o->tensor, repeats, (unsigned long long)(o->seed & INT64_MAX), qp_timeout(o),
      live_breaks(o) ? " --retries 6" : " --timeout 100000", o->in_place ? " --place in" : " --place out",
      o->registered ? " --register" : "", o->hosts_alone ? " --way auto" : " --way device",
      strcmp(live_verb_name(o->verb), "write") == 0 ? " --unmarked" : "");
}

static void command_all(struct live_run *r, unsigned hosts, const char *text) {
  for (unsigned host = 0; host < hosts; host++) live_guest_command(&r->guests[host], text);
}

static uint64_t results_out(const struct live_run *r) {
  uint64_t results = 0;
  for (unsigned port = 0; port < r->options->config->ports; port++)
    results += bench_counts(live_net_bench(r->net), port)->tx_result;
  return results;
}

/// Kills a host when a third of the first job's packets has come back.
static void kill_in_time(struct live_run *r) {
  const struct live_options *o = r->options;
  if (o->kill == LIVE_NOBODY || r->broken_at > 0) return;
  if (results_out(r) < (uint64_t)o->hosts * o->repeats * (o->tensor / o->mtu + 1) / 3) return;
  live_guest_stop(&r->guests[o->kill]);
  live_run_break(r);
}

static void flush_all(struct live_run *r) {
  for (unsigned ring = 0; ring < r->options->rings; ring++)
    if (live_net_flush(r->net, ring) != 0) live_run_report(r, "the device does not flush ring %u", ring + 1);
}

/// Restarts the device when its time has come: it has forgotten all, and marks results with another epoch. When it has been restarted as often as was asked
/// for, its rings are flushed in its place.
static void forget_in_time(struct live_run *r) {
  if (r->forget_at == 0 || results_out(r) < r->forget_at) return;
  r->forget_at = 0;
  live_run_break(r);
  if (r->restarts == r->options->reboots) {
    r->flushes++;
    flush_all(r);
    return;
  }
  r->restarts++;
  if (!live_net_restart(r->net)) live_run_report(r, "the device cannot be set up again");
}

/// Waits until a command is done everywhere.
static void await_exits(struct live_run *r, unsigned hosts, unsigned exits) {
  const double start = clock_seconds();
  while (!live_run_exited(r, hosts, exits)) {
    if (!live_run_turn(r, false)) return;
    kill_in_time(r);
    forget_in_time(r);
    const unsigned gone = live_run_ended(r);
    if (gone != LIVE_NOBODY) {
      live_run_report(r, "host %u has ended by itself: %s", gone, r->guests[gone].line.last);
      return;
    }
    if (clock_seconds() - start > r->options->patience) {
      live_run_report(r, "after %u s not all hosts are done", r->options->patience);
      return;
    }
  }
}

static void check_exits(struct live_run *r, unsigned hosts) {
  for (unsigned host = 0; host < hosts; host++) {
    size_t wrong = 0;
    for (size_t i = 0; i < r->result_count; i++) wrong += r->results[i].host == host ? r->results[i].wrong : 0;
    // Wrong elements are told one size at a time.
    if (r->hosts[host].code != 0 && r->options->program != NULL)
      live_run_report(r, "host %u: its program ended with exit code %d", host, r->hosts[host].code);
    else if (r->hosts[host].code != 0 && wrong == 0)
      live_run_report(r, "host %u: %s", host, *r->hosts[host].error ? r->hosts[host].error : "its program failed");
  }
}

/// Those who are left must have been told, in time; then they do a job without it.
static void go_on_without(struct live_run *r, unsigned exits) {
  const struct live_options *o = r->options;
  char command[LIVE_LINE], options[LIVE_LINE / 2];
  if (r->broken_at == 0) live_run_report(r, "host %u was to be killed in the middle, but the job was over before", o->kill);
  for (unsigned host = 0; host + 1 < o->hosts; host++) {
    const struct live_host *h = &r->hosts[host];
    if (h->code == 0)
      live_run_report(r, "host %u did not notice that host %u is gone", host, o->kill);
    else if (live_run_late(h))
      live_run_report(r, "host %u noticed only after %.1f s, %.1f of them with the device at work, that host %u is gone: %s",
                      host, h->failed_after, h->failed_busy, o->kill, h->error);
  }
  if (live_net_flush(r->net, 0) != 0) live_run_report(r, "the device does not flush the ring");
  live_jobs_text(o, o->repeats, options, sizeof options);
  snprintf(command, sizeof command, "jobs 2 1 %u %s", o->hosts - 1, options);
  command_all(r, o->hosts - 1, command);
  await_exits(r, o->hosts - 1, exits + 1);
  check_exits(r, o->hosts - 1);
}

/// Until nothing has come for a while. What a job's hosts sent last may still be in a guest's or a cable's queue; behind the flush it would be
/// learned, and hold a rank of the next job.
static void await_quiet(struct live_run *r) {
  double since = clock_seconds();
  for (uint64_t frames = 0; clock_seconds() - since < QUIET_SECONDS;) {
    if (!live_run_turn(r, false)) return;
    const uint64_t now = live_net_counts(r->net).in;
    if (now != frames || !r->wires.idle(r->wires.self)) since = clock_seconds();
    frames = now;
  }
}

/// How each host ended a job in which the device was restarted or flushed: some may have had all before, the others must have been told in time. Wrong sums
/// are found with all others.
static void count_ends(struct live_run *r) {
  for (unsigned host = 0; host < r->options->hosts; host++) {
    struct live_host *h = &r->hosts[host];
    const bool refused = strstr(h->error, "one rank's numbers") != NULL;
    r->ended[h->code == 0 ? LIVE_END_DONE : refused ? LIVE_END_REFUSED : LIVE_END_FAILED]++;
    if (h->code != 0 && live_run_late(h))
      live_run_report(r, "host %u ended only %.1f s after the device had forgotten all, %.1f of them with the device at work: %s",
                      host, h->failed_after, h->failed_busy, h->error);
    if (h->code != 0 && h->failed_after > r->last.after) r->last = (struct live_lateness){h->failed_after, h->failed_busy};
    h->failed_after = 0;
  }
}

/// A text as a word of the guest's shell.
static void quote(const char *text, char *out, size_t size) {
  size_t used = (size_t)snprintf(out, size, "'");
  for (; *text != 0 && used + 6 < size; text++)
    used += (size_t)snprintf(out + used, size - used, *text == '\'' ? "'\\''" : "%c", *text);
  snprintf(out + used, size - used, "'");
}

/// Every host begins the user's program, with what the library of hosts reads of the environment.
static void command_program(struct live_run *r) {
  const struct live_options *o = r->options;
  char command[LIVE_LINE], quoted[LIVE_LINE / 2];
  quote(o->program, quoted, sizeof quoted);
  snprintf(command, sizeof command,
           "program %s WEIR_RING=1 WEIR_RINGS=%u WEIR_WINDOW=%u WEIR_MSGLEN=%u WEIR_MTU=%u WEIR_VERB=%s WEIR_QP_TIMEOUT=%u",
           quoted, o->rings, o->window, o->msglen, o->mtu, live_verb_name(o->verb), qp_timeout(o));
  r->speaks = true;
  command_all(r, o->hosts, command);
}

/// Every host begins a job; with --perftest hosts 0 and 1 run other programs beside it.
static void command_job(struct live_run *r) {
  const struct live_options *o = r->options;
  char command[LIVE_LINE], options[LIVE_LINE / 2];
  live_jobs_text(o, o->kill != LIVE_NOBODY ? 1000 : o->repeats, options, sizeof options);
  for (unsigned host = 0; host < o->hosts; host++) {
    snprintf(command, sizeof command, "%s %u %u %u %s", o->perftest && host < 2 ? "both" : "jobs", o->hosts_alone ? NO_RING : 1,
             o->rings, o->hosts, options);
    live_guest_command(&r->guests[host], command);
  }
}

/// Jobs in which the device is restarted or flushed, at any time before its last quarter; then everybody begins anew. Returns how many there were.
static unsigned jobs_with_losses(struct live_run *r) {
  const struct live_options *o = r->options;
  const uint64_t packets = (uint64_t)o->hosts * o->rings * o->repeats * (o->tensor / o->mtu + 1);
  struct rng rng = rng_for(o->seed, 0x7265626F);
  unsigned job = 0;
  while (job < live_forgets(o) && r->mismatches == 0 && stop_asked() == 0) {
    r->forget_at = results_out(r) + 1 + rng_next(&rng) % (packets * 3 / 4 + 1);
    command_job(r);
    await_exits(r, o->hosts, ++job);
    if (r->mismatches > 0 || stop_asked() != 0) break;
    if (r->forget_at > 0) {
      check_exits(r, o->hosts);
      live_run_report(r, "job %u was over before the device was to be restarted or flushed", job);
    }
    count_ends(r);
    await_quiet(r);
    flush_all(r);
    life_reached(r->life, "%u of %u restarts and flushes", job, live_forgets(o));
  }
  r->forget_at = 0;
  r->results_before = r->result_count;
  return job;
}

void live_jobs_do(struct live_run *r) {
  const struct live_options *o = r->options;
  const double start = clock_seconds();
  unsigned exits = jobs_with_losses(r);
  if (r->mismatches > 0 || stop_asked() != 0) return;
  if (o->program != NULL)
    command_program(r);
  else
    command_job(r);
  await_exits(r, o->hosts, ++exits);
  r->speaks = false;
  if (o->kill == LIVE_NOBODY)
    check_exits(r, o->hosts);
  else if (r->mismatches == 0 && stop_asked() == 0)
    go_on_without(r, exits++);
  r->job_s = clock_seconds() - start;
  if (r->mismatches > 0 || stop_asked() != 0) return;
  command_all(r, o->hosts, "counters");
  await_exits(r, o->kill != LIVE_NOBODY ? o->hosts - 1 : o->hosts, exits + 1);
}
