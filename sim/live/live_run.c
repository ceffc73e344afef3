#include "sim/live/live_run.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "sim/cli/usage.h"
#include "sim/live/live_jobs.h"

enum { IDLE_MS = 20, MTU_ROOM = 160, LEAST_MTU = 1500 };

void live_run_report(struct live_run *r, const char *format, ...) {
  r->mismatches++;
  if (r->text_count == LIVE_TEXTS) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->texts[r->text_count++], LIVE_TEXT, format, arguments);
  va_end(arguments);
}

// --- what guests say ---

static void take_result(struct live_run *r, unsigned host, const struct live_result *result) {
  if (r->result_count == LIVE_RESULTS) {
    live_run_report(r, "host %u: more than %d results", host, LIVE_RESULTS);
    return;
  }
  r->results[r->result_count] = *result;
  r->results[r->result_count++].host = host;
}

/// The first complaint of a command; others follow from it.
static void take_error(struct live_run *r, unsigned host, const char *text) {
  struct live_host *h = &r->hosts[host];
  if (*h->error == 0 || h->error_of != h->exits) snprintf(h->error, sizeof h->error, "%s", text);
  h->error_of = h->exits;
  if (r->broken_at == 0 || h->failed_after != 0) return;
  h->failed_after = clock_seconds() - r->broken_at;
  h->failed_busy = r->busy_s - r->busy_before;
}

void live_run_break(struct live_run *r) {
  r->broken_at = clock_seconds();
  r->busy_before = r->busy_s;
}

bool live_run_late(const struct live_host *h) { return h->failed_after - h->failed_busy > LIVE_ERROR_SECONDS; }

/// Host 0's console begins an all-reduce: the ring is emptied of what ran before, and then the others may take part.
static void take_allreduce(struct live_run *r, const char *options) {
  char command[LIVE_LINE + 16];
  live_net_flush(r->net, 0);
  snprintf(command, sizeof command, "job 1 %u %s", r->options->hosts, options);
  for (unsigned host = 1; host < r->options->hosts; host++) live_guest_command(&r->guests[host], command);
}

static void take_line(struct live_run *r, unsigned host, const char *line) {
  struct live_host *h = &r->hosts[host];
  struct live_said said;
  live_said_read(line, &said);
  switch (said.what) {
    case LIVE_SAID_NOTHING:
      if (r->speaks && *line != 0) printf("host %u: %s\n", host, line);
      break;
    case LIVE_SAID_UP:
      r->guests[host].up = true;
      snprintf(r->kernel, sizeof r->kernel, "%.63s", said.text);
      break;
    case LIVE_SAID_EXIT:
      h->exits++;
      h->code = said.code;
      break;
    case LIVE_SAID_RESULT:
      if (!r->options->shell) take_result(r, host, &said.result);
      break;
    case LIVE_SAID_COUNTERS:
      json_decref(h->counters);
      h->counters = said.counters;
      break;
    case LIVE_SAID_PASSED: r->passed++; break;
    case LIVE_SAID_ALLREDUCE:
      if (r->options->shell && host == 0) take_allreduce(r, said.text);
      break;
    case LIVE_SAID_ENDS:
      h->ends = said.ends;
      h->ends_told++;
      break;
    case LIVE_SAID_DONE: h->done++; break;
    case LIVE_SAID_ERROR: take_error(r, host, said.text); break;
    case LIVE_SAID_UNREADABLE: live_run_report(r, "host %u: a line that cannot be read: %s", host, said.text); break;
  }
}

static bool listen_to_all(struct live_run *r) {
  bool moved = false;
  for (unsigned host = 0; host < r->options->hosts; host++) {
    const char *line;
    while ((line = live_guest_line(&r->guests[host])) != NULL) {
      take_line(r, host, line);
      moved = true;
    }
  }
  return moved;
}

// --- the loop ---

/// Sleeps until a frame or a line comes, for a moment at most.
static void doze(const struct live_run *r, bool with_input) {
  struct pollfd fds[2 * LIVE_MAX_HOSTS + 1];
  nfds_t count = 0;
  for (unsigned host = 0; host < r->options->hosts; host++) {
    const struct live_guest *g = &r->guests[host];
    if (g->network >= 0) fds[count++] = (struct pollfd){.fd = g->network, .events = POLLIN};
    // The console of a guest that has ended is always readable.
    if (g->console >= 0 && g->pid > 0) fds[count++] = (struct pollfd){.fd = g->console, .events = POLLIN};
  }
  if (with_input) fds[count++] = (struct pollfd){.fd = 0, .events = POLLIN};
  poll(fds, count, r->wires.idle(r->wires.self) ? IDLE_MS : 1);
}

bool live_run_turn(struct live_run *r, bool with_input) {
  const double before = clock_seconds();
  bool moved = r->wires.step(r->wires.self);
  if (moved) r->busy_s += clock_seconds() - before;
  moved = listen_to_all(r) || moved;
  if (!moved) doze(r, with_input);
  return !r->over && stop_asked() == 0 && r->wires.sound(r->wires.self);
}

static bool all_up(const struct live_run *r) {
  for (unsigned host = 0; host < r->options->hosts; host++)
    if (!r->guests[host].up) return false;
  return true;
}

bool live_run_exited(const struct live_run *r, unsigned hosts, unsigned exits) {
  for (unsigned host = 0; host < hosts; host++)
    if (r->guests[host].console >= 0 && r->hosts[host].exits < exits) return false;
  return true;
}

unsigned live_run_ended(struct live_run *r) {
  for (unsigned host = 0; host < r->options->hosts; host++)
    if (r->guests[host].console >= 0 && !live_guest_runs(&r->guests[host])) return host;
  return LIVE_NOBODY;
}

// --- boot ---

static int refuse_boot(const struct live_run *r, unsigned host) {
  const struct live_guest *g = &r->guests[host];
  return live_refuse("guest %u does not boot (%s): %s", host, r->accel, *g->line.last ? g->line.last : "its console is silent");
}

/// A folder for each host's files.
static int make_folders(const struct live_options *o) {
  char path[4096];
  for (unsigned host = 0; host < o->hosts; host++) {
    snprintf(path, sizeof path, "%s/host%u", o->files, host);
    if ((mkdir(o->files, 0777) != 0 && errno != EEXIST) || (mkdir(path, 0777) != 0 && errno != EEXIST))
      return live_refuse("%s: %s", path, strerror(errno));
  }
  return 0;
}

int live_run_boot(struct live_run *r) {
  const struct live_options *o = r->options;
  char folder[4096], accel[16];
  struct live_machine m = {.image = o->image != NULL ? o->image : live_image_folder(folder, sizeof folder),
                           .accel = o->accel,
                           .memory_mb = o->memory_mb,
                           .mtu = o->mtu + MTU_ROOM > LEAST_MTU ? o->mtu + MTU_ROOM : LEAST_MTU,
                           .vlan = o->vlan,
                           .ipv6 = o->ipv6,
                           .root = o->root,
                           .files = o->files};
  int code = live_machine_check(&m, o->hosts, accel);
  if (code == 0 && o->files != NULL) code = make_folders(o);
  r->accel = m.accel != NULL && strcmp(m.accel, "kvm") == 0 ? "kvm" : "tcg";
  const double start = clock_seconds();
  for (unsigned host = 0; code == 0 && host < o->hosts; host++) code = live_guest_start(&r->guests[host], &m, host, o->hosts);
  if (code != 0) return code;
  while (!all_up(r)) {
    if (!live_run_turn(r, false)) return 0;
    const unsigned gone = live_run_ended(r);
    if (gone != LIVE_NOBODY) {
      listen_to_all(r);
      return refuse_boot(r, gone);
    }
    if (clock_seconds() - start > o->patience) {
      unsigned late = 0;
      while (r->guests[late].up) late++;
      return refuse_boot(r, late);
    }
  }
  r->boot_s = clock_seconds() - start;
  return 0;
}

// --- people ---

/// Keys go to the guest one by one, as they are.
static void raw_terminal(struct termios *before) {
  struct termios raw;
  if (tcgetattr(0, before) != 0) return;
  raw = *before;
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
  raw.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
  tcsetattr(0, TCSANOW, &raw);
}

static void hand_keys(struct live_run *r) {
  char keys[64];
  struct pollfd input = {.fd = 0, .events = POLLIN};
  if (poll(&input, 1, 0) <= 0) return;
  const ssize_t n = read(0, keys, sizeof keys);
  if (n > 0)
    (void)!write(r->guests[0].console, keys, (size_t)n);
  else
    r->over = true;
}

/// The console of host 0 until it ends.
static void serve_shell(struct live_run *r) {
  const struct live_options *o = r->options;
  char command[LIVE_LINE], options[LIVE_LINE / 2];
  struct termios before;
  const bool terminal = isatty(0) == 1;
  live_jobs_text(o, o->repeats, options, sizeof options);
  snprintf(command, sizeof command, "console 1 %u %s", o->hosts, options);
  live_guest_command(&r->guests[0], command);
  r->guests[0].shown = true;
  if (terminal) raw_terminal(&before);
  while (r->hosts[0].exits == 0 && live_run_ended(r) == LIVE_NOBODY && live_run_turn(r, true)) hand_keys(r);
  if (terminal) tcsetattr(0, TCSANOW, &before);
  stop_forget();
}

/// Guests of the user's own: until the end of input or a signal.
static void serve_attached(struct live_run *r) {
  char text[64];
  while (live_run_turn(r, true)) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    if (poll(&input, 1, 0) <= 0) continue;
    if (read(0, text, sizeof text) <= 0) break;
    for (unsigned ring = 0; ring < r->options->rings; ring++) live_net_flush(r->net, ring);
    fprintf(stderr, "all rings are flushed\n");
  }
  stop_forget();
}

static int attach(struct live_run *r) {
  int code = 0;
  for (unsigned host = 0; code == 0 && host < r->options->hosts; host++)
    code = live_guest_attach(&r->guests[host], r->options->attach, host);
  if (code == 0)
    fprintf(stderr, "%u ports wait at %s/weir0.sock..; Enter flushes all rings, Ctrl-D ends it\n", r->options->hosts,
            r->options->attach);
  return code;
}

// --- all of it ---

int live_run_all(struct live_run *r) {
  const struct live_options *o = r->options;
  int code;
  if (o->attach != NULL) {
    code = attach(r);
    if (code == 0) serve_attached(r);
    return code;
  }
  code = live_run_boot(r);
  if (code != 0 || stop_asked() != 0) return code;
  if (o->shell)
    serve_shell(r);
  else
    live_jobs_do(r);
  return code;
}

void live_run_stop(struct live_run *r) {
  for (unsigned host = 0; host < LIVE_MAX_HOSTS; host++) {
    if (r->options->attach != NULL && r->guests[host].network >= 0) live_guest_detach(r->options->attach, host);
    live_guest_stop(&r->guests[host]);
    json_decref(r->hosts[host].counters);
    r->hosts[host].counters = NULL;
  }
}
